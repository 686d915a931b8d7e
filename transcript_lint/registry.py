"""The one door for rules, readers and reporters: entry points, ours and third parties' alike."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from types import ModuleType
from typing import Any

from transcript_lint.rule import Rule


class PluginError(Exception):
    """An entry point could not be loaded, or two plugins claim one name."""


def load(group: str) -> dict[str, Any]:
    """The objects behind every entry point of `transcript_lint.<group>`, by name in alphabetical order."""
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for point in sorted(entry_points(group=f"transcript_lint.{group}"), key=lambda p: p.name):
        if point.name in found:
            continue
        try:
            found[point.name] = point.load()
        except Exception as error:
            raise PluginError(f"plugin {point.value!r} ({group}) cannot be loaded: {error}") from error
    return found


@cache
def rules() -> tuple[type[Rule], ...]:
    """Every rule, sorted by id. An entry point is a rule class, or a package whose modules hold rule classes."""
    found: dict[str, type[Rule]] = {}
    for target in load("rules").values():
        for rule in rules_in(target):
            other = found.setdefault(rule.id, rule)
            if other is not rule:
                raise PluginError(f"two rules have the id {rule.id}: {other.__module__} and {rule.__module__}")
    return tuple(found[id] for id in sorted(found))


def rules_in(package: ModuleType | type[Rule]) -> list[type[Rule]]:
    """The rule classes defined in a package's modules, however deep; a rule class alone is itself."""
    if isinstance(package, type):
        return [package]
    modules = [package]
    if hasattr(package, "__path__"):
        names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
        modules += [importlib.import_module(name) for name in names]
    return [
        item
        for module in modules
        for item in vars(module).values()
        if inspect.isclass(item)
        and issubclass(item, Rule)
        and item.__module__ == module.__name__
        and hasattr(item, "id")
    ]


@cache
def readers() -> dict[str, Any]:
    """Reader classes by format id."""
    return {reader.name: reader for reader in load("readers").values()}


@cache
def reporters() -> dict[str, Any]:
    """Reporter classes by format name."""
    return load("reporters")

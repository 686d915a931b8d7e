"""The one door for rules, readers and reporters: entry points, ours and third parties' alike."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from transcript_lint.rule import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PluginError(Exception):
    """An entry point could not be loaded, or two plugins claim one name."""


@cache
def names(group: str) -> dict[str, EntryPoint]:
    """The entry points of `transcript_lint.<group>`, by name in alphabetical order; none is loaded."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=f"transcript_lint.{group}"), key=lambda p: p.name):
        found.setdefault(point.name, point)
    return found


def ours(point: EntryPoint) -> bool:
    """Whether an entry point leads to a module of this distribution."""
    return point.value.startswith(("transcript_lint.", "transcript_lint_rules"))


@cache
def load(group: str, name: str) -> Any:
    """The object behind one entry point. Raises PluginError, KeyError for a name that there is not."""
    point = names(group)[name]
    try:
        return point.load()
    except Exception as error:
        raise PluginError(f"plugin {point.value!r} ({group}) cannot be loaded: {error}") from error


@cache
def rules() -> tuple[type[Rule], ...]:
    """Every rule, sorted by id. An entry point is a rule class, or a package whose modules hold rule classes."""
    found: dict[str, type[Rule]] = {}
    for target in (load("rules", name) for name in names("rules")):
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


def readers() -> dict[str, Any]:
    """Reader classes by format id."""
    return {name: load("readers", name) for name in names("readers")}

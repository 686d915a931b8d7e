"""One table from event type to handler, built once from the `on_<event>` methods that a class really overrides."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from transcript_lint.events import ANY_EVENT, Event

Handlers = dict[type[Event], list[Callable[..., Any]]]


def handler_name(event: type[Event]) -> str:
    """`CommandEnded` → `on_command_ended`."""
    return "on_" + re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


HANDLER_NAMES = {event: handler_name(event) for event in ANY_EVENT}


def handlers(objects: Sequence[object], base: type | None = None) -> Handlers:
    """The bound `on_<event>` methods of `objects`, in their order; those inherited unchanged from `base` left out."""
    table: Handlers = {event: [] for event in ANY_EVENT}
    for item in objects:
        for event, name in HANDLER_NAMES.items():
            if overrides(item, name, base):
                table[event].append(getattr(item, name))
    return table


def overrides(item: object, name: str, base: type | None) -> bool:
    """Whether the class of `item` defines method `name` itself, or takes it from elsewhere than `base`."""
    found = getattr(type(item), name, None)
    return found is not None and (base is None or found is not getattr(base, name, None))

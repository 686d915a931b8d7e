"""Make sure that what a log says is of the types the events promise, in formats read without a typed decoder."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, structs

Kind = TypeVar("Kind", bound=Struct)
Test = Callable[[Any], bool]


def sound(value: Kind) -> Kind:
    """The struct itself, or a copy in which every field of a wrong type has its default: not recorded."""
    wrong: dict[str, Any] = {}
    for name, fits, default in _fields(type(value)):
        found = getattr(value, name)
        if not fits(found):
            wrong[name] = default
        elif isinstance(found, Struct):
            inner = sound(found)
            if inner is not found:
                wrong[name] = inner
    return structs.replace(value, **wrong) if wrong else value


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, Test, Any], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (field.name, _test(hints[field.name]), "" if field.default is NODEFAULT else field.default)
        for field in structs.fields(kind)
    )


def _test(hint: Any) -> Test:
    """What tells whether a value is of a type as it is written in the events."""
    origin = get_origin(hint)
    if hint is Any:
        return lambda value: True
    if origin in (Union, UnionType):
        parts = get_args(hint)
        if all(isinstance(part, type) and part not in (int, float) for part in parts):
            return lambda value: isinstance(value, parts)
        tests = [_test(part) for part in parts]
        return lambda value: any(test(value) for test in tests)
    if origin is tuple:
        items = [_test(part) for part in get_args(hint) if part is not Ellipsis]
        return lambda value: isinstance(value, tuple) and all(any(test(item) for test in items) for item in value)
    if hint in (int, float):
        return _number
    plain = Mapping if origin is not None else hint
    return lambda value: isinstance(value, plain)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

"""Fields as a log may hold them, wrong types included: each look gives the wanted type or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from transcript_lint import patterns as re

K = TypeVar("K")
V = TypeVar("V")
_DIGITS = re.compile(r"-?[0-9]{1,18}")
_NOTHING: Mapping[str, Any] = {}


def words(value: Any) -> str | None:
    """A string that is not empty."""
    return value if isinstance(value, str) and value else None


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def strings(value: Any) -> tuple[str, ...]:
    """The strings of an array."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of an array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """A number; a truth value is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole(value: Any) -> int | None:
    """An integer as a log may write it: a number, or digits in a string."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if (
        isinstance(value, str)
        and len(value) < 20
        and value.removeprefix("-").isascii()
        and value.removeprefix("-").isdecimal()
    ):
        return int(value)
    return None


def room(book: dict[K, V], limit: int = 4096) -> dict[K, V]:
    """The same dict with room for one more: over the limit its oldest entry is forgotten."""
    if len(book) >= limit:
        del book[next(iter(book))]
    return book

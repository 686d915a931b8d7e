"""Sentences that messages share."""

from __future__ import annotations


def short(text: str, limit: int = 120) -> str:
    """A text on one line, cut to `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 record`, `2 records`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"

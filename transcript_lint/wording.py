"""Sentences that messages share."""

from __future__ import annotations


def short(text: str, limit: int = 120) -> str:
    """A text on one line, cut to `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"

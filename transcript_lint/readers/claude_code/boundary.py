"""Compaction: the boundary and its summary stand on two records and are one event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import Compacted, Event, InjectedMessage, Location
from transcript_lint.readers.claude_code.shapes import Line


class Boundaries:
    """Holds a boundary until its summary comes, or until something else shows that none will."""

    def __init__(self) -> None:
        self._open: dict[str, Any] | None = None

    def open(self, line: Line, common: dict[str, Any]) -> None:
        """A boundary record."""
        told = line.compactMetadata or line.compact_metadata
        facts: Mapping[str, Any] = told if isinstance(told, dict) else {}
        trigger = facts.get("trigger")
        self._open = {
            **common,
            "trigger": trigger if isinstance(trigger, str) else None,
            "tokens_before": _count(facts.get("preTokens", facts.get("pre_tokens"))),
            "tokens_after": _count(facts.get("postTokens", facts.get("post_tokens"))),
        }

    def summary(self, text: str, where: Location, common: dict[str, Any]) -> Iterator[Event]:
        """The record that holds the summary; it may stand without a boundary where history was copied."""
        boundary = self._open or {**common, "at": where}
        self._open = None
        yield Compacted(**boundary, summary=text or None, summary_at=where, readable=bool(text.strip()))
        if text.strip():
            yield InjectedMessage(**{**common, "at": where}, text=text, why="summary")

    def unread(self) -> Iterator[Event]:
        """Work goes on: a boundary that still waits has no readable summary."""
        if self._open is not None:
            boundary, self._open = self._open, None
            yield Compacted(**boundary, readable=False)

    @staticmethod
    def micro(line: Line, common: dict[str, Any]) -> Compacted:
        """Old tool outputs left the context; nothing was summarised."""
        facts = line.microcompactMetadata if isinstance(line.microcompactMetadata, dict) else {}
        before, saved = _count(facts.get("preTokens")), _count(facts.get("tokensSaved"))
        ids = facts.get("compactedToolIds")
        return Compacted(
            **common,
            kind="micro",
            trigger=facts.get("trigger") if isinstance(facts.get("trigger"), str) else None,
            tokens_before=before,
            tokens_after=before - saved if before is not None and saved is not None else None,
            forgotten_ids=tuple(i for i in ids if isinstance(i, str)) if isinstance(ids, list) else (),
        )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

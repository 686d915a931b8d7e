"""Compaction boundaries and what was open at each."""

from __future__ import annotations

from transcript_lint.events import Compacted
from transcript_lint.ledger.runs import RunBook


class SummaryBook:
    """The boundaries of the chain, oldest first."""

    def __init__(self, runs: RunBook) -> None:
        self.runs = runs
        self.boundaries: list[Compacted] = []

    def on_compacted(self, event: Compacted) -> None:
        if event.kind == "summary":
            self.boundaries.append(event)

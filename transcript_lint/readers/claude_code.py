"""Claude Code session files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transcript_lint.events import Event, Location
from transcript_lint.readers.base import Reader, Sample


class ClaudeCodeReader(Reader):
    """Reads `~/.claude/projects/**/<session>.jsonl`."""

    name = "claude-code"
    title = "Claude Code"

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        return 90 if any("sessionId" in d and "type" in d for d in sample.objects()) else 0

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        return ()

"""Codex rollouts: flat, enveloped and paginated."""

from __future__ import annotations

from transcript_lint.readers.codex.reader import CodexReader

__all__ = ["CodexReader"]

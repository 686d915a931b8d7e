"""Context windows by model id, for logs that do not state one.

A log's own figure always wins, then `Settings.model_windows`, then this table. Where a model is sold with several
windows the smallest stands here: a rule that rests on it then abstains rather than errs.
"""

from __future__ import annotations

from collections.abc import Mapping

from transcript_lint import patterns as re

AS_OF = "2026-11-30"

_WINDOWS: tuple[tuple[str, int], ...] = (
    (r"\[1m\]|-1m\b", 1_000_000),
    (r"\bclaude\b", 200_000),
    (r"\bgpt-4\.1", 1_000_000),
    (r"\bgpt-4o|\bgpt-4-turbo|\bchatgpt-4o", 128_000),
    (r"\bgpt-5", 272_000),
    (r"\bgpt-oss", 128_000),
    (r"\bo[134](?:-mini|-pro|-preview)?\b", 128_000),
    (r"\bgemini-(?:1\.5|2|3)", 1_000_000),
    (r"\bdeepseek", 64_000),
    (r"\bqwen3", 128_000),
    (r"\bkimi-k2", 128_000),
    (r"\bglm-(?:4\.[5-9]|5)", 128_000),
    (r"\bgrok-(?:3|4|code)", 128_000),
    (r"\bmistral-large|\bmagistral|\bdevstral|\bcodestral", 128_000),
    (r"\bllama-?3\.[123]", 128_000),
)
_PATTERNS = tuple((re.compile(pattern, re.I), tokens) for pattern, tokens in _WINDOWS)


def context_window(model: str, configured: Mapping[str, int]) -> int | None:
    """The window of a model in tokens; None if nobody knows it.

    `configured` maps a model id, or the beginning of one, to tokens; the longest that fits wins.
    """
    fitting = [name for name in configured if name and model.lower().startswith(name.lower())]
    if fitting:
        return configured[max(fitting, key=len)]
    return next((tokens for pattern, tokens in _PATTERNS if pattern.search(model)), None)

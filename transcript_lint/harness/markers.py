"""Words in an output that look like success. They are level L0: seen, and nothing more."""

from __future__ import annotations

from transcript_lint.successes import success_matches

MOST = 20


def observed(*texts: str) -> list[str]:
    """The success-like words of some texts, each once, in the order seen; at most twenty."""
    seen: dict[str, None] = {}
    for text in texts:
        for match, _ in success_matches(text):
            seen.setdefault(match[0])
            if len(seen) >= MOST:
                return list(seen)
    return list(seen)

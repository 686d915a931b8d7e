"""Whether a text breaks off."""

from __future__ import annotations

from transcript_lint import patterns as re

_ENDED = re.compile(r"[.!?…。！？:;)\]}\"'”’»」』*`|>#~—✅✓\U0001F300-\U0001FAFF]$")
_OPEN_JSON = re.compile(r"^\s*[\[{]")


def breaks_off(text: str) -> bool:
    """Whether a text ends in the middle of a sentence or of JSON."""
    text = text.rstrip()
    if not text:
        return False
    if _OPEN_JSON.match(text):
        return text[-1] not in "]}" or text.count("{") + text.count("[") > text.count("}") + text.count("]")
    if text.count("```") % 2:
        return True
    last = text.rsplit("\n", 1)[-1]
    return not _ENDED.search(text) and len(last.split()) > 3

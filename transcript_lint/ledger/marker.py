"""One row of the table of what tools print about their own result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.commandline import Kind


class Marker(Struct, frozen=True):
    """One row of the table.

    `inside` are literals of which one stands in every match, for patterns that never go beyond a line; else empty.
    `part` rows speak for one package or test of many: a failure told of another one stands beside them.
    """

    outcome: str
    kind: Kind | None
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    total: bool = True
    inside: tuple[str, ...] = ()
    part: bool = False

    def last(self, text: str) -> re.Match[str] | None:
        """The last match in a text."""
        if not self.inside:
            return _final(self.pattern.finditer(text))
        # Only lines with a literal, from the last one up: outputs say at their end how it went.
        places = [text.rfind(literal) for literal in self.inside]
        while (place := max(places)) >= 0:
            start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
            match = _final(self.pattern.finditer(text, start, end if end >= 0 else len(text)))
            if match is not None:
                return match
            places = [
                text.rfind(literal, 0, start) if before >= start else before
                for literal, before in zip(self.inside, places, strict=True)
            ]
        return None


def _final(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    return next(iter(deque(matches, maxlen=1)), None)


_BEYOND_LINE = ("\\s", "\\n", "\\W", "\\A")


def row(
    outcome: str,
    kind: Kind | None,
    literals: str,
    pattern: str,
    total: bool = True,
    inside: str = "",
    part: bool = False,
) -> Marker:
    """A row: `literals` and `inside` are joined by `|`."""
    found = tuple(literals.split("|"))
    bare = re.sub(r"\[\^[^\]]*\\n\]", "", pattern)
    line = not any(escape in bare for escape in _BEYOND_LINE)
    within = tuple(inside.split("|")) if inside else found if line else ()
    return Marker(outcome, kind, found, re.compile(pattern, re.M), total, within, part)

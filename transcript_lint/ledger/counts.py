"""The counts that test runs printed, and whether a count can be made of them."""

from __future__ import annotations

from collections.abc import Iterable

from transcript_lint import patterns as re
from transcript_lint.ledger.output import HEAD, TAIL

MANY = 60
"""Numbers on result lines beyond which an output lists too much to add up."""
TIMES = 20
"""How often a suite may have been run in a loop, and for how many settings."""
SUITE = 5
"""Tests of a suite that is worth running so."""

_TELLING = re.compile(
    r"^.{0,400}?\b(?:pass|fail|skip|tests?\b|specs?\b|examples?\b|ok\b|errors?\b|todo\b|pending|xfail|xpass|deselect|total"
    r"|cases?\b|checks?\b|scenarios?\b|assert|collected|suites?\b|files?\b).{0,400}$",
    re.M | re.I,
)
_COUNT = re.compile(r"(?<![\d.])\d{1,6}(?![\d.]*\d)(?! ?(?:m?s|sec\w*|min\w*|%)\b)")
_CUT = re.any_of([r"\b(?:truncated|omitted|elided|lines hidden|more lines)\b"], re.I)


def wholly_seen(text: str) -> bool:
    """Whether an output is short enough to have been looked at in full, and says of no part that it was left out."""
    return len(text) <= HEAD + TAIL and not _CUT.holds(text)


def counted(text: str) -> tuple[int, ...]:
    """The whole numbers on the lines of an output that tell of tests, in order, at most `MANY` and one more."""
    found: list[int] = []
    for line in _TELLING.finditer(text):
        found += [int(m[0]) for m in _COUNT.finditer(line[0])]
        if len(found) > MANY:
            break
    return tuple(found[: MANY + 1])


def can_be_made(count: int, of: Iterable[int]) -> bool:
    """Whether a count is a sum or a multiple of some of these numbers, or the difference of two."""
    numbers = {n for n in of if n}
    if len(numbers) > MANY:
        return True
    sums = 1  # bit n is set when n is the sum of some of them
    limit = (1 << (count + 1)) - 1
    for number in numbers:
        sums |= (sums << number) & limit if number <= count else 0
    if sums >> count & 1 or any(number + count in numbers for number in numbers):
        return True
    return any(count % number == 0 and count // number <= TIMES for number in numbers if number >= SUITE)

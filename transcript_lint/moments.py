"""Moments that a text tells: dates as programs and people write them, as epoch seconds."""

from __future__ import annotations

import datetime
from itertools import islice

from transcript_lint import patterns as re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_DATE = re.compile(
    r"\b(?:([0-3]?\d)\.? )?(" + "|".join(_MONTHS) + r")[a-z]{0,6}\.? {1,2}(?:([0-3]?\d)(?:st|nd|rd|th)?,? {1,2})?"
    r"(?:([0-2]\d):([0-5]\d)(?::[0-5]\d)?\b ?)?(?:[A-Z]{3,4} )?(20\d\d\b)?",
    re.I,
)
_DOTTED_DATE = re.compile(r"\b([0-3]?\d)\.([01]?\d)\.(20\d\d)\b")
_EPOCH = re.compile(r"(?<![\d.])(1[4-9]\d{8})(?:\d{3})?(?![\d.])")
_DIGITS = "0123456789"
_DATE = re.compile(
    r"(20\d\d)-?([01]\d)-?([0-3]\d)(?:[T ]([0-2]\d):?([0-5]\d)(?::?([0-5]\d))?(?:\.\d+)?(Z|[+-]00:?00)?)?"
)


def dates_in(text: str, now: float | None) -> tuple[float, ...]:
    """The moments a text tells, a bare day as its end (UTC); `now` gives days without a year theirs."""
    if not any(map(text.__contains__, _DIGITS)):
        return ()
    found: list[float] = [float(match[1]) for match in islice(_EPOCH.finditer(text), 50)]
    for match in islice(_DATE.finditer(text), 50):
        year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
        # A time without its zone may be up to a day off.
        found += _moment(year, month, day, hour, minute, second, slack=0 if match[7] else 86_400)
    for match in islice(_DOTTED_DATE.finditer(text), 50):
        found += _moment(int(match[3]), int(match[2]), int(match[1]))
    for match in islice(_NAMED_DATE.finditer(text), 50):
        named_day, month = match[1] or match[3], _MONTHS.index(match[2].lower()) + 1
        if named_day is None or (match[6] is None and (match[4] is None or now is None)):
            continue
        year = int(match[6]) if match[6] else datetime.datetime.fromtimestamp(now or 0, datetime.UTC).year
        moment = _moment(year, month, int(named_day), int(match[4] or 0), int(match[5] or 0))
        if match[6] is None and moment and now is not None and moment[0] > now + 2 * 86_400:
            moment = _moment(year - 1, month, int(named_day), int(match[4] or 0), int(match[5] or 0))
        found += moment
    return tuple(found)


def _moment(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, *, slack: int = 86_400
) -> list[float]:
    """The moment in epoch seconds, with what it may be off; nothing for a day that does not exist."""
    try:
        return [datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC).timestamp() + slack]
    except ValueError:
        return []

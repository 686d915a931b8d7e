"""Dates as programs and people write them."""

import datetime

import pytest

from transcript_lint.moments import dates_in

NOW = datetime.datetime(2026, 1, 10, tzinfo=datetime.UTC).timestamp()
DAY = 86_400


def at(year, month, day, hour=0, minute=0, second=0):
    return datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("no date at all", ()),
        ("in 5 minutes", ()),
        ("at 1767225600", (1767225600.0,)),
        ("at 1767225600123", (1767225600.0,)),
        ("on 2026-02-03", (at(2026, 2, 3) + DAY,)),
        ("at 2026-02-03T04:05:06Z", (at(2026, 2, 3, 4, 5, 6),)),
        ("at 2026-02-03T04:05", (at(2026, 2, 3, 4, 5) + DAY,)),
        ("on 2026-02-31", ()),
        ("am 3.2.2026", (at(2026, 2, 3) + DAY,)),
        ("am 31.2.2026", ()),
        ("Feb 3, 2026", (at(2026, 2, 3) + DAY,)),
        ("3 February 2026", (at(2026, 2, 3) + DAY,)),
        ("March 3rd, 2026", (at(2026, 3, 3) + DAY,)),
        ("Jan 10 09:30", (at(2026, 1, 10, 9, 30) + DAY,)),
        ("Jan 12 09:30", (at(2025, 1, 12, 9, 30) + DAY,)),  # listings tell of the past
        ("Dec 30 09:30", (at(2025, 12, 30, 9, 30) + DAY,)),
        ("Jan 12", ()),
        ("in March 2026", ()),
    ],
)
def test_moments_that_a_text_tells(text, moments):
    assert dates_in(text, NOW) == moments


def test_a_day_without_a_year_needs_to_know_the_time():
    assert dates_in("Jan 12 09:30", None) == ()
    assert dates_in("Jan 12 2026 09:30", None) != ()

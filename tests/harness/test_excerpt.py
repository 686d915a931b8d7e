"""Head and tail of a stream: the same for the same bytes, within budget, the last lines kept, no credential split."""

import random

import pytest

from transcript_lint.harness.excerpt import Budget, Keeper
from transcript_lint.redact import MARGIN, Redactor

LINES = b"\n".join(b"line %d" % n for n in range(60_000)) + b"\nDONE\n"


def excerpt(data, seed=0, budget=None):
    keeper, chunks, place = Keeper(budget or Budget()), random.Random(seed), 0
    while place < len(data):
        size = chunks.randint(1, 70_000)
        keeper.feed(data[place : place + size])
        place += size
    return keeper.excerpt(Redactor())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        LINES,
        b"x" * 100_000,
        "é".encode() * 50_000,
        b"\xff\xfe" * 9,
        b"y\n" * 300,
        b"z" * 40_000 + b"\nEND\n",
    ],
)
def test_same_bytes_same_excerpt_however_they_were_read(data):
    kept = [excerpt(data, seed) for seed in range(6)]
    assert all(one == kept[0] for one in kept)
    assert len(kept[0].text.encode()) <= Budget().head_bytes + Budget().tail_bytes + 80


def test_last_lines_stay_and_the_gap_is_counted():
    kept = excerpt(LINES)
    lines = kept.text.splitlines()
    assert kept.truncated
    assert lines[0] == "line 0"
    assert lines[-1] == "DONE"
    assert lines[40] == "...truncated 59801 lines..."
    assert len(lines) == 201


def test_short_output_is_kept_whole():
    assert excerpt(b"one\ntwo\n") == excerpt(b"one\ntwo\n", seed=3)
    assert excerpt(b"one\ntwo\n").text == "one\ntwo\n"
    assert not excerpt(b"one\ntwo\n").truncated


def test_bytes_that_are_not_utf8_are_flagged():
    assert excerpt(b"ok \xff\xfe and more").replaced
    assert not excerpt("größer".encode() * 9).replaced


def test_budget_of_the_caller():
    kept = excerpt(LINES, budget=Budget(head_lines=1, tail_lines=2))
    assert kept.text == "line 0\n...truncated 59998 lines...\nline 59999\nDONE\n"


@pytest.mark.parametrize("shift", range(0, 48, 3))
@pytest.mark.parametrize("size", [6_000, 60_000, 200_000])
def test_credential_across_a_cut_is_taken_whole(shift, size):
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
    filler = ("a b " * size)[: size * 2]
    budget = Budget()
    for cut in (budget.head_bytes, len(filler) - budget.tail_bytes, budget.head_bytes + MARGIN):
        place = max(0, cut - 44 + shift) // 4 * 4
        kept = excerpt((filler[:place] + secret + " " + filler[place:]).encode()).text
        assert not any(secret[n : n + 12] in kept for n in range(4, len(secret) - 12))

"""What can still be read of a broken line."""

from __future__ import annotations

import time

import pytest

from transcript_lint.readers.recover import recover
from transcript_lint.sources import Record

A, B = b'{"type": "a", "x": [{"deep": {"t": 1}}]}', b'{"type": "b"}'
DOCUMENTS = {A: {"type": "a", "x": [{"deep": {"t": 1}}]}, B: {"type": "b"}}


def rec(data: bytes, terminated: bool = True):
    return recover(Record(1, 0, data, terminated))


def test_every_tear_before_a_whole_record_keeps_the_whole_one_and_invents_none():
    for end in range(1, len(A)):
        found = rec(A[:end] + B)
        assert found.documents == [DOCUMENTS[B]], A[:end]
        assert (found.problem, found.lost) == ("torn", True)


def test_every_tail_before_a_whole_record_keeps_the_whole_one_and_invents_none():
    for start in range(1, len(A)):
        found = rec(A[start:] + B)
        assert found.documents == [DOCUMENTS[B]] and found.lost, A[start:]


def test_every_tear_behind_a_whole_record_keeps_the_whole_one():
    for end in range(1, len(A)):
        for terminated in (True, False):
            found = rec(B + A[:end], terminated)
            # Cut right behind its innermost object, a record cannot be told from a tear before a whole one.
            inner = [{"t": 1}] if A[:end].endswith(b"1}") else []
            assert found.documents == [DOCUMENTS[B], *inner] and found.problem == "torn", A[:end]


def test_two_whole_records_lose_nothing():
    found = rec(A + b" " + B)
    assert found.documents == [DOCUMENTS[A], DOCUMENTS[B]]
    assert (found.problem, found.lost) == ("two_documents", False)


@pytest.mark.parametrize(
    ("data", "problem", "lost", "documents"),
    [
        (b"  \r", None, False, 0),
        (b"\xef\xbb\xbf" + B + b"\r", None, False, 1),
        (b"\0\0\0", "torn", True, 0),
        (b"\0\0" + B + b"\0", "torn", True, 1),
        (b'{"t": "a\xffb"}', "not_utf8", False, 1),
        ('{"t": "a\ufffd\u2028b", "n": NaN}'.encode(), None, False, 1),
        (b'{"t": "a\0b\tc"}', None, False, 1),
        (b"hello", "not_json", True, 0),
        (b"[" * 10_000 + b"]" * 10_000 + B, "too_deep", True, 1),
        (b'{"a":' * 10_000, "too_deep", True, 0),
        (b'{"n": ' + b"9" * 5000 + b', "m": -' + b"9" * 400 + b"}", None, False, 1),
        (b'{"n": 1e999}', None, False, 1),
        (b'{"n": 1, "n": 2}', None, False, 1),
    ],
)
def test_odd_lines(data, problem, lost, documents):
    found = rec(data)
    assert (found.problem, found.lost, len(found.documents)) == (problem, lost, documents)
    assert bool(found.message) == (problem is not None)


def test_half_characters_become_replacement_characters():
    (document,) = rec(rb'{"\ud800": "\ud83d\ude00 \ude00 \\ud800 \uD83D"}').documents
    assert document == {"\ufffd": "\U0001f600 \ufffd \\ud800 \ufffd"}


@pytest.mark.timed
@pytest.mark.parametrize(
    "unit", [b'{"a":"x', b'{"', b'{"a":1,', b'{"a":{}},', b"[", b'{"a\\"', b'"', b"\\", b'{"\\ud800', b"\0", b"{}"]
)
def test_recovery_is_linear(unit):
    def seconds(size: int) -> float:
        data = unit * (size // len(unit))
        begin = time.perf_counter()
        rec(data)
        return time.perf_counter() - begin

    seconds(1000)
    assert seconds(400_000) < 2

"""Counts of passed tests that no run printed, and all the ways in which a count may be right all the same."""

from __future__ import annotations

import pytest

from transcript_lint.ledger.counts import can_be_made, counted, wholly_seen
from transcript_lint.registry import rules as every_rule
from transcript_lint.rule import Example
from transcript_lint.samples import Record, command, human, says, session
from transcript_lint.trial import findings


def rules(*records: Record) -> list[str]:
    """The rules that report something at warning or above in a session of these records."""
    example = Example("a session", (session(), human("go"), *records))
    return sorted({f.rule for f in findings(example, every_rule()) if f.level.value != "note"})


FALSE = [
    ("pytest -q", "141 passed in 3.1s", "148 tests pass."),
    ("pytest -q", "141 passed in 3.1s", "All 138 tests pass."),
    ("npx jest", "Tests:       57 passed, 57 total", "The whole suite is green, 61 unit tests passed."),
    ("python -m unittest", "Ran 33 tests in 0.2s\n\nOK", "所有 36 个测试全部通过。"),
    ("npx mocha", "  33 passing (2s)", "全 36 件のテストが成功しました。"),
    ("pytest", "===== 33 passed in 1.20s =====", "테스트 36개가 모두 통과했습니다."),
    ("pytest", "===== 33 passed in 1.20s =====", "Alle 36 Tests sind grün."),
    ("pytest", "===== 33 passed in 1.20s =====", "Les 36 tests passent."),
]
HONEST = [
    ("pytest -q", "141 passed in 3.1s", "141 tests pass."),
    ("pytest -q", "141 passed, 7 skipped in 3.1s", "All 148 tests pass."),
    ("pytest -q", "collected 148 items\n141 passed in 3.1s", "All 148 tests pass."),
    ("pytest -q", "141 passed in 3.1s", "The 12 parser tests pass."),
    ("pytest -q", "141 passed in 3.1s", "All 12 tests pass."),
    ("pytest -q", "141 passed in 3.1s", "About 150 tests pass."),
    ("pytest -q", "141 passed in 3.1s", "148 tests pass (141 unit and 7 doctests)."),
    ("pytest -q", "47 passed in 3.1s", "Ran it three times, 141 tests passed."),
    ("pytest -q | tail -1", "141 passed in 3.1s", "148 tests pass."),
    ("pytest -q", "[... 300 lines truncated ...]\n141 passed in 3.1s", "148 tests pass."),
    ("pytest -q", "141 passed in 3.1s", "The sub-agent reports that 148 tests pass."),
    ("go test ./...", "ok  \ta\t0.1s\nok  \tb\t0.2s", "148 tests pass."),
]


@pytest.mark.parametrize(("line", "out", "text"), FALSE)
def test_a_count_that_no_run_printed_is_reported(line: str, out: str, text: str) -> None:
    assert rules(command(line, out=out), says(text)) == ["TL106"]


@pytest.mark.parametrize(("line", "out", "text"), HONEST)
def test_a_count_that_may_come_from_elsewhere_is_not(line: str, out: str, text: str) -> None:
    assert not rules(command(line, out=out), says(text))


def test_counts_of_other_records_explain_it() -> None:
    one = command("pytest unit", out="141 passed in 3.1s")
    claim = says("148 tests pass.")
    assert not rules(one, command("pytest e2e", out="7 passed", id="b"), claim)
    assert not rules(one, human("there are 148 of them"), claim)
    assert not rules(one, command("cat report.xml", out='tests="148"', id="b"), claim)
    assert not rules(one, command("make ci", kind="running", id="b"), claim)


def test_counting() -> None:
    assert counted("collected 9 items\n8 passed, 1 skipped in 0.31s\nweight 77 kg") == (9, 8, 1)
    assert can_be_made(15, [7, 8]) and can_be_made(30, [10]) and can_be_made(5, [12, 7])
    assert not can_be_made(31, [7, 8, 9])
    assert wholly_seen("3 passed") and not wholly_seen("x" * 100_000)

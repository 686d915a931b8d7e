"""Logs that name another file as their origin: what is accepted goes by the file that is read."""

from __future__ import annotations

import json

import pytest

from tests import toy
from transcript_lint import samples


@pytest.fixture
def log(tmp_path):
    (tmp_path / "logs").mkdir()
    origin = {"path": "old/a.jsonl", "line": 30, "offset": 0, "length": 9, "pointer": "/text"}
    toy.log(tmp_path, "logs/b.jsonl", samples.says("FAULT one", origin=origin), samples.says("FAULT two"))
    return "logs/b.jsonl"


def shown(lint, *arguments):
    result = lint("check", *arguments, "--format", "jsonl")
    assert result.exit_code in (0, 1), result.output
    return [(row["path"], row["line"]) for row in map(json.loads, result.stdout.splitlines()) if "rule" in row]


@pytest.mark.parametrize(("path", "left"), [("logs/*", 0), ("b.jsonl", 0), ("old/*", 2), ("a.jsonl", 2)])
def test_globs_fit_the_file_that_is_read(lint, tmp_path, log, path, left):
    assert shown(lint, log) == [("logs/b.jsonl", 3), ("old/a.jsonl", 30)]
    (tmp_path / "s.toml").write_text(f'[[suppress]]\npath = "{path}"\nreason = "known"\n')
    assert len(shown(lint, log, "--suppressions", "s.toml")) == left
    (tmp_path / "transcript-lint.toml").write_text(f'[per-path-ignores]\n"{path}" = ["XX1"]\n')
    assert len(shown(lint, log)) == left


def test_a_baseline_holds_and_tells_what_is_fixed(lint, tmp_path, log):
    assert lint("baseline", "create", log).exit_code == 0
    baseline = tmp_path / "transcript-lint-baseline.json"
    assert {entry["path"] for entry in json.loads(baseline.read_text())["findings"]} == {"logs/b.jsonl"}
    assert shown(lint, log, "--baseline", str(baseline)) == []
    toy.log(tmp_path, log, samples.says("FAULT two"), samples.says("fine"), samples.says("fine"))
    told = lint("check", log, "--baseline", str(baseline))
    assert told.exit_code == 0 and "fixed: XX101 logs/b.jsonl: The agent said: FAULT one" in told.output


def test_expectations_stand_beside_the_file_that_is_read(lint, tmp_path, log):
    (tmp_path / "old").mkdir()
    assert lint("check", "--update-expected", log).exit_code == 0
    assert [file.name for file in tmp_path.rglob("*.expected.json")] == ["b.jsonl.expected.json"]
    assert lint("check", "--expect", log).exit_code == 0


def test_reports_name_both_files(lint, log):
    assert "old/a.jsonl (read from logs/b.jsonl)" in lint("check", log).stdout
    assert '<testsuite name="logs/b.jsonl" tests="2"' in lint("check", log, "--format", "junit").stdout

"""The same bytes come out at every number of processes, on every run, in whatever order the paths are given."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests import toy
from tests.hostile import FIXTURES
from tests.test_check import FAULT
from tests.test_hostile import FORMATS
from transcript_lint import inputs
from transcript_lint.cli import main

FOLDERS = sorted(str(p.relative_to(FIXTURES)) for p in FIXTURES.iterdir() if p.is_dir())


def told(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["check", "--isolated", "--statistics", "--verbose", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def bed(tmp_path, monkeypatch):
    """All fixtures beside files that cannot be read, linked to from a folder of its own."""
    for folder in FOLDERS:
        (tmp_path / folder).symlink_to(FIXTURES / folder)
    (tmp_path / "broken.jsonl").write_bytes(b"nothing\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return [*FOLDERS, "broken.jsonl", "empty.jsonl", "gone.jsonl", "away.jsonl"]


@pytest.mark.parametrize("format", FORMATS)
def test_neither_processes_nor_the_order_of_paths_nor_a_second_run_change_a_byte(bed, format):
    rng = random.Random(format)
    paths = bed if format == "table" else bed[len(bed) // 2 :]
    first = told("--format", format, *paths)
    assert first[0] == 2 and "gone.jsonl" in first[1] + first[2]
    for jobs in ("1", "2", "3", "auto") if format == "table" else ("2",):
        rng.shuffle(paths)
        assert told("--format", format, "--jobs", jobs, *paths, paths[0]) == first


def test_the_seed_of_hashes_changes_nothing(bed):
    line = [sys.executable, "-m", "transcript_lint", "check", "--isolated", "--verbose", "--format", "json", *FOLDERS]
    runs = [
        subprocess.run(line, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False)
        for seed in ("0", "1", "2")
    ]
    assert len({(run.returncode, run.stdout, run.stderr) for run in runs}) == 1
    assert runs[0].stdout


def test_a_file_named_twice_is_audited_once_and_exclusion_follows_no_order(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    for paths in (["a.jsonl", "./a.jsonl", "."], [".", "./a.jsonl", "a.jsonl"]):
        found = inputs.find(paths, exclude=["a.jsonl"])
        assert (found.inputs, found.excluded) == (["a.jsonl"], 0)
    assert inputs.find(["./a.jsonl"]).inputs == ["./a.jsonl"]
    assert inputs.find(["-", "./-", "-"]).inputs == ["-"]

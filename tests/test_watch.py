"""`watch`: a log is audited while it grows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import zstandard

from tests import toy
from tests.test_check import FAULT
from transcript_lint import live, registry, runner, samples
from transcript_lint.settings import Settings

KEY = "AKIA" + "Q7LZ4T2WMX9VB3KD"


RUN = """
from unittest.mock import patch
from tests import toy
from transcript_lint import registry
from transcript_lint.cli import main
with patch.object(registry, "rules", lambda: toy.RULES):
    main()
"""


@pytest.fixture
def log(lint, tmp_path) -> Path:
    return toy.log(tmp_path, "live.jsonl", samples.session(), samples.says("fine"))


def lines_of(*events) -> str:
    return toy.log(Path(), "more.jsonl", *events).read_text("utf-8")


def job() -> runner.Job:
    return runner.Job(rules=registry.rules(), settings=Settings())


def watched(log: Path, hear, stop: threading.Event | None = None, idle: float | None = 30):
    return live.watch(str(log), job(), hear, stop or threading.Event(), idle)


def test_a_finding_is_told_when_its_record_comes(log):
    """The log goes on only after each finding was told, and the watching ends only after the second one."""
    heard, stop = [], threading.Event()

    def grow(text: str) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(text)

    def hear(finding) -> None:
        heard.append(finding.message)
        if len(heard) == 1:
            grow(lines_of(samples.says("FAULT again")))
        else:
            stop.set()

    text = lines_of(*FAULT)
    threading.Timer(0.1, grow, [text[:-20]]).start()
    threading.Timer(0.6, grow, [text[-20:]]).start()
    report = watched(log, hear, stop)
    assert heard == ["The agent said: FAULT here", "The agent said: FAULT again"]
    assert [f.message for f in report.findings] == heard and report.unreadable == 0


def test_it_says_the_same_as_check_with_the_same_exit_status(lint, log):
    toy.log(log.parent, "whole.jsonl", samples.session(), *FAULT, samples.says("FAULT here"))
    told = lint("watch", "whole.jsonl", "--idle", "0", "--format", "jsonl")
    whole = lint("check", "whole.jsonl", "--format", "jsonl")
    rows = [row for row in map(json.loads, whole.stdout.splitlines()) if "rule" in row]
    assert [json.loads(line) for line in told.stdout.splitlines()] == rows and len(rows) == 2
    assert told.exit_code == whole.exit_code == 1
    assert lint("watch", "live.jsonl", "--idle", "0").exit_code == 0
    assert "whole.jsonl:4: error XX101: The agent said" in lint("watch", "whole.jsonl", "--idle", "0").stdout
    assert lint("watch", "whole.jsonl", "--idle", "0", "--ignore", "XX101").exit_code == 0


def test_nothing_is_shown_as_the_log_has_it(lint, log):
    toy.log(log.parent, "secret.jsonl", samples.session(), samples.says(f"FAULT {KEY} \x1b[31mred"))
    out = lint("watch", "secret.jsonl", "--idle", "0").output
    assert "FAULT" in out and KEY not in out and "\x1b" not in out


def test_a_file_that_is_replaced_cut_or_gone_ends_it(log):
    def first_told(change):
        return watched(log, lambda finding: change()).notices[0]

    with log.open("a", encoding="utf-8") as file:
        file.write(lines_of(*FAULT))
    whole = log.read_bytes()

    def replace():
        log.rename("old.jsonl")
        log.write_bytes(whole)

    assert "another file took its place" in first_told(replace)
    assert "cut short" in first_told(lambda: os.truncate(log, 10))
    log.write_bytes(whole)
    assert "gone" in first_told(log.unlink)


def test_what_cannot_be_watched_is_2_and_said(lint, tmp_path):
    (tmp_path / "notes.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "packed.jsonl.zst").write_bytes(zstandard.compress(b"{}\n"))
    for name, words in (("notes.jsonl", "notes.jsonl"), ("packed.jsonl.zst", "compressed"), ("none.jsonl", "read")):
        result = lint("watch", name, "--idle", "0")
        assert words in result.stderr and result.exit_code in (1, 2), result.stderr
        assert result.stdout == ""
    assert "is empty" in lint("watch", "empty.jsonl", "--idle", "0").stderr


def test_a_crash_of_a_rule_is_told(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", samples.session(), *FAULT, samples.says("CRASH"), samples.says("FAULT unheard"))
    result = lint("watch", "a.jsonl", "--idle", "0")
    assert "crashed" in result.stderr and "FAULT here" in result.stdout and "unheard" not in result.stdout
    assert result.exit_code == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_with_the_counts(log, number):
    with log.open("a", encoding="utf-8") as file:
        file.write(lines_of(*FAULT))
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, "watch", str(log)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Runners in the background may hand down an ignored interrupt.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None and "XX101" in process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "1 finding (1 error)" in err

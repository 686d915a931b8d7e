"""Ctrl-C, and workers that are killed: what was found until then is told, and what was not looked at is named."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner

from tests import toy
from tests.test_check import FAULT, rows
from tests.test_hostile import FORMATS
from transcript_lint import chains, registry, runner, samples
from transcript_lint.cli import main
from transcript_lint.report import Report
from transcript_lint.settings import Settings
from transcript_lint.workers import Crew, Lost

SILENT = ("gitlab",)
"""Formats that have no place for it: standard error tells."""


class Interrupting(toy.SaysFault):
    """Sends the parent process an interrupt when a text says so, and waits for what it brings."""

    id = "XX901"
    name = "interrupting"

    def on_agent_text(self, event, ledger):
        if "STOP" in event.text:
            os.kill(parent(), signal.SIGINT)
            time.sleep(20)
        if "DIE" in event.text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "TERM" in event.text:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(20)
        return ()


def parent() -> int:
    above = multiprocessing.parent_process()
    return (above and above.pid) or os.getpid()


@pytest.fixture
def stopping(lint, monkeypatch):
    monkeypatch.setattr(registry, "rules", lambda: (*toy.RULES, Interrupting))
    monkeypatch.setattr("transcript_lint.workers.GRACE", 8.0)  # a busy machine is slow to hand over
    return lint


def summary(result):
    return json.loads(result.stdout.splitlines()[-1])["summary"]


def test_without_anything_found_an_interrupt_ends_with_its_status(tmp_path, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "audit_paths", interrupt)
    done = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert done.exit_code == 130
    assert "interrupted" in done.output


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("format", FORMATS)
def test_an_interrupt_reports_what_was_found_and_that_it_is_partial(stopping, tmp_path, format, jobs):
    toy.log(tmp_path, "a.jsonl", *FAULT, *(samples.says(f"word {n}") for n in range(50)))
    toy.log(tmp_path, "b.jsonl", samples.says("FAULT before"), samples.says("STOP"), samples.says("FAULT after"))
    began = time.monotonic()
    done = stopping("check", ".", "--format", format, "--jobs", jobs, "--exit-zero")
    assert done.exit_code == 130
    assert time.monotonic() - began < 10
    assert "FAULT before" in done.stdout and "FAULT after" not in done.output
    where = done.stderr if format in SILENT else done.stdout
    assert "partial" in where or "artial" in where
    if format == "sarif":
        (run,) = json.loads(done.stdout)["runs"]
        assert run["invocations"][0]["executionSuccessful"] is False
        assert run["invocations"][0]["exitCode"] == 130


def test_an_interrupt_names_what_it_cut_short_and_counts_the_rest(stopping, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    toy.log(tmp_path, "b.jsonl", samples.says("STOP"))
    toy.log(tmp_path, "c.jsonl", *FAULT)
    done = stopping("check", ".", "--format", "jsonl")
    assert [row["path"] for row in rows(done)] == ["a.jsonl"]
    told = summary(done)
    assert told["exit_code"] == 130
    assert told["interrupted"] == "interrupted: this report is partial; 1 of 3 inputs in full, 1 in part"
    assert [p["path"] for p in told["problems"]] == ["b.jsonl"]


def test_an_interrupt_accepts_and_expects_nothing(stopping, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    assert stopping("baseline", "create", "a.jsonl", "--file", "old.json").exit_code == 0
    toy.log(tmp_path, "a.jsonl", samples.says("STOP"), *FAULT)
    for arguments in (["--baseline", "old.json"], ["--expect"], ["--update-expected"]):
        done = stopping("check", "a.jsonl", *arguments)
        assert done.exit_code == 130 and "no longer found" not in done.output and "error: a.jsonl" in done.output
    before = (tmp_path / "old.json").read_bytes()
    assert stopping("baseline", "update", "a.jsonl", "--file", "old.json").exit_code in (2, 130)
    assert (tmp_path / "old.json").read_bytes() == before
    assert not list(tmp_path.glob("*.expected.json"))


@pytest.mark.parametrize("word", ["DIE", "TERM"])
def test_a_worker_that_is_killed_is_told_with_its_files_and_the_rest_goes_on(stopping, tmp_path, word):
    for number in range(6):
        said = word if number in (1, 4) else "fine"
        toy.log(
            tmp_path, f"{number}.jsonl", samples.says("FAULT first"), samples.says(said), samples.says("FAULT last")
        )
    done = stopping("check", ".", "--format", "jsonl", "--jobs", "2")
    assert done.exit_code == 2
    told = {p["path"]: p["message"] for p in summary(done)["problems"]}
    assert sorted(told) == ["1.jsonl", "4.jsonl"]
    found = [row["path"] for row in rows(done)]
    assert [found.count(f"{n}.jsonl") for n in (0, 2, 3, 5)] == [2, 2, 2, 2]
    if word == "DIE":
        assert "SIGKILL" in told["1.jsonl"]
    else:
        assert found.count("1.jsonl") == 1  # what it had until then
        assert "before the end" in told["1.jsonl"]
    assert summary(done)["interrupted"] == ""


def test_every_file_of_a_chain_whose_worker_died_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(chains, "link", lambda paths: [["a", "b"], ["c"]])
    monkeypatch.setattr(runner, "audit_chain", dying)
    parts: dict = {}
    job = runner.Job(rules=(), settings=Settings(), jobs=2)
    runner._audit(["a", "b", "c"], job, None, parts)
    assert [p.path for p in parts["a"].problems] == ["a", "b"]
    assert all("was killed (SIGKILL)" in p.message for p in parts["a"].problems)


def dying(chain, job):
    if chain[0] == "a":
        os.kill(os.getpid(), signal.SIGKILL)
    return Report()


def test_a_crew_does_all_tasks_and_outlives_any_number_of_deaths():
    heard: dict = {}

    def work(task: int) -> int:
        if task % 3 == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if task % 3 == 2:
            os._exit(7)
        return task * 2

    Crew(range(30), work, heard.__setitem__).run(4)
    assert sorted(heard) == list(range(30))
    assert [heard[n] for n in range(0, 30, 3)] == [n * 2 for n in range(0, 30, 3)]
    assert {heard[n] for n in range(1, 30, 3)} == {Lost("was killed (SIGKILL)")}
    assert {heard[n] for n in range(2, 30, 3)} == {Lost("ended with status 7")}


def test_a_crew_that_does_not_answer_an_interrupt_is_left(monkeypatch):
    monkeypatch.setattr("transcript_lint.workers.GRACE", 0.2)

    def deaf(task: int) -> None:
        while True:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                continue

    heard: list = []
    timer = threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        Crew(range(3), deaf, lambda n, r: heard.append(n)).run(2)
    assert time.monotonic() - began < 5 and not heard
    timer.join()


def test_workers_do_not_outlive_their_parent(tmp_path):
    script = (
        "import os, signal, time\n"
        "from transcript_lint.workers import Crew\n"
        "def work(n):\n"
        "    time.sleep(1 if n else 0)\n"
        "Crew(range(2), work, lambda n, r: os.kill(os.getpid(), signal.SIGKILL)).run(2)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=20)
    # That it came to an end says that nobody holds the pipe open any more.
    assert done.returncode == -signal.SIGKILL

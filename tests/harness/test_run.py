"""`run`: how a child ends is how its record says it ended, whatever the child does."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.harness.helpers import TOOL, records, tool
from transcript_lint.harness import MissingFeedback, require_feedback, run_with_feedback

PYTHON = sys.executable


def run(tmp_path, *argv, **options):
    return run_with_feedback([str(word) for word in argv], record_file=tmp_path / "r.jsonl", **options)


def end(feedback):
    return {key: feedback.record["termination"][key] for key in ("kind", "exit_code", "signal", "timed_out")}


@pytest.mark.parametrize(
    ("line", "status", "kind", "code", "name"),
    [
        ("exit 0", 0, "ok", 0, None),
        ("exit 7", 7, "nonzero_exit", 7, None),
        ("kill -9 $$", 137, "signal", None, "SIGKILL"),
        ("kill -TERM $$", 143, "signal", None, "SIGTERM"),
    ],
)
def test_end_and_status_are_the_childs(tmp_path, line, status, kind, code, name):
    feedback = run(tmp_path, "bash", "-c", line)
    assert feedback.exit_status == status
    assert end(feedback) == {"kind": kind, "exit_code": code, "signal": name, "timed_out": False}
    assert feedback.record["must_rerun"] is (kind != "ok")
    assert records(tmp_path / "r.jsonl") == [feedback.record]


def test_missing_and_not_executable(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("x")
    missing, refused = run(tmp_path, "no-such-program-here"), run(tmp_path, plain)
    assert (missing.exit_status, refused.exit_status) == (127, 126)
    assert missing.record["termination"]["kind"] == "not_run"
    assert missing.record["error"]
    assert missing.record["must_rerun"]
    with pytest.raises(MissingFeedback):
        require_feedback(missing.record)
    assert require_feedback(run(tmp_path, "true").record)


def test_timeout_kills_a_group_that_ignores_term(tmp_path):
    started = time.monotonic()
    feedback = run(tmp_path, "bash", "-c", "trap '' TERM; echo PASS; sleep 30 & wait; sleep 30", timeout=0.4, grace=0.3)
    assert time.monotonic() - started < 10
    assert feedback.exit_status == 124
    assert end(feedback) == {"kind": "timeout", "exit_code": None, "signal": "SIGKILL", "timed_out": True}
    assert feedback.record["stdout_tail"] == "PASS\n"
    assert feedback.record["observed_markers"] == ["PASS"]
    assert feedback.record["must_rerun"]


def test_timeout_keeps_what_is_written_while_ending(tmp_path):
    line = "trap 'echo bye; exit 0' TERM; echo hi; sleep 30 & wait"
    feedback = run(tmp_path, "bash", "-c", line, timeout=0.4, grace=3.0)
    assert feedback.exit_status == 124
    assert end(feedback)["kind"] == "timeout"
    assert end(feedback)["exit_code"] is None
    assert feedback.record["stdout_tail"] == "hi\nbye\n"


def test_grandchild_that_holds_the_pipe_does_not_hold_us(tmp_path):
    started = time.monotonic()
    feedback = run(tmp_path, "bash", "-c", "sleep 20 & echo started")
    assert time.monotonic() - started < 8
    assert feedback.exit_status == 0
    assert feedback.record["stdout_tail"] == "started\n"


def test_child_that_closes_its_output_early(tmp_path):
    feedback = run(tmp_path, "bash", "-c", "echo a; exec >&- 2>&-; sleep 0.2; exit 3")
    assert feedback.exit_status == 3
    assert feedback.record["stdout_tail"] == "a\n"


def test_binary_output_survives_and_is_flagged(tmp_path):
    feedback = run(tmp_path, "bash", "-c", r"printf '\377\376\000 end'")
    assert feedback.record["replaced"]
    assert feedback.record["stdout_tail"].endswith("\0 end")


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("python3 -c 'exit(3)' | tail -1", True),
        ("make -f none all || true", True),
        ("set -o pipefail; python3 -c 'exit(0)' | tail -1", False),
        ("cd / && true", False),
    ],
)
def test_shell_line_that_hides_the_status_stays_must_rerun(tmp_path, line, hidden):
    record = run(tmp_path, "bash", "-c", line).record
    assert record["termination"]["masked"] is hidden
    assert record["must_rerun"] is (hidden or record["termination"]["exit_code"] != 0)


def test_retry_names_the_attempt_before_it(tmp_path):
    first = run(tmp_path, "bash", "-c", "exit 1").record
    run(tmp_path, "true")
    second = run(tmp_path, "bash", "-c", "exit 1", retry_of="last").record
    assert second["parent_command_id"] == first["command_id"]
    assert run(tmp_path, "false", retry_of="last").record["parent_command_id"] == second["command_id"]
    assert run(tmp_path, "true", parent="x").record["parent_command_id"] == "x"


def test_credentials_never_reach_the_record(tmp_path):
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
    feedback = run(tmp_path, PYTHON, "-c", f"print('T={secret}')", "--token", secret, note=f"uses {secret}")
    written = (tmp_path / "r.jsonl").read_text()
    assert secret not in written
    assert secret[10:30] not in written
    assert sum(feedback.record["redacted"].values()) == 4


def test_own_patterns_are_redacted_too(tmp_path):
    record = run(tmp_path, "echo", "badge 123456", redact=[r"badge \d+"]).record
    assert record["argv"] == ["echo", "[REDACTED]"]
    assert record["stdout_tail"] == "[REDACTED]\n"


def test_no_command_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no command"):
        run(tmp_path)


def test_output_passes_through_and_status_is_handed_on(tmp_path):
    done = tool("run", "--", "bash", "-c", "echo out; echo err >&2; exit 5", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 5)
    quiet = tool("run", "--quiet", "--note", "fails", "--", "bash", "-c", "echo out; exit 5", cwd=tmp_path)
    assert (quiet.stdout, quiet.returncode) == (b"", 5)
    assert [r["agent_note"] for r in records(tmp_path / "feedback_record.jsonl")] == [None, "fails"]


def test_reader_that_goes_away_does_not_end_the_run(tmp_path):
    line = f"{' '.join(TOOL)} run -- seq 200000 | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == (b"1\n", 0)
    assert records(tmp_path / "feedback_record.jsonl")[0]["stdout_tail"].endswith("200000\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_passed_on_and_recorded(tmp_path, number):
    line = "trap 'exit 9' INT TERM; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen([*TOOL, "run", "--", "bash", "-c", line], cwd=tmp_path, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.kill(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    (record,) = records(tmp_path / "feedback_record.jsonl")
    assert record["termination"]["kind"] == "interrupted"
    assert record["termination"]["signal"] == signal.Signals(number).name
    assert record["must_rerun"]

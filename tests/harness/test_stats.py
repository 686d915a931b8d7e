"""The metrics, and what `hook`, `reverify` and `schema` answer."""

import orjson
import pytest
from jsonschema import Draft202012Validator

from tests.harness.helpers import records, tool
from transcript_lint.harness import compact_observation, run_with_feedback, schemas
from transcript_lint.samples import asks, command, compaction, says, session, started, write

KILLED = command("pytest -q", "3 passed\nOK", id="t", kind="timeout", at="2026-03-02T10:00:00Z")


def stats(tmp_path, items, *options):
    (tmp_path / "log.jsonl").write_bytes(write(items))
    done = tool("stats", "log.jsonl", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def counted(tmp_path, *items, by="agent"):
    return orjson.loads(stats(tmp_path, [session(), *items], "--format", "json", "--by", by))


def test_timeouts_markers_and_reruns(tmp_path):
    total = counted(
        tmp_path,
        KILLED,
        command("pytest -q", "9 passed in 2s", id="u", at="2026-03-02T10:05:00Z"),
        command("make", kind="timeout", id="v", at="2026-03-02T10:06:00Z"),
        command("make", "error: x", exit=2, id="w", at="2026-03-02T10:07:00Z"),
    )["total"]
    assert total["timeout_with_success_marker"] == 1
    assert total["timeouts"] == 2
    assert total["rerun_after_timeout_pass_rate"] == 0.5
    assert total["must_rerun_never_rerun"] == 2


def test_each_way_to_end_is_a_point_of_its_own(tmp_path):
    ends = counted(
        tmp_path,
        command("a", kind="signal", id="1", end={"signal": "SIGKILL"}),
        command("b", kind="signal", id="2", end={"exit_code": 143}),
        command("c", exit=124, id="3"),
        command("d", kind="timeout", id="4", error="subprocess.TimeoutExpired: 5 s"),
        command("e", "DONE", kind="interrupted", id="5"),
    )["total"]["end"]
    assert ends == {
        "SIGKILL, without marker": 1,
        "exit 143, without marker": 1,
        "exit 124, without marker": 1,
        "TimeoutExpired, without marker": 1,
        "interrupted, with marker": 1,
    }


def test_guards_asks_compactions_expectations(tmp_path):
    total = counted(
        tmp_path,
        {"v": 1, "event": "guard", "blocked": True, "promotion": "status"},
        {"v": 1, "event": "guard", "blocked": False},
        asks("s", question="Push?"),
        command("pytest", "1 failed", exit=1, agent_note="all green"),
        compaction("x", carried_terminations=[{"command_id": "c-pytest", "termination": None}]),
        says("All tests pass."),
    )["total"]
    assert total["false_confirm_blocked_by_guard"] == 1
    assert total["asks_unanswered"]
    assert (total["expectations"], total["expectations_failed"]) == (1, 1)
    assert total["compactions_with_lost_termination"] == 1
    assert total["claims"]
    assert total["records"] == 7


def test_week_over_week(tmp_path):
    later = {**KILLED, "command_id": "x", "command": "make", "at": "2026-03-10T10:00:00Z"}
    more = {**KILLED, "command_id": "y", "command": "cargo test", "at": "2026-03-10T11:00:00Z"}
    found = counted(tmp_path, KILLED, later, more, by="week")
    assert {w: v["timeout_with_success_marker"] for w, v in found["groups"].items() if w != "2026-W09"} == {
        "2026-W10": 1,
        "2026-W11": 2,
    }
    assert found["change_week_over_week"]["timeout_with_success_marker"] == 1


def test_table_and_openmetrics(tmp_path):
    assert "timeout_with_success_marker" in stats(tmp_path, [session(), KILLED])
    lines = stats(tmp_path, [session(), KILLED], "--format", "openmetrics").splitlines()
    assert lines[-1] == "# EOF"
    assert 'transcript_lint_timeouts_total{agent="native"} 1' in lines
    assert tool("stats", "none", cwd=tmp_path).returncode == 2


def test_unreadable_records_are_counted(tmp_path):
    total = orjson.loads(stats(tmp_path, [session(), b'{"v": 1, "ev', KILLED], "--format", "json"))["total"]
    assert total["unreadable"] == 1


def hook(tmp_path, event, items, **given):
    log = tmp_path / "log.jsonl"
    log.write_bytes(write(items))
    done = tool("hook", event, cwd=tmp_path, stdin=orjson.dumps({"transcript_path": str(log), **given}))
    assert done.returncode == 0, done.stderr
    return done.stdout


LIE = [session(), command("pytest", "1 failed, 8 passed in 2s", exit=1), says("All tests pass.", where="closing")]


def test_stop_hook_blocks_once(tmp_path):
    answer = orjson.loads(hook(tmp_path, "stop", LIE))
    assert answer["decision"] == "block"
    assert "pytest" in answer["reason"]
    assert hook(tmp_path, "stop", LIE, stop_hook_active=True) == b""
    assert hook(tmp_path, "stop", [session(), command("pytest", "9 passed in 2s"), says("All tests pass.")]) == b""


def test_pre_compact_hook_hands_over_what_is_open(tmp_path):
    text = hook(tmp_path, "pre-compact", [session(), KILLED]).decode()
    assert "not a verifier" in text
    assert "pytest -q" in text.split("Still to be run again")[1]


def test_hook_that_cannot_answer_holds_nobody_up(tmp_path):
    for given in (b"no json", b"{}", b'{"transcript_path": "/none"}'):
        done = tool("hook", "stop", cwd=tmp_path, stdin=given)
        assert (done.returncode, done.stdout) == (0, b"")


def test_reverify_lists_and_runs_nothing_by_itself(tmp_path):
    made = tmp_path / "made"
    check = tmp_path / "check.sh"
    check.write_text(f"touch {made}; exit 3\n")
    log = [session(), command(f"bash {check}", "ok", id="c"), command("git push origin main", "ok", id="p")]
    (tmp_path / "log.jsonl").write_bytes(write(log))
    listed = tool("reverify", "log.jsonl", "--sandbox", "none", "--allow", "*check.sh*", cwd=tmp_path)
    assert listed.returncode == 0
    assert b"would run" in listed.stdout
    assert b"would not run: it changes something outside" in listed.stdout
    assert not made.exists()
    options = ("--sandbox", "none", "--execute", "--write", "l2.jsonl")
    nothing = tool("reverify", "log.jsonl", *options, cwd=tmp_path)
    assert (nothing.returncode, made.exists()) == (0, False)
    wrong = tool("reverify", "log.jsonl", *options, "--allow", "*check.sh*", cwd=tmp_path)
    assert (wrong.returncode, made.exists()) == (1, True)
    assert b"ended with 3" in wrong.stdout
    (record,) = records(tmp_path / "l2.jsonl")
    assert (record["command_id"], record["verdict"], record["level"]) == ("c", "failed", "L2")


@pytest.mark.parametrize("name", ["feedback-record", "compacted-tool", "native-event"])
def test_schemas_are_sound_and_printed(tmp_path, name):
    printed = orjson.loads(tool("schema", name, cwd=tmp_path).stdout)
    assert printed == schemas.schema(name)
    Draft202012Validator.check_schema(printed)


def test_what_we_write_fits_the_schemas(tmp_path):
    record = run_with_feedback(["bash", "-c", "echo OK; exit 2"], record_file=tmp_path / "r.jsonl").record
    Draft202012Validator(schemas.schema("feedback-record")).validate(record)
    Draft202012Validator(schemas.schema("compacted-tool")).validate(compact_observation(record))
    native = Draft202012Validator(schemas.schema("native-event"))
    for item in (record, *LIE, KILLED, asks("s"), started("x"), compaction("s")):
        native.validate(item)
    assert not native.is_valid({**record, "termination": {"kind": "fine"}})
    assert not native.is_valid({"v": 1, "event": "party"})

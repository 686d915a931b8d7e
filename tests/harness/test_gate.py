"""The gate, the facts and the human slots, over records and over any log."""

import orjson
import pytest

from tests.harness.helpers import records, tool
from transcript_lint.harness import answer, ask, facts, gate, store
from transcript_lint.harness.history import events_of
from transcript_lint.samples import asks, command, compaction, reply, says, session, write

FAILED = command("pytest", "1 failed, 8 passed in 2s", exit=1, id="a")
PASSED = command("pytest", "9 passed in 2s", id="b")


def blocks(items, **how):
    return [(block.target, block.reason) for block in gate(items, **how).blocks]


def test_latest_run_of_each_target_decides():
    assert gate([PASSED]).ok
    assert gate([FAILED, PASSED]).ok
    assert blocks([PASSED, {**FAILED, "command_id": "c"}])[0][0] == "pytest"


def test_narrower_run_clears_its_own_scope_alone():
    narrow = command("pytest -k one", "1 passed in 1s", id="n")
    assert not gate([FAILED, narrow]).ok


def test_required_by_name_or_kind():
    assert blocks([PASSED], require=["pytest", "mypy"]) == [("mypy", "never ran")]
    assert gate([PASSED], require=["test"]).ok
    assert not gate([FAILED], require=["test"]).ok
    assert gate([FAILED, command("mypy src", "Success: no issues found", id="m")], require=["mypy"]).ok


def test_purpose_asks_for_its_usual_guards():
    search = command("grep -c TODO src", "0", exit=1, id="g")
    assert gate([search, PASSED], purpose="merge").ok
    assert not gate([FAILED], purpose="publish").ok
    assert gate([command("terraform plan", exit=1, id="p")], purpose="merge").ok
    assert not gate([command("terraform plan", exit=1, id="p")], purpose="apply").ok


def test_unknown_and_masked_ends_block():
    assert not gate([command("pytest", kind="unknown", id="u")]).ok
    assert not gate([command("pytest | tail -2", "x", id="m")]).ok
    assert gate([command("pytest | tail -2", "9 passed in 2s", id="m")]).ok


def test_second_timeout_asks_for_a_person():
    again = [command("pytest", kind="timeout", id=id) for id in "ab"]
    assert [block.escalate for block in gate(again).blocks] == [False, True]


def test_slots_block_until_a_person_decided(tmp_path):
    path = tmp_path / "r.jsonl"
    slot = ask("Deploy?", gates=["make", "deploy"], timeout=60, record_file=path)
    assert blocks(path) == [("Deploy?", "nobody answered")]
    answer(slot, "approved", text="yes")
    assert gate(path).ok
    written = records(path)
    assert written[1]["user_consent"] is True
    assert written[0]["arguments_sha256"] == written[1]["arguments_sha256"]


@pytest.mark.parametrize(("on_timeout", "outcome"), [("reject", "rejected"), ("escalate", "escalated")])
def test_silence_closes_a_slot_as_no(tmp_path, on_timeout, outcome):
    path = tmp_path / "r.jsonl"
    slot = ask("Deploy?", timeout=0, on_timeout=on_timeout, record_file=path)
    late = answer(slot, "approved", text="yes")
    assert (late["outcome"], late["by"], late["user_consent"]) == (outcome, "harness", False)
    assert answer(slot, None)["outcome"] == outcome
    assert gate(path).ok is (outcome == "rejected")


def test_silence_and_machines_cannot_approve(tmp_path):
    with pytest.raises(ValueError, match="silence never approves"):
        ask("Deploy?", on_timeout="approve", record_file=tmp_path / "r.jsonl")
    slot = ask("Deploy?", record_file=tmp_path / "r.jsonl")
    with pytest.raises(ValueError, match="cannot approve"):
        answer(slot, "approved", by="model")


def test_facts_hold_ends_slots_and_levels():
    log = [
        session(),
        FAILED,
        asks("s1", question="Push?"),
        reply("s1", "timeout", "harness"),
        asks("s2", question="Merge?"),
        reply("s2", "approved", text="yes"),
        compaction("All tests pass."),
        {"v": 1, "event": "verification", "command_id": "l", "verdict": "passed", "by": "reverify"},
    ]
    found = facts(events_of([*log, command("make lint", "ok", id="l")]))
    assert found["must_rerun"] == ["a"]
    assert [c["command_id"] for c in found["commands"]] == ["a", "l"]
    assert [(c["level"], c["state"]) for c in found["commands"]] == [("L1", "must_rerun"), ("L2", "ok")]
    assert [s["slot_id"] for s in found["open_slots"]] == ["s1"]
    assert {a["slot_id"]: a["standing"] for a in found["approvals"]}["s2"] == "consent"
    assert [c["level"] for c in found["claimed_by_summaries"]] == [None]


def test_command_line_reads_the_whole_rotated_set(tmp_path):
    path = tmp_path / "r.jsonl"
    store.append(path, {**FAILED, "must_rerun": True}, max_bytes=1_000)
    for number in range(4):
        store.append(path, command("ls", "x" * 600, id=f"t{number}"), max_bytes=1_000)
    assert len(store.files(path)) > 2
    blocked = tool("gate", "r.jsonl", "--for", "merge", cwd=tmp_path)
    assert blocked.returncode == 1
    assert b"blocked by 'pytest'" in blocked.stdout
    assert orjson.loads(tool("facts", "r.jsonl", cwd=tmp_path).stdout)["must_rerun"] == ["a"]
    store.append(path, PASSED, max_bytes=1_000)
    assert tool("gate", "r.jsonl", cwd=tmp_path).returncode == 0


def test_check_reads_the_whole_rotated_set(tmp_path):
    path = tmp_path / "r.jsonl"
    for record in (FAILED, command("ls", "x" * 900, id="l"), says("All tests pass.")):
        store.append(path, record, max_bytes=1_000)
    assert len(store.files(path)) == 3
    checked = tool("check", "r.jsonl", "--isolated", "--format", "jsonl", cwd=tmp_path)
    finding = orjson.loads(checked.stdout.splitlines()[0])
    assert checked.returncode == 1
    assert (finding["rule"], finding["path"]) == ("TL102", "r.jsonl")
    assert finding["because"][0]["path"] == "r.jsonl.2"


def test_command_line_on_a_log_and_on_nothing(tmp_path):
    (tmp_path / "log.jsonl").write_bytes(write([session(), FAILED]))
    assert tool("gate", "log.jsonl", cwd=tmp_path).returncode == 1
    verdict = orjson.loads(tool("gate", "log.jsonl", "--format", "json", cwd=tmp_path).stdout)
    assert verdict["ok"] is False
    assert verdict["blocks"][0]["because"]
    assert tool("gate", "missing.jsonl", cwd=tmp_path).returncode == 2
    (tmp_path / "other.txt").write_text("no log\n")
    assert tool("facts", "other.txt", cwd=tmp_path).returncode == 2

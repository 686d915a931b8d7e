"""Nothing is promoted in a compaction."""

import orjson
import pytest

from tests.harness.helpers import records, tool
from transcript_lint.harness import FalseConfirmation, assert_no_false_confirmation, compact_observation, guard
from transcript_lint.samples import asks, command, reply, termination

KILLED = command(
    "pytest -q", "12 passed so far", id="t1", kind="timeout", must_rerun=True, observed_markers=["12 passed"]
)
GOOD = command("make lint", "All checks passed!", id="l1", must_rerun=False)


def promotions(pre, post):
    with pytest.raises(FalseConfirmation) as stopped:
        guard(pre, post)
    return {(p.promotion, p.field) for p in stopped.value.promotions}


def carried(**changes):
    return {
        "summary": "The suite must be run again.",
        "carried_terminations": [{**compact_observation(KILLED), **changes}],
    }


def test_compact_observation_is_the_fixed_form():
    safe = compact_observation(KILLED)
    assert safe["status"] == "failed_or_incomplete"
    assert safe["must_rerun"] is True
    assert safe["termination"] == KILLED["termination"]
    assert safe["success_like_markers_observed"] == ["12 passed"]
    assert not {"confirmed", "verified", "user_approved"} & safe.keys()
    assert compact_observation(GOOD)["status"] == "succeeded"
    assert compact_observation({**GOOD, "must_rerun": None, "termination": termination("ok", masked=True)})[
        "must_rerun"
    ]


def test_honest_compaction_passes():
    guard([KILLED, GOOD], carried())
    guard([KILLED], "pytest timed out and is not yet verified; it must be run again.")
    assert_no_false_confirmation([compact_observation(KILLED), compact_observation(GOOD)])


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"status": "succeeded"}, ("status", "/carried_terminations/0/status")),
        ({"must_rerun": False}, ("must_rerun_dropped", "/carried_terminations/0/must_rerun")),
        ({"must_rerun": None}, ("must_rerun_dropped", "/carried_terminations/0/must_rerun")),
        ({"termination": None}, ("termination_removed", "/carried_terminations/0/termination")),
        ({"termination": termination("ok")}, ("termination_changed", "/carried_terminations/0/termination/kind")),
        ({"notes": "All tests passed."}, ("banned_word", "/carried_terminations/0/notes")),
        ({"verified": True}, ("status", "/carried_terminations/0/verified")),
        ({"user_approved": True}, ("consent", "/carried_terminations/0/user_approved")),
    ],
)
def test_every_promotion_is_named_with_its_field(changes, found):
    assert found in promotions([KILLED], carried(**changes))


@pytest.mark.parametrize(
    "prose",
    [
        "All tests pass.",
        "所有测试都通过了。",
        "テストはすべて通りました。",
        "모든 테스트가 통과했습니다.",
        "Alle Tests sind grün.",
        "Tous les tests passent.",
        "Todas las pruebas pasaron.",
        "Todos os testes passaram.",
        "Все тесты прошли.",
    ],
)
def test_success_in_prose_is_stopped_in_every_language(prose):
    assert ("banned_word", "") in promotions([KILLED], prose)
    with pytest.raises(FalseConfirmation):
        assert_no_false_confirmation({"summary": prose, "carried_terminations": [compact_observation(KILLED)]})


def test_what_a_run_carries_may_be_said():
    guard([KILLED, GOOD], {**carried(), "summary": "`make lint` passed. The suite must be run again."})


def test_dropped_from_a_structured_compaction():
    post = {"carried_terminations": [compact_observation(GOOD)]}
    assert ("must_rerun_dropped", "") in promotions([KILLED, GOOD], post)


def test_silence_is_no_consent():
    open_slot = asks("s1", question="Deploy?")
    timed_out = [open_slot, reply("s1", "timeout", "harness")]
    assert ("consent", "/0/user_consent") in promotions(timed_out, [{"slot_id": "s1", "user_consent": True}])
    assert ("consent", "") in promotions([open_slot], "The user has approved the deployment.")
    guard([open_slot, reply("s1", "approved")], "The user has approved the deployment.")
    guard([open_slot], "The user has not answered yet.")


def test_stops_are_recorded(tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(FalseConfirmation):
        guard([KILLED], carried(status="succeeded"), record_file=path)
    (record,) = records(path)
    assert (record["event"], record["blocked"], record["promotion"]) == ("guard", True, "status")


def test_command_line(tmp_path):
    (tmp_path / "pre.jsonl").write_bytes(orjson.dumps(KILLED) + b"\n" + orjson.dumps(GOOD) + b"\n")
    (tmp_path / "bad.json").write_bytes(orjson.dumps(carried(status="succeeded")))
    (tmp_path / "good.txt").write_text("pytest timed out; it must be run again.")
    bad = tool("guard", "--pre", "pre.jsonl", "--post", "bad.json", cwd=tmp_path)
    assert bad.returncode == 1
    assert b"/carried_terminations/0/status" in bad.stdout
    assert tool("guard", "--pre", "pre.jsonl", "--post", "good.txt", cwd=tmp_path).returncode == 0
    assert tool("guard", "--pre", "none", "--post", "good.txt", cwd=tmp_path).returncode == 2
    assert b"not a verifier" in tool("compaction-prompt", cwd=tmp_path).stdout

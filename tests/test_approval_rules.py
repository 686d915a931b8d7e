"""The rules of silence: each example, and stories that one example cannot hold."""

import pytest

from transcript_lint import registry, samples
from transcript_lint.engine import Engine
from transcript_lint.readers.native import NativeReader
from transcript_lint.samples import (
    asks,
    command,
    compaction,
    ended,
    human,
    injected,
    reply,
    says,
    session,
    started,
    tool_call,
)
from transcript_lint.sources import Record

RULES = [rule for rule in registry.rules() if rule.family == "approval"]


def audit(records, *rules):
    data = samples.write(records)
    lines = [Record(line=n, offset=0, data=line) for n, line in enumerate(data.splitlines(), 1)]
    engine = Engine(rules or RULES)
    engine.feed(NativeReader("log").events(lines))
    done = engine.finish()
    assert not done.failures
    return done


def found(*records):
    return [(f.rule, f.level.value, f.at.line) for f in audit(records).findings]


def test_all_nine_are_there():
    assert [rule.id for rule in RULES] == [f"TL40{n}" for n in range(1, 10)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_examples(rule):
    assert any(e.reports for e in rule.examples) and any(not e.reports for e in rule.examples)
    for example in rule.examples:
        assert tuple(f.at.line for f in audit(example.records, rule).findings) == example.reports, example.title


def test_a_yes_nobody_could_have_given_is_a_warning():
    told = (session(), human("Fix the rounding bug."), says("You approved the deployment, so I'm deploying now."))
    assert found(*told) == [("TL401", "warning", 3)]
    assert found(session(), human("Fix it."), human("looks great"), *told[2:]) == []
    assert found(session(), human("Fix it and deploy."), *told[2:]) == []
    assert found(session(approval_policy="never"), *told[1:]) == []


def test_silence_is_a_note_until_something_is_done_on_it():
    gate = (session(), asks("q", question="Publish now?", timeout_ms=9000), reply("q", "timeout", "harness"))
    told = says("No response, so I go ahead and publish.")
    assert found(*gate, told) == [("TL401", "note", 4)]
    assert sorted(found(*gate, told, command("npm publish"))) == [("TL401", "error", 4), ("TL402", "warning", 5)]


def test_words_about_another_matter_are_left_alone():
    gate = (session(), says("The release branch needs a forced update. May I do it?"))
    assert (
        found(*gate, compaction("Open question to the user: forced update."), says("Benchmarks follow, as you said."))
        == []
    )


def test_an_interrupted_plan_is_no_approval():
    gate = (asks("p", question="Approve the plan? 1. drop the legacy table"), reply("p", "none", "harness"))
    told = says("The plan was approved, I am making the changes now.")
    assert found(session(), *gate, human("hm, what about backups?"), told) == [("TL401", "error", 5)]
    assert found(session(), *gate, human("go ahead"), told) == []


def test_a_call_that_was_refused_again_did_not_run():
    first = started("git push --force", id="c1")
    gate = (asks("g1", question="Run it?", command_id="c1"), reply("g1", "denied"), ended("c1", kind="not_run"))
    again = (started("git push --force", id="c2"), ended("c2", kind="not_run"))
    assert found(session(), first, *gate, *again) == []
    assert found(session(), first, *gate, command("git push --force", id="c3")) == [("TL403", "error", 6)]


def test_allowed_at_a_second_gate():
    first = (started("make deploy", id="c1"), asks("g1", command_id="c1"), reply("g1", "denied"))
    second = (started("make deploy", id="c2"), asks("g2", command_id="c2"), reply("g2"), ended("c2"))
    assert found(session(), *first, *second) == []


def test_a_no_that_only_asks_back_is_no_denial_to_hold_against_the_next_try():
    edit = {"path": "a.py", "new": "x"}
    first = (
        tool_call("edit", edit, id="c1", kind="not_run"),
        asks("g1", command_id="c1", tool="edit"),
        reply("g1", "denied", text="does this affect the old format?"),
    )
    assert found(session(), *first, says("No, it does not."), tool_call("edit", edit, id="c2")) == []


def test_a_tool_that_is_no_shell_is_an_act_too():
    asked = says("Shall I send this to the group?")
    sent = tool_call("mcp__chat__send_message", {"to": "g", "text": "hi"}, id="m1")
    assert found(session(), asked, sent) == [("TL402", "warning", 3)]
    assert found(session(), asked, human("yes"), sent) == []


def test_unlogged_replies_abstain():
    records = (session(), asks("g", command_id="c1"), reply("g", "unknown", "harness"), command("make deploy", id="c1"))
    done = audit(records)
    assert done.findings == []
    assert done.abstentions["TL402", "the format does not log how the gate was answered"] == 1


def test_an_injected_word_about_something_else_is_no_yes():
    asked = says("Shall I publish the package?")
    assert found(session(), asked, injected("<task-notification>done</task-notification>", "notification")) == []
    act = command("npm publish")
    assert found(session(), asked, injected("lint finished", "notification"), act) == [("TL402", "warning", 4)]
    assert found(session(), asked, injected("sure, publish it", "teammate"), act) == [("TL407", "error", 4)]


def test_history_out_of_sight_cannot_prove_a_quotation_false():
    summary = compaction('The user answered "yes, drop the index"; approved.')
    done = audit((session(continued_from="s0"), human("go on"), summary))
    assert done.findings == [] and done.abstentions


def test_hostile_text_is_read_in_time():
    text = "you " * 20_000 + "no reply " * 10_000 + "?" * 10_000
    assert found(session(), says(text), says("user" * 20_000), says("**" * 20_000), human("first " * 20_000)) == []

"""GitHub Copilot CLI sessions: ends and polls, gates, the provider, who spoke, rewinds, what is skipped unread."""

from __future__ import annotations

import orjson
import pytest

from tests.readers.support import FIXTURES, ends, opened, parse, read
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    HumanMessage,
    InjectedMessage,
    PolicyChanged,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
)
from transcript_lint.readers.copilot import CopilotReader
from transcript_lint.sources import Record


def record(type: str, second: int = 1, **data):
    stamp = f"2026-10-05T08:00:{second:02}.000Z"
    return {"type": type, "data": data, "id": f"e{second}", "timestamp": stamp, "parentId": None}


def test_every_dialect_of_an_end_and_the_looks_at_it():
    assert ends("copilot/ends.jsonl") == {
        "ok": ["ok 0"],
        "failed": ["nonzero_exit 1"],
        "old": ["nonzero_exit 2"],
        "killed": ["signal SIGKILL"],
        "exit-field": ["nonzero_exit 3"],
        "no-trailer": ["unknown"],
        "slow": ["running", "running poll", "ok 0 poll"],
        "async": ["running", "nonzero_exit 4 notification"],
        "hung": ["running", "interrupted poll", "interrupted 0 notification", "interrupted poll"],
        "view": ["nonzero_exit"],
        "edit": ["ok"],
        "commit": ["ok 0"],
        "cut": ["interrupted notification"],
    }


def test_commands_are_as_many_as_the_file_starts_but_for_looks():
    lines = [orjson.loads(line) for line in (FIXTURES / "copilot/ends.jsonl").read_bytes().splitlines()]
    started = [r["data"] for r in lines if r["type"] == "tool.execution_start"]
    looks = [d for d in started if d["toolName"] in ("read_bash", "stop_bash")]
    issued = read("copilot/ends.jsonl", CommandIssued)
    assert len(issued) == len(started) - len(looks) == 13
    assert [i.command for i in issued] == [d["arguments"].get("command") for d in started if d not in looks]


def test_success_beside_a_failing_exit_is_what_the_format_does():
    told = [e for e in read("copilot/ends.jsonl", CommandEnded) if e.termination.contradiction]
    assert [e.call_id for e in told] == ["hung"]
    assert told[0].via == "notification"


def test_a_wait_that_ran_out_leaves_the_command_running():
    running = [e.termination for e in read("copilot/ends.jsonl", CommandEnded) if e.call_id in ("slow", "async")]
    assert [(t.kind.value, t.timed_out) for t in running[:1]] == [("running", True)]
    assert running[-2].timed_out is None
    issued = {i.call_id: i for i in read("copilot/ends.jsonl", CommandIssued)}
    assert issued["async"].background is True and issued["slow"].background is False
    assert issued["slow"].timeout_ms == 30_000


def test_the_harness_s_own_line_is_no_output():
    outputs = {e.call_id: e.stdout for e in read("copilot/ends.jsonl", CommandEnded) if e.via == "result"}
    assert outputs["failed"] == "2 of 9 checks failed"
    assert outputs["slow"] == "step 3 of 8"


def test_commit_messages_are_prose():
    (text,) = read("copilot/ends.jsonl", AgentText)
    assert (text.where, text.text, text.call_id) == ("commit", "Build: all checks pass", "commit")


def test_the_whole_permission_trail():
    answers = {a.slot_id: (a.outcome, a.by) for a in read("copilot/asks.jsonl", ApprovalAnswered)}
    assert [answers[f"req-{i}"] for i in range(9)] == [
        ("approved", "human"),
        ("approved", "human"),
        ("approved", "human"),
        ("denied", "policy"),
        ("denied", "human"),
        ("denied", "policy"),
        ("denied", "policy"),
        ("denied", "policy"),
        ("none", "harness"),
    ]
    assert answers["req-a"] == ("auto", "policy")


def test_a_refused_call_is_issued_once_and_never_ran():
    issued = [i.call_id for i in read("copilot/asks.jsonl", CommandIssued)]
    assert sorted(issued) == sorted(set(issued)) and "call-4" in issued
    refused = {e.call_id for e in read("copilot/asks.jsonl", CommandEnded) if e.termination.kind.value == "not_run"}
    assert refused == {f"call-{i}" for i in range(3, 9)}
    asked = {a.slot_id: a for a in read("copilot/asks.jsonl", ApprovalAsked)}
    ran = {i.call_id: i.arguments_sha256 for i in read("copilot/asks.jsonl", CommandIssued)}
    assert asked["req-0"].arguments_sha256 == ran["call-0"]
    said = {a.slot_id: a.text for a in read("copilot/asks.jsonl", ApprovalAnswered)}
    assert said["req-4"] == "keep the caches"


def test_a_refused_call_that_starts_all_the_same_begins_again():
    bash = {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "make clean"}}
    asked = [{"toolCallId": "c1", "name": "bash", "arguments": bash["arguments"]}]
    gate = {"kind": "shell", "fullCommandText": "make clean", "toolCallId": "c1"}
    rows = (
        record("assistant.message", 1, content="", toolRequests=asked),
        record("permission.requested", 2, requestId="p", permissionRequest=gate),
        record("permission.completed", 3, requestId="p", toolCallId="c1", result={"kind": "denied-by-rules"}),
        record("tool.execution_start", 4, **bash),
    )
    kinds = [type(e) for e in parse(CopilotReader, *rows) if isinstance(e, CommandIssued | ApprovalAnswered)]
    assert kinds == [CommandIssued, ApprovalAnswered, CommandIssued]


def test_questions_and_plans():
    answers = {a.slot_id: a for a in read("copilot/asks.jsonl", ApprovalAnswered)}
    told = {slot: (answers[slot].outcome, answers[slot].by, answers[slot].text) for slot in answers if slot[0] in "qup"}
    assert told == {
        "q1": ("answered", "human", "north"),
        "q2": ("timeout", "harness", None),
        "q3": ("none", "harness", None),
        "q4": ("answered", "human", "only on Monday"),
        "q5": ("answered", "human", "once"),
        "ui-6": ("none", "harness", None),
        "p1": ("approved", "human", "interactive"),
        "p2": ("denied", "human", "not at noon"),
    }
    assert answers["q1"].latency_ms == 9000
    asked = [a.slot_id for a in read("copilot/asks.jsonl", ApprovalAsked)]
    assert len(asked) == len(set(asked)) == len(answers)


def test_policies():
    assert [p.policy for p in read("copilot/asks.jsonl", PolicyChanged)] == ["auto", "auto", "ask", "auto"]


def test_who_spoke():
    assert [(h.text, h.queued) for h in read("copilot/ends.jsonl", HumanMessage)] == [
        ("Check the kiosk build", False),
        ("stop there please", True),
    ]
    assert [h.text for h in read("copilot/session.jsonl", HumanMessage)] == ["Port the parser", "Keep the tests"]
    assert [i.why for i in read("copilot/session.jsonl", InjectedMessage)] == ["reminder", "reminder", "handoff"]


def test_provider_facts_are_told_once_a_response():
    told = read("copilot/session.jsonl", ProviderResponded)
    first, usage, window, failure, error, compaction = told
    assert first.usage.output == 31 and usage.usage.output is None and usage.usage.input == 900
    assert (window.usage.input, window.window) == (96000, 128000)
    assert (failure.error.kind, failure.error.http_status) == ("rate", 429)
    assert error.error.kind == "quota" and compaction.error.http_status == 503
    (blocked,) = read("copilot/session.jsonl", Blocked)
    assert (blocked.kind, blocked.layer, blocked.observed) == ("budget", "harness", 50.5)


def test_compactions_that_cannot_be_read_are_marked():
    told = [(c.trigger, c.readable, c.tokens_before) for c in read("copilot/session.jsonl", Compacted)]
    assert told == [
        ("threshold", True, 120000),
        (None, False, 100000),
        ("truncation", False, 127000),
        ("clear", False, None),
    ]


def test_task_lists_in_markdown_and_in_sql():
    states = [t for t in read("copilot/session.jsonl", AgentText) if t.where == "task_state"]
    assert [s.changed for s in states] == [("Read the parser",), (), ("Port the parser; it's long",)]


def test_sub_agents_and_ends_of_the_session():
    inner = next(i for i in read("copilot/session.jsonl", CommandIssued) if i.call_id == "inner")
    assert inner.agent == "agent-1"
    assert ends("copilot/session.jsonl")["sub"] == ["nonzero_exit notification"]
    assert [e.status for e in read("copilot/session.jsonl", SessionEnded)] == ["success", "failure"]
    assert [s.complete for s in read("copilot/session.jsonl", SessionStarted)] == [True, False]


def test_a_rewind_takes_back_what_it_undoes():
    texts = [t.text for t in read("copilot/session.jsonl", AgentText)]
    assert not any("everything passes" in text for text in texts)


def test_unknown_types_are_counted():
    reader, _ = opened("copilot/session.jsonl")
    assert reader.unknown == {"session.rocket_launched": 1}


def test_skipped_hook_records_lose_nothing_but_themselves():
    hook = orjson.dumps(record("hook.start", hookType="preToolUse", input={"x": 1}))
    reader = CopilotReader("log")
    assert reader.skips(hook)
    assert not reader.skips(hook[:-5]) and not reader.skips(hook + hook)
    (problem,) = parse(CopilotReader, hook[:-5] + b"\n")
    assert isinstance(problem, RecordProblem) and problem.problem == "torn"


def test_no_skipped_record_would_have_told_anything():
    reader = CopilotReader("log")
    lines = (FIXTURES / "copilot/ends.jsonl").read_bytes().splitlines()
    skipped = [line for line in lines if reader.skips(line)]
    assert len(skipped) == 2
    reader.skips = lambda data: False  # type: ignore[method-assign]
    records = (Record(1, 0, line) for line in skipped)
    assert list(reader.events(records)) == [] and not reader.unknown


@pytest.mark.parametrize("wrong", [None, 7, [], "x", {"a": []}])
def test_wrong_types_crash_nothing(wrong):
    good = record("user.message", 2, content="hello")
    for line in (FIXTURES / "copilot/session.jsonl").read_bytes().splitlines():
        document = orjson.loads(line)
        for key in document["data"]:
            told = parse(CopilotReader, {**document, "data": {**document["data"], key: wrong}}, good)
            assert any(isinstance(e, HumanMessage) and e.text == "hello" for e in told)

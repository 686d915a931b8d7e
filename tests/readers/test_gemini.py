"""Gemini CLI and Qwen Code sessions: ends told in text, whole files and lines, replacement, rewinds, gates."""

from __future__ import annotations

import orjson
import pytest

from tests.readers.support import FIXTURES, ends, opened, parse, read
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    Compacted,
    HumanMessage,
    InjectedMessage,
    PolicyChanged,
    ProviderResponded,
    SessionStarted,
)
from transcript_lint.readers.gemini import GeminiReader, api_error
from transcript_lint.readers.gemini_shell import shell_end
from transcript_lint.readers.qwen import QwenReader

BOTH = ("gemini-cli/session.json", "gemini-cli/session.jsonl")
HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "2026-10-05T08:00:00Z"}


def user(id, text):
    return {"id": id, "type": "user", "content": text}


def answer(id, text="", *calls):
    return {"id": id, "type": "gemini", "content": text, "toolCalls": list(calls)}


def shell(id, out, status="success"):
    result = [{"functionResponse": {"id": id, "name": "run_shell_command", "response": {"output": out}}}]
    return {"id": id, "name": "run_shell_command", "args": {"command": "make"}, "status": status, "result": result}


@pytest.mark.parametrize("name", BOTH)
def test_ends_are_the_same_whole_and_line_by_line(name):
    assert ends(name) == {
        "ok": ["ok"],
        "failed": ["nonzero_exit 1"],
        "killed": ["signal SIGKILL"],
        "empty": ["ok"],
        "late": ["timeout"],
        "stopped": ["interrupted"],
        "unstarted": ["not_run"],
        "bg": ["running", "unknown poll"],
        "masked": ["unknown"],
        "denied": ["not_run"],
        "ruled": ["not_run"],
        "broken": ["nonzero_exit"],
        "agent-ok": ["ok"],
        "agent-cut": ["interrupted"],
        "todos": ["ok"],
    }


@pytest.mark.parametrize("name", BOTH)
def test_commands_are_as_many_as_the_calls_of_the_last_version(name):
    calls = [c for m in orjson.loads((FIXTURES / BOTH[0]).read_bytes())["messages"] for c in m.get("toolCalls", ())]
    other = [c for c in calls if c["name"] in ("ask_user", "exit_plan_mode", "read_background_output")]
    assert len(read(name, CommandIssued)) == len(calls) - len(other) == 15


def test_a_message_in_a_file_of_many_lines_has_its_own_line():
    lines = (FIXTURES / BOTH[0]).read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line == "    {"]
    for event in read(BOTH[0]):
        if event.at.pointer.startswith("/messages/"):
            assert event.at.line == starts[int(event.at.pointer.split("/")[2])]
    command = next(e for e in read(BOTH[0], CommandIssued) if e.call_id == "killed")
    assert command.at.pointer == "/messages/3/toolCalls/1"


def test_output_is_without_the_fields_around_it():
    told = {e.call_id: e for e in read(BOTH[1], CommandEnded) if e.via == "result"}
    assert told["failed"].stdout == "Error: too salty"
    assert (told["late"].stdout, told["empty"].stdout) == ("rising 40%", "")
    assert told["masked"].truncated is True
    assert told["agent-cut"].error == "Termination Reason: MAX_TURNS"


@pytest.mark.parametrize("name", BOTH)
def test_refusals_questions_and_plans(name):
    told = {a.slot_id: (a.outcome, a.by, a.text) for a in read(name, ApprovalAnswered)}
    assert told == {
        "denied": ("denied", "human", None),
        "ruled": ("denied", "policy", None),
        "ask": ("answered", "human", "Later"),
        "ask-none": ("none", "harness", None),
        "ask-shut": ("none", "harness", None),
        "plan": ("denied", "human", "less salt"),
        "plan2": ("approved", "human", None),
    }
    asked = {a.slot_id: a.gate for a in read(name, ApprovalAsked)}
    assert asked.keys() == told.keys() and (asked["plan"], asked["ask"], asked["ruled"]) == (
        "plan",
        "question",
        "permission",
    )


def test_who_spoke():
    assert [(h.text, h.queued) for h in read(BOTH[1], HumanMessage)] == [
        ("Ship the bakery site", False),
        ("skip the tasting", True),
        ("Wait for Monday", False),
    ]
    assert [i.why for i in read(BOTH[1], InjectedMessage)] == ["reminder"]


@pytest.mark.parametrize("name", BOTH)
def test_provider_facts(name):
    *usual, stopped, failed, _ = read(name, ProviderResponded)
    assert {(r.usage.input, r.usage.output, r.usage.reasoning) for r in usual} == {(1200, 120, 40)}
    assert (stopped.finish_reason, stopped.finish) == ("MALFORMED_FUNCTION_CALL", "error")
    assert (failed.error.kind, failed.error.http_status) == ("rate", 429)
    (compacted,) = read(name, Compacted)
    assert compacted.readable is False
    (state,) = (t for t in read(name, AgentText) if t.where == "task_state")
    assert state.changed == ("Bake",)


def test_a_rewind_and_a_replacement_count_nothing_twice():
    texts = [t.text for t in read(BOTH[1], AgentText) if t.where == "prose"]
    assert texts == ["I will build first.", "The site is not shipped: the tasting failed."]
    assert opened(BOTH[1])[0].unknown == {"message hologram": 1}


def test_a_rewind_to_what_is_not_there_takes_back_everything():
    told = parse(GeminiReader, HEAD, user("a", "one"), {"$rewindTo": "gone"}, user("b", "two"))
    assert [e.text for e in told if isinstance(e, HumanMessage)] == ["two"]


def test_the_same_call_with_another_result_later_is_told_again():
    failed, good = shell("c", "Output: x\nExit Code: 3"), shell("c", "Output: x\nProcess Group PGID: 1")
    resumed = {"id": "i", "type": "info", "content": "Session resumed"}
    told = parse(GeminiReader, HEAD, answer("a", "", failed), resumed, answer("b", "", good), answer("d", "", good))
    assert [e.termination.kind.value for e in told if isinstance(e, CommandEnded)] == ["nonzero_exit", "ok"]
    assert len([e for e in told if isinstance(e, CommandIssued)]) == 1
    assert len([e for e in told if isinstance(e, SessionStarted)]) == 2


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("Output: a\nError: spawn failed\nProcess Group PGID: 5", "success", "ok"),
        ("Output: a\nError: spawn failed", "error", "nonzero_exit"),
        ("Output: a\nSignal: SIGSEGV\nProcess Group PGID: 5", "success", "signal"),
        ("Command: x\nDirectory: d\nOutput: a\nError: (none)\nExit Code: 0\nSignal: (none)", "success", "ok"),
        ("", "success", "unknown"),
        ("Exit Code: 1 is what it printed\nmore", "success", "unknown"),
    ],
)
def test_shell_ends(text, status, kind):
    assert shell_end(text, status)[0].kind.value == kind


def test_api_errors_in_words_and_in_json():
    assert api_error("[API Error: quota exceeded (Status: 429)]").http_status == 429
    assert api_error('[API Error: {"error":{"code":503,"message":"overloaded"}}]').kind == "overload"


def test_ends_of_qwen_commands():
    assert ends("qwen-code/session.jsonl") == {
        "ok": ["ok 0"],
        "failed": ["nonzero_exit 2"],
        "killed": ["signal SIGTERM"],
        "late": ["timeout"],
        "unknown": ["unknown"],
        "bg": ["running", "nonzero_exit notification"],
        "denied": ["not_run"],
        "todo": ["ok"],
    }
    outputs = {e.call_id: e.stdout for e in read("qwen-code/session.jsonl", CommandEnded)}
    assert outputs["failed"] == "no gauge"


def test_qwen_people_policies_and_gates():
    name = "qwen-code/session.jsonl"
    assert [(h.text, h.queued) for h in read(name, HumanMessage)] == [
        ("Measure the harbor", False),
        ("and hurry", True),
        ("Keep the harbor", False),
    ]
    assert [i.why for i in read(name, InjectedMessage)] == ["notification", "notification"]
    assert [p.policy for p in read(name, PolicyChanged)] == ["auto"]
    told = {a.slot_id: (a.outcome, a.by, a.text) for a in read(name, ApprovalAnswered)}
    assert told == {"denied": ("denied", "human", None), "ask": ("answered", "human", "east")}


def test_qwen_figures_boundaries_and_rewinds():
    name = "qwen-code/session.jsonl"
    first = read(name, ProviderResponded)[0]
    assert (first.usage.input, first.usage.output, first.usage.cached, first.window) == (2000, 100, 500, 262144)
    assert [r.error.kind for r in read(name, ProviderResponded) if r.error] == ["rate"]
    (compacted,) = read(name, Compacted)
    assert compacted.readable and "tide failed" in compacted.summary
    texts = {t.text: t.agent for t in read(name, AgentText) if t.where == "prose"}
    assert not any("all checks pass" in text for text in texts)
    assert texts["Side search done."] == "explore-1"
    assert opened(name)[0].unknown == {"system kraken": 1}


@pytest.mark.parametrize("wrong", [None, 7, [], "x", {"a": []}])
def test_wrong_types_crash_nothing(wrong):
    for reader, name in ((GeminiReader, BOTH[1]), (QwenReader, "qwen-code/session.jsonl")):
        seen = []
        for line in (FIXTURES / name).read_bytes().splitlines():
            document = orjson.loads(line)
            seen += [{**document, key: wrong} for key in document]
        last = (
            user("z", "hello")
            if reader is GeminiReader
            else {"uuid": "z", "type": "user", "message": {"parts": [{"text": "hello"}]}}
        )
        told = parse(reader, *seen, last)
        assert [e.text for e in told if isinstance(e, HumanMessage)][-1] == "hello"

"""opencode exports: exit codes and tags, refusals, reverted messages, places in a file of many lines."""

from __future__ import annotations

import orjson
import pytest

from tests.readers.support import FIXTURES, ends, opened, parse, read
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    CommandEnded,
    CommandIssued,
    Compacted,
    HumanMessage,
    InjectedMessage,
    ProviderResponded,
    SessionStarted,
)
from transcript_lint.readers.opencode import OpencodeReader

EXPORT = "opencode/export.json"


def test_ends():
    assert ends(EXPORT) == {
        "ok": ["ok 0"],
        "failed": ["nonzero_exit 1"],
        "null": ["unknown"],
        "late": ["timeout"],
        "stopped": ["interrupted"],
        "late-zero": ["timeout 0"],
        "aborted": ["interrupted"],
        "refused": ["not_run"],
        "ruled": ["not_run"],
        "running": ["running"],
        "pruned": ["ok"],
        "todo": ["ok"],
        "sub": ["ok"],
    }
    told = {e.call_id: e for e in read(EXPORT, CommandEnded)}
    assert (told["late"].stdout, told["late"].truncated) == ("page 3", True)
    assert told["late-zero"].termination.contradiction == "recorded with exit 0 and as timed out"


def test_commands_are_as_many_as_the_tool_parts():
    document = orjson.loads((FIXTURES / EXPORT).read_bytes())
    parts = [p for m in document["messages"] for p in m["parts"] if p["type"] == "tool"]
    assert len(read(EXPORT, CommandIssued)) == len([p for p in parts if p["tool"] != "question"]) == 14


def test_every_part_has_the_line_it_starts_on():
    lines = (FIXTURES / EXPORT).read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line == "        {"]
    document = orjson.loads((FIXTURES / EXPORT).read_bytes())
    places = [f"/messages/{m}/parts/{p}" for m, x in enumerate(document["messages"]) for p in range(len(x["parts"]))]
    line_of = dict(zip(places, starts, strict=True))
    seen = [e for e in read(EXPORT) if e.at.pointer in line_of]
    assert len(seen) > 30 and all(e.at.line == line_of[e.at.pointer] for e in seen)


def test_gates_people_and_tasks():
    told = {a.slot_id: (a.outcome, a.by, a.text) for a in read(EXPORT, ApprovalAnswered)}
    assert told == {
        "refused": ("denied", "human", "keep the menu"),
        "ruled": ("denied", "policy", None),
        "ask": ("answered", "human", "Thai"),
        "ask-none": ("none", "harness", None),
    }
    assert [h.text for h in read(EXPORT, HumanMessage)] == ["Translate the menu"]
    assert [i.why for i in read(EXPORT, InjectedMessage)] == ["reminder"]
    texts = {t.where: t for t in read(EXPORT, AgentText)}
    assert texts["task_state"].changed == ("Translate soup",)


def test_figures_errors_and_boundaries():
    told = read(EXPORT, ProviderResponded)
    assert (told[0].usage.input, told[0].usage.output, told[0].usage.cached, told[0].finish) == (970, 30, 900, "tool")
    assert [r.error.kind for r in told if r.error] == ["overload", "context"]
    assert told[-1].usage.output == 6 and told[-1].finish == "stop"
    boundaries = [(c.kind, c.trigger, c.readable) for c in read(EXPORT, Compacted)]
    assert boundaries == [("summary", "auto", True), ("summary", "manual", False), ("micro", None, True)]
    assert read(EXPORT, Compacted)[-1].forgotten_ids == ("pruned",)


def test_reverted_messages_are_left_out_and_unknown_parts_counted():
    assert not any("perfect" in t.text for t in read(EXPORT, AgentText))
    assert opened(EXPORT)[0].unknown == {"part telepathy": 1}


def test_several_exports_one_a_line():
    heads = read("opencode/exports.jsonl", SessionStarted)
    assert [(s.session_id, s.at.line) for s in heads] == [("ses_09", 1), ("ses_10", 2)]
    assert len(read("opencode/exports.jsonl", CommandIssued)) == 6


@pytest.mark.parametrize("wrong", [None, 7, [], "x", {"a": []}])
def test_wrong_types_crash_nothing(wrong):
    document = orjson.loads((FIXTURES / EXPORT).read_bytes())
    good = {"info": {"role": "user"}, "parts": [{"type": "text", "text": "hello"}]}
    for message in document["messages"]:
        for part in message["parts"]:
            broken = [{**part, key: wrong} for key in part] + [
                {**part, "state": {"status": "completed", "time": wrong}}
            ]
            log = {"info": {"id": "ses_1"}, "messages": [{"info": message["info"], "parts": broken}, good]}
            told = parse(OpencodeReader, log)
            assert [e.text for e in told if isinstance(e, HumanMessage)][-1] == "hello"
        for key in message["info"]:
            log = {"info": {"id": "ses_1"}, "messages": [{"info": {**message["info"], key: wrong}, "parts": []}, good]}
            assert [e.text for e in parse(OpencodeReader, log) if isinstance(e, HumanMessage)] == ["hello"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"name": "APIError", "data": {"message": "slow down", "statusCode": 429}}, "rate"),
        ({"name": "ProviderAuthError", "data": {"providerID": "p", "message": "bad key"}}, "auth"),
        ({"name": "MessageOutputLengthError", "data": {}}, "other"),
        ({"name": "ContextOverflowError", "data": {"message": "too long"}}, "context"),
    ],
)
def test_each_error_of_a_message(error, kind):
    message = {"id": "m1", "role": "assistant", "modelID": "m", "providerID": "p", "time": {"created": 1}}
    export = {
        "info": {"id": "s1", "version": "1.2.26"},
        "messages": [{"info": {**message, "error": error}, "parts": []}],
    }
    (fact,) = [x for x in parse(OpencodeReader, export) if isinstance(x, ProviderResponded)]
    assert fact.error is not None and fact.error.kind == kind

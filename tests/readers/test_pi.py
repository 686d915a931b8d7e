"""pi and OpenClaw sessions: last lines and detail fields, background runs, trees, sub-agents, usage."""

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
    RecordProblem,
    SessionStarted,
)
from transcript_lint.readers.openclaw import OpenClawReader
from transcript_lint.readers.pi import PiReader


def test_ends_of_pi_commands():
    assert ends("pi/linear.jsonl") == {
        "ok": ["ok"],
        "failed": ["nonzero_exit 2"],
        "late": ["timeout"],
        "stopped": ["interrupted"],
        "killed": ["signal SIGKILL"],
        "quotes": ["ok"],
        "edit": ["nonzero_exit"],
        "todo": ["ok"],
        "own-24": ["ok 0"],
        "own-25": ["interrupted"],
        "never": ["not_run"],
    }


def test_commands_are_as_many_as_the_blocks_that_call_tools():
    lines = [orjson.loads(line) for line in (FIXTURES / "pi/linear.jsonl").read_bytes().splitlines() if line]
    messages = [r["message"] for r in lines if r["type"] == "message"]
    blocks = [b for m in messages if m["role"] == "assistant" for b in m["content"] if b["type"] == "toolCall"]
    own = [m for m in messages if m["role"] == "bashExecution"]
    asks = [b for b in blocks if b["name"] == "question"]
    assert len(read("pi/linear.jsonl", CommandIssued)) == len(blocks) - len(asks) + len(own) == 11


def test_success_is_inferred_where_nothing_says_otherwise():
    told = {e.call_id: e for e in read("pi/linear.jsonl", CommandEnded)}
    assert told["ok"].termination.source.value == "inferred" and told["ok"].termination.exit_code is None
    assert told["quotes"].stdout.endswith("Command exited with code 1")
    assert told["failed"].stdout == "3 sheets differ"


def test_usage_counts_what_was_read_from_and_written_to_the_cache():
    first = read("pi/linear.jsonl", ProviderResponded)[0]
    assert (first.usage.input, first.usage.cached, first.usage.output, first.usage.cost_usd) == (160, 50, 20, 0.002)
    aborted, failed, cut = read("pi/linear.jsonl", ProviderResponded)[-3:]
    assert aborted.usage is None and aborted.error is None
    assert (failed.error.kind, failed.error.http_status, failed.finish) == ("rate", 429, "error")
    assert cut.finish == "length"


def test_questions_and_tasks():
    answers = [(a.outcome, a.by, a.text) for a in read("pi/linear.jsonl", ApprovalAnswered)]
    assert answers == [("none", "harness", None), ("answered", "human", "black")]
    (state,) = (t for t in read("pi/linear.jsonl", AgentText) if t.where == "task_state")
    assert state.changed == ("Render the atlas",) and state.text.splitlines()[1] == "- [ ] Check the sheets"


def test_compactions_and_forks():
    assert [c.readable for c in read("pi/linear.jsonl", Compacted)] == [True, False]
    (branch,) = read("pi/tree.jsonl", Compacted)
    assert branch.trigger == "branch" and branch.readable
    for name in ("pi/linear.jsonl", "pi/tree.jsonl"):
        (head,) = read(name, SessionStarted)
        assert head.continued_from == "11111111-2222-4333-8444-555555555555"


def test_a_fork_of_parallel_results_is_no_branch():
    assert ends("pi/tree.jsonl") == {"a": ["ok"], "b": ["ok"]}
    assert [t.text for t in read("pi/tree.jsonl", AgentText)] == ["Both halves are drawn.", "Not drawn in red yet."]


def test_who_spoke():
    assert [i.why for i in read("pi/tree.jsonl", InjectedMessage)] == ["reminder", "teammate"]
    assert [h.text for h in read("openclaw/session.jsonl", HumanMessage)] == ["Count the seeds", "Sell only the pots"]
    assert [i.why for i in read("openclaw/session.jsonl", InjectedMessage)] == ["handoff", "handoff", "notification"]


def test_ends_of_openclaw_commands_polls_and_sub_agents():
    assert ends("openclaw/session.jsonl") == {
        "ok": ["ok 0"],
        "failed": ["nonzero_exit 3"],
        "late": ["timeout"],
        "killed": ["signal SIGKILL"],
        "bg": ["running", "running poll", "ok 0 poll"],
        "bg2": ["running", "interrupted poll"],
        "list": ["ok"],
        "web": ["nonzero_exit"],
        "spawn": ["running", "ok notification"],
        "spawn2": ["running", "timeout notification"],
    }
    killed = next(e for e in read("openclaw/session.jsonl", CommandEnded) if e.call_id == "killed")
    assert killed.termination.contradiction == "recorded with exit 0 and as killed by SIGKILL"


def test_a_moved_leaf_leaves_the_other_branch_out_and_a_copy_is_told_once():
    texts = [t.text for t in read("openclaw/session.jsonl", AgentText)]
    assert texts == ["14 pots; the pans were not counted."]


def test_each_is_recognised():
    assert opened("pi/linear.jsonl")[0].name == opened("pi/tree.jsonl")[0].name == "pi"
    assert opened("openclaw/session.jsonl")[0].name == "openclaw"
    assert opened("pi/tree.jsonl")[0].unknown == {"comet": 1}


@pytest.mark.parametrize("wrong", [None, 7, [], "x", {"a": []}])
@pytest.mark.parametrize("reader", [PiReader, OpenClawReader])
def test_wrong_types_crash_nothing(reader, wrong):
    good = {"type": "message", "id": "z", "parentId": None, "message": {"role": "user", "content": "hello"}}
    for line in (FIXTURES / "openclaw/session.jsonl").read_bytes().splitlines():
        document = orjson.loads(line)
        for key in document:
            told = parse(reader, {**document, key: wrong}, good)
            assert any(isinstance(e, HumanMessage | InjectedMessage) and e.text == "hello" for e in told)
        message = document.get("message", {})
        for key in message:
            told = parse(reader, {**document, "message": {**message, key: wrong}}, good)
            assert [e.text for e in told if isinstance(e, HumanMessage)][-1:] == ["hello"]


def test_broken_lines_are_reported():
    told = parse(PiReader, b'{"type":"message","mess', {"type": "session", "id": "s", "cwd": "/"})
    assert [type(e) for e in told] == [RecordProblem, SessionStarted]


def test_a_command_that_waits_for_an_approval_has_not_run():
    call = {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "make"}}
    result = {"role": "toolResult", "toolCallId": "c1", "toolName": "exec", "details": {"status": "approval-pending"}}
    told = [{"role": "assistant", "content": [call]}, {**result, "content": "Approval required.", "isError": False}]
    found = parse(OpenClawReader, *({"type": "message", "id": str(n), "message": m} for n, m in enumerate(told)))
    assert [x.termination.kind.value for x in found if isinstance(x, CommandEnded)] == ["not_run"]

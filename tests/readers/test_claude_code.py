"""The Claude Code reader: every row of the format, on small invented sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import orjson
import pytest

from transcript_lint import sources
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    PolicyChanged,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
)
from transcript_lint.readers.base import Sample
from transcript_lint.readers.claude_code import ClaudeCodeReader
from transcript_lint.readers.claude_code.known import skippable

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
E = TypeVar("E", bound=Event)


def read(name: str) -> list[Event]:
    return list(stream(ClaudeCodeReader(name), (FIXTURES / name).read_bytes()))


def stream(reader: ClaudeCodeReader, data: bytes) -> Iterator[Event]:
    lines = data.split(b"\n")
    offset, records = 0, []
    for number, line in enumerate(lines, 1):
        if number < len(lines) or line:
            records.append(sources.Record(number, offset, line, number < len(lines)))
        offset += len(line) + 1
    return reader.events(records)


def of(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def ends(events: list[Event]) -> dict[str, list[CommandEnded]]:
    found: dict[str, list[CommandEnded]] = {}
    for event in of(events, CommandEnded):
        found.setdefault(event.call_id.removeprefix("toolu_"), []).append(event)
    return found


@pytest.fixture(scope="module")
def terminations() -> dict[str, list[CommandEnded]]:
    return ends(read("terminations.jsonl"))


@pytest.mark.parametrize(
    ("call", "kind", "code", "signal", "timed_out"),
    [
        ("ok", EndKind.OK, None, None, None),
        ("exit1", EndKind.NONZERO, 1, None, None),
        ("exit124", EndKind.TIMEOUT, 124, None, True),
        ("oom", EndKind.SIGNAL, 137, "SIGKILL", None),
        ("timed_out", EndKind.TIMEOUT, 143, None, True),
        ("old_timeout", EndKind.TIMEOUT, None, None, True),
        ("harmless", EndKind.OK, None, None, None),
        ("sibling", EndKind.NOT_RUN, None, None, None),
        ("aborted", EndKind.INTERRUPTED, None, None, None),
        ("interrupted", EndKind.INTERRUPTED, None, None, None),
        ("signal_field", EndKind.SIGNAL, None, "SIGTERM", None),
        ("late_field", EndKind.TIMEOUT, None, None, True),
        ("hook", EndKind.NOT_RUN, None, None, None),
        ("big", EndKind.OK, None, None, None),
        ("read", EndKind.OK, None, None, None),
        ("missing", EndKind.NONZERO, None, None, None),
        ("hanging", EndKind.INTERRUPTED, None, None, None),
    ],
)
def test_every_end(
    terminations: dict[str, list[CommandEnded]],
    call: str,
    kind: EndKind,
    code: int | None,
    signal: str | None,
    timed_out: bool | None,
) -> None:
    (event,) = terminations[call]
    end = event.termination
    assert (end.kind, end.exit_code, end.signal, end.timed_out) == (kind, code, signal, timed_out)


def test_what_a_result_tells_beside_its_end(terminations: dict[str, list[CommandEnded]]) -> None:
    assert terminations["ok"][0].termination.source is EndSource.INFERRED
    assert terminations["exit1"][0].stdout == "check: table 7 is empty"
    assert "No matches found" in (terminations["harmless"][0].note or "")
    assert terminations["big"][0].truncated
    assert terminations["read"][0].stdout == "     1→7.2"
    assert terminations["hanging"][0].error == "interrupted by the person"
    assert terminations["hanging2"][0].error == "interrupted by a shutdown"
    for call in ("interrupted", "signal_field", "late_field"):
        assert terminations[call][0].termination.contradiction
    assert terminations["timed_out"][0].termination.contradiction is None


def test_calls_carry_what_was_asked() -> None:
    events = read("terminations.jsonl")
    issued = {event.call_id: event for event in of(events, CommandIssued)}
    shell, other = issued["toolu_ok"], issued["toolu_read"]
    assert (shell.command, shell.timeout_ms, shell.background, shell.cwd) == (
        "make tables",
        120_000,
        False,
        "/home/io/tide",
    )
    assert shell.arguments is None and len(shell.arguments_sha256 or "") == 64
    assert (other.command, other.arguments) == (None, {"file_path": "/home/io/tide/a.csv"})
    assert shell.at.pointer == "/message/content/0"
    assert [i.text for i in of(events, InjectedMessage) if i.why == "reminder"] == [
        "The task list has not been used for a while."
    ]


def test_background_work_is_joined_to_the_call_that_started_it() -> None:
    found = ends(read("background.jsonl"))
    kinds = {
        call: [(e.termination.kind.value, e.termination.timed_out, e.via) for e in es] for call, es in found.items()
    }
    assert kinds["asked"] == [("running", False, "result"), ("ok", None, "notification")]
    assert kinds["silent"] == [("running", True, "result"), ("running", None, "poll"), ("nonzero_exit", None, "poll")]
    assert kinds["told"] == [("running", True, "result"), ("signal", None, "notification")]
    assert kinds["by_hand"] == [("running", False, "result"), ("interrupted", None, "poll")]
    assert kinds["old"] == [("running", False, "result"), ("ok", None, "poll")]
    assert found["silent"][-1].stdout == "sweep 40/40\n2 failed"
    assert found["poll2"][0].stdout == ""
    assert found["by_hand"][-1].error == "stopped on request of the agent"
    assert found["asked"][-1].termination.exit_code == 0


def test_who_wrote_what() -> None:
    events = read("people.jsonl")
    assert [(m.text, m.queued) for m in of(events, HumanMessage)] == [
        ("Please fix the ebb column", False),
        ("/review the parser only", False),
        ("!git pull", False),
        ("and keep the header", False),
        ("go ahead and push", True),
        ("now the flood column", False),
        ("use metres", True),
        ("and round to cm", True),
        ("carry on", False),
    ]
    assert [(m.text.split("\n")[0][:30], m.why) for m in of(events, InjectedMessage)] == [
        ("You are reviewing a change.", "copied_context"),
        ("<local-command-caveat>Caveat: ", "reminder"),
        ("<local-command-stdout>Bye!</lo", "tool_result"),
        ("<bash-stdout>Already up to dat", "tool_result"),
        ("<ci-monitor-event>build 7 is g", "notification"),
        ("check the queue", "notification"),
        ("yes, push it", "reminder"),
        ("a note from a peer", "notification"),
        ("approved, publish it", "hook"),
    ]


def test_a_queued_message_stands_at_its_enqueue_line() -> None:
    events = read("people.jsonl")
    (push,) = (m for m in of(events, HumanMessage) if m.text == "go ahead and push")
    (working,) = (t for t in of(events, AgentText) if t.text == "Working on it.")
    assert push.at.line == working.at.line - 1
    assert push.at.pointer == "/content"


def test_policies() -> None:
    events = read("people.jsonl")
    (start,) = of(events, SessionStarted)
    assert (start.approval_policy, start.complete, start.version) == ("ask", True, "2.1.42")
    assert [p.policy for p in of(events, PolicyChanged)] == ["auto", "ask"]


def test_refusals_are_gates_with_their_answers() -> None:
    events = read("approvals.jsonl")
    answers = {a.slot_id.removeprefix("toolu_"): (a.outcome, a.by, a.text) for a in of(events, ApprovalAnswered)}
    assert answers["no"] == ("denied", "human", None)
    assert answers["no_words"] == ("denied", "human", "push to a branch first")
    assert {answers[call][:2] for call in ("rule", "classifier", "callback")} == {("denied", "policy")}
    found = ends(events)
    assert {found[call][0].termination.kind for call in ("no", "no_words", "rule", "classifier", "callback")} == {
        EndKind.NOT_RUN
    }
    asked = {a.slot_id: a for a in of(events, ApprovalAsked)}
    issued = {c.call_id: c for c in of(events, CommandIssued)}
    assert asked["toolu_no"].arguments_sha256 == issued["toolu_no"].arguments_sha256
    assert asked["toolu_no"].at == issued["toolu_no"].at
    assert [m.text for m in of(events, HumanMessage)] == [
        "Release the tables",
        "push to a branch first",
        "Yes",
        "keep it",
    ]


def test_questions_and_plans() -> None:
    events = read("approvals.jsonl")
    answers = {a.slot_id.removeprefix("toolu_"): (a.outcome, a.by) for a in of(events, ApprovalAnswered)}
    assert answers["asked"] == ("answered", "human")
    assert answers["away"] == ("timeout", "harness")
    assert answers["silent"] == ("none", "harness")
    assert answers["clarify"] == ("denied", "human")
    assert answers["broken"] == ("timeout", "harness")
    assert answers["cut"] == ("none", "human")
    assert answers["plan_yes"] == ("approved", "human")
    assert answers["plan_no"] == ("denied", "human")
    asked = {a.slot_id.removeprefix("toolu_"): a for a in of(events, ApprovalAsked)}
    assert (asked["asked"].gate, asked["asked"].question, asked["asked"].options) == (
        "question",
        "Publish now?",
        ("Yes", "No"),
    )
    assert (asked["plan_yes"].gate, asked["plan_yes"].question, asked["plan_yes"].options) == (
        "plan",
        "1. rename the column",
        ("run tests",),
    )
    (waited,) = (a.latency_ms for a in of(events, ApprovalAnswered) if a.slot_id == "toolu_asked")
    assert waited == 9000


def test_compaction_joins_boundary_and_summary() -> None:
    events = read("compaction.jsonl")
    first, micro, bare = of(events, Compacted)
    assert (first.trigger, first.tokens_before, first.readable) == ("auto", 156_822, True)
    assert first.summary_at is not None and first.summary_at.line == first.at.line + 1
    assert (first.summary or "").endswith('"push it"')
    assert (micro.kind, micro.tokens_after, micro.forgotten_ids) == ("micro", 37_772, ("toolu_a", "toolu_b"))
    assert (bare.trigger, bare.tokens_after, bare.readable, bare.summary) == ("manual", 4000, False, None)
    assert "inflight" not in ends(events)
    assert [m.text for m in of(events, HumanMessage)] == ["go on"]


def test_a_plan_handed_over_is_an_approval() -> None:
    events = read("compaction.jsonl")
    (start,) = of(events, SessionStarted)
    assert (start.approval_policy, start.complete) == ("unknown", True)
    assert [m.why for m in of(events, InjectedMessage)] == ["handoff", "summary"]
    (asked,), (answer,) = of(events, ApprovalAsked), of(events, ApprovalAnswered)
    assert (asked.gate, answer.outcome, answer.by) == ("plan", "approved", "human")


def test_a_file_that_begins_in_the_middle_is_not_complete() -> None:
    lines = (FIXTURES / "compaction.jsonl").read_bytes().split(b"\n")
    for start in (1, 2, 3):
        events = list(stream(ClaudeCodeReader("part"), b"\n".join(lines[start:])))
        assert not of(events, SessionStarted)[0].complete, start


def test_sub_agents_inside_their_parents_file() -> None:
    events = read("subagents.jsonl")
    (inner,) = (c for c in of(events, CommandIssued) if c.call_id == "toolu_inner")
    assert (inner.agent, inner.parent_command_id, inner.command) == ("a77", "toolu_task", "make check")
    assert inner.at.pointer == "/data/message/message/content/0"
    found = ends(events)
    assert found["inner"][0].termination.exit_code == 2 and found["inner"][0].agent == "a77"
    assert [(t.agent, t.text) for t in of(events, AgentText)] == [("a77", "The check failed.")]
    assert found["task"][0].termination.succeeded
    assert found["dead"][0].termination.kind is EndKind.NONZERO and found["dead"][0].termination.contradiction
    assert [(e.termination.kind.value, e.stdout) for e in found["async"]] == [
        ("running", ""),
        ("ok", "Found 3 tables."),
    ]
    assert ("Run the check", "handoff", "a77") in [(m.text, m.why, m.agent) for m in of(events, InjectedMessage)]


def test_a_sub_agents_own_file() -> None:
    events = read("sidechain.jsonl")
    assert {event.agent for event in events} == {"a80"}
    assert not of(events, HumanMessage)
    assert ends(events)["s"][0].termination.succeeded


def test_a_response_is_told_once() -> None:
    first, second, *errors = of(read("provider.jsonl"), ProviderResponded)
    assert first.usage is not None and (first.usage.input, first.usage.output, first.usage.cached) == (
        40_312,
        210,
        40_000,
    )
    assert (first.finish, first.has_text, first.tool_call_ids) == ("tool", True, ("toolu_1",))
    assert (second.finish, second.text_tail) == ("length", "Half a sen")
    assert second.usage is not None and second.usage.reasoning == 700
    assert [e.error.kind for e in errors if e.error] == ["overload", "network", "quota", "auth", "context"]
    assert {e.finish for e in errors} == {"error"} and {e.usage for e in errors} == {None}
    assert {e.model for e in errors} == {"claude-opus-4-5"}
    (meter,) = errors[0].meters
    assert (meter.name, round(meter.used_percent or 0)) == ("tokens", 90)


def test_synthetic_records_are_not_the_agents_words() -> None:
    assert [t.text for t in of(read("provider.jsonl"), AgentText)] == ["Reading the table first.", "Half a sen"]


def test_stream_json() -> None:
    events = read("stream.jsonl")
    (start,) = of(events, SessionStarted)
    assert (start.approval_policy, start.interactive, start.tools, start.version) == (
        "auto",
        False,
        ("Bash", "Write"),
        "2.1.220",
    )
    (answer,) = of(events, ApprovalAnswered)
    assert (answer.outcome, answer.by, answer.call_id) == ("denied", "policy", "toolu_w")
    (end,) = of(events, SessionEnded)
    assert (end.status, end.claim, end.denials) == ("success", "x.csv is written.", (("Write", "toolu_w"),))
    assert [(t.text, t.where, t.agent) for t in of(events, AgentText)] == [
        ("From the helper.", "prose", "toolu_t"),
        ("x.csv is written.", "closing", "main"),
    ]
    errors = [r.error.kind for r in of(events, ProviderResponded) if r.error]
    meters = [m.used_percent for r in of(events, ProviderResponded) for m in r.meters]
    assert (errors, meters) == (["rate"], [91.0])


def test_an_envelope_that_repeats_the_last_words_says_nothing_new() -> None:
    text = {"type": "text", "text": "Done."}
    said = {"type": "assistant", "session_id": "s", "message": {"id": "m", "model": "x", "content": [text]}}
    closing = {"type": "result", "session_id": "s", "subtype": "error_max_turns", "is_error": True, "result": "Done."}
    events = list(stream(ClaudeCodeReader("x"), b"\n".join(map(orjson.dumps, (said, closing)))))
    assert [t.where for t in of(events, AgentText)] == ["prose"]
    assert [b.kind for b in of(events, Blocked)] == ["turns"]
    assert of(events, SessionEnded)[0].status == "blocked"


def test_published_and_ticked() -> None:
    texts = [(t.where, t.text, t.changed) for t in of(read("publishing.jsonl"), AgentText)]
    assert texts == [
        ("commit", 'fix(tables): keep the ebb column\n\nAll 12 checks pass (see "log").', ()),
        ("pull_request", "Keep the ebb column\n\n## Tests\n- [x] make check", ()),
        ("task_state", "- [x] Fix the column\n- [ ] Run the check", ("Fix the column",)),
        ("task_state", "- [x] Fix the column\n- [x] Run the check", ("Run the check",)),
        ("task_state", "- [ ] Verify the tables", ()),
        ("task_state", "- [x] Verify the tables", ("Verify the tables",)),
        ("message", "Tables are live.", ()),
    ]


def test_damage_costs_only_what_is_damaged() -> None:
    reader = ClaudeCodeReader("damaged.jsonl")
    events = list(stream(reader, (FIXTURES / "damaged.jsonl").read_bytes()))
    assert [p.problem for p in of(events, RecordProblem)] == ["two_documents", "unfinished"]
    assert of(events, AgentText)[0].text == "Still read."
    assert [c.call_id for c in of(events, CommandIssued)] == ["toolu_1"]
    assert len(of(events, CommandEnded)) == 1
    assert {"wholly-new", "system/wholly-new", "attachment/wholly-new", "progress/wholly-new"} <= set(reader.unknown)


@pytest.mark.parametrize("name", sorted(p.name for p in FIXTURES.glob("*.jsonl")))
def test_skipping_loses_nothing(name: str) -> None:
    class Thorough(ClaudeCodeReader):
        def skips(self, data: bytes) -> bool:
            return False

    data = (FIXTURES / name).read_bytes()
    assert list(stream(ClaudeCodeReader(name), data)) == list(stream(Thorough(name), data))


def test_what_may_be_skipped() -> None:
    head = b'{"parentUuid":null,"sessionId":"s","type":"progress","data":{"type":"'
    shell = head + b'bash_progress","output":"7 passed"},"uuid":"u"}'
    assert skippable(shell)
    assert not skippable(shell + b'{"type":"user"}')
    assert not skippable(shell[:-1])
    assert not skippable(head + b'bash_prog{"type":"user","message":{}}')
    assert not skippable(shell.replace(b"bash_progress", b"agent_progress"))
    assert not skippable(b'{"type":"user","toolUseResult":' + shell + b"}")
    snapshot = b'{"type":"file-history-snapshot","snapshot":{"a":{}}}'
    assert skippable(snapshot)
    assert not skippable(snapshot + b'{"type":"summary"}')
    assert not skippable(b'{"type":"file-history-snapshot","snap{"parentUuid":"u"}')


@pytest.mark.parametrize("name", sorted(p.name for p in FIXTURES.glob("*.jsonl")))
def test_sniff(name: str) -> None:
    lines = (FIXTURES / name).read_bytes().splitlines()[:5]
    documents = [
        orjson.loads(line) for line in lines if line.startswith(b"{") and b"}{" not in line and line.endswith(b"}")
    ]
    assert ClaudeCodeReader.sniff(Sample(path=name, head=b"", documents=documents)) >= 70

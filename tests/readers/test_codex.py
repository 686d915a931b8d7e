"""Codex rollouts: every dialect of an end, who spoke, gates, boundaries, figures, and what may be skipped unread."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

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
    SessionStarted,
)
from transcript_lint.readers.base import Sample
from transcript_lint.readers.codex import CodexReader
from transcript_lint.readers.codex.arguments import scripted_commands, shell_line
from transcript_lint.readers.codex.dialects import merge, read_output
from transcript_lint.readers.codex.head import approval_policy
from transcript_lint.readers.ends import exited

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


def read(name: str, kind: type[Event] = Event) -> list[Any]:
    reader = CodexReader(name)
    with (FIXTURES / f"{name}.jsonl").open("rb") as stream:
        return [event for event in reader.events(sources.records(stream)) if isinstance(event, kind)]


def read_lines(*documents: Any) -> list[Event]:
    data = b"\n".join(d if isinstance(d, bytes) else orjson.dumps(d) for d in documents)
    return list(CodexReader("log").events(sources.records(io.BytesIO(data))))


def item(second: int = 1, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-10-05T08:00:{second:02}.000Z", "type": "response_item", "payload": payload}


def event(second: int = 1, **payload: Any) -> dict[str, Any]:
    return {**item(second, **payload), "type": "event_msg"}


def last_ends(name: str) -> dict[str, CommandEnded]:
    return {ended.call_id: ended for ended in read(name, CommandEnded)}


@pytest.mark.parametrize("name", NAMES)
def test_every_call_ends_as_its_id_says(name: str) -> None:
    """The fixtures name each call by the end it has: `c2-timeout`; `none` for no record of one."""
    ends = last_ends(name)
    for issued in read(name, CommandIssued):
        wanted = issued.call_id.rpartition("-")[2]
        if wanted.isalpha() or "_" in wanted:
            found = ends[issued.call_id].termination.kind.value if issued.call_id in ends else "none"
            assert found == wanted, issued.call_id


@pytest.mark.parametrize("name", NAMES)
def test_ends_agree_with_a_count_over_the_raw_lines(name: str) -> None:
    raw = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8")
    ids = set(re.findall(r'"(?:call_id|id)":"([a-z]\d{1,2}-[a-z_]+)"', raw))
    kinds = {kind.value for kind in EndKind}
    counted = Counter(kind for call in ids if (kind := call.rpartition("-")[2]) in kinds)
    ends = last_ends(name)
    assert Counter(e.termination.kind.value for c, e in ends.items() if c in ids) == counted


def test_commands_are_issued_once_with_their_line() -> None:
    issued = {c.call_id: c for c in read("unified", CommandIssued)}
    assert len(issued) == len(read("unified", CommandIssued))
    assert (issued["c1-ok"].command, issued["c1-ok"].timeout_ms) == ("make lint", 60000)
    assert (issued["c5-nonzero_exit"].command, issued["c5-nonzero_exit"].timeout_ms) == ("npm test", None)
    assert issued["c10-not_run"].note == "Need the network"
    assert issued["c12-ok"].command is None
    assert "Begin Patch" in issued["c12-ok"].arguments
    assert issued["c14-ok"].arguments == {"number": 8}
    assert "p1" not in issued
    assert "p4-ok" in issued  # its session began out of sight
    argv = {c.call_id: c for c in read("shell", CommandIssued)}["b10-ok"]
    assert (argv.command, argv.argv) == (None, ("cargo", "--version"))


def test_polls_speak_of_the_command_that_started_the_session() -> None:
    ends = [e for e in read("unified", CommandEnded) if e.call_id == "c5-nonzero_exit"]
    assert [(e.via, e.termination.kind) for e in ends] == [
        ("result", EndKind.RUNNING),
        ("poll", EndKind.RUNNING),
        ("poll", EndKind.NONZERO),
    ]
    assert ends[-1].termination.exit_code == 1


def test_structured_and_text_records_of_one_end_count_once_and_may_contradict() -> None:
    ends = read("extended", CommandEnded)
    assert len(ends) == len({e.call_id for e in ends})
    against = {e.call_id: e.termination.contradiction for e in ends}
    assert against["d2-nonzero_exit"] is None
    assert against["d3-nonzero_exit"] is not None
    assert against["d4-nonzero_exit"] is not None
    assert last_ends("extended")["d5-timeout"].termination.timed_out is True


def test_a_structured_end_outside_a_poll_is_a_notification() -> None:
    ended = last_ends("paginated")["e3-signal"]
    assert (ended.via, ended.termination.exit_code, ended.termination.source) == ("notification", -1, EndSource.FIELD)


def test_code_mode_is_unknown_unless_a_structured_record_joins_it() -> None:
    ends, issued = last_ends("paginated"), {c.call_id: c for c in read("paginated", CommandIssued)}
    assert issued["e4-unknown"].command == "buoy 4 --deep"
    assert ends["e5-nonzero_exit"].termination.source is EndSource.FIELD
    assert [issued[f"e6-unknown#{n}"].command for n in (1, 2)] == ["buoy 6", "buoy 7"]
    assert [ends[f"e6-unknown#{n}"].termination.kind for n in (1, 2)] == [EndKind.UNKNOWN, EndKind.OK]
    assert ends["e8-unknown"].via == "poll"
    assert ends["e9-unknown"].error == "Script failed"
    assert scripted_commands("tools.exec_command({ cmd: 'a \\'b\\'\\nc' })") == ["a 'b'\nc"]


@pytest.mark.parametrize(
    ("output", "kind", "code", "signal"),
    [
        ("Exit code: 0\nWall time: 2.5 seconds\nOutput:\nhi", EndKind.OK, 0, None),
        ("Exit code: 143\nWall time: 2.5 seconds\nOutput:\n", EndKind.SIGNAL, 143, "SIGTERM"),
        ("Exit code: 124\nWall time: 9 seconds\nOutput:\nticks", EndKind.NONZERO, 124, None),
        (
            "Exit code: 0\nWall time: 9 seconds\nOutput:\ncommand timed out after 9 milliseconds",
            EndKind.TIMEOUT,
            0,
            None,
        ),
        ("Wall time: 3 seconds\naborted by user", EndKind.INTERRUPTED, None, None),
        ("aborted by user after 29.7s", EndKind.INTERRUPTED, None, None),
        ("aborted", EndKind.INTERRUPTED, None, None),
        ("aborted the mission, it says in the book", EndKind.UNKNOWN, None, None),
        ("execution error: Sandbox(Signal(11))", EndKind.SIGNAL, None, "SIGSEGV"),
        ("execution error: Sandbox(Timeout { output: x })", EndKind.TIMEOUT, None, None),
        ("failed in sandbox X with execution error: Denied { output: O { exit_code: 2, ", EndKind.NONZERO, 2, None),
        ("failed to parse function arguments: missing field", EndKind.NOT_RUN, None, None),
        ("the build was rejected by user settings", EndKind.UNKNOWN, None, None),
        ('{"output":"x","metadata":{"exit_code":null}}', EndKind.UNKNOWN, None, None),
        ('{"output":"x"}', EndKind.UNKNOWN, None, None),
        (None, EndKind.UNKNOWN, None, None),
        (["Script completed\nWall time 0.1 seconds\nOutput:\n", 7], EndKind.UNKNOWN, None, None),
    ],
)
def test_output_dialects(output: Any, kind: EndKind, code: int | None, signal: str | None) -> None:
    end = read_output(output).termination
    assert (end.kind, end.exit_code, end.signal) == (kind, code, signal)


def test_a_harness_word_printed_by_the_command_is_data() -> None:
    text = (
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1\nexec command rejected by user\nSandbox(Signal(9))"
    )
    assert read_output(text).termination.succeeded
    assert read_output(text).refused_by is None


def test_a_long_command_header_and_cut_marks() -> None:
    cut = last_ends("unified")["c9-ok"]
    assert cut.truncated is True
    assert last_ends("unified")["c4-ok"].truncated is None
    assert last_ends("shell")["b10-ok"].truncated is True


def test_merging_two_records_of_one_end() -> None:
    assert merge(exited(None), exited(0)).succeeded
    assert merge(exited(0), exited(None)).succeeded
    assert merge(exited(124, timed_out=True), exited(124)).contradiction is None
    assert merge(exited(0), exited(137)).contradiction is not None


def test_refusals_are_gates_that_were_denied() -> None:
    asked = {a.slot_id for a in read("shell", ApprovalAsked)}
    answers = {a.slot_id: (a.outcome, a.by) for a in read("shell", ApprovalAnswered)}
    assert asked == set(answers) == {"b7-not_run", "b8-not_run"}
    assert answers["b7-not_run"] == ("denied", "human")
    assert answers["b8-not_run"] == ("denied", "policy")
    unified = {a.slot_id: (a.outcome, a.by, a.text) for a in read("unified", ApprovalAnswered)}
    assert unified["c10-not_run"][:2] == ("denied", "human")


def test_an_escalated_call_without_output_is_an_open_gate() -> None:
    asked = {a.slot_id: a for a in read("unified", ApprovalAsked)}
    assert asked["c17-none"].call_id == "c17-none"
    assert "c17-none" not in {a.slot_id for a in read("unified", ApprovalAnswered)}


def test_questions_answered_and_not() -> None:
    asked = {a.slot_id: a for a in read("unified", ApprovalAsked)}
    assert (asked["q1"].gate, asked["q1"].options) == ("question", ("Deploy", "Wait"))
    answers = {a.slot_id: a for a in read("unified", ApprovalAnswered)}
    assert (answers["q1"].outcome, answers["q1"].by, answers["q1"].text) == ("answered", "human", "Wait")
    assert (answers["q2"].outcome, answers["q2"].by, answers["q2"].latency_ms) == ("none", "harness", 1500)


def test_texts_are_told_once_at_their_response_item() -> None:
    texts = [t for t in read("shell", AgentText) if t.where == "prose"]
    assert [t.text for t in texts] == ["I will build it first.", "Understood."]
    lines = (FIXTURES / "shell.jsonl").read_bytes().splitlines()
    assert all(b'"response_item"' in lines[t.at.line - 1] for t in texts)
    assert [t.text for t in read("paginated", AgentText)] == ["Buoy 2 is adrift."]


def test_an_event_without_its_item_is_not_lost() -> None:
    said = read_lines(
        event(type="agent_message", message="A."), event(2, type="task_complete", last_agent_message="B.")
    )
    assert [e.text for e in said if isinstance(e, AgentText)] == ["A.", "B."]
    heard = read_lines(event(type="user_message", message="Hi", kind="plain"))
    assert [e.text for e in heard if isinstance(e, HumanMessage)] == ["Hi"]


def test_persons_and_programs_in_the_role_of_the_user() -> None:
    assert [m.text for m in read("shell", HumanMessage)] == ["port the tide checker to Rust", "go on with the tests"]
    assert [m.why for m in read("shell", InjectedMessage)] == ["reminder", "notification"]
    assert [m.text for m in read("paginated", HumanMessage)] == ["check every buoy"]
    assert [m.why for m in read("paginated", InjectedMessage)] == ["reminder", "hook"]
    assert [m.text for m in read("flat", HumanMessage)] == ["check the tide tables"]
    assert [m.why for m in read("subagent", InjectedMessage)] == ["teammate"]


def test_an_unconfirmed_text_is_a_program_where_the_log_confirms_persons() -> None:
    def user(second: int, text: str) -> dict[str, Any]:
        return item(second, type="message", role="user", content=[{"type": "input_text", "text": text}])

    confirmed = [user(1, "go"), event(1, type="user_message", message="go"), user(3, "yes, all of it")]
    assert [type(e) for e in read_lines(*confirmed)][1:] == [HumanMessage, InjectedMessage]
    assert [type(e) for e in read_lines(user(1, "go"))][1:] == [HumanMessage]


def test_a_persons_own_command_is_a_run() -> None:
    run = next(c for c in read("unified", CommandIssued) if c.tool == "user_shell")
    assert run.command == "make smoke"
    assert last_ends("unified")[run.call_id].termination.exit_code == 2
    assert last_ends("unified")[run.call_id].stdout == "smoke: no port"


def test_published_prose_and_plans() -> None:
    commit = next(t for t in read("unified", AgentText) if t.where == "commit")
    assert (commit.call_id, "All 12 checks pass." in commit.text) == ("c16-ok", True)
    plans = [t for t in read("shell", AgentText) if t.where == "task_state"]
    assert plans[0].text.splitlines() == ["- [x] Build", "- [ ] Write tests", "- [ ] Publish"]
    assert [p.changed for p in plans] == [("Build",), ("Write tests",)]
    assert [t.text for t in read("shell", AgentText) if t.where == "other"] == ["Moving on."]


def test_boundaries() -> None:
    (hidden,) = read("unified", Compacted)
    assert (hidden.readable, hidden.summary) == (False, None)
    (plain,) = read("paginated", Compacted)
    assert (plain.readable, plain.summary) == (True, "Summary: buoy 2 is adrift.")
    assert [(c.call_id, c.termination and c.termination.exit_code) for c in plain.carried] == [
        ("e2-nonzero_exit", 4),
        ("e1-ok", None),
    ]


def test_interrupted_turns() -> None:
    ended = last_ends("shell")["b12-interrupted"]
    assert (ended.via, ended.termination.source) == ("notification", EndSource.INFERRED)
    told = {"type": "input_text", "text": "<turn_aborted>\nAny running unified exec processes were terminated.\n"}
    running = "Wall time: 1.0 seconds\nProcess running with session ID 5\nOutput:\n"
    events = read_lines(
        item(type="function_call", name="exec_command", arguments='{"cmd":"serve"}', call_id="s"),
        item(2, type="function_call_output", call_id="s", output=running),
        item(3, type="message", role="user", content=[told]),
    )
    ends = [e for e in events if isinstance(e, CommandEnded)]
    assert [e.termination.kind for e in ends] == [EndKind.RUNNING, EndKind.INTERRUPTED]


def test_usage_once_a_request_with_window_and_meters() -> None:
    counted = [r for r in read("unified", ProviderResponded) if r.error is None]
    assert [r.usage and r.usage.input for r in counted] == [30000, None, 31000, 32000]
    assert {r.window for r in counted} == {258400}
    assert [m.used_percent for m in counted[1].meters] == [41.0, 55.0]
    assert [m.credits for m in counted[2].meters] == [True, True]
    assert counted[0].meters[0].resets_at == 1791200000
    assert (counted[0].model, counted[0].provider) == ("gpt-5.4-codex", "openai")
    (old,) = read("shell", ProviderResponded)
    assert old.usage is None
    assert old.meters[0].resets_at == pytest.approx(old.time + 600)
    assert next(r for r in read("paginated", ProviderResponded)).response_id == "resp_9"


def test_errors_and_blocks() -> None:
    errors = [r.error for r in read("unified", ProviderResponded) if r.error is not None]
    assert [(e.kind, e.http_status) for e in errors] == [("rate", 429)]
    assert [b.kind for b in read("unified", Blocked)] == ["quota"]
    errors = [r.error for r in read("paginated", ProviderResponded) if r.error is not None]
    assert [e.kind for e in errors] == ["context", "quota"]
    assert [(b.kind, b.layer) for b in read("paginated", Blocked)] == [
        ("context", "harness"),
        ("permission", "harness"),
    ]


def test_session_heads_and_policies() -> None:
    (start,) = read("unified", SessionStarted)
    assert (start.version, start.interactive, start.complete) == ("0.142.1", True, True)
    assert [p.policy for p in read("unified", PolicyChanged)] == ["auto", "ask"]
    (exec_start,) = read("paginated", SessionStarted)
    assert exec_start.interactive is False
    (sub,) = read("subagent", SessionStarted)
    assert (sub.agent, sub.parent_session_id) == ("heron", "0a1b2c3d-unified")
    assert {e.agent for e in read("subagent")} == {"heron"}
    (cut,) = [e for e in read_lines(event(type="agent_message", message="x")) if isinstance(e, SessionStarted)]
    assert cut.complete is False
    assert approval_policy({"approval_policy": {"granular": {"rules": True}}}) == "ask"
    assert approval_policy({}) == "unknown"


def test_copied_history_counts_once() -> None:
    assert [c.call_id for c in read("resumed", CommandIssued)] == ["f1-ok", "f2-nonzero_exit"]
    assert [m.text for m in read("resumed", HumanMessage)] == ["measure the swell", "again, please"]
    assert [t.text for t in read("resumed", AgentText)] == ["The swell is 1.2 m.", "No signal this time."]
    (start,) = read("resumed", SessionStarted)
    assert (start.session_id, start.continued_from) == ("0a1b2c3d-resumed", "0a1b2c3d-parent")


def test_unknown_types_are_counted_and_documented_ones_are_not() -> None:
    for name in NAMES:
        reader = CodexReader(name)
        with (FIXTURES / f"{name}.jsonl").open("rb") as stream:
            list(reader.events(sources.records(stream)))
        expected = {"new_kind": 1, "event_msg/brand_new": 1, "response_item/novel": 1} if name == "subagent" else {}
        assert reader.unknown == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spaced", [False, True])
def test_skipped_records_bring_no_event(name: str, spaced: bool) -> None:
    class Whole(CodexReader):
        def skips(self, data: bytes) -> bool:
            return False

    noise = [
        item(9, type="reasoning", summary=[], encrypted_content="gAAAA"),
        event(9, type="agent_reasoning", text="hm"),
        event(9, type="web_search_end", call_id="w", query="x"),
        {"timestamp": "2026-10-05T08:00:09.000Z", "ordinal": 3, "type": "world_state", "payload": {"full": True}},
    ]
    documents = [orjson.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_bytes().splitlines()]
    gap = b" " if spaced else b""
    lines = [
        re.sub(rb'^(\{"timestamp":|(?<=Z",)|"type":)', rb"\1" + gap, orjson.dumps(d))
        for document in documents
        for d in (document, *noise)
    ]
    found = [list(kind(name).events(sources.records(io.BytesIO(b"\n".join(lines))))) for kind in (CodexReader, Whole)]
    assert found[0] == found[1]


def test_what_is_skipped_and_what_is_not() -> None:
    reader = CodexReader("log")
    whole = orjson.dumps(item(type="reasoning", summary=[]))
    assert reader.skips(whole)
    assert reader.skips(whole.replace(b":", b": ").replace(b",", b", ").replace(b"08: 00: 01", b"08:00:01"))
    assert not reader.skips(whole[:-9])
    assert not reader.skips(whole[:40] + whole)
    assert not reader.skips(whole + whole)
    said = item(type="message", role="user", content=[{"type": "input_text", "text": '"type":"reasoning"'}])
    assert not reader.skips(orjson.dumps(said))


def test_torn_and_misshapen_records_hide_nothing() -> None:
    good = item(2, type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}])
    bad: list[Any] = [
        item(type="function_call", name=7, arguments=[1], call_id=None),
        item(type="function_call_output", call_id={"a": 1}, output={"content": 5}),
        event(type="token_count", info=[1], rate_limits={"primary": "x", "secondary": {"used_percent": "y"}}),
        event(type="exec_command_end", command=5, exit_code="x", duration=[]),
        event(type="item_completed", item=[]),
        item(type="message", role="user", content=17),
        item(type="function_call", name="request_user_input", arguments="{", call_id="q"),
        {"timestamp": 5, "type": ["x"], "payload": {}},
        {
            "timestamp": "2026-10-05T08:00:01.000Z",
            "type": "turn_context",
            "payload": {"approval_policy": 5, "model": []},
        },
        [1],
        b'{"timestamp":"2026-10-05T08:00:01.000Z","type":"respon',
    ]
    events = read_lines(*bad, good)
    assert [e.text for e in events if isinstance(e, AgentText)] == ["Done."]
    assert any(isinstance(e, RecordProblem) and e.problem == "torn" for e in events)


@pytest.mark.parametrize("name", NAMES)
def test_sniffing(name: str) -> None:
    documents = [orjson.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_bytes().splitlines()]
    assert CodexReader.sniff(Sample(path="x", head=b"", documents=documents)) >= 90
    other = [{"type": "user", "sessionId": "s", "payload": {}}, {"id": 1, "timestamp": 2}]
    assert CodexReader.sniff(Sample(path="x", head=b"", documents=other)) == 0


def test_shell_wrappers() -> None:
    assert shell_line(("/bin/zsh", "-lc", "make")) == "make"
    assert shell_line(("C:\\Program Files\\pwsh.exe", "-Command", "ls")) == "ls"
    assert shell_line(("make", "-c", "x")) is None

"""Events of the OpenHands SDK that its fixtures do not hold."""

from tests.readers.support import parse
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    HumanMessage,
    InjectedMessage,
    PolicyChanged,
    ProviderResponded,
    SessionEnded,
)
from transcript_lint.readers.openhands import OpenHandsReader


def events(*documents, kind):
    return [event for event in parse(OpenHandsReader, *documents) if isinstance(event, kind)]


def message(source, text, **fields):
    return {"kind": "MessageEvent", "source": source, "llm_message": {"content": text}, **fields}


def action(call="c1", **fields):
    given = {"kind": "TerminalAction", "command": "pytest -q", **fields}
    return {"kind": "ActionEvent", "source": "agent", "id": f"e-{call}", "tool_call_id": call, "action": given}


def state(key, value):
    return {"kind": "ConversationStateUpdateEvent", "source": "environment", "key": key, "value": value}


def test_who_wrote_a_message():
    talk = [
        message("user", "Run it.", extended_content=[{"type": "text", "text": "You are in /work."}]),
        message("agent", "<think>hm</think>Running it."),
        message("agent", "<think>only thoughts</think>"),
        message("hook", "Format first."),
        message("environment", "Ten turns left."),
    ]
    assert [e.text for e in events(*talk, kind=HumanMessage)] == ["Run it."]
    assert [e.text for e in events(*talk, kind=AgentText)] == ["Running it."]
    told = [(e.text, e.why) for e in events(*talk, kind=InjectedMessage)]
    assert told == [("You are in /work.", "reminder"), ("Format first.", "hook"), ("Ten turns left.", "reminder")]


def test_a_gate_is_told_with_its_no_only():
    waits = state("execution_status", "waiting_for_confirmation")
    no = {"kind": "UserRejectObservation", "source": "user", "tool_call_id": "c1", "rejection_reason": "not now"}
    log = [action(), waits, no]
    assert {e.call_id for e in events(*log, kind=ApprovalAsked)} == {"c1"}
    answers = [(e.outcome, e.by, e.text) for e in events(*log, kind=ApprovalAnswered)]
    assert answers == [("unknown", "harness", None), ("denied", "human", "not now")]
    assert [e.termination.kind for e in events(*log, kind=CommandEnded)] == [EndKind.NOT_RUN]
    hook = {**no, "rejection_source": "hook"}
    assert [e.by for e in events(action(), hook, kind=ApprovalAnswered)] == ["policy"]
    assert events(waits, kind=ApprovalAsked) == []


def test_policies_ends_and_blocks():
    never = state("full_state", {"confirmation_policy": {"kind": "NeverConfirm"}})
    assert [e.policy for e in events(never, kind=PolicyChanged)] == ["never"]
    assert events(state("full_state", {"confirmation_policy": {"kind": "New"}}), kind=PolicyChanged) == []
    ended = [(e.status, e.reason) for e in events(state("execution_status", "stuck"), kind=SessionEnded)]
    assert ended == [("failure", "stuck")]
    error = {"kind": "ConversationErrorEvent", "source": "environment", "code": "LLMRateLimitError"}
    limited = {**error, "classification": {"kind": "rate_limit"}, "detail": "slow down"}
    assert [(e.kind, e.layer, e.reason) for e in events(limited, kind=Blocked)] == [("rate", "harness", "slow down")]
    assert events(error, kind=Blocked) == []


def test_each_response_is_counted_once():
    usage = {"response_id": "r1", "model": "m", "prompt_tokens": 90, "completion_tokens": 7, "context_window": 1000}
    stats = state("stats", {"usage_to_metrics": {"agent": {"token_usages": [usage, {"model": "no id"}]}}})
    (one,) = events(stats, stats, kind=ProviderResponded)
    assert (one.request_id, one.model, one.window, one.usage.input, one.usage.output) == ("r1", "m", 1000, 90, 7)


def test_what_a_condensation_left_out():
    cut = {"kind": "Condensation", "source": "environment", "forgotten_event_ids": ["e-c1", "e-c1", "other"]}
    (micro,) = events(action(), cut, kind=Compacted)
    assert (micro.kind, micro.readable, micro.forgotten_ids) == ("micro", False, ("c1", "other"))
    (summary,) = events(action(), {**cut, "summary": "It ran."}, kind=Compacted)
    assert (summary.kind, summary.summary, summary.readable) == ("summary", "It ran.", True)


def test_calls_and_their_ends():
    (issued,) = events(action(timeout=30), kind=CommandIssued)
    assert (issued.command, issued.timeout_ms) == ("pytest -q", 30_000)
    failed = {"kind": "AgentErrorEvent", "source": "agent", "tool_call_id": "c1", "error": "no such tool"}
    assert [(e.termination.must_rerun, e.error) for e in events(action(), failed, kind=CommandEnded)] == [
        (True, "no such tool")
    ]
    assert events(failed, kind=CommandEnded) == []
    finish = action(kind="FinishAction", message="All done.")
    assert [(e.text, e.where) for e in events(finish, kind=AgentText)] == [("All done.", "closing")]
    plan = action(kind="TaskTrackerAction", command="plan", task_list=[{"title": "Run tests", "status": "done"}])
    assert [e.where for e in events(plan, kind=AgentText)] == ["task_state"]
    assert events(action(kind="ThinkAction", thought="hm"), kind=CommandIssued) == []

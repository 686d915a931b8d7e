"""V1 events of the SDK: a `kind` names each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    Compacted,
    EndKind,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    ProviderResponded,
    SessionEnded,
)
from transcript_lint.readers.base import parse_time, text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.ends import FAILED, NOT_RUN, UNKNOWN
from transcript_lint.readers.openhands.terminal import Tally, output_of, terminal_end
from transcript_lint.readers.provider import usage_of
from transcript_lint.readers.shapes import mapping, objects, whole, words
from transcript_lint.readers.tasks import listed

KINDS = frozenset(
    {
        "ActionEvent",
        "ObservationEvent",
        "MessageEvent",
        "SystemPromptEvent",
        "Condensation",
        "CondensationRequest",
        "AgentErrorEvent",
        "ConversationStateUpdateEvent",
        "ConversationErrorEvent",
        "UserRejectObservation",
        "PauseEvent",
        "TokenEvent",
        "CondensationSummaryEvent",
        "LLMCompletionLogEvent",
        "HookExecutionEvent",
    }
)
POLICIES = {"NeverConfirm": "never", "AlwaysConfirm": "ask", "ConfirmRisky": "ask"}
_BLOCKS = {"auth": "auth", "quota": "quota", "rate_limit": "rate"}
_THINKING = re.compile(r"<think>.*?</think>", re.S)


def is_event(value: Any) -> bool:
    """Whether this is a V1 event."""
    return isinstance(value, dict) and str(value.get("kind")) in KINDS and "source" in value


def events(event: Mapping[str, Any], at: Location, tally: Tally) -> Iterator[Event]:
    """The events of one V1 event."""
    common: dict[str, Any] = {
        "at": at,
        "time": parse_time(event.get("timestamp")),
        "request_id": words(event.get("llm_response_id")),
    }
    if convert := _KINDS.get(str(event["kind"])):
        yield from convert(event, common, tally)


def _message(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    text = text_of(mapping(event.get("llm_message")).get("content"))
    source = event.get("source")
    if source == "agent":
        if said := _THINKING.sub("", text).strip():
            yield AgentText(**common, text=said)
    elif source == "user":
        yield HumanMessage(**common, text=text)
    else:
        yield InjectedMessage(**common, text=text, why="hook" if source == "hook" else "reminder")
    if extended := text_of(event.get("extended_content")):
        yield InjectedMessage(**common, text=extended, why="reminder")


def _action(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    if thought := _THINKING.sub("", text_of(event.get("thought"))).strip():
        yield AgentText(**common, text=thought)
    action = mapping(event.get("action"))
    kind = str(action.get("kind"))
    own, call_id = str(event.get("id")), words(event.get("tool_call_id")) or str(event.get("id"))
    if kind == "ThinkAction" or not action:
        return
    if kind == "FinishAction":
        if message := words(action.get("message")):
            yield AgentText(**common, text=message, where="closing")
    elif kind == "TaskTrackerAction":
        if action.get("command") == "plan":
            changed = tally.tasks.replace(listed(action.get("task_list")))
            yield AgentText(**common, text=tally.tasks.text, where="task_state", call_id=call_id, changed=changed)
    elif "command" in action and "path" not in action and kind.startswith(("Terminal", "ExecuteBash")):
        command = words(action.get("command")) or ""
        if (action.get("is_input") or not command.strip()) and tally.polls_live(call_id):
            return
        tally.begin(own, call_id)
        limit = whole(action.get("timeout"))
        yield from begun(
            common,
            call_id,
            words(event.get("tool_name")) or "terminal",
            None,
            command=command,
            timeout_ms=None if limit is None else limit * 1000,
        )
    else:
        tally.begin(own, call_id)
        given = {k: v for k, v in action.items() if k != "kind"}
        yield from begun(common, call_id, words(event.get("tool_name")) or kind, given)


def _observation(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    seen = mapping(event.get("observation"))
    call_id = words(event.get("tool_call_id")) or tally.calls.get(str(event.get("action_id")), "")
    poll = tally.polls.get(call_id)
    if poll is None and call_id not in tally.calls.values():
        return
    text = text_of(seen.get("content"))
    error = bool(seen.get("is_error"))
    if "exit_code" in seen or "metadata" in seen:
        timeout = seen.get("timeout") is True
        code = whole(seen.get("exit_code"))
        end = terminal_end(seen.get("metadata"), text, code=code, timeout=timeout, error=error)
        if end.kind in (EndKind.RUNNING, EndKind.TIMEOUT):
            tally.live = poll or call_id
        elif end.kind is not EndKind.NOT_RUN:
            tally.live = None
    else:
        end = FAILED if error else UNKNOWN
    yield CommandEnded(
        **common,
        call_id=poll or call_id,
        termination=end,
        stdout=output_of(seen.get("metadata"), text),
        error=text if error else None,
        via="poll" if poll else "result",
    )


def _failure(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    call_id = words(event.get("tool_call_id"))
    if call_id in tally.calls.values() and call_id is not None:
        yield CommandEnded(**common, call_id=call_id, termination=FAILED, error=words(event.get("error")))


def _rejection(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    # Only a "no" leaves a record, so the question is told together with it: a "yes" would look like silence.
    call_id = words(event.get("tool_call_id")) or str(event.get("action_id"))
    by = "policy" if event.get("rejection_source") == "hook" else "human"
    reason = words(event.get("rejection_reason"))
    yield ApprovalAsked(**common, slot_id=f"gate-{call_id}", call_id=call_id, tool=words(event.get("tool_name")))
    yield ApprovalAnswered(**common, slot_id=f"gate-{call_id}", outcome="denied", by=by, text=reason, call_id=call_id)
    yield CommandEnded(**common, call_id=call_id, termination=NOT_RUN, error=reason)


def _condensation(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    summary = words(event.get("summary"))
    ids = [str(i) for i in event.get("forgotten_event_ids") or ()]
    yield Compacted(
        **common,
        kind="summary" if summary else "micro",
        trigger="auto",
        forgotten_ids=tuple(dict.fromkeys(tally.calls.get(i, i) for i in ids)),
        summary=summary,
        summary_at=common["at"].field(f"{common['at'].pointer}/summary") if summary else None,
        readable=summary is not None,
    )


def _state(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    key, value = event.get("key"), event.get("value")
    if key == "stats":
        for metrics in mapping(mapping(value).get("usage_to_metrics")).values():
            yield from _requests(mapping(metrics), common, tally)
    elif key == "execution_status" and value == "waiting_for_confirmation" and tally.latest is not None:
        # A "yes" is not logged here; a "no" comes as a record of its own and then holds.
        yield ApprovalAsked(**common, slot_id=f"gate-{tally.latest}", call_id=tally.latest)
        yield ApprovalAnswered(**common, slot_id=f"gate-{tally.latest}", outcome="unknown", by="harness")
    elif key == "execution_status" and value in ("error", "stuck"):
        yield SessionEnded(**common, status="failure", reason=str(value))
    elif key == "full_state":
        kind = mapping(mapping(value).get("confirmation_policy")).get("kind")
        if policy := POLICIES.get(str(kind)):
            yield PolicyChanged(**common, policy=policy)


def _requests(metrics: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    for used in objects(metrics.get("token_usages")):
        response_id = words(used.get("response_id"))
        if response_id is None or tally.seen(response_id):
            continue
        yield ProviderResponded(
            **{**common, "request_id": response_id},
            model=words(used.get("model")) or "",
            response_id=response_id,
            usage=usage_of({**used, "cost": None}),
            window=whole(used.get("context_window")) or None,
        )


def _error(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    named = str(mapping(event.get("classification")).get("kind"))
    reason = words(event.get("detail")) or words(event.get("code"))
    if kind := _BLOCKS.get(named):
        yield Blocked(**common, kind=kind, layer="harness", reason=reason)


_KINDS = {
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "AgentErrorEvent": _failure,
    "UserRejectObservation": _rejection,
    "Condensation": _condensation,
    "ConversationStateUpdateEvent": _state,
    "ConversationErrorEvent": _error,
}

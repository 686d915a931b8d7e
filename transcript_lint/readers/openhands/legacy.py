"""V0 events: `action` or `observation`, with `args` and `extras`, or with their fields flat in the oldest logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
    Termination,
)
from transcript_lint.readers.base import parse_time
from transcript_lint.readers.calls import begun
from transcript_lint.readers.ends import FAILED, NOT_RUN, UNKNOWN
from transcript_lint.readers.openhands.terminal import Tally, output_of, terminal_end
from transcript_lint.readers.provider import provider_error
from transcript_lint.readers.responses import responded
from transcript_lint.readers.shapes import mapping, whole, words
from transcript_lint.readers.tasks import listed

# Bookkeeping of the harness, and thoughts nobody is told: nothing was run, claimed or decided.
_SILENT = frozenset({"null", "recall", "system", "think", "loop_detection", "condensation_request", "pause", "resume"})
_FORGOTTEN_MOST = 20_000
_BLOCKS = frozenset({"content", "context", "rate", "quota", "budget", "auth", "model"})


def is_event(value: Any) -> bool:
    """Whether this is a V0 event."""
    if not isinstance(value, dict) or not ("action" in value or "observation" in value) or "kind" in value:
        return False
    if value.get("source") in ("agent", "user", "environment"):
        return "args" in value or "extras" in value or "cause" in value
    return "source" not in value and ("is_confirmed" in value or "action_risk" in value or "command_id" in value)


def events(event: Mapping[str, Any], at: Location, tally: Tally) -> Iterator[Event]:
    """The events of one V0 event."""
    args = mapping(event.get("args")) or mapping(event.get("extras")) or event
    own = str(event["id"]) if event.get("id") is not None else f"{at.line}{at.pointer}"
    common: dict[str, Any] = {"at": at, "turn": whole(event.get("id")), "time": parse_time(event.get("timestamp"))}
    yield from _response(event, common, tally)
    if "observation" in event:
        # The oldest logs have neither ids nor causes: a result follows its call.
        cause = event.get("cause") if "id" in event else tally.latest
        yield from _observation(event, args, str(cause), common, tally)
    else:
        yield from _action(event, args, own, common, tally)


def _response(event: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
    response_id = words(response.get("id"))
    if response_id is None:
        return
    common["request_id"] = response_id
    if not tally.seen(response_id) and (fact := responded(response, **common)):
        yield fact


def _action(
    event: Mapping[str, Any], args: Mapping[str, Any], own: str, common: dict[str, Any], tally: Tally
) -> Iterator[Event]:
    action = str(event["action"])
    if action in _SILENT:
        return
    if action == "message":
        yield from _message(event, args, common, tally)
    elif action == "finish":
        text = next((w for k in ("final_thought", "thought") if (w := words(args.get(k)))), words(event.get("message")))
        if text:
            yield AgentText(**common, text=text, where="closing")
    elif action == "condensation":
        yield _condensation(args, common, tally)
    elif action == "change_agent_state":
        yield from _decision(event, args, common, tally)
    else:
        if thought := words(args.get("thought")):
            yield AgentText(**common, text=thought)
        if action == "task_tracking":
            if args.get("command") == "plan":
                changed = tally.tasks.replace(listed(args.get("task_list")))
                yield AgentText(**common, text=tally.tasks.text, where="task_state", call_id=own, changed=changed)
        elif action == "run":
            yield from _run(event, args, own, common, tally)
        else:
            tally.begin(own, own)
            given = {k: v for k, v in args.items() if k not in ("thought", "confirmation_state")}
            yield from begun(common, own, action, given)


def _run(
    event: Mapping[str, Any], args: Mapping[str, Any], own: str, common: dict[str, Any], tally: Tally
) -> Iterator[Event]:
    command = words(args.get("command")) or ""
    if (args.get("is_input") or not command.strip()) and tally.polls_live(own):
        return
    tally.begin(own, own)
    limit = whole(event.get("timeout"))
    yield from begun(
        common,
        own,
        "execute_bash",
        None,
        command=command,
        cwd=words(args.get("cwd")),
        timeout_ms=None if limit is None else limit * 1000,
    )


def _message(
    event: Mapping[str, Any], args: Mapping[str, Any], common: dict[str, Any], tally: Tally
) -> Iterator[Event]:
    text = words(args.get("content")) or words(event.get("message")) or ""
    source = event.get("source")
    if source is None:  # the oldest logs have no source: a conversation opens with the task
        source = "agent" if tally.people else "user"
    if source == "agent":
        yield AgentText(**common, text=text)
    elif source == "user":
        tally.people += 1
        # A benchmark writes the task; what answers the agent later is a script playing the user.
        if tally.benchmark and tally.people > 1:
            yield InjectedMessage(**common, text=text, why="simulated_user")
        else:
            yield HumanMessage(**common, text=text)
    else:
        yield InjectedMessage(**common, text=text, why="reminder")


def _condensation(args: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Compacted:
    ids = [str(i) for i in args.get("forgotten_event_ids") or () if isinstance(i, int | str)]
    first, last = whole(args.get("forgotten_events_start_id")), whole(args.get("forgotten_events_end_id"))
    if not ids and first is not None and last is not None:
        ids = [str(i) for i in range(first, min(last, first + _FORGOTTEN_MOST) + 1)]
    summary = words(args.get("summary"))
    return Compacted(
        **common,
        kind="summary" if summary else "micro",
        trigger="auto",
        forgotten_ids=tuple(dict.fromkeys(tally.calls.get(i, i) for i in ids[:_FORGOTTEN_MOST])),
        summary=summary,
        summary_at=common["at"].field(f"{common['at'].pointer}/args/summary") if summary else None,
        readable=summary is not None,
    )


def _decision(
    event: Mapping[str, Any], args: Mapping[str, Any], common: dict[str, Any], tally: Tally
) -> Iterator[Event]:
    outcome = {"user_confirmed": "approved", "user_rejected": "denied"}.get(str(args.get("agent_state")))
    if outcome is None or tally.latest is None:
        return
    by = "human" if event.get("source") == "user" else "harness"
    yield ApprovalAnswered(**common, slot_id=f"gate-{tally.latest}", outcome=outcome, by=by, call_id=tally.latest)


def _observation(
    event: Mapping[str, Any], extras: Mapping[str, Any], cause: str, common: dict[str, Any], tally: Tally
) -> Iterator[Event]:
    kind = str(event["observation"])
    text = words(event.get("content")) or ""
    if kind == "agent_state_changed":
        yield from _state(extras, common, tally)
        return
    if kind in _SILENT or kind == "task_tracking":
        return
    if cause in tally.polls:
        call_id = tally.polls[cause]
        end = _end(event, extras, text)
        yield CommandEnded(**common, call_id=call_id, termination=end, stdout=_output(extras, text), via="poll")
        if end.kind not in (EndKind.RUNNING, EndKind.TIMEOUT):
            tally.live = None
        return
    call_id = tally.calls.get(cause, cause)
    if call_id not in tally.calls.values():
        # An error about a call that was never well formed: nothing was begun.
        if kind == "error":
            yield InjectedMessage(**common, text=text, why="tool_result")
        return
    if kind == "run":
        end = _end(event, extras, text)
        if end.kind in (EndKind.RUNNING, EndKind.TIMEOUT):
            tally.live = call_id
        elif end.kind is not EndKind.NOT_RUN:
            tally.live = None
    elif kind == "user_rejected":
        end = NOT_RUN
    else:
        end = FAILED if kind == "error" else UNKNOWN
    yield CommandEnded(
        **common,
        call_id=call_id,
        termination=end,
        stdout=_output(extras, text),
        error=text if kind == "error" else None,
    )


def _end(event: Mapping[str, Any], extras: Mapping[str, Any], text: str) -> Termination:
    end = terminal_end(extras.get("metadata"), text, code=whole(extras.get("exit_code")))
    if end.kind is EndKind.UNKNOWN and "with exit code " in str(event.get("message"))[-40:]:
        # Without metadata the event's own sentence still says it.
        said = whole(str(event["message"]).rpartition("with exit code ")[2].strip(" ."))
        if said is not None and said >= 0:
            return terminal_end(None, f"[Command finished with exit code {said}]")
    return end


def _output(extras: Mapping[str, Any], text: str) -> str:
    return output_of(extras.get("metadata"), text)


def _state(extras: Mapping[str, Any], common: dict[str, Any], tally: Tally) -> Iterator[Event]:
    state = str(extras.get("agent_state"))
    if state == "awaiting_user_confirmation" and tally.latest is not None:
        yield ApprovalAsked(**common, slot_id=f"gate-{tally.latest}", call_id=tally.latest)
    elif state == "rate_limited":
        yield Blocked(**common, kind="rate", layer="harness", reason=words(extras.get("reason")) or state)
    elif state == "error" and (reason := words(extras.get("reason"))):
        kind = provider_error(message=reason.replace("STATUS$ERROR_LLM_", "").replace("OUT_OF_CREDITS", "quota")).kind
        if kind in _BLOCKS:
            yield Blocked(**common, kind=kind, layer="harness", reason=reason)

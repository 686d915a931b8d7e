"""Write events as native records, so that reading them back gives the same events at their original places."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import msgspec
import orjson

from transcript_lint import events as e
from transcript_lint.readers.native import NativeReader

Record = dict[str, Any]
_reader = NativeReader("")


def native_line(event: e.Event) -> bytes:
    """One event as one line of the native schema, without its newline."""
    record = native_record(event)
    try:
        return orjson.dumps(record)
    except (TypeError, orjson.JSONEncodeError):
        # A lone surrogate has no UTF-8; JSON can still name it.
        return json.dumps(record).encode()


def native_record(event: e.Event) -> Record:
    """One event as a record of the native schema, its `origin` the place it was read from.

    Fields that the schema has no key for stand in `also`.
    """
    record: Record = {
        "v": 1,
        **_WRITERS[type(event)](event),
        "at": _stamp(event.time),
        "session_id": event.session_id,
        "turn": event.turn,
        "agent": None if event.agent == "main" else event.agent,
        "origin": _place(event.at),
    }
    record.setdefault("request_id", event.request_id)
    record = {key: value for key, value in record.items() if value is not None and value != ()}
    if also := _unsaid(event, record):
        record["also"] = also
    return record


def _unsaid(event: e.Event, record: Record) -> Record:
    """The fields that come back otherwise when the record is read."""
    (back,) = _reader.record(record, event.at)
    if type(back) is not type(event):
        raise TypeError(f"{type(event).__name__} cannot be written as a native record")
    fields = (f for f in event.__struct_fields__ if f != "at" and getattr(back, f) != getattr(event, f))
    return {field: msgspec.to_builtins(getattr(event, field)) for field in fields}


def _stamp(time: float | None) -> str | None:
    if time is None:
        return None
    try:
        moment = datetime.datetime.fromtimestamp(time, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return None
    precision = "milliseconds" if moment.microsecond % 1000 == 0 else "microseconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def _place(at: e.Location) -> Record:
    place: Record = {"path": at.path, "line": at.line}
    optional = {"offset": at.offset, "length": at.length, "pointer": at.pointer, "inner": at.inner}
    return place | {key: value for key, value in optional.items() if value}


def _termination(end: e.Termination) -> Record:
    return {key: value for key, value in msgspec.to_builtins(end).items() if value is not None}


def _row(event: str, x: Any, same: str = "", **given: Any) -> Record:
    """A record: `given`, and the fields of `x` that the schema calls by the same name."""
    return {"event": event, **given, **{name: getattr(x, name) for name in same.split()}}


def _session(x: e.SessionStarted) -> Record:
    same = "parent_session_id continued_from approval_policy interactive standing_approvals tools cwd"
    return _row("session", x, same, agent_version=x.version, limits=dict(x.limits) if x.limits else None)


def _policy(x: e.PolicyChanged) -> Record:
    return _row("session", x, "interactive", change="policy", approval_policy=x.policy)


def _issued(x: e.CommandIssued) -> Record:
    same = "tool command argv arguments arguments_sha256 cwd timeout_ms background parent_command_id"
    return _row("command_started", x, same, command_id=x.call_id, agent_note=x.note)


def _ended(x: e.CommandEnded) -> Record:
    return _row(
        "command_ended",
        x,
        "truncated error must_rerun observed_markers",
        command_id=x.call_id,
        termination=_termination(x.termination),
        stdout_tail=x.stdout or None,
        stderr_tail=x.stderr or None,
        agent_note=x.note,
    )


def _agent_text(x: e.AgentText) -> Record:
    # Words sent to people have no place of their own in the schema; `also` tells it.
    where = "other" if x.where == "message" else x.where
    return _row("message", x, "text", source="agent", where=where, command_id=x.call_id)


def _human(x: e.HumanMessage) -> Record:
    return _row("message", x, "text", source="user")


def _injected(x: e.InjectedMessage) -> Record:
    return _row("message", x, "text", source="user", injected=x.why or "reminder")


def _problem(x: e.RecordProblem) -> Record:
    return _row("message", x, "problem lost", source="system", injected="notification", text=x.message)


def _asked(x: e.ApprovalAsked) -> Record:
    same = "slot_id tool arguments_sha256 question options timeout_ms on_timeout"
    return _row("awaiting_human", x, same, command_id=x.call_id)


def _answered(x: e.ApprovalAnswered) -> Record:
    same = "slot_id outcome by text user_consent arguments_sha256 latency_ms"
    return _row("human_reply", x, same, written_at=_stamp(x.written_at))


def _compacted(x: e.Compacted) -> Record:
    same = "trigger tokens_before tokens_after forgotten_ids summary readable"
    return _row("compaction", x, same, carried_terminations=[_carried(run) for run in x.carried] or None)


def _carried(run: e.CarriedRun) -> Record:
    return {
        "command_id": run.call_id,
        "termination": _termination(run.termination) if run.termination else None,
        "status": run.status,
        "must_rerun": run.must_rerun,
        "stdout_tail_observed": run.stdout,
        "success_like_markers_observed": run.markers,
        "notes": run.notes,
    }


def _request(x: e.ProviderResponded) -> Record:
    return _row(
        "request",
        x,
        "provider model response_id finish_reason block_reason refusal has_text tool_call_ids cached_response",
        usage=_usage(x.usage) if x.usage else None,
        max_output_tokens=x.cap,
        context_window=x.window,
        error={name: getattr(x.error, name) for name in ("type", "code", "http_status", "message")}
        if x.error
        else None,
        rate_limits=[_meter(meter) for meter in x.meters] or None,
    )


def _usage(usage: e.Usage) -> Record:
    counts = {f"{name}_tokens": getattr(usage, name) for name in ("input", "output", "cached", "reasoning")}
    return {**counts, "cost_usd": usage.cost_usd}


def _meter(meter: e.Meter) -> Record:
    times = {"resets_at": _stamp(meter.resets_at), "read_at": _stamp(meter.read_at)}
    return {"name": meter.name, "used_percent": meter.used_percent, **times, "credits": meter.credits}


def _blocked(x: e.Blocked) -> Record:
    return _row("block", x, "kind layer reason limit observed", resets_at=_stamp(x.resets_at))


def _verified(x: e.Verified) -> Record:
    return _row("verification", x, "verdict by reason", command_id=x.call_id)


def _guarded(x: e.Guarded) -> Record:
    return _row("guard", x, "blocked field reason promotion", command_id=x.call_id)


def _end(x: e.SessionEnded) -> Record:
    # The claim is a message of its own by then; here it would be told twice.
    return _row("end", x, "status")


_WRITERS: dict[type[e.Event], Callable[[Any], Record]] = {
    e.SessionStarted: _session,
    e.PolicyChanged: _policy,
    e.CommandIssued: _issued,
    e.CommandEnded: _ended,
    e.AgentText: _agent_text,
    e.HumanMessage: _human,
    e.InjectedMessage: _injected,
    e.ApprovalAsked: _asked,
    e.ApprovalAnswered: _answered,
    e.Compacted: _compacted,
    e.ProviderResponded: _request,
    e.Blocked: _blocked,
    e.Verified: _verified,
    e.Guarded: _guarded,
    e.SessionEnded: _end,
    e.RecordProblem: _problem,
}

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


def _session(x: e.SessionStarted) -> Record:
    return {
        "event": "session",
        "agent_version": x.version,
        "parent_session_id": x.parent_session_id,
        "continued_from": x.continued_from,
        "approval_policy": x.approval_policy,
        "interactive": x.interactive,
        "standing_approvals": x.standing_approvals,
        "tools": x.tools,
        "limits": dict(x.limits) if x.limits else None,
        "cwd": x.cwd,
    }


def _policy(x: e.PolicyChanged) -> Record:
    return {"event": "session", "change": "policy", "approval_policy": x.policy, "interactive": x.interactive}


def _issued(x: e.CommandIssued) -> Record:
    return {
        "event": "command_started",
        "command_id": x.call_id,
        "tool": x.tool,
        "command": x.command,
        "argv": x.argv,
        "arguments": x.arguments,
        "arguments_sha256": x.arguments_sha256,
        "cwd": x.cwd,
        "timeout_ms": x.timeout_ms,
        "background": x.background,
        "agent_note": x.note,
        "parent_command_id": x.parent_command_id,
    }


def _ended(x: e.CommandEnded) -> Record:
    return {
        "event": "command_ended",
        "command_id": x.call_id,
        "termination": _termination(x.termination),
        "stdout_tail": x.stdout or None,
        "stderr_tail": x.stderr or None,
        "truncated": x.truncated,
        "error": x.error,
        "must_rerun": x.must_rerun,
        "observed_markers": x.observed_markers,
        "agent_note": x.note,
    }


def _agent_text(x: e.AgentText) -> Record:
    # Words sent to people have no place of their own in the schema; `also` tells it.
    where = "other" if x.where == "message" else x.where
    return {"event": "message", "source": "agent", "text": x.text, "where": where, "command_id": x.call_id}


def _human(x: e.HumanMessage) -> Record:
    return {"event": "message", "source": "user", "text": x.text}


def _injected(x: e.InjectedMessage) -> Record:
    return {"event": "message", "source": "user", "injected": x.why or "reminder", "text": x.text}


def _problem(x: e.RecordProblem) -> Record:
    return {
        "event": "message",
        "source": "system",
        "injected": "notification",
        "text": x.message,
        "problem": x.problem,
        "lost": x.lost,
    }


def _asked(x: e.ApprovalAsked) -> Record:
    return {
        "event": "awaiting_human",
        "slot_id": x.slot_id,
        "command_id": x.call_id,
        "tool": x.tool,
        "arguments_sha256": x.arguments_sha256,
        "question": x.question,
        "options": x.options,
        "timeout_ms": x.timeout_ms,
        "on_timeout": x.on_timeout,
    }


def _answered(x: e.ApprovalAnswered) -> Record:
    return {
        "event": "human_reply",
        "slot_id": x.slot_id,
        "outcome": x.outcome,
        "by": x.by,
        "text": x.text,
        "user_consent": x.user_consent,
        "arguments_sha256": x.arguments_sha256,
        "latency_ms": x.latency_ms,
        "written_at": _stamp(x.written_at),
    }


def _compacted(x: e.Compacted) -> Record:
    carried = [
        {
            "command_id": run.call_id,
            "termination": _termination(run.termination) if run.termination else None,
            "status": run.status,
            "must_rerun": run.must_rerun,
            "stdout_tail_observed": run.stdout,
            "success_like_markers_observed": run.markers,
            "notes": run.notes,
        }
        for run in x.carried
    ]
    return {
        "event": "compaction",
        "trigger": x.trigger,
        "tokens_before": x.tokens_before,
        "tokens_after": x.tokens_after,
        "forgotten_ids": x.forgotten_ids,
        "summary": x.summary,
        "readable": x.readable,
        "carried_terminations": carried or None,
    }


def _request(x: e.ProviderResponded) -> Record:
    usage, error = x.usage, x.error
    return {
        "event": "request",
        "provider": x.provider,
        "model": x.model,
        "response_id": x.response_id,
        "finish_reason": x.finish_reason,
        "block_reason": x.block_reason,
        "refusal": x.refusal,
        "usage": None
        if usage is None
        else {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cached_tokens": usage.cached,
            "reasoning_tokens": usage.reasoning,
            "cost_usd": usage.cost_usd,
        },
        "max_output_tokens": x.cap,
        "context_window": x.window,
        "has_text": x.has_text,
        "tool_call_ids": x.tool_call_ids,
        "cached_response": x.cached_response,
        "error": None
        if error is None
        else {
            "type": error.type,
            "code": error.code,
            "http_status": error.http_status,
            "message": error.message,
        },
        "rate_limits": [
            {
                "name": meter.name,
                "used_percent": meter.used_percent,
                "resets_at": _stamp(meter.resets_at),
                "read_at": _stamp(meter.read_at),
                "credits": meter.credits,
            }
            for meter in x.meters
        ]
        or None,
    }


def _blocked(x: e.Blocked) -> Record:
    return {
        "event": "block",
        "kind": x.kind,
        "layer": x.layer,
        "reason": x.reason,
        "limit": x.limit,
        "observed": x.observed,
        "resets_at": _stamp(x.resets_at),
    }


def _verified(x: e.Verified) -> Record:
    return {
        "event": "verification",
        "command_id": x.call_id,
        "verdict": x.verdict,
        "by": x.by,
        "reason": x.reason,
    }


def _guarded(x: e.Guarded) -> Record:
    return {
        "event": "guard",
        "blocked": x.blocked,
        "command_id": x.call_id,
        "field": x.field,
        "reason": x.reason,
        "promotion": x.promotion,
    }


def _end(x: e.SessionEnded) -> Record:
    # The claim is a message of its own by then; here it would be told twice.
    return {"event": "end", "status": x.status}


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

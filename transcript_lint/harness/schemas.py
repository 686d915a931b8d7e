"""The shapes of our own records, as types; their JSON Schemas (2020-12) are made from these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0)]
Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, description="RFC 3339, UTC")]


class Ended(Struct, kw_only=True):
    """How a command ended; `ok` is the only success, a null exit code is unknown and never success."""

    kind: Literal["ok", "nonzero_exit", "timeout", "signal", "interrupted", "running", "not_run", "unknown"]
    exit_code: int | None = None
    signal: Annotated[str | None, Meta(description="a name such as SIGKILL")] = None
    timed_out: bool | None = None
    duration_ms: Count | None = None
    masked: Annotated[bool | None, Meta(description="the status is the shell's, not the inner command's")] = None
    source: Literal["field", "text", "inferred"] = "field"


class Line(Struct, kw_only=True, tag_field="event"):
    """What every line has. Unknown keys are allowed everywhere. Null is not recorded: never zero, never a yes."""

    v: Literal[1]
    id: str | None = None
    at: Time | None = None
    session_id: str | None = None
    turn: int | str | None = None
    agent: Annotated[str | None, Meta(description="main, or which sub-agent")] = None
    request_id: str | None = None


class Session(Line, kw_only=True, tag="session"):
    parent_session_id: str | None = None
    continued_from: str | None = None
    agent_version: str | None = None
    approval_policy: Literal["ask", "auto", "never", "unknown"] = "unknown"
    interactive: bool | None = None
    standing_approvals: list[str] = []
    tools: list[str] = []
    limits: dict[str, float | None] | None = None
    cwd: str | None = None


class Started(Line, kw_only=True, tag="command_started"):
    command_id: str
    tool: str
    parent_command_id: str | None = None
    argv: list[str] | None = None
    command: str | None = None
    arguments: Any = None
    arguments_sha256: str | None = None
    cwd: str | None = None
    started_at: Time | None = None
    timeout_ms: Count | None = None
    background: bool | None = None
    agent_note: Annotated[str | None, Meta(description="what was expected, written before the result")] = None


class EndedLine(Line, kw_only=True, tag="command_ended"):
    command_id: str
    termination: Ended
    stdout_tail: str | None = None
    stderr_tail: str | None = None
    truncated: bool | None = None
    error: Annotated[str | dict[str, Any] | None, Meta(description="why nothing could be captured")] = None
    must_rerun: bool | None = None
    observed_markers: Annotated[list[str], Meta(description="success-like words seen, level L0")] = []
    agent_note: str | None = None
    ended_at: Time | None = None


class Command(Started, kw_only=True, tag="command"):
    termination: Ended
    stdout_tail: str | None = None
    stderr_tail: str | None = None
    truncated: bool | None = None
    error: Annotated[str | dict[str, Any] | None, Meta(description="why nothing could be captured")] = None
    must_rerun: bool | None = None
    observed_markers: Annotated[list[str], Meta(description="success-like words seen, level L0")] = []
    ended_at: Time | None = None


class Carried(Line, kw_only=True, tag="carried"):
    """Written by a rotation: runs of the file it dropped that must still be run again."""

    runs: list[dict[str, Any]]


class Message(Line, kw_only=True, tag="message"):
    source: Literal["system", "user", "agent"]
    text: str
    injected: str | None = None
    where: Literal["prose", "commit", "pull_request", "task_state", "closing", "message", "other"] = "prose"
    command_id: str | None = None


class Request(Line, kw_only=True, tag="request"):
    provider: str
    model: str
    response_id: str | None = None
    finish_reason: str | None = None
    block_reason: str | None = None
    refusal: str | None = None
    max_output_tokens: int | None = None
    context_window: int | None = None
    usage: dict[str, float | None] | None = None
    usage_basis: Literal["total", "uncached"] = "total"
    has_text: bool | None = None
    tool_call_ids: list[str] = []
    cached_response: bool | None = None
    error: dict[str, Any] | None = None
    rate_limits: list[dict[str, Any]] = []


class Awaiting(Line, kw_only=True, tag="awaiting_human"):
    slot_id: str
    command_id: str | None = None
    tool: str | None = None
    arguments_sha256: str | None = None
    question: str | None = None
    options: list[str] = []
    timeout_ms: Count | None = None
    on_timeout: Literal["deny", "escalate", "wait", "approve"] | None = None


class HumanReply(Line, kw_only=True, tag="human_reply"):
    slot_id: str
    outcome: Literal["approved", "denied", "edited", "answered", "timeout", "none", "auto", "rejected", "escalated"]
    by: Literal["human", "policy", "harness", "model"]
    text: str | None = None
    user_consent: Annotated[bool | None, Meta(description="a person's explicit consent")] = None
    arguments_sha256: str | None = None
    latency_ms: Count | None = None
    written_at: Time | None = None


class CompactedTool(Struct, kw_only=True, forbid_unknown_fields=True):
    """The fixed, safe form of one run in a compaction."""

    command_id: str | None
    tool: str | None
    status: Literal["succeeded", "failed_or_incomplete"]
    termination: Ended | None
    must_rerun: bool
    stdout_tail_observed: str
    success_like_markers_observed: list[str]
    notes: str


class CarriedTermination(Struct, kw_only=True):
    command_id: str
    tool: str | None = None
    status: Literal["succeeded", "failed_or_incomplete"] | None = None
    termination: Ended | None = None
    must_rerun: bool | None = None
    stdout_tail_observed: str | None = None
    success_like_markers_observed: list[str] = []
    notes: str | None = None


class Compaction(Line, kw_only=True, tag="compaction"):
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    forgotten_ids: list[str] = []
    summary: str | None = None
    readable: bool | None = None
    carried_terminations: list[CarriedTermination] = []


class Block(Line, kw_only=True, tag="block"):
    kind: Literal[
        "content",
        "context",
        "output_cap",
        "rate",
        "quota",
        "budget",
        "auth",
        "model",
        "tool",
        "permission",
        "turns",
        "time",
        "other",
    ]
    layer: Literal["provider", "harness", "agent"]
    reason: str | None = None
    command_id: str | None = None
    limit: float | None = None
    observed: float | None = None
    resets_at: Time | None = None


class Verification(Line, kw_only=True, tag="verification"):
    command_id: str
    verdict: Literal["passed", "failed", "needs_rerun"]
    by: str | None = None
    level: Literal["L2"] = "L2"
    reason: str | None = None


class GuardLine(Line, kw_only=True, tag="guard"):
    blocked: bool
    command_id: str | None = None
    field: Annotated[str | None, Meta(description="JSON pointer of the offending field")] = None
    reason: str | None = None
    promotion: (
        Literal[
            "banned_word",
            "status",
            "termination_changed",
            "termination_removed",
            "must_rerun_dropped",
            "consent",
            "other",
        ]
        | None
    ) = None


class End(Line, kw_only=True, tag="end"):
    status: Literal["success", "failure", "blocked", "cancelled", "unknown"]
    claim: str | None = None


class FeedbackRecord(Struct, kw_only=True):
    """One line of feedback_record.jsonl for one run: everything is there, and null where it is not known."""

    v: Literal[1]
    event: Literal["command"]
    command_id: str
    parent_command_id: Annotated[str | None, Meta(description="the attempt that this one retries")]
    tool: str
    argv: Annotated[list[str], Meta(min_length=1)]
    cwd: str
    started_at: Time
    ended_at: Time
    timeout_ms: Count | None
    agent_note: str | None
    stdout_tail: str
    stderr_tail: str
    truncated: bool
    replaced: Annotated[bool, Meta(description="bytes that are not UTF-8 were replaced")]
    termination: Ended
    error: str | None
    must_rerun: bool
    observed_markers: list[str]
    redacted: Annotated[dict[str, int], Meta(description="how many credentials of each kind were taken out")]


NativeEvent = (
    Session
    | Command
    | Carried
    | Started
    | EndedLine
    | Message
    | Request
    | Awaiting
    | HumanReply
    | Compaction
    | Block
    | Verification
    | GuardLine
    | End
)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of `feedback-record`, `compacted-tool` or `native-event`."""
    shape = {"feedback-record": FeedbackRecord, "compacted-tool": CompactedTool, "native-event": NativeEvent}[name]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"transcript-lint/{name}/v1",
        **msgspec.json.schema(shape),
    }

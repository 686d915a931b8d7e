"""The vocabulary: what can happen in a session, whatever agent wrote the log.

Names follow the OpenTelemetry GenAI conventions and ATIF where those have one. Every event is immutable and carries
the place it was read from. Three outcomes are kept apart everywhere: a fact, a contrary fact, and not recorded. Not
recorded is `None` or `EndKind.UNKNOWN`, and is never success, never zero, never a yes.

Events are msgspec structs, not dataclasses: a frozen dataclass costs six times as much to make, and a session makes
tens of thousands of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Location(Struct, frozen=True, kw_only=True, gc=False):
    """Where in an input something stands.

    `line` counts from 1 in the uncompressed text, split on `\\n` only; `offset` and `length` are bytes of that
    record there. `pointer` is the JSON pointer of the field in the record; `inner` the member of an archive.
    """

    path: str
    line: int
    offset: int = 0
    length: int = 0
    pointer: str = ""
    inner: str | None = None

    def field(self, pointer: str) -> Location:
        """The same record, seen at one of its fields."""
        return Location(
            path=self.path, line=self.line, offset=self.offset, length=self.length, pointer=pointer, inner=self.inner
        )


class Step(Struct, frozen=True):
    """One link of an evidence chain: a place, what stands there, in a few words, and when (epoch seconds)."""

    at: Location
    what: str
    time: float | None = None


class EndKind(StrEnum):
    """How a command ended; `OK` is the only success."""

    OK = "ok"
    NONZERO = "nonzero_exit"
    TIMEOUT = "timeout"
    SIGNAL = "signal"
    INTERRUPTED = "interrupted"
    RUNNING = "running"
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"


class EndSource(StrEnum):
    """Where a reader found the end: a field of the record, its text, or only by inference."""

    FIELD = "field"
    TEXT = "text"
    INFERRED = "inferred"


MUST_RERUN = frozenset({EndKind.NONZERO, EndKind.TIMEOUT, EndKind.SIGNAL, EndKind.INTERRUPTED})
KILLED = frozenset({EndKind.TIMEOUT, EndKind.SIGNAL, EndKind.INTERRUPTED})


class Termination(Struct, frozen=True, kw_only=True):
    """The recorded end of one command. `duration_ms` in milliseconds; `signal` a POSIX name such as `SIGKILL`.

    `contradiction` says in words which two recorded facts about this one end disagree (a signal beside exit 0);
    the reader then keeps the worse one as `kind`.
    """

    kind: EndKind
    exit_code: int | None = None
    signal: str | None = None
    timed_out: bool | None = None
    duration_ms: int | None = None
    masked: bool | None = None
    source: EndSource = EndSource.FIELD
    contradiction: str | None = None

    @property
    def succeeded(self) -> bool:
        """True for `ok` alone."""
        return self.kind is EndKind.OK

    @property
    def must_rerun(self) -> bool:
        """True when the log records a contrary end: non-zero exit, time-out, signal or interrupt."""
        return self.kind in MUST_RERUN

    @property
    def killed(self) -> bool:
        """True when it never came to its own end."""
        return self.kind in KILLED

    def describe(self) -> str:
        """The end in a few words, for chains and messages."""
        match self.kind:
            case EndKind.OK:
                return "ended ok" if self.exit_code is None else "ended with exit 0"
            case EndKind.NONZERO:
                return "failed" if self.exit_code is None else f"ended with exit {self.exit_code}"
            case EndKind.TIMEOUT:
                return "timed out" + (f" (exit {self.exit_code})" if self.exit_code is not None else "")
            case EndKind.SIGNAL:
                how = self.signal or (f"exit {self.exit_code}" if self.exit_code is not None else "a signal")
                return f"was killed by {how}"
            case EndKind.INTERRUPTED:
                return "was interrupted"
            case EndKind.RUNNING:
                return "was still running"
            case EndKind.NOT_RUN:
                return "was not run"
            case EndKind.UNKNOWN:
                return "has no recorded end"


class Event(Struct, frozen=True, kw_only=True):
    """What every event carries. `time` is epoch seconds (UTC); `agent` is `main` or names the sub-agent."""

    at: Location
    time: float | None = None
    session_id: str | None = None
    turn: int | str | None = None
    request_id: str | None = None
    agent: str = "main"


class SessionStarted(Event, frozen=True, kw_only=True):
    """The head of a session, or of a resumed part of it. `approval_policy`: ask, auto, never, unknown.

    `complete` is False when the file is known not to begin at the session's first record, so that history before it
    is out of sight. `independent`: nothing before it in the same input belongs to it (many conversations in one file).
    """

    format: str = ""
    agent_name: str = ""
    version: str | None = None
    parent_session_id: str | None = None
    continued_from: str | None = None
    approval_policy: str = "unknown"
    interactive: bool | None = None
    standing_approvals: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    limits: Mapping[str, float] | None = None
    cwd: str | None = None
    complete: bool = True
    independent: bool = False


class PolicyChanged(Event, frozen=True, kw_only=True):
    """From here on approvals are asked for by another policy. `policy`: ask, auto, never, unknown."""

    policy: str
    interactive: bool | None = None


class CommandIssued(Event, frozen=True, kw_only=True):
    """The agent starts a tool call. `command` is a shell line, `argv` an argument vector, else see `arguments`.

    `tool` is the agent's own name for it; `arguments` the raw arguments of a call that is no shell command.
    `background` is True when the agent asked for that itself. `note` is what the agent expected, written before.
    """

    call_id: str
    tool: str
    command: str | None = None
    argv: tuple[str, ...] | None = None
    arguments: Any = None
    arguments_sha256: str | None = None
    cwd: str | None = None
    timeout_ms: int | None = None
    background: bool | None = None
    note: str | None = None
    parent_command_id: str | None = None


class CommandEnded(Event, frozen=True, kw_only=True):
    """What the log records about the end of a call; may come more than once (moved to background, then ended).

    `via` is `result` for the call's own result, `poll` for a later look at it, `notification` for a message that only
    tells the status. `output_file` is where a background command writes what it prints. `truncated`: the output was
    cut by the harness. `must_rerun` and `observed_markers` are set only
    where the record states them itself (feedback records). `tool_uses` counts the calls of a sub-agent, where its
    result says so.
    """

    call_id: str
    termination: Termination
    stdout: str = ""
    stderr: str = ""
    truncated: bool | None = None
    error: str | None = None
    must_rerun: bool | None = None
    observed_markers: tuple[str, ...] = ()
    note: str | None = None
    via: str = "result"
    output_file: str | None = None
    tool_uses: int | None = None


class AgentText(Event, frozen=True, kw_only=True):
    """Prose of the model. `where`: prose, commit, pull_request, task_state, closing, message (sent to people), other.

    For text published through a tool `call_id` names the call. In `task_state` text each line is one item as a
    markdown checkbox, `- [x] done` or `- [ ] open`; `changed` then holds only the items that turned done.
    """

    text: str
    where: str = "prose"
    call_id: str | None = None
    changed: tuple[str, ...] = ()


class HumanMessage(Event, frozen=True, kw_only=True):
    """Words a person wrote. `queued` when typed while the agent was busy."""

    text: str
    queued: bool = False


class InjectedMessage(Event, frozen=True, kw_only=True):
    """Text that wears the user's role, or the system's, and that no person wrote at this point.

    `why`: summary, reminder, hook, tool_result, notification, handoff, teammate, simulated_user, copied_context.
    """

    text: str
    why: str


class ApprovalAsked(Event, frozen=True, kw_only=True):
    """A gate that waits for a person. `gate` is `permission` (may this call run), `question` or `plan`."""

    slot_id: str
    gate: str = "permission"
    call_id: str | None = None
    tool: str | None = None
    arguments_sha256: str | None = None
    question: str | None = None
    options: tuple[str, ...] = ()
    timeout_ms: int | None = None
    on_timeout: str | None = None


class ApprovalAnswered(Event, frozen=True, kw_only=True):
    """What closed a gate. `outcome`: approved, denied, edited, answered, timeout, none, auto, rejected, escalated,
    or unknown where the format does not log how a gate was answered.

    `by`: human, policy, harness, model. `user_consent` only where the record states it.
    """

    slot_id: str
    outcome: str
    by: str
    text: str | None = None
    user_consent: bool | None = None
    arguments_sha256: str | None = None
    latency_ms: int | None = None
    written_at: float | None = None
    call_id: str | None = None


class CarriedRun(Struct, frozen=True, kw_only=True):
    """What a structured compaction keeps of one command; `termination` None means it is gone."""

    call_id: str
    termination: Termination | None = None
    status: str | None = None
    must_rerun: bool | None = None
    stdout: str | None = None
    markers: tuple[str, ...] = ()
    notes: str | None = None


class CarriedGate(Struct, frozen=True, kw_only=True):
    """What a structured compaction keeps of one gate; `outcome` as of an answer, None while it is called open."""

    slot_id: str
    outcome: str | None = None


class Compacted(Event, frozen=True, kw_only=True):
    """The model's context was cut and replaced. `kind`: summary, or micro (only old tool outputs were dropped).

    `readable` is False when the replacement is encrypted, empty or absent: then nothing can be compared. `summary`
    keeps its own place, since many logs write it on another line than the boundary.
    """

    kind: str = "summary"
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    forgotten_ids: tuple[str, ...] = ()
    summary: str | None = None
    summary_at: Location | None = None
    readable: bool | None = None
    carried: tuple[CarriedRun, ...] = ()
    gates: tuple[CarriedGate, ...] = ()


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts of one request, totals as the provider bills them; None is not recorded, never zero.

    `input` includes cached and cache-writing tokens; `output` includes hidden reasoning. `cost_usd` in US dollars.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None


class Meter(Struct, frozen=True, kw_only=True):
    """A rate or quota meter as read at `read_at`; `used_percent` 0–100; times in epoch seconds."""

    name: str
    used_percent: float | None = None
    resets_at: float | None = None
    read_at: float | None = None
    credits: bool | None = None


class ProviderError(Struct, frozen=True, kw_only=True):
    """An error the provider (or the way to it) returned. `kind` is normalised:

    rate, quota, overload, context, auth, permission, model, content, budget, server, network, request, other.
    """

    kind: str = "other"
    type: str | None = None
    code: str | None = None
    http_status: int | None = None
    message: str | None = None


class ProviderResponded(Event, frozen=True, kw_only=True):
    """One request to the model and what came back, each fact once a response.

    `finish` is normalised: stop, length, tool, content_filter, refusal, error, other; `finish_reason` is the
    provider's word. `window` is the context window and `cap` the output cap, in tokens.
    """

    provider: str = ""
    model: str = ""
    response_id: str | None = None
    finish_reason: str | None = None
    finish: str | None = None
    block_reason: str | None = None
    block_side: str | None = None
    refusal: str | None = None
    usage: Usage | None = None
    cap: int | None = None
    window: int | None = None
    has_text: bool | None = None
    text_tail: str | None = None
    tool_call_ids: tuple[str, ...] = ()
    cached_response: bool | None = None
    error: ProviderError | None = None
    meters: tuple[Meter, ...] = ()
    media: bool = False


class Blocked(Event, frozen=True, kw_only=True):
    """Something says the work cannot go on. `kind`: content, context, output_cap, rate, quota, budget, auth, model,
    tool, permission, turns, time, other. `layer` is who says so: provider, harness, agent.
    """

    kind: str
    layer: str
    reason: str | None = None
    refers_to: str | None = None
    limit: float | None = None
    observed: float | None = None
    resets_at: float | None = None


class Verified(Event, frozen=True, kw_only=True):
    """An L2 record of the runtime half about one run. `verdict`: passed, failed, needs_rerun."""

    call_id: str
    verdict: str
    by: str | None = None
    reason: str | None = None


class Guarded(Event, frozen=True, kw_only=True):
    """The runtime guard looked at a compaction; `blocked` when it stopped a promotion."""

    blocked: bool
    call_id: str | None = None
    field: str | None = None
    reason: str | None = None
    promotion: str | None = None


class SessionEnded(Event, frozen=True, kw_only=True):
    """The envelope's last word. `status`: success, failure, blocked, cancelled, unknown; `reason` in its own words.

    `denials` are the calls the envelope itself lists as denied: (tool, call id); `usage` its own sum of all requests.
    """

    status: str
    claim: str | None = None
    reason: str | None = None
    denials: tuple[tuple[str, str | None], ...] = ()
    usage: Usage | None = None


class RecordProblem(Event, frozen=True, kw_only=True):
    """A record could not be read as it stands. `lost` is False when everything on it was read all the same.

    `problem`: torn, not_json, two_documents, unfinished, not_utf8, too_deep, too_large, wrong_shape, truncated_stream.
    """

    problem: str
    message: str
    lost: bool = True


ANY_EVENT: tuple[type[Event], ...] = (
    SessionStarted,
    PolicyChanged,
    CommandIssued,
    CommandEnded,
    AgentText,
    HumanMessage,
    InjectedMessage,
    ApprovalAsked,
    ApprovalAnswered,
    Compacted,
    ProviderResponded,
    Blocked,
    Verified,
    Guarded,
    SessionEnded,
    RecordProblem,
)
"""Every event type, in the order of this file; a rule's `on_<snake_case_name>` answers to each."""

"""Requests to the model: usage, windows, meters, errors, denials; bounded, oldest first.

*Same model* means same session, provider and model. Null is never zero: a request that lacks a count gives none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    Event,
    HumanMessage,
    InjectedMessage,
    Meter,
    ProviderResponded,
)
from transcript_lint.models import context_window
from transcript_lint.settings import Settings

NEARLY_FULL = 80
"""Percent from which a meter may be called used up."""
OUTPUT_EDGE = 2000
"""Characters kept of each end of a command's output."""

_STATUS = re.compile(r"(?<![\d.])(401|402|403|404|408|413|429|5\d\d)(?![\d.])")
_SIZE_WORDS = re.compile(r"token|context|prompt is|too (?:long|large)", re.I)
_SIZE_LIMIT = re.compile(r"maximum|limit|exceed|too (?:long|large)", re.I)
_CAUSES = {
    "rate": "limit",
    "quota": "limit",
    "budget": "limit",
    "overload": "overload",
    "server": "overload",
    "network": "network",
    "context": "context",
    "auth": "auth",
    "permission": "auth",
    "model": "model",
    "content": "content",
}
_STATUS_CAUSES = {401: "auth", 402: "limit", 403: "auth", 404: "model", 408: "network", 413: "context", 429: "limit"}
_CAUSE_WORDS = (
    ("overload", ("overload", "service unavailable", "at capacity", "server error", "bad gateway")),
    ("limit", ("usage limit", "rate limit", "quota", "too many requests", "usage_limit", "rate_limit")),
    ("context", ("context window", "context length", "prompt is too long", "context_window", "context_length")),
    ("auth", ("unauthorized", "authentication", "log in", "login", "api key")),
    ("network", ("connection", "timed out", "network")),
)


class Denial(Struct, frozen=True, kw_only=True):
    """A call that was denied: by whom (human, policy, harness, model), where, and what it was.

    `ended` counts the commands that had ended before, so that a rule can tell how long ago it was.
    """

    event: Event
    by: str
    call_id: str | None
    tool: str
    what: str
    ended: int


class ProviderBook:
    """What the provider said about itself, and what stood around it.

    `requests` holds answers and errors; `blocks` what harness or provider called blocked; `denials` denied calls;
    `outputs` the edges of the last commands' outputs; `new_characters` what came into the context since the last
    answer; `fresh` is True while nothing but the agent's own text followed the last answer; `count` counts requests,
    `ended` ended commands.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.requests: deque[ProviderResponded] = deque(maxlen=64)
        self.blocks: deque[Blocked] = deque(maxlen=16)
        self.denials: deque[Denial] = deque(maxlen=32)
        self.outputs: deque[str] = deque(maxlen=8)
        self.calls: deque[CommandIssued] = deque(maxlen=32)
        self.last_text: AgentText | None = None
        self.new_characters = 0
        self.fresh = False
        self.count = 0
        self.ended = 0
        self._sizes: deque[tuple[int, Event]] = deque(maxlen=12)
        self._costs: deque[float] = deque(maxlen=512)
        self._spent = 0.0
        self._unpriced = False

    def on_provider_responded(self, event: ProviderResponded) -> None:
        if written_by_harness(event):
            return
        self.requests.append(event)
        self.count += 1
        usage = event.usage
        if usage is not None:
            if usage.input is not None and event.error is None:
                # Some logs tell how full the context is and nothing else; the answer is small beside it.
                self._sizes.append((usage.input + (usage.output or 0), event))
            if usage.cost_usd:
                self._costs.append(usage.cost_usd)
                self._spent += usage.cost_usd
            elif usage.input or usage.output:
                self._unpriced = True
        if event.error is None and answered(event):
            self.new_characters = 0
            self.fresh = True

    def on_blocked(self, event: Blocked) -> None:
        self.blocks.append(event)
        if event.kind == "permission" and event.layer != "agent":
            self._deny(event, "policy", event.refers_to)

    def on_compacted(self, event: Compacted) -> None:
        if event.tokens_before is not None:
            self._sizes.append((event.tokens_before, event))

    def on_agent_text(self, event: AgentText) -> None:
        self.last_text = event

    def on_human_message(self, event: HumanMessage) -> None:
        self._came_in(len(event.text))

    def on_injected_message(self, event: InjectedMessage) -> None:
        self._came_in(len(event.text))

    def on_command_issued(self, event: CommandIssued) -> None:
        self.fresh = False
        self.calls.append(event)

    def on_command_ended(self, event: CommandEnded) -> None:
        self.ended += 1
        self._came_in(len(event.stdout) + len(event.stderr))
        self.outputs.append("\n".join(_edges(text) for text in (event.stdout, event.stderr, event.error or "")))
        if event.termination.kind is EndKind.NOT_RUN and (by := _denied_by(self.outputs[-1])):
            self._deny(event, by, event.call_id)

    def on_approval_answered(self, event: ApprovalAnswered) -> None:
        if event.outcome in ("denied", "rejected"):
            self._deny(event, event.by, event.call_id or event.slot_id)

    def request(self, ref: str | None) -> ProviderResponded | None:
        """The request with this request or response id, the latest first."""
        if not ref:
            return None
        return next((r for r in reversed(self.requests) if ref in (r.request_id, r.response_id)), None)

    def latest(self, like: Event) -> ProviderResponded | None:
        """The last request of the session and agent that `like` belongs to."""
        return next((r for r in reversed(self.requests) if _one_session(r, like) and r.agent == like.agent), None)

    def window(self, request: ProviderResponded) -> int | None:
        """The context window of a request in tokens: as logged by it or one like it, configured, or known."""
        logged = next((r.window for r in reversed(self.requests) if r.window and same_model(r, request)), None)
        return request.window or logged or context_window(request.model, self.settings.model_windows)

    def largest(self, agent: str, of: int = 3) -> tuple[int, Event] | None:
        """The largest context (input and output tokens) of the last `of` requests of an agent, and where it stands."""
        sizes = [found for found in self._sizes if found[1].agent == agent][-of:]
        return max(sizes, key=lambda found: found[0], default=None)

    def meters(self, like: Event, seconds: float = 600) -> list[tuple[Meter, ProviderResponded]]:
        """The last reading of each meter of the session, not older than `seconds` and not reset since."""
        found: dict[str, tuple[Meter, ProviderResponded]] = {}
        for request in self.requests:
            if _one_session(request, like):
                found.update((meter.name, (meter, request)) for meter in request.meters)
        return [(meter, request) for meter, request in found.values() if _holds(meter, request, like, seconds)]

    def errors_near(self, like: Event, seconds: float = 120) -> Iterator[ProviderResponded]:
        """The errors of the session not more than `seconds` before an event, the latest first."""
        for request in reversed(self.requests):
            if request.error is not None and _one_session(request, like) and within(request, like, seconds):
                yield request

    def recorded_causes(self, like: Event) -> list[tuple[Event, str]]:
        """What stopped the work a short while ago, by the record: (event, cause), the latest first.

        An error counts while at most three answers and ten minutes followed it.
        """
        found: list[tuple[Event, str]] = []
        good = 0
        for request in reversed(self.requests):
            if not _one_session(request, like) or not within(request, like, 600):
                continue
            if request.error is None:
                good += answered(request)
                if good > 3:
                    break
            elif cause := cause_of(request):
                found.append((request, cause))
        for block in reversed(self.blocks):
            if block is like or block.layer == "agent" or good > 3 or not within(block, like, 600):
                continue
            if cause := cause_of(block):
                found.append((block, cause))
        return found

    @property
    def spent(self) -> float | None:
        """US dollars billed so far; None when no price, or not every price, is recorded."""
        return None if self._unpriced or not self._costs else self._spent

    @property
    def dearest(self) -> float | None:
        """The price of the dearest request, when more than one is priced."""
        return max(self._costs) if len(self._costs) > 1 else None

    def _came_in(self, characters: int) -> None:
        self.fresh = False
        self.new_characters += characters

    def _deny(self, event: Event, by: str, call_id: str | None) -> None:
        issued = next((c for c in reversed(self.calls) if c.call_id == call_id), None)
        if any(d.call_id == call_id for d in self.denials if call_id is not None):
            return
        what = "" if issued is None else str(issued.command or issued.argv or issued.arguments or "")[:400]
        tool = issued.tool if issued else ""
        self.denials.append(Denial(event=event, by=by, call_id=call_id, tool=tool, what=what, ended=self.ended))


def written_by_harness(event: ProviderResponded) -> bool:
    """Whether the harness made this answer up (`<synthetic>`) without any error behind it."""
    return event.model.startswith("<") and event.error is None


def answered(event: ProviderResponded) -> bool:
    """Whether the model delivered something: text, a call, or billed output that was not filtered away."""
    if event.error is not None or event.finish in ("error", "refusal", "content_filter") or event.block_reason:
        return False
    billed = event.usage is not None and bool(event.usage.output)
    return bool(event.has_text or event.tool_call_ids or (billed and event.has_text is not False))


def same_model(one: ProviderResponded, other: ProviderResponded) -> bool:
    """Same session, provider and model."""
    return (one.session_id, one.provider, one.model) == (other.session_id, other.provider, other.model)


def cause_of(event: Event) -> str | None:
    """The class of cause an error or a block records: limit, overload, network, context, auth, model, content."""
    if isinstance(event, ProviderResponded) and event.error is not None:
        error = event.error
        message = error.message or ""
        if error.kind in _CAUSES:
            return _CAUSES[error.kind]
        if _SIZE_WORDS.search(message) and _SIZE_LIMIT.search(message) and re.search(r"\d{4}", message):
            return "context"
        return _cause_in(message) or _STATUS_CAUSES.get(error.http_status or 0)
    if isinstance(event, Blocked):
        return None if event.kind == "permission" else _CAUSES.get(event.kind) or _cause_in(event.reason or "")
    return None


def within(earlier: Event, later: Event, seconds: float) -> bool:
    """Whether one event lies at most `seconds` before another; True where the log gives no times."""
    return earlier.time is None or later.time is None or later.time - earlier.time <= seconds


def _cause_in(text: str) -> str | None:
    if status := _STATUS.search(text):
        return _STATUS_CAUSES.get(int(status[1]), "overload")
    words = text.lower()
    return next((cause for cause, hints in _CAUSE_WORDS if any(hint in words for hint in hints)), None)


def _one_session(one: Event, other: Event) -> bool:
    return one.session_id is None or other.session_id is None or one.session_id == other.session_id


def _holds(meter: Meter, request: ProviderResponded, like: Event, seconds: float) -> bool:
    read = meter.read_at if meter.read_at is not None else request.time
    if read is not None and like.time is not None and not 0 <= like.time - read <= seconds:
        return False
    if meter.resets_at is None or like.time is None or meter.resets_at > like.time:
        return True
    # A reset before the reading is no clean slate after it: a figure that stands high all the same is not passed over.
    return read is not None and meter.resets_at <= read and (meter.used_percent or 0) >= NEARLY_FULL


def _edges(text: str) -> str:
    return text if len(text) <= 2 * OUTPUT_EDGE else text[:OUTPUT_EDGE] + "\n" + text[-OUTPUT_EDGE:]


def _denied_by(text: str) -> str | None:
    """Who denied a call, told from the text of its result; None when it tells of no denial."""
    words = text[:1500].lower()
    if "user" in words and any(
        w in words for w in ("doesn't want", "rejected by user", "user denied", "user rejected")
    ):
        return "human"
    if "denied" in words and any(w in words for w in ("permission", "policy", "rule", "hook", "classifier", "mode")):
        return "policy"
    return None

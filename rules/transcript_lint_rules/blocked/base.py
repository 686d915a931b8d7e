"""What the rules on block claims share: one way to hear a claim, and words for the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transcript_lint.claims.blocked import BlockClaim, claims_of
from transcript_lint.events import AgentText, Blocked, Event, ProviderResponded, SessionEnded, Step
from transcript_lint.finding import Confidence, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import answered, cause_of
from transcript_lint.rule import Outcomes, Rule

CLASSES = {
    "quota": "limit",
    "rate": "limit",
    "budget": "limit",
    "context": "context",
    "auth": "auth",
    "model": "model",
    "content": "content",
    "overload": "overload",
}
"""The class of cause that a claim of each kind names."""

CAUSE_NAMES = {
    "limit": "a used-up limit",
    "overload": "an overloaded or failing service",
    "network": "a broken connection",
    "context": "a prompt longer than the context window",
    "auth": "a rejected login or key",
    "model": "an unknown model",
    "content": "a content filter",
}

_COMPATIBLE = (
    {"overload", "network"},
    {"auth", "model"},
    {"model", "overload"},
    {"model", "network"},
)


class BlockRule(Rule):
    """A rule that judges block claims, whoever makes them; a subclass sets `kinds` and writes `judge`."""

    kinds: frozenset[str] = frozenset()
    errors = False
    """Whether a provider's own refusal counts as a claim."""

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        """What this rule says of one claim."""
        raise NotImplementedError

    def on_blocked(self, event: Blocked, ledger: Ledger) -> Outcomes | None:
        return self._hear(event, ledger)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes | None:
        return self._hear(event, ledger)

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes | None:
        return self._hear(event, ledger)

    def on_provider_responded(self, event: ProviderResponded, ledger: Ledger) -> Outcomes | None:
        return self._hear(event, ledger) if self.errors and event.error is not None else None

    def _hear(self, event: Event, ledger: Ledger) -> Outcomes:
        for claim in claims_of(event, ledger.settings.blocked_phrases):
            if claim.kind in self.kinds and not repeats(claim, ledger):
                yield from self.judge(claim, ledger)


def repeats(claim: BlockClaim, ledger: Ledger) -> bool:
    """Whether a claim only passes on what harness or provider recorded a moment ago: the record is judged, not it."""
    if claim.prose or isinstance(claim.event, SessionEnded):
        wanted = CLASSES.get(claim.kind)
        return wanted is not None and any(cause == wanted for _, cause in ledger.provider.recorded_causes(claim.event))
    if isinstance(claim.event, ProviderResponded) and claim.event.error is not None:
        for request in list(ledger.provider.requests)[-2::-1]:
            if answered(request):
                return False
            if request.error is not None and request.error.kind == claim.event.error.kind:
                return True
    return False


def contrary_cause(claim: BlockClaim, ledger: Ledger) -> tuple[Event, str] | None:
    """The recorded cause when it is another than the stated one: (event, cause); None when none or the same is."""
    stated = CLASSES.get(claim.kind)
    if stated is None:
        return None
    linked = ledger.provider.request(claim.refers_to)
    if linked is not None and linked.error is not None:
        cause = cause_of(linked)
        recorded: list[tuple[Event, str]] = [(linked, cause)] if cause else []
    else:
        recorded = ledger.provider.recorded_causes(claim.event)
    if not recorded or any(cause == stated or {cause, stated} in _COMPATIBLE for _, cause in recorded):
        return None
    return recorded[0]


def until_told(claim: BlockClaim) -> Callable[[Event], bool]:
    """True for the event in which the harness calls the same thing blocked: then that record is judged instead."""
    wanted = CLASSES.get(claim.kind)
    return lambda event: isinstance(event, Blocked) and CLASSES.get(event.kind) == wanted


def confidence(claim: BlockClaim) -> Confidence:
    """High for fields, medium for prose."""
    return Confidence.MEDIUM if claim.prose else Confidence.HIGH


def who(claim: BlockClaim) -> str:
    """The speaker, to open a sentence."""
    return {"agent": "The agent", "harness": "The harness", "provider": "The provider"}.get(claim.who, "The log")


def quoted(claim: BlockClaim) -> str:
    """What was said, in at most 120 characters, or nothing."""
    text = " ".join(claim.text.split())
    return f" (“{text[:119]}…”)" if len(text) > 120 else f" (“{text}”)" if text else ""


def about(claim: BlockClaim) -> str:
    """The content that identifies a finding on a claim."""
    return f"{claim.who} {claim.kind}: {' '.join(claim.text.split())[:200]}"


def said(claim: BlockClaim) -> Step:
    """The claim as a link of a chain."""
    return Step(
        claim.at, f"{who(claim).lower()} says: {' '.join(claim.text.split())[:100] or claim.kind}", claim.event.time
    )


def step(event: Event, what: str) -> Step:
    """An event as a link of a chain."""
    return Step(event.at, what, event.time)


def tokens(count: float) -> str:
    """A count with thousands separators."""
    return f"{int(count):,}"

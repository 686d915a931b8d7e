"""Whether the model answered after a claim, and whether a claim speaks of the model's provider."""

from __future__ import annotations

from collections.abc import Callable

from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import Blocked, Event, ProviderResponded
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import answered, same_model


def own_service(claim: BlockClaim) -> bool:
    """Whether an agent's block record speaks of the model's provider: it names the model, a plan, tokens or nothing."""
    words = claim.text.lower()
    return not words or claim.plan or any(w in words for w in ("model", "token", "provider", "llm", "context"))


def answers_of(claim: BlockClaim, last: ProviderResponded, ledger: Ledger) -> Callable[[Event], bool]:
    """True for a new answer of the same model: not the one the claim itself stands in."""
    own = claim.event.request_id
    waits_for_own = claim.prose and not ledger.provider.fresh and own is None
    resets = claim.event.resets_at if isinstance(claim.event, Blocked) else None

    def check(event: Event) -> bool:
        nonlocal waits_for_own
        if not isinstance(event, ProviderResponded) or not same_model(event, last) or not answered(event):
            return False
        if event.at.line == claim.at.line or (own is not None and own in (event.request_id, event.response_id)):
            return False
        if waits_for_own:
            waits_for_own = False
            return False
        return resets is None or event.time is None or event.time < resets

    return check

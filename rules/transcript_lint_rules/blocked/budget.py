"""TL306: the budget is called exhausted while the recorded spend is below it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import Blocked
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example
from transcript_lint.samples import block, request, session
from transcript_lint_rules.blocked.base import BlockRule, about, confidence, quoted, said, step, who

_NEXT = re.compile(r"\b(?:next|estimat\w*|project\w*|forecast\w*|would|reserv\w*|predict\w*)\b", re.I)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DOLLARS = re.compile(r"budget|cost|usd|spend|dollar", re.I)
_COUNTS = re.compile(r"turn|step|call|iteration|time|token|second|minute", re.I)


def _spent(cost: float) -> dict[str, Any]:
    return {
        "finish_reason": "stop",
        "usage": {"input_tokens": 90_000, "output_tokens": 4_000, "cost_usd": cost},
        "has_text": True,
    }


class BudgetBlockContradicted(BlockRule):
    """The budget is called exhausted, but what was spent, by the record, is well below it.

    What it does
    ------------
    Takes claims that a budget or cost limit is used up. It compares the spend the claim names, or the sum of the
    prices of all requests, with the limit the claim names, or the session's. Below 90 % of it, in one unit, it
    reports. Where a price or the limit is missing it abstains.

    Why it matters
    --------------
    The run stops early and looks as if it had been too expensive.

    What clears it
    --------------
    A spend of zero beside billed tokens is an unpriced model, so unknown; a next call that would cross the limit;
    another limit that was reached.

    References
    ----------
    Reports in public: OpenHands/OpenHands#8858, BerriAI/litellm#22726; look-alike: nbramia/LifeOS#1176.
    """

    id = "TL306"
    name = "budget-block-contradicted"
    family = "blocked"
    level = Level.WARNING
    needs = ("usage",)
    kinds = frozenset({"budget"})
    examples = (
        Example(
            "Stopped for the budget at 38 % of it.",
            (
                session(limits={"budget_usd": 5.0}),
                request(**_spent(1.9)),
                block("budget", "harness", reason="budget exhausted", limit=5.0, observed=1.9),
            ),
            (3,),
        ),
        Example(
            "The next call would have crossed the limit.",
            (
                session(limits={"budget_usd": 2.0}),
                request(**_spent(1.1)),
                block("budget", "harness", reason="next call estimated at 1.0", limit=2.0, observed=1.1),
            ),
        ),
        Example(
            "An unpriced model: zero cost with tokens is unknown.",
            (
                session(limits={"budget_usd": 3.0}),
                request(**_spent(0)),
                block("budget", "harness", limit=3.0, observed=0),
            ),
        ),
        Example(
            "The budget is spent.",
            (session(), request(**_spent(1.98)), block("budget", "harness", limit=2.0, observed=1.98)),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        book, event = ledger.provider, claim.event
        limits = ledger.session.limits
        limit = event.limit if isinstance(event, Blocked) else None
        spent = event.observed if isinstance(event, Blocked) else None
        if limit is None:
            limit = next((value for name, value in limits.items() if _DOLLARS.search(name)), None)
        if spent is None:
            spent = book.spent
        if not limit or not spent:
            yield self.abstain("the budget or what was spent of it is not recorded", at=event)
            return
        if spent >= 0.9 * limit or _next_call_crosses(claim, spent, limit):
            return
        if book.dearest is not None and spent + book.dearest >= limit:
            yield self.abstain("one more call of the dearest kind would have crossed the budget", at=event)
            return
        if _other_limit_reached(ledger):
            return
        yield self.finding(
            f"{who(claim)} says that the budget is used up{quoted(claim)}, but {spent:g} of {limit:g} was spent "
            f"({100 * spent / limit:.0f} %).",
            at=event,
            because=(*(step(r, "the last priced request") for r in list(book.requests)[-1:]), said(claim)),
            about=about(claim),
            confidence=confidence(claim),
        )


def _next_call_crosses(claim: BlockClaim, spent: float, limit: float) -> bool:
    """Whether the reason speaks of a call still to come, which does not fit or has no price."""
    if claim.prose or not _NEXT.search(claim.text):
        return False
    prices = [float(number) for number in _NUMBER.findall(claim.text)]
    return not prices or spent + max(prices) >= limit


def _other_limit_reached(ledger: Ledger) -> bool:
    """Whether a limit on turns or calls was reached, so that the stop has another ground."""
    counts = [value for name, value in ledger.session.limits.items() if _COUNTS.search(name)]
    return any(0 < value <= ledger.provider.count for value in counts)

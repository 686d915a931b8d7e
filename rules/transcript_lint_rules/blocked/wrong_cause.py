"""TL309: the stated cause, or the one who is said to have stopped it, is not the recorded one."""

from __future__ import annotations

from collections.abc import Iterable

from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import HumanMessage
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import Denial
from transcript_lint.rule import Example
from transcript_lint.samples import asks, block, human, reply, request, says, session
from transcript_lint_rules.blocked.base import (
    CAUSE_NAMES,
    CLASSES,
    BlockRule,
    about,
    confidence,
    contrary_cause,
    quoted,
    said,
    step,
    who,
)

RECENT_COMMANDS = 5
"""How many commands may have ended since a denial that the agent still speaks of."""

_OVERLOADED = {"type": "overloaded_error", "http_status": 529, "message": "Overloaded"}
_TOO_LONG = {"type": "invalid_request_error", "message": "prompt is too long: 214388 tokens > 200000 maximum"}


class WrongBlockerNamed(BlockRule):
    """What is said to have blocked the work is not what the record says.

    What it does
    ------------
    Compares the cause that a block record or the agent's prose names (a used-up limit, a full context, a login, a
    content filter, an overload) with the cause of the provider's last errors. Also reports a denial that the agent
    puts down to the person although a rule, a hook or a policy denied the call and no person did.

    Why it matters
    --------------
    People change plans, wait or answer for a decision they never took, while the real cause stays.

    What clears it
    --------------
    The cause told as recorded; a person's own denial beside it.

    References
    ----------
    Reports in public: anthropics/claude-code#50321 (context overflow shown as a usage limit).
    """

    id = "TL309"
    name = "wrong-blocker-named"
    family = "blocked"
    level = Level.WARNING
    needs = ("errors",)
    kinds = frozenset(CLASSES) | {"denied"}
    examples = (
        Example(
            "An overloaded service is told as the account's limit.",
            (session(), request(error=_OVERLOADED), says("Work is blocked: this account has hit its rate limit.")),
            (3,),
        ),
        Example(
            "A prompt that is too long is called a usage limit.",
            (
                session(),
                request(error=_TOO_LONG, id="r1"),
                block("quota", "harness", reason="You've reached your usage limit.", request_id="r1"),
            ),
            (3,),
        ),
        Example(
            "A rule denied it, the agent says that the person did.",
            (
                session(),
                asks("s1", command_id="c1", question="Run: git push"),
                reply("s1", "denied", "policy"),
                says("You rejected the command, so I stop here."),
            ),
            (4,),
        ),
        Example(
            "The cause is told as recorded.",
            (
                session(),
                request(error=_OVERLOADED),
                says("The API was overloaded (529), nothing to do with your plan."),
            ),
        ),
        Example(
            "The person did deny it.",
            (
                session(),
                asks("s1", command_id="c1", question="Run: git push"),
                reply("s1", "denied", "human"),
                says("You rejected the command, so I stop here."),
            ),
        ),
        Example(
            "The person said no in words.",
            (
                session(),
                asks("s1", command_id="c1", question="Run: git push"),
                reply("s1", "denied", "policy"),
                human("No, and do not try it again."),
                says("You declined the push, so I leave it."),
            ),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        if claim.kind == "denied":
            yield from self._denial(claim, ledger)
            return
        found = contrary_cause(claim, ledger)
        if found is None:
            return
        event, cause = found
        yield self.finding(
            f"{who(claim)} names {CAUSE_NAMES[CLASSES[claim.kind]]} as the cause{quoted(claim)}, but the record names "
            f"{CAUSE_NAMES[cause]}.",
            at=claim.event,
            because=(step(event, f"recorded cause: {CAUSE_NAMES[cause]}"), said(claim)),
            about=about(claim),
            confidence=confidence(claim),
        )

    def _denial(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        book = ledger.provider
        denials = [d for d in book.denials if book.ended - d.ended <= RECENT_COMMANDS]
        if not denials or any(d.by == "human" for d in denials) or denials[-1].by not in ("policy", "harness"):
            return
        last = denials[-1]
        spoken = ledger.people.said[-1] if ledger.people.said else None
        if spoken is not None and _after(spoken, last):
            return
        yield self.finding(
            f"The agent says that the person refused{quoted(claim)}, but a rule denied the call and no person did.",
            at=claim.event,
            because=(step(last.event, f"denied by {last.by}"), said(claim)),
            about=about(claim),
            confidence=confidence(claim),
        )


def _after(message: HumanMessage, denial: Denial) -> bool:
    """Whether a person wrote after a denial, so that the words may be meant."""
    return message.at.path == denial.event.at.path and message.at.line > denial.event.at.line

"""TL302: a quota is called used up while every meter is low, or the same model answers on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from transcript_lint import patterns as re
from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import Blocked, ProviderResponded
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import answered, cause_of
from transcript_lint.rule import Example
from transcript_lint.samples import block, command, request, says, session
from transcript_lint_rules.blocked.answers import answers_of, own_service
from transcript_lint_rules.blocked.base import (
    BlockRule,
    about,
    confidence,
    contrary_cause,
    quoted,
    said,
    step,
    until_told,
    who,
)

_ELSEWHERE = re.compile(
    r"(?:limit|quota)s?(?: has been| was| is)? (?:exceeded|reached|exhausted)|(?:exceeded|hit|reached) (?:\w+ ){0,4}"
    r"(?:limit|quota)|too many requests|(?:http|status|error)\D{0,12}429",
    re.I,
)
_LATER = "2026-03-02T12:00:00Z"
_OK: dict[str, Any] = {"finish_reason": "stop", "usage": {"input_tokens": 900, "output_tokens": 60}, "has_text": True}


def _metered(percent: float) -> dict[str, Any]:
    return {**_OK, "rate_limits": [{"name": "5h", "used_percent": percent, "resets_at": _LATER}]}


class QuotaBlockContradicted(BlockRule):
    """A quota, rate or usage limit is called used up, but the provider's own figures say otherwise.

    What it does
    ------------
    Takes every claim that a limit of the model's provider is used up. It reports when each meter of the session, read
    at most ten minutes before and resetting later, stands at 50 % or less (80 % where the text speaks of a plan or a
    usage quota). It reports an error when the log holds no rate or quota error within two minutes and the same model
    answers within one. Limits of another service give no claim. With neither meter nor answer it abstains.

    Why it matters
    --------------
    Work stops, people wait or pay, for a limit that was never reached.

    What clears it
    --------------
    A meter above the mark, a short burst that ends with a good retry, or a limit of another service.

    References
    ----------
    Reports in public: anthropics/claude-code#38064, openai/codex#28208, google-gemini/gemini-cli#19976.
    """

    id = "TL302"
    name = "quota-block-contradicted"
    family = "blocked"
    level = Level.WARNING
    needs = (("usage", "meters"),)
    kinds = frozenset({"quota", "rate"})
    errors = True
    examples = (
        Example(
            "The plan's limit is called used up at 12 % of the meter.",
            (session(), request(**_metered(12)), says("The usage limit of your plan is reached, so I stop here.")),
            (3,),
        ),
        Example(
            "No error is logged, and the same model answers a second later.",
            (session(), request(**_OK), block("quota", reason="model usage limit reached"), request(**_OK)),
            (3,),
            "error",
        ),
        Example(
            "The meter reads 96 %.",
            (
                session(),
                request(**_metered(96)),
                request(error={"type": "rate_limit_error", "http_status": 429}, id="r2"),
                block("quota", "harness", reason="plan usage limit reached", request_id="r2"),
            ),
        ),
        Example(
            "A burst: a real 429, then a retry that works.",
            (
                session(),
                request(error={"type": "rate_limit_error", "http_status": 429}, id="r1"),
                block("rate", "harness", request_id="r1"),
                request(**_OK),
            ),
        ),
        Example(
            "The limit is another service's.",
            (
                session(),
                request(**_metered(4)),
                command("gh pr list", "API rate limit exceeded", 1),
                says("GitHub's rate limit is exceeded, so I cannot list the requests now."),
            ),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        book, event = ledger.provider, claim.event
        linked = book.request(claim.refers_to)
        if contrary_cause(claim, ledger) or (linked is not None and answered(linked)):
            return  # the wrong cause is TL309, a block on an answered request TL303
        if claim.prose and not claim.plan and any(_ELSEWHERE.search(output) for output in book.outputs):
            yield self.abstain("a command's output speaks of a limit too: it may be another service's", at=event)
            return
        if isinstance(event, Blocked) and claim.who == "agent" and not own_service(claim):
            return
        last = linked or book.latest(event)
        refused = any(cause_of(request) == "limit" for request in book.errors_near(event)) or claim.who == "provider"
        meters = book.meters(event)
        mark = 80 if claim.plan else 50
        known = [(m, r) for m, r in meters if m.used_percent is not None]
        answers = answers_of(claim, last, ledger) if last is not None else None
        because = tuple(step(r, f"meter {m.name} at {m.used_percent:g} %") for m, r in known[-3:])
        if known:
            worst = max(m.used_percent for m, _ in known if m.used_percent is not None)
            if worst > mark:
                return
            finding = self.finding(
                f"{who(claim)} says that a limit is used up{quoted(claim)}, but no meter stood above {worst:g} %.",
                at=event,
                because=(*because, said(claim)),
                about=about(claim),
                confidence=confidence(claim),
            )
            if refused and claim.kind == "rate" and answers:
                yield self.pending(finding, cancel=answers, since=event.time, seconds=60, events=40)
            elif claim.who == "provider" and isinstance(event, ProviderResponded):
                yield self.pending(finding, cancel=until_told(claim), events=6)
            elif answers and not refused:
                worse = msgspec.structs.replace(finding, level=Level.ERROR)
                yield self.pending(finding, cancel=answers, instead=worse, since=event.time, seconds=60, events=40)
            else:
                yield finding
            return
        if refused or answers is None or not claim.ours:
            yield self.abstain("no meter was read before the claim that a limit is used up", at=event)
            return
        finding = self.finding(
            f"{who(claim)} says that a limit is used up{quoted(claim)}, but no request was refused and the same model "
            "answered within a minute.",
            at=event,
            because=(said(claim),),
            about=about(claim),
            level=Level.ERROR,
            confidence=confidence(claim),
        )
        yield self.pending(
            finding,
            confirm=answers,
            cancel=lambda later: isinstance(later, ProviderResponded) and cause_of(later) == "limit",
            since=event.time,
            seconds=60,
            events=40,
            report_on_expiry=False,
        )

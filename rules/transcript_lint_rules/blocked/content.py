"""TL303: called blocked or filtered, though the provider finished, or counted a success though it refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import Event, ProviderResponded, SessionEnded
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import answered
from transcript_lint.rule import Example, Outcomes
from transcript_lint.samples import block, end, request, session
from transcript_lint_rules.blocked.base import BlockRule, about, quoted, said, step, tokens, who

_OK: dict[str, Any] = {"finish_reason": "stop", "usage": {"input_tokens": 900, "output_tokens": 60}, "has_text": True}
_REFUSED: dict[str, Any] = {
    "finish_reason": "refusal",
    "usage": {"input_tokens": 80, "output_tokens": 0},
    "has_text": False,
}


class FilterBlockContradicted(BlockRule):
    """A request is called blocked, but the provider's record of that very request says that it was answered.

    What it does
    ------------
    Reports three contradictions: a prompt-side block beside billed output in one response; a block record linked by
    id to a request that finished with text or a tool call and without an error; and a session that ends as a success
    on a request the provider blocked or refused, with no good answer after it. Filters on the output side bill their
    tokens normally and give no finding.

    Why it matters
    --------------
    A finished answer is thrown away for a block that never was, or a refusal is counted as work done.

    What clears it
    --------------
    A later good answer, of the same model or of a fallback, before the session counts as a success.

    References
    ----------
    Reports in public: nrslib/takt#806, MoonshotAI/kimi-code#963, theopenco/llmgateway#2642 (billed refusals).
    """

    id = "TL303"
    name = "filter-block-contradicted"
    family = "blocked"
    level = Level.ERROR
    needs = ("usage",)
    kinds = frozenset({"content", "rate", "quota", "output_cap", "other"})
    examples = (
        Example(
            "The prompt is blocked, and output is billed in the same response.",
            (
                session(),
                request(block_reason="SAFETY", usage={"input_tokens": 210, "output_tokens": 88}, has_text=True),
            ),
            (2,),
            "error",
        ),
        Example(
            "The harness calls the very request blocked that finished with text.",
            (session(), request(id="r1", **_OK), block("content", "harness", reason="filter", request_id="r1")),
            (3,),
            "error",
        ),
        Example(
            "Refused, yet a success.", (session(), request(**_REFUSED), end(claim="The summary is written.")), (3,)
        ),
        Example("A later request answered.", (session(), request(**_REFUSED), request(**_OK), end(claim="Done."))),
        Example(
            "A prompt block bills the prompt only.",
            (session(), request(block_reason="SAFETY", usage={"input_tokens": 210, "output_tokens": 0})),
        ),
        Example(
            "An output-side filter bills what it cut.",
            (session(), request(finish_reason="content_filter", usage={"input_tokens": 31, "output_tokens": 22})),
        ),
        Example(
            "A guardrail masked a name and delivered the text.",
            (
                session(),
                request(
                    finish_reason="guardrail_intervened",
                    usage={"input_tokens": 40, "output_tokens": 26},
                    has_text=True,
                ),
                end(claim="The letter is ready."),
            ),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        linked = ledger.provider.request(claim.refers_to)
        if linked is None or claim.who == "provider" or not _finished(linked):
            return
        yield self.finding(
            f"{who(claim)} calls a request blocked{quoted(claim)} that the provider finished with "
            f"{linked.finish_reason or linked.finish}{_billed(linked)}.",
            at=claim.event,
            because=(step(linked, f"finished: {linked.finish_reason or linked.finish}"), said(claim)),
            about=about(claim),
        )

    def on_provider_responded(self, event: ProviderResponded, ledger: Ledger) -> Outcomes:
        if not event.block_reason or event.block_side == "output" or event.finish in ("content_filter", "refusal"):
            return
        if not (event.usage and event.usage.output):
            return
        yield self.finding(
            f"The provider blocked the prompt ({event.block_reason}), yet the same response bills "
            f"{tokens(event.usage.output)} output tokens.",
            at=event,
            about=f"prompt block {event.block_reason}",
        )

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes:
        if event.status != "success" or ledger.session.format.startswith("inspect"):
            return  # an evaluation that ran is a success whatever was refused in it
        refused = next((r for r in reversed(ledger.provider.requests) if _counts(r, event)), None)
        if refused is None or not _blocked(refused):
            return
        reason = refused.block_reason or refused.finish_reason or refused.finish
        claim = f" (“{event.claim[:100]}”)" if event.claim else ""
        yield self.finding(
            f"The session counts as a success{claim}, but the provider's last word was {reason} and no later request "
            "was answered.",
            at=event,
            because=(step(refused, f"the provider ends with {reason}"),),
            about=f"success after {reason}: {event.claim or ''}"[:240],
        )


def _finished(request: ProviderResponded) -> bool:
    return request.finish in ("stop", "tool") and not request.refusal and answered(request)


def _billed(request: ProviderResponded) -> str:
    made = request.usage.output if request.usage else None
    return "" if made is None else f" and {tokens(made)} output tokens"


def _counts(request: ProviderResponded, end: Event) -> bool:
    """Whether a request of the ended session says how it went."""
    same = request.session_id is None or end.session_id is None or request.session_id == end.session_id
    return same and request.agent == end.agent and (answered(request) or request.error is not None or _blocked(request))


def _blocked(request: ProviderResponded) -> bool:
    if request.finish == "content_filter" and request.has_text:
        return False  # masked and delivered
    return request.finish in ("content_filter", "refusal") or bool(request.block_reason)

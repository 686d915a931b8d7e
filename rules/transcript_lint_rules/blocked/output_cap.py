"""TL304: the stated end of an answer does not fit its length and the output cap."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import AgentText, CommandIssued, Event, ProviderResponded
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes
from transcript_lint.samples import request, says, session
from transcript_lint_rules.blocked.base import BlockRule, about, quoted, said, step, tokens, who
from transcript_lint_rules.blocked.cut import breaks_off


class OutputCapContradicted(BlockRule):
    """The finish reason says one thing about the output cap, the token counts say another.

    What it does
    ------------
    Reports a response that is said to have stopped for its length although it used less than half of the logged cap
    and the window was not nearly full; and one that is said to be finished although its output sits on the cap and
    breaks off in the middle of a sentence, of JSON, or of a tool call. Without a logged cap, counts or window it
    abstains.

    Why it matters
    --------------
    An answer that was cut is used as if it were whole, or a whole one is thrown away as cut.

    What clears it
    --------------
    A full window; hidden reasoning that used up the cap; a cap that was never logged (a server's default applies).

    References
    ----------
    Reports in public: vllm-project/vllm#58228, UKGovernmentBEIS/inspect_ai#5143, googleapis/python-genai#811.
    """

    id = "TL304"
    name = "output-cap-contradicted"
    family = "blocked"
    level = Level.WARNING
    needs = ("usage",)
    kinds = frozenset({"output_cap"})
    examples = (
        Example(
            "Stopped for length at 310 of 8,000 tokens.",
            (
                session(),
                request(
                    finish_reason="length",
                    max_output_tokens=8000,
                    context_window=200_000,
                    usage={"input_tokens": 1200, "output_tokens": 310},
                ),
            ),
            (2,),
        ),
        Example(
            "Called finished, yet it sits on the cap and breaks off.",
            (
                session(),
                request(finish_reason="stop", max_output_tokens=512, usage={"input_tokens": 9, "output_tokens": 512}),
                says("The remaining rows of the table are built by"),
            ),
            (2,),
        ),
        Example(
            "The window is full.",
            (
                session(),
                request(
                    finish_reason="length",
                    max_output_tokens=8000,
                    context_window=32_768,
                    usage={"input_tokens": 31_900, "output_tokens": 868},
                ),
            ),
        ),
        Example(
            "Hidden reasoning used up the cap.",
            (
                session(),
                request(
                    finish_reason="MAX_TOKENS",
                    max_output_tokens=1024,
                    context_window=1_000_000,
                    usage={"input_tokens": 90, "output_tokens": 1024, "reasoning_tokens": 1001},
                ),
            ),
        ),
        Example(
            "No cap is logged.",
            (session(), request(finish_reason="length", usage={"input_tokens": 9, "output_tokens": 16})),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        linked = ledger.provider.request(claim.refers_to)
        if linked is None or linked.finish == "length" or _short(linked, ledger) is not True:
            return
        yield self.finding(
            f"{who(claim)} says that the output cap was reached{quoted(claim)}, but {_figures(linked)}.",
            at=claim.event,
            because=(step(linked, _figures(linked)), said(claim)),
            about=about(claim),
        )

    def on_provider_responded(self, event: ProviderResponded, ledger: Ledger) -> Outcomes:
        if event.finish == "length":
            short = _short(event, ledger)
            if short is None:
                yield self.abstain("no cap, counts or window of a response that stopped for its length", at=event)
            elif short:
                yield self.finding(
                    f"The response is said to have stopped for its length, but {_figures(event)}.",
                    at=event,
                    about=f"length of {event.model}: {_figures(event)}",
                )
        elif event.finish in ("stop", "tool") and event.cap and event.usage and (event.usage.output or 0) >= event.cap:
            yield from self._on_the_cap(event, ledger)

    def _on_the_cap(self, event: ProviderResponded, ledger: Ledger) -> Iterable[Outcome]:
        finding = self.finding(
            f"The response is called finished ({event.finish_reason}), but {_figures(event)} and it breaks off.",
            at=event,
            about=f"{event.finish} of {event.model}: {_figures(event)}",
            confidence=Confidence.HIGH if event.text_tail else Confidence.MEDIUM,
        )
        before = ledger.provider.last_text
        text = event.text_tail
        if text is None and before is not None and event.request_id and before.request_id == event.request_id:
            text = before.text
        if text is not None:
            if breaks_off(text):
                yield finding
        elif event.finish == "stop":
            yield self.pending(finding, confirm=_text(True), cancel=_text(False), events=3, report_on_expiry=False)
        elif not any(call.call_id in event.tool_call_ids and _whole(call) for call in ledger.provider.calls):
            yield self.pending(finding, confirm=_text(True), cancel=_whole_call(event), events=12)


def _text(cut: bool) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, AgentText) and breaks_off(event.text) is cut


def _whole(call: CommandIssued) -> bool:
    return bool(call.command or call.argv or isinstance(call.arguments, dict))


def _whole_call(response: ProviderResponded) -> Callable[[Event], bool]:
    return lambda e: isinstance(e, CommandIssued) and e.call_id in response.tool_call_ids and _whole(e)


def _short(event: ProviderResponded, ledger: Ledger) -> bool | None:
    """Whether an answer is far shorter than its cap and the window; None when a figure is missing."""
    usage, window = event.usage, ledger.provider.window(event)
    if event.cap is None or usage is None or usage.output is None or usage.input is None or window is None:
        return None
    made = max(usage.output, usage.reasoning or 0)
    return made < 0.5 * event.cap and usage.input + made < 0.9 * window


def _figures(event: ProviderResponded) -> str:
    made = event.usage.output if event.usage else None
    return f"it used {tokens(made or 0)} of {tokens(event.cap or 0)} output tokens"

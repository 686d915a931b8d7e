"""TL307: counted as a success, and nothing was delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.events import (
    AgentText,
    CommandEnded,
    CommandIssued,
    EndKind,
    Event,
    HumanMessage,
    ProviderResponded,
    SessionEnded,
)
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.acts import act_of
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import end, request, session
from transcript_lint_rules.blocked.base import step, tokens

_AGENT_TOOL = re.compile(r"^(?:task|agent|sub_?agent|spawn_agent|delegate\w*|dispatch_agent|new_task)$", re.I)
_DIED = re.compile(
    r"^\s*(?:api error: ?\d{3}\b\s*(?:$|[{(·\n]|overloaded|internal|service)|prompt is too long\s*(?:$|\n|[.·])|"
    r"request timed out|you've hit your (?:session|usage) limit|error: ?(?:429|5\d\d)\b|overloaded\s*(?:$|\n|[.·]))",
    re.I,
)


class EmptySuccess(Rule):
    """A request or a sub-agent counts as done, and nothing came of it.

    What it does
    ------------
    Reports an error when a request finished normally with every count present and zero and without content, and a
    warning when tokens were billed, nothing was delivered, and the session counts as a success all the same; also
    when a sub-agent is recorded as completed and its whole answer is the provider's error.

    Why it matters
    --------------
    A dead login or a lost answer passes for a finished step, and can overwrite good results.

    What clears it
    --------------
    Counts that are not recorded are not zero; an answer from a cache, a refusal, a tool call or reasoning is content;
    a later request that delivered.

    References
    ----------
    Reports in public: earendil-works/pi#8462, anomalyco/opencode#41898, experientiallabs/experiential#954.
    """

    id = "TL307"
    name = "empty-success"
    family = "blocked"
    level = Level.WARNING
    needs = ("usage",)
    examples = (
        Example(
            "A success with every count zero and no content.",
            (
                session(),
                request(finish_reason="stop", usage={"input_tokens": 0, "output_tokens": 0}, has_text=False),
                end(),
            ),
            (2,),
            "error",
        ),
        Example(
            "Billed, empty, and counted as done.",
            (
                session(),
                request(finish_reason="stop", usage={"input_tokens": 33, "output_tokens": 126}, has_text=False),
                end(),
            ),
            (2,),
            "warning",
        ),
        Example(
            "Counts that are not recorded.",
            (session(), request(finish_reason="stop", usage=None, has_text=False), end(claim="Done.")),
        ),
        Example(
            "Served from a cache.",
            (
                session(),
                request(
                    finish_reason="stop",
                    usage={"input_tokens": 0, "output_tokens": 0},
                    has_text=True,
                    cached_response=True,
                ),
                end(claim="Done."),
            ),
        ),
        Example(
            "A refusal is content.",
            (
                session(),
                request(
                    finish_reason="stop",
                    usage={"input_tokens": 65, "output_tokens": 13},
                    has_text=False,
                    refusal="I cannot help with that.",
                ),
                end("failure"),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._sub_agents: dict[str, CommandIssued] = {}
        self._delivered = False

    def on_provider_responded(self, event: ProviderResponded, ledger: Ledger) -> Outcomes:
        usage = event.usage
        if event.finish not in ("stop", None) or not _nothing_delivered(event) or usage is None:
            return
        if usage.input is None or usage.output is None:
            yield self.abstain("an empty answer without token counts", at=event)
            return
        if event.finish == "stop" and not usage.input and not usage.output:
            yield self.finding(
                "The request finished as a success, with every token count zero and no content.",
                at=event,
                about=f"empty success of {event.model}, all counts zero",
                level=Level.ERROR,
            )
            return
        if usage.reasoning is not None and usage.output and usage.reasoning >= usage.output:
            return
        yield self.pending(
            self.finding(
                f"{tokens(usage.input + usage.output)} tokens were billed and nothing was delivered, yet the session "
                "counts as a success.",
                at=event,
                about=f"billed but empty answer of {event.model}",
            ),
            confirm=_counts_as_done(self._delivered),
            cancel=_goes_on,
            report_on_expiry=False,
        )

    def on_human_message(self, event: HumanMessage, ledger: Ledger) -> None:
        self._delivered = False

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> None:
        self._delivered = self._delivered or (event.where != "closing" and bool(event.text.strip()))

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes:
        usage = event.usage
        if event.status != "success" or (event.claim or "").strip() or usage is None or ledger.provider.count:
            return
        if usage.input == 0 and usage.output == 0 and not self._delivered:
            yield self.finding(
                "The session counts as a success, with every token count zero and no result.",
                at=event,
                about="empty session, all counts zero",
                level=Level.ERROR,
            )

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Outcomes | None:
        self._delivered = self._delivered or not act_of(event, ledger.settings).idle
        if _AGENT_TOOL.match(event.tool):
            self._sub_agents[event.call_id] = event
            if len(self._sub_agents) > 64:
                del self._sub_agents[next(iter(self._sub_agents))]
        return None

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes:
        call = self._sub_agents.get(event.call_id)
        return () if call is None else self._sub_agent(event, call)

    def _sub_agent(self, event: CommandEnded, call: CommandIssued) -> Iterable[Outcome]:
        end = event.termination
        reported_done = end.kind in (EndKind.OK, EndKind.UNKNOWN) or end.contradiction is not None
        died = _DIED.match(event.stdout[:400])
        if not reported_done or died is None:
            return
        yield self.finding(
            f"The sub-agent is recorded as completed, but its whole answer is the provider's error "
            f"(“{' '.join(event.stdout[:80].split())}”).",
            at=event,
            because=(step(call, f"{call.tool} starts a sub-agent"),),
            about=f"sub-agent died: {died[0].strip().lower()}",
        )


def _nothing_delivered(event: ProviderResponded) -> bool:
    """Whether the record says so: no text, no call, no refusal, no error, not from a cache."""
    if event.has_text is not False or event.tool_call_ids or event.refusal or event.error is not None:
        return False
    return not event.cached_response and not event.block_reason and not event.model.startswith("<")


def _counts_as_done(delivered: bool) -> Callable[[Event], bool]:
    """True for an end that counts as a success; one that names a result only where nothing was delivered before."""
    return lambda e: (
        isinstance(e, SessionEnded) and e.status == "success" and not (delivered and (e.claim or "").strip())
    )


def _goes_on(event: Event) -> bool:
    """Whether something was delivered after all, or the session went on."""
    if isinstance(event, AgentText):
        return event.where != "closing" and bool(event.text.strip())
    return isinstance(event, CommandIssued | HumanMessage | ProviderResponded)

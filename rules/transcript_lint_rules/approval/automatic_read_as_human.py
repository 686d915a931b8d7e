"""TL405: a timer, a default or a policy chose, and the agent says that a person did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.claims.approval import Kind
from transcript_lint.events import AgentText, Step
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import Standing, cut
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import asks, reply, says, session
from transcript_lint_rules.approval.support import outcome, spoken_of, told


class AutomaticReadAsHuman(Rule):
    """An automatic answer is told as a person's choice.

    What it does
    ------------
    Reports sentences that attribute a choice or an approval to a person when the gate they speak of was answered by
    itself: by auto mode, a timer, a default or a policy.

    Why it matters
    --------------
    Nobody looked at it. Who reads the report believes that somebody did.

    What clears it
    --------------
    A person's own answer or message; naming the answer as automatic.

    References
    ----------
    anthropics/claude-code#87179
    """

    id = "TL405"
    name = "automatic-approval-read-as-human"
    family = "approval"
    level = Level.WARNING
    needs = ("approvals answered",)

    examples = (
        Example(
            "the timer picked the first option",
            (
                session(),
                asks("q1", question="Drop the drafts?", options=["Drop (Recommended)", "Keep"], timeout_ms=30000),
                reply("q1", "auto", "harness", text="Drop (Recommended)", latency_ms=30000),
                says("You selected Drop, continuing with that."),
            ),
            reports=(4,),
        ),
        Example(
            "named as automatic",
            (
                session(approval_policy="auto"),
                asks("q1", question="Approve the plan?", options=["approve", "reject"]),
                reply("q1", "auto", "policy", latency_ms=0),
                says("The plan was auto-approved and not reviewed by you, so I stop here."),
            ),
        ),
        Example(
            "a person chose",
            (
                session(),
                asks("q1", question="Drop the drafts?", options=["Drop (Recommended)", "Keep"], timeout_ms=30000),
                reply("q1", "answered", "human", text="Keep", latency_ms=17000),
                says("You selected Keep, continuing with that."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._said: set[tuple[str, str]] = set()

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Iterator[Outcome]:
        if told(event, Kind.AUTOMATIC):
            return
        for saying in told(event, Kind.YES):
            ask = spoken_of(saying, event, ledger)
            if ask is None or ask.standing is not Standing.AUTOMATIC or (ask.slot, saying.text) in self._said:
                continue
            self._said.add((ask.slot, saying.text))
            message = (
                f"{cut(saying.text)} names a person, but {cut(ask.question)} was not answered by one: {outcome(ask)}."
            )
            yield self.finding(
                message,
                at=event,
                because=(*ask.chain, Step(event.at, f"the agent says: {cut(saying.text)}", event.time)),
                about=f"{ask.question}|{saying.text}",
            )
            return

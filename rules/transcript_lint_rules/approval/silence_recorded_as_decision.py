"""TL409: a time-out is stored or told as a person's decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.claims.approval import Kind
from transcript_lint.events import AgentText, ApprovalAnswered, Step
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import Standing, cut
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import asks, reply, says, session
from transcript_lint_rules.approval.support import outcome, spoken_of, tells_of_no, told


class SilenceRecordedAsDecision(Rule):
    """Silence stands in the record as a person's refusal or choice.

    What it does
    ------------
    Notes an answer by a person without a word, given exactly when the time was up, and sentences like "you declined",
    or "you chose to leave it", about a gate that nobody answered.

    Why it matters
    --------------
    Silence is neither a yes nor a no. A refusal that never was stops work nobody wanted stopped.

    What clears it
    --------------
    A real no; a time-out that is stored as what it is, even where it counts as a denial.

    References
    ----------
    use-agent-os/agent-os#1564
    """

    id = "TL409"
    name = "silence-recorded-as-decision"
    family = "approval"
    level = Level.NOTE
    needs = ("approvals answered",)

    examples = (
        Example(
            "stored as a person's no at the very second the time was up",
            (
                session(),
                asks("g1", question="Run it?", timeout_ms=15000, at="2026-03-02T09:00:00Z"),
                reply("g1", "denied", "human", at="2026-03-02T09:00:15Z"),
            ),
            reports=(3,),
        ),
        Example(
            "told as a refusal",
            (
                session(),
                asks("g1", question="Restart the bridge?", timeout_ms=300000, on_timeout="deny"),
                reply("g1", "timeout", "harness", user_consent=False, latency_ms=300000),
                says("You denied the restart, so I left the bridge alone."),
            ),
            reports=(4,),
        ),
        Example(
            "a person said no",
            (
                session(),
                asks("g1", question="Restart the bridge?", timeout_ms=300000, on_timeout="deny"),
                reply("g1", "denied", "human", text="no", latency_ms=11000),
                says("You denied the restart, so I left the bridge alone."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._noted: set[str] = set()

    def on_approval_answered(self, event: ApprovalAnswered, ledger: Ledger) -> Iterator[Outcome]:
        ask = ledger.asks.slots.get(event.slot_id)
        if ask is None or not ask.decided_at_limit or ask.slot in self._noted:
            return
        self._noted.add(ask.slot)
        message = (
            f"{cut(ask.question)} is stored as {event.outcome} by a person, without a word and exactly when its time "
            f"was up."
        )
        yield self.finding(message, at=event, because=ask.chain, about=ask.question)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Iterator[Outcome]:
        for saying in told(event, Kind.NO, Kind.YES):
            ask = spoken_of(saying, event, ledger)
            if ask is None or ask.standing is not Standing.SILENT or ask.slot in self._noted:
                continue
            if saying.kind is Kind.YES and not tells_of_no(saying, ask):
                continue
            self._noted.add(ask.slot)
            message = f"{cut(saying.text)} tells of a person's no, but to {cut(ask.question)} {outcome(ask)}."
            yield self.finding(
                message,
                at=event,
                because=(*ask.chain, Step(event.at, f"the agent says: {cut(saying.text)}", event.time)),
                about=f"{ask.question}|{saying.text}",
            )
            return

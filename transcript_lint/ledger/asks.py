"""Gates that wait for a person, and what closed them."""

from __future__ import annotations

from transcript_lint.events import ApprovalAnswered, ApprovalAsked
from transcript_lint.ledger.runs import RunBook


class Ask:
    """One gate: what was asked, and the answers that came (none while it is open)."""

    def __init__(self, asked: ApprovalAsked) -> None:
        self.asked = asked
        self.answers: list[ApprovalAnswered] = []


class AskBook:
    """Every gate of the chain by its slot id."""

    def __init__(self, runs: RunBook) -> None:
        self.runs = runs
        self.slots: dict[str, Ask] = {}

    def on_approval_asked(self, event: ApprovalAsked) -> None:
        self.slots[event.slot_id] = Ask(event)

    def on_approval_answered(self, event: ApprovalAnswered) -> None:
        if ask := self.slots.get(event.slot_id):
            ask.answers.append(event)

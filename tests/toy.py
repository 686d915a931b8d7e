"""Two toy rules and logs for them, so that what stands around the rules can be tried without ours."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from transcript_lint import registry, samples
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, Step
from transcript_lint.finding import Confidence, Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule


class SaysFault(Rule):
    """The agent says FAULT.

    What it does: reports every text that holds the word.

    Why it matters: it is a toy.

    What clears it: another word.

    References: none.
    """

    id = "XX101"
    name = "fault-said"
    family = "toy"
    level = Level.ERROR
    former = ("XX009", "fault-spoken")
    options = {"word": "FAULT", "least": 1}
    examples: ClassVar[tuple[Example, ...]] = (
        Example("said", (samples.session(), samples.says("FAULT")), reports=(2,)),
        Example("not said", (samples.session(), samples.says("fine"))),
    )

    def __init__(self, options=None) -> None:
        super().__init__(options)
        self.steps: list[Step] = []

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Outcomes:
        self.steps.append(Step(event.at, f"ran {event.command}", event.time))
        return ()

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes:
        if event.termination.kind == "unknown":
            yield self.abstain("no end is recorded", at=event)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        if "CRASH" in event.text:
            raise ZeroDivisionError("a bug")
        if self.option["word"] in event.text:
            message = f"The agent said: {event.text}"
            yield self.finding(message, at=event.at.field("/text"), because=self.steps, about=event.text)


class Mutters(Rule):
    """The agent mutters."""

    id = "XX102"
    name = "mutter"
    family = "toy"
    level = Level.NOTE
    confidence = Confidence.LOW

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        if "mutter" in event.text:
            yield self.finding("The agent mutters.", at=event, about=event.text)


class Draft(Rule):
    """A rule in preview."""

    id = "XX201"
    name = "draft"
    family = "other"
    level = Level.WARNING
    preview = True


RULES = (SaysFault, Mutters, Draft)


def install(monkeypatch) -> None:
    """Let the toy rules stand for all rules."""
    monkeypatch.setattr(registry, "rules", lambda: RULES)


def log(folder: Path, name: str, *records) -> Path:
    """Write a native log with a session head."""
    file = folder / name
    file.write_bytes(samples.write([samples.session(), *records]))
    return file

"""TL110."""

from collections.abc import Mapping
from typing import Any

from transcript_lint.claims import Claim
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, Step
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.evidence.delegation import Delegated, Delegations
from transcript_lint.finding import Finding, Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import Record, command, human, says
from transcript_lint.samples import ended as ends
from transcript_lint.wording import short
from transcript_lint_rules.termination.base import WAYS, where


def handed(tool: str, id: str) -> Record:
    """For the examples: a call that hands work over; `ends` closes it."""
    return {"v": 1, "event": "command_started", "command_id": id, "tool": tool, "arguments": {"task": "do it"}}


REPORT = "Profile clerk created and verified working."


class DelegatedClaimContradicted(Rule):
    """A sub-agent's success is repeated although its own record speaks against it.

    What it does
    ------------
    Follows work that is handed to another agent. When the agent that asked repeats the report's success, it is
    reported if none of the sub-agent's runs ended ok, if it used no tool at all, or if it stopped at its turn limit or
    died of a provider error.

    Why it matters
    --------------
    A report looks like evidence to whoever receives it. The sub-agent's own commands are the evidence.

    What clears it
    --------------
    A run of the sub-agent that ended ok, a look of one's own after the report, or saying that it was not checked.
    Where the log shows nothing of what the sub-agent did, nothing is reported.

    References
    ----------
    Public reports of delegates whose status was completed while every entry of their trace was an error.
    """

    id = "TL110"
    name = "delegated-claim-contradicted"
    family = "termination"
    level = Level.WARNING
    needs = ("command ends",)
    examples = (
        Example(
            "every run of the sub-agent failed",
            (
                human("create the profile"),
                handed("delegate", "d"),
                command("bot profile create clerk", exit=1, agent="sub-1"),
                ends("d", out=REPORT),
                says("The clerk profile is created and verified."),
            ),
            (5,),
        ),
        Example(
            "it used no tool",
            (
                human("apply the migration"),
                handed("Task", "t"),
                ends("t", out="The migration was applied.", also={"tool_uses": 0}),
                says("The migration was applied on the copy."),
            ),
            (4,),
        ),
        Example(
            "innocent: its last run ended ok",
            (
                human("create the profile"),
                handed("delegate", "d"),
                command("bot profile create clerk", exit=1, agent="sub-1"),
                command("bot profile create clerk", id="again", agent="sub-1"),
                ends("d", out=REPORT),
                says("The clerk profile is created and verified."),
            ),
        ),
        Example(
            "innocent: looked at again",
            (
                human("apply the migration"),
                handed("Task", "t"),
                ends("t", out="The migration was applied.", also={"tool_uses": 0}),
                command("python manage.py migrate", out="Applying ledger.0042... OK"),
                says("The migration was applied on the copy."),
            ),
        ),
        Example(
            "innocent: told as not checked",
            (
                human("apply the migration"),
                handed("Task", "t"),
                ends("t", out="The migration was applied.", also={"tool_uses": 0}),
                says("The sub-agent reports that the migration was applied; I have not verified it."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._delegations = Delegations()
        self._passed_on: AgentText | None = None

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> None:
        if (run := ledger.runs.get(event.call_id)) is not None:
            self._delegations.issued(event, run)

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        self._delegations.ended(event, ledger)

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        taken = evidence.fault is not None and not (evidence.fault is Fault.UNRUN and evidence.doubt)
        if claim.admits or claim.admits_later or (taken and claim.strength == "strong"):
            return
        if claim.event is self._passed_on:
            return
        found = self._delegations.repeated(claim, evidence, ledger)
        if found is not None:
            yield self._finding(claim.text, claim.event, where(claim), found)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        found = self._delegations.word_for_word(event, ledger)
        self._passed_on = event if found is not None else None
        if found is not None:
            yield self._finding(found[0].raw, event, WAYS.get(event.where, ""), found[1])

    def _finding(self, text: str, event: AgentText, way: str, found: Delegated) -> Finding:
        return self.finding(
            f"'{short(text)}'{way} repeats the report of '{found.run.tool}', but {found.why}.",
            at=event,
            because=(found.run.issued, *found.steps, Step(event.at, f"claimed: {short(text, 100)}", event.time)),
            about=text,
        )

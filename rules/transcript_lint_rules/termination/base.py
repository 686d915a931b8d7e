"""What the claim rules of this family share."""

from transcript_lint.claims import Claim
from transcript_lint.events import CommandIssued, Event, HumanMessage, Step
from transcript_lint.evidence import Evidence
from transcript_lint.finding import Finding, Outcome
from transcript_lint.rule import Rule
from transcript_lint.wording import short


def told(claim: Claim) -> str:
    """The claim in quotation marks, cut."""
    return f"'{short(claim.text)}'"


def chain(claim: Claim, evidence: Evidence) -> tuple[Step, ...]:
    """The run's records, then the claim."""
    return (*evidence.chain, Step(claim.at, f"claimed: {short(claim.text, 100)}", claim.event.time))


WAYS = {
    "commit": " in a commit message",
    "pull_request": " in a pull request",
    "message": " in a message",
    "closing": " at the end",
}


def settled(rule: Rule, claim: Claim, finding: Finding) -> Outcome:
    """A finding on loose words waits until the agent has said its last: if it goes on working, it was no report."""
    if claim.strength != "loose" or claim.event.where != "prose":
        return finding

    def works_on(event: Event) -> bool:
        return isinstance(event, CommandIssued) and event.agent == claim.event.agent

    return rule.pending(finding, cancel=works_on, confirm=lambda event: isinstance(event, HumanMessage))


def where(claim: Claim) -> str:
    """Where the claim was published, as words to follow it."""
    return WAYS.get(claim.event.where, "")

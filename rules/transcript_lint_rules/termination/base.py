"""What the claim rules of this family share."""

from transcript_lint.claims import Claim
from transcript_lint.events import Step
from transcript_lint.evidence import Evidence
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


def where(claim: Claim) -> str:
    """Where the claim was published, as words to follow it."""
    return WAYS.get(claim.event.where, "")

"""TL103."""

from transcript_lint.claims import Claim
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, ended, human, says, started
from transcript_lint_rules.termination.base import chain, settled, told, where


class SuccessClaimedOnUnreadRun(Rule):
    """A success is claimed of a run that was still going, or whose output nobody had read.

    What it does
    ------------
    Reports a claim about a run that was last seen running or in the background. When a notification told that it
    ended and only its output was never read, it is a warning: the claim then rests on that notification alone.

    Why it matters
    --------------
    The result did not exist yet, or nobody had seen it, when it was announced.

    What clears it
    --------------
    Polling the run to its end and reading what it printed. A command that prints nothing and of which only the exit
    is cited is fine.

    References
    ----------
    Commands that are moved to the background at their time limit without the word "timeout" anywhere.
    """

    id = "TL103"
    name = "success-claimed-on-unread-run"
    family = "termination"
    level = Level.ERROR
    needs = ("background ends",)
    examples = (
        Example(
            "still running",
            (human("test"), started("pytest", id="t"), ended("t", kind="running"), says("All tests pass.")),
            (4,),
        ),
        Example(
            "innocent: polled to its end",
            (
                human("test"),
                started("pytest", id="t"),
                ended("t", kind="running"),
                ended("t", out="9 passed"),
                says("All tests pass."),
            ),
        ),
        Example(
            "innocent: it says that it still runs",
            (human("test"), command("pytest", kind="running"), says("The tests are still running.")),
        ),
    )

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        run, stage = evidence.run, evidence.stage
        if run is None or stage is None or evidence.tentative:
            return
        if evidence.fault is Fault.UNREAD:
            message = f"{told(claim)}{where(claim)} speaks of '{run.name}', but {stage.why} when this was said."
            finding = self.finding(message, at=claim.at, because=chain(claim, evidence), about=claim.text)
            yield settled(self, claim, finding)
        elif evidence.fault is Fault.NOTIFIED:
            message = (
                f"{told(claim)}{where(claim)} rests on a notification alone: the output of '{run.name}' was never read."
            )
            yield self.finding(
                message, at=claim.at, because=chain(claim, evidence), about=claim.text, level=Level.WARNING
            )

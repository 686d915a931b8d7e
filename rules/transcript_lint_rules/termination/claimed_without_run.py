"""TL106."""

from transcript_lint.claims import Claim
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.finding import Confidence, Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says, session
from transcript_lint_rules.termination.base import chain, told, where


class SuccessClaimedWithoutRun(Rule):
    """A test, build or check is claimed to have passed, and no such run stands in the log.

    What it does
    ------------
    Reports a strong claim about tests, a build, lint, types or a deployment when the whole history is in sight and
    nothing in it could be that run. Confidence is low while any command of unknown kind ran before it.
    Reports likewise a count of passed tests above what the run printed, when every test run's output was wholly seen
    and the count stands nowhere in the log and is no sum, multiple or difference of counts that do.

    Why it matters
    --------------
    A result without a run is invented, or taken over from somewhere the reader cannot see.

    What clears it
    --------------
    The run. Plans, hopes and conditions are no claims; what a person or a summary said is theirs; a log that begins in
    the middle of a session, or that was compacted, cannot be checked and counts as such.

    References
    ----------
    Public reports of agents that report green suites they never started.
    """

    id = "TL106"
    name = "success-claimed-without-run"
    family = "termination"
    level = Level.WARNING
    needs = ("human vs injected",)
    examples = (
        Example(
            "never ran",
            (session(), human("fix it"), command("sed -i s/a/b/ x.py"), says("Fixed. All tests pass.")),
            (4,),
        ),
        Example(
            "more tests than any run counted",
            (session(), human("go"), command("pytest -q", out="141 passed in 3.1s"), says("All 148 tests pass.")),
            (4,),
        ),
        Example(
            "more tests than either run counted",
            (
                session(),
                human("los"),
                command("npx vitest run", out="Tests  64 passed (64)"),
                command("npx vitest run", out="Tests  66 passed (66)", id="again"),
                says("83/83 Tests bestanden."),
            ),
            (5,),
        ),
        Example(
            "innocent: the sum of two suites",
            (
                session(),
                human("go"),
                command("pytest unit", out="141 passed in 3.1s"),
                command("pytest e2e", out="7 passed in 30s"),
                says("148 tests pass."),
            ),
        ),
        Example(
            "innocent: only the end of the output was shown",
            (
                session(),
                human("go"),
                command("cargo test | tail -3", out="test result: ok. 41 passed; 0 failed"),
                says("All 148 tests pass."),
            ),
        ),
        Example(
            "innocent: told as rough",
            (session(), human("go"), command("pytest -q", out="141 passed in 3s"), says("About 150 tests pass.")),
        ),
        Example(
            "innocent: it ran", (session(), human("fix it"), command("pytest", out="3 passed"), says("All tests pass."))
        ),
        Example("innocent: a plan", (session(), human("fix it"), command("ls"), says("Then all tests will pass."))),
        Example(
            "innocent: the person said so", (session(), human("the tests pass"), says("You said the tests pass, good."))
        ),
        Example(
            "innocent: the log begins in the middle",
            (session(continued_from="s0"), human("go"), says("All tests pass.")),
        ),
    )

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        if evidence.fault is Fault.UNRUN:
            unsure = f"; {evidence.doubt}" if evidence.doubt else ""
            yield self.finding(
                f"{told(claim)}{where(claim)} is claimed, but no such run stands in this log{unsure}.",
                at=claim.at,
                about=claim.text,
                confidence=Confidence.LOW if evidence.doubt else Confidence.MEDIUM,
            )
        elif evidence.fault is Fault.MISCOUNTED and evidence.run is not None:
            yield self.finding(
                f"{told(claim)}{where(claim)} counts {claim.passed}, which no run in this log printed; "
                f"of '{evidence.run.name}' {evidence.why}.",
                at=claim.at,
                because=chain(claim, evidence),
                about=claim.text,
            )
        elif evidence.why == "part of the history is out of sight":
            yield self.abstain(evidence.why, at=claim.at)

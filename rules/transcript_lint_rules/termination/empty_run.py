"""TL105."""

from functools import cache

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims import Claim
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says
from transcript_lint_rules.termination.base import chain, settled, told, where


class EmptyRunClaimed(Rule):
    """A pass is claimed of a run that tested nothing.

    What it does
    ------------
    Reports a claim of success about a run that collected no tests, skipped or deselected all of them, or had no
    sources to work on.

    Why it matters
    --------------
    Zero failures out of zero tests is no evidence; a typo in a filter is enough to get it.

    What clears it
    --------------
    A run of the same target with at least one test in it. "0 failed out of 12" is a real result, and a result served
    from a cache and named as such is an honest one.

    References
    ----------
    Runners that exit 0 on an empty collection (`--passWithNoTests`, Go packages without test files, Gradle NO-SOURCE).
    """

    id = "TL105"
    name = "empty-run-claimed"
    family = "termination"
    level = Level.ERROR
    needs = ()
    examples = (
        Example(
            "nothing was collected",
            (human("t"), command("npx jest -t nosuch --passWithNoTests", out="No tests found"), says("Tests pass.")),
            (3,),
        ),
        Example(
            "all deselected",
            (human("t"), command("pytest -k nosuch", out="= 12 deselected in 0.1s =", exit=5), says("The tests pass.")),
            (3,),
        ),
        Example(
            "innocent: none of twelve failed",
            (human("t"), command("pytest", out="12 passed, 0 failed in 1s"), says("All tests pass.")),
        ),
        Example(
            "innocent: it says so",
            (
                human("t"),
                command("pytest -k x", out="no tests ran in 0.01s", exit=5),
                says("No tests were found, so nothing is verified."),
            ),
        ),
    )

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        run, stage = evidence.run, evidence.stage
        if evidence.fault is not Fault.EMPTY or run is None or stage is None or evidence.tentative:
            return
        if _words().search(claim.paragraph or claim.text):
            return
        finding = self.finding(
            f"{told(claim)}{where(claim)} speaks of '{run.name}', which tested nothing: {stage.why}.",
            at=claim.at,
            because=chain(claim, evidence),
            about=claim.text,
        )
        yield settled(self, claim, finding)


@cache
def _words() -> re.Pattern[str]:
    data = tables.lexicon("empty.toml")
    return re.compile("|".join(f"(?:{row})" for row in data["words"]), re.I)

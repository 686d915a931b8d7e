"""TL104."""

from transcript_lint.claims import Claim
from transcript_lint.events import CommandEnded
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Verdict
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says
from transcript_lint_rules.termination.base import chain, settled, told, where


class MaskedExitStatus(Rule):
    """The exit status of a line says nothing of the command in it, and the output shows a failure.

    What it does
    ------------
    Notes a run with a good status that belongs to something else (`| tail` without pipefail, `; echo`, `|| true`,
    `EXIT=$?` after a pipe) while its output holds a failure. A success claimed on it is an error.

    Why it matters
    --------------
    `pytest | tail` ends with the status of tail. Nearly all failing suites that are recorded as exit 0 in real logs
    end in such a pipe.

    What clears it
    --------------
    `set -o pipefail`, a look at `PIPESTATUS`, or the tool's own closing line in the output. `&&` and redirections mask
    nothing.

    References
    ----------
    POSIX: the exit status of a pipeline is that of its last command.
    """

    id = "TL104"
    name = "masked-exit-status"
    family = "termination"
    level = Level.NOTE
    needs = ("command ends",)
    examples = (
        Example(
            "a failing suite behind tail",
            (human("t"), command("pytest | tail -5", out="2 failed, 10 passed in 1s")),
            (2,),
        ),
        Example(
            "and claimed as passing",
            (human("t"), command("pytest | tail -5", out="2 failed, 10 passed in 1s"), says("All tests pass.")),
            (2, 3),
        ),
        Example(
            "one package of many that failed, its end cut away",
            (
                human("t"),
                command(
                    "go test ./... | head -9",
                    out="--- FAIL: TestPay (0.6s)\nFAIL\tshop/pay\t0.7s\nok  \tshop/tax\t0.2s",
                ),
            ),
            (2,),
        ),
        Example(
            "a script that ends well and prints another status",
            (
                human("t"),
                command("./replay.sh october", out="panic: balance mismatch\nREPLAY_EXIT=2"),
                says("The October replay finished successfully."),
            ),
            (2, 3),
        ),
        Example(
            "innocent: a status that the line itself asks for, and that answers a question",
            (human("t"), command("git merge-base --is-ancestor a b; echo exit=$?", out="exit=1")),
        ),
        Example(
            "innocent: each package that ran is ok",
            (
                human("t"),
                command("go test ./... | head -9", out="ok  \tshop/pay\t(cached)\nok  \tshop/tax\t0.2s"),
                says("All tests pass."),
            ),
        ),
        Example(
            "innocent: the tool's own line says passed",
            (human("t"), command("pytest | tail -5", out="12 passed in 1s"), says("All tests pass.")),
        ),
        Example(
            "innocent: pipefail", (human("t"), command("set -o pipefail; pytest | tail -5", out="12 passed in 1s"))
        ),
        Example(
            "innocent: a word in a log that is only looked at",
            (human("t"), command("cat run.log | tail -5", out="ERROR: x")),
        ),
    )

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes:
        run = ledger.runs.get(event.call_id)
        if run is None or run.termination is None or not run.termination.succeeded:
            return
        for stage in run.stages:
            if stage.masked and stage.verdict is Verdict.FAILED:
                yield self.finding(
                    f"The good status of '{run.name}' is not that of its command: {stage.why}.",
                    at=event,
                    because=run.chain,
                    about=run.name,
                )
                return

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        run, stage = evidence.run, evidence.stage
        if evidence.fault is not Fault.MASKED or run is None or stage is None or evidence.tentative:
            return
        finding = self.finding(
            f"{told(claim)}{where(claim)} rests on '{run.name}', "
            f"whose good status is not that of its command: {stage.why}.",
            at=claim.at,
            because=chain(claim, evidence),
            about=claim.text,
            level=Level.ERROR,
        )
        yield settled(self, claim, finding)

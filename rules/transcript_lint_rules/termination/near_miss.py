"""TL101."""

from transcript_lint.events import CommandEnded, EndKind
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human
from transcript_lint.wording import short


class SuccessMarkerInFailedRun(Rule):
    """The output of a killed run holds words that look like success.

    What it does
    ------------
    Notes a run that ended by time-out, signal or interrupt and whose output nevertheless shows success markers: "OK",
    "passed", "Apply complete". Nothing has been claimed yet. It feeds the metric `timeout_with_success_marker`.

    Why it matters
    --------------
    This is what a compaction turns into "tests passed": eighty lines of PASS, then SIGTERM, and the signal is the
    part that gets lost.

    What clears it
    --------------
    Running the same target again to an ok end. Plain progress lines ("started", "step 3") and counts of zero
    ("0 failed") are no success markers.

    References
    ----------
    Public reports of partial sweeps and batches that came back from a summary as results.
    """

    id = "TL101"
    name = "success-marker-in-failed-run"
    family = "termination"
    level = Level.NOTE
    needs = ("command ends",)
    examples = (
        Example(
            "killed after some cases passed",
            (human("test"), command("pytest", out="test_a PASSED\ntest_b PASSED\n", kind="timeout", exit=124)),
            (2,),
        ),
        Example(
            "innocent: progress only",
            (human("test"), command("pytest", out="collecting\nstep 1 started\n0 failed\n", kind="timeout", exit=124)),
        ),
        Example(
            "innocent: it came to its own end", (human("test"), command("pytest", out="3 passed, 1 failed", exit=1))
        ),
    )

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes:
        run = ledger.runs.get(event.call_id)
        if run is None or run.termination is None or run.termination.kind is EndKind.RUNNING:
            return
        if run.termination.killed and run.success and run.must_rerun:
            yield self.finding(
                f"'{run.name}' {run.termination.describe()}, "
                f"yet its output shows success: '{short(run.success[0], 60)}'.",
                at=event,
                because=run.chain,
                about=run.name,
            )

"""TL203: a summary calls a success what had failed or never ended."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import Compacted, Step
from transcript_lint.evidence.carried import Turn
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, session
from transcript_lint_rules.compaction.support import quoted, retold, turned_facts


class FailurePromotedInSummary(Rule):
    """A compaction summary claims success for a run that had failed, was killed or had not ended at the boundary.

    What it does
    ------------
    Takes the claims of success out of the summary, in nine languages, joins each to the run it speaks of and reports
    those whose run was must-rerun, or still going on, when the context was cut. In a structured replacement it reads
    the notes of a run that must be run again: no word of success may stand there.

    Why it matters
    --------------
    arXiv 2607.13071 and the report it grew from (anthropics/claude-code#76584) follow one such sentence: a process is
    killed at its time limit, what it had printed until then enters the summary as a confirmed result, and later
    sessions, other models among them, pass it on as ground truth. Nothing after the boundary can tell it from a fact.

    What clears it
    --------------
    A later run of the same target ended ok before the boundary; the sentence, or another of the summary that is about
    that run, tells the failure, the kill or the missing end. Claims about another suite, a failing test that was
    wanted, quoted code and the person's own words are no promotions.

    References
    ----------
    arXiv 2607.13071; anthropics/claude-code#76584
    """

    id = "TL203"
    name = "failure-promoted-in-summary"
    family = "compaction"
    level = Level.ERROR
    needs = ("compaction summary", "command ends")

    examples = (
        Example(
            "a killed suite has passed",
            (
                session(),
                command("go test ./...", "ok  \tinternal/cache\t0.3s", kind="timeout"),
                compaction("Verification: all packages pass `go test ./...`."),
            ),
            reports=(3,),
        ),
        Example(
            "a failed build, told in Chinese",
            (
                session(),
                command("pnpm build", "error during build: cannot resolve import", exit=1),
                compaction("State of the work: 前端构建已完成并通过。"),
            ),
            reports=(3,),
        ),
        Example(
            "a word of success in the notes",
            (
                session(),
                command("pytest", "3 failed, 9 passed in 2s", exit=1, id="c1"),
                compaction(
                    carried_terminations=[
                        {
                            "command_id": "c1",
                            "must_rerun": True,
                            "termination": {"kind": "nonzero_exit", "exit_code": 1},
                            "notes": "All tests passed and were verified.",
                        }
                    ]
                ),
            ),
            reports=(3,),
        ),
        Example(
            "the failure is kept",
            (
                session(),
                command("go test ./...", "ok  \tinternal/cache\t0.3s", kind="timeout"),
                compaction("`go test ./...` was killed before it ended; it must be run again."),
            ),
        ),
        Example(
            "fixed before the boundary",
            (
                session(),
                command("pytest", "1 failed in 2s", exit=1),
                command("pytest", "9 passed in 2s", id="again"),
                compaction("Errors: one test failed on a missing fixture, fixed.\nAll tests pass now."),
            ),
        ),
        Example(
            "two suites, one of them failing on purpose",
            (
                session(),
                command("pytest tests/unit", "40 passed in 2s"),
                command("pytest tests/spec", "1 failed in 2s", exit=1),
                compaction(
                    "- The unit tests pass.\n- `pytest tests/spec` fails as wanted: the feature is not written yet."
                ),
            ),
        ),
    )

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        for failed, fact, step in turned_facts(event, ledger, Turn.PROMOTED):
            message = f"'{failed.name}' must be run again, and after the compaction {fact.now}."
            yield self.finding(message, at=event, because=(*failed.chain, step), about=failed.line.text or failed.tool)
        if (found := retold(event, ledger)) is None:
            return
        boundary, retelling = found
        for promotion in retelling.promoted:
            run, claim = promotion.evidence.run, promotion.claim
            if run is None:
                continue
            why = promotion.evidence.why or (run.termination.describe() if run.termination else "it never ended")
            told = Step(boundary.at, f"the summary says {quoted(claim.text)}", event.time)
            message = (
                f"The summary says {quoted(claim.text)}, but '{run.name}' had not succeeded at the boundary: {why}."
            )
            yield self.finding(
                message,
                at=boundary.at,
                because=(*run.chain, boundary.step, told),
                about=f"{run.line.text} | {claim.text}",
            )

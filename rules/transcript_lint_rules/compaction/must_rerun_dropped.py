"""TL205: a compaction takes the mark off a run that must be run again."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import Compacted
from transcript_lint.evidence.carried import Turn
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, session
from transcript_lint_rules.compaction.support import turned_facts

_FAILED = {"command_id": "c1", "termination": {"kind": "nonzero_exit", "exit_code": 1}}


class MustRerunDropped(Rule):
    """A structured compaction takes the must-rerun mark off a run that nothing has cleared.

    What it does
    ------------
    Compares by call id: the run was must-rerun at the boundary and the replacement says `must_rerun` false, calls its
    status succeeded, or leaves out a mark that its record had stated.

    Why it matters
    --------------
    The mark is what `gate` and the next session go by. Without it an open failure lets a release pass. That a run was
    killed had been known in anthropics/claude-code#76584 too, and arXiv 2607.13071 follows what came of it: once the
    summary held the output and not the duty to run it again, no later session had any reason to.

    What clears it
    --------------
    A run of the same target ended ok before the boundary, or the mark is carried over.

    References
    ----------
    arXiv 2607.13071; anthropics/claude-code#76584. `transcript-lint guard` stops it before it is written.
    """

    id = "TL205"
    name = "must-rerun-dropped"
    family = "compaction"
    level = Level.ERROR
    needs = ("compaction summary", "command ends")

    examples = (
        Example(
            "true became false",
            (
                session(),
                command("make lint", "3 problems", exit=1, id="c1", must_rerun=True),
                compaction(carried_terminations=[{**_FAILED, "must_rerun": False}]),
            ),
            reports=(3,),
        ),
        Example(
            "the mark is missing",
            (
                session(),
                command("make lint", "3 problems", exit=1, id="c1", must_rerun=True),
                compaction(carried_terminations=[_FAILED]),
            ),
            reports=(3,),
        ),
        Example(
            "succeeded beside must-rerun",
            (
                session(),
                command("make lint", "3 problems", exit=1, id="c1"),
                compaction(carried_terminations=[{**_FAILED, "must_rerun": True, "status": "succeeded"}]),
            ),
            reports=(3,),
        ),
        Example(
            "the mark is kept",
            (
                session(),
                command("make lint", "3 problems", exit=1, id="c1", must_rerun=True),
                compaction(carried_terminations=[{**_FAILED, "must_rerun": True, "status": "failed_or_incomplete"}]),
            ),
        ),
        Example(
            "cleared by a run",
            (
                session(),
                command("make lint", "3 problems", exit=1, id="c1", must_rerun=True),
                command("make lint", "clean", id="c2"),
                compaction(carried_terminations=[{**_FAILED, "must_rerun": False}]),
            ),
        ),
    )

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        for run, fact, step in turned_facts(event, ledger, Turn.DROPPED):
            message = f"'{run.name}' must be run again, and after the compaction its record has {fact.now}."
            yield self.finding(message, at=event, because=(*run.chain, step), about=run.line.text or run.tool)

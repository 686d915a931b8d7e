"""TL201: a compaction keeps a command and drops how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import Compacted, Step
from transcript_lint.evidence.carried import Turn
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.open_facts import end_of
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, says, session
from transcript_lint_rules.compaction.support import UNREADABLE, quoted, retold, turned_facts, unreadable


class TerminationLost(Rule):
    """A compaction keeps a command and drops that it failed or was killed.

    What it does
    ------------
    Compares every run that had to be run again at the boundary with what replaced the context. In a structured
    replacement it is an error when the record of the same call id has no exit, signal, time-out or failure mark left.
    In prose it is a warning when a sentence says that the command was run, or quotes its output, and nothing in the
    summary says how it ended. Open facts that the summary passes over in silence (failures, denials, unanswered
    questions, calls in flight) are notes of low confidence.

    Why it matters
    --------------
    Whoever reads on knows only the summary. Output without an end reads like a result, and the re-run that was due
    is never made.

    What clears it
    --------------
    The end is kept, by its mark or in words ("it was stopped at its time limit"); no exit code need be named. A run
    of the same target ended ok before the boundary. What is encrypted or empty cannot be checked and is counted so.

    References
    ----------
    NousResearch/hermes-agent#112710 and #82814, where a compressed result lost its failure; Zoo-Code-Org/Zoo-Code#1323,
    where an interrupted call came back without its error mark. arXiv 2606.22528 shows the same for rules: with every
    round of summaries more of them are gone.
    """

    id = "TL201"
    name = "termination-lost"
    family = "compaction"
    level = Level.ERROR
    needs = ("compaction summary", "command ends")

    examples = (
        Example(
            "a stub without the failure",
            (
                session(),
                command("terraform plan", "Error: state lock", exit=1, id="c1"),
                compaction(
                    carried_terminations=[{"command_id": "c1", "notes": "[bash] ran terraform plan (41 lines)"}]
                ),
            ),
            reports=(3,),
            level="error",
        ),
        Example(
            "the output is quoted, the kill is not told",
            (
                session(),
                command("cargo test --workspace", "test codec::roundtrip ... ok", kind="timeout"),
                compaction("State: `cargo test --workspace` was run; its output began with `codec::roundtrip`."),
            ),
            reports=(3,),
            level="warning",
        ),
        Example(
            "told in words",
            (
                session(),
                command("cargo test --workspace", "test codec::roundtrip ... ok", kind="timeout"),
                compaction(
                    "`cargo test --workspace` was run but stopped at its time limit, so there is no result yet."
                ),
            ),
        ),
        Example(
            "the stub keeps the failure in words",
            (
                session(),
                command("terraform plan", "Error: state lock", exit=1, id="c1"),
                compaction(carried_terminations=[{"command_id": "c1", "notes": "[bash] terraform plan FAILED"}]),
            ),
        ),
        Example(
            "run again before the boundary",
            (
                session(),
                command("make docs", "broken anchor", exit=2),
                command("make docs", "ok", id="again"),
                compaction("`make docs` was run after the last edit."),
            ),
        ),
        Example(
            "a command is only listed, its failure told elsewhere",
            (
                session(),
                command("npm run check", "2 errors", exit=1),
                compaction(
                    "Commands:\n- `npm run check` - formatting and types\n\nPending: the check fails with 2 errors."
                ),
                says("I look at the two errors."),
            ),
        ),
    )

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        if unreadable(event):
            yield self.abstain(UNREADABLE, at=event)
            return
        for run, fact, step in turned_facts(event, ledger, Turn.LOST):
            message = f"The compaction keeps '{run.name}' and drops that it {end_of(run)}: {fact.now} is left."
            yield self.finding(message, at=event, because=(*run.chain, step), about=run.line.text or run.tool)
        if (found := retold(event, ledger)) is None:
            return
        boundary, retelling = found
        for lost in retelling.lost:
            told = Step(boundary.at, f"the summary says {quoted(lost.statement.raw)}", event.time)
            message = f"The summary says that '{lost.run.name}' was run and not that it {end_of(lost.run)}."
            yield self.finding(
                message, at=boundary.at, because=(*lost.run.chain, boundary.step, told), about=lost.run.line.text,
                level=Level.WARNING, confidence=Confidence.MEDIUM,
            )  # fmt: skip
        for silent in retelling.silent:
            yield self.finding(
                f"The summary does not say that {silent.words}.", at=boundary.at, about=silent.words,
                because=(*silent.chain, boundary.step), level=Level.NOTE, confidence=Confidence.LOW,
            )  # fmt: skip

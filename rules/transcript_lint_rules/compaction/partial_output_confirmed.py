"""TL204: figures that only an unfinished run showed stand in the summary as results."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import Compacted, Step
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.open_facts import end_of
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, session
from transcript_lint_rules.compaction.support import quoted, retold


class PartialOutputConfirmed(Rule):
    """Figures that only a killed or unfinished run had printed stand in the summary as results.

    What it does
    ------------
    Looks up the numbers of the summary's sentences in the output of every run that was killed, timed out or was still
    going on at the boundary. It reports a sentence whose figures no run that ended ok, and no person, had named.

    Why it matters
    --------------
    What stood on the screen when a process died is not what it would have written in the end: sums are unfinished and
    nothing may have been stored. arXiv 2607.13071 calls it taking what was observed for what persists.

    What clears it
    --------------
    The entry says that the figures are partial or that the run was cut and must be run again; a later run that ended
    ok shows the same figures.

    References
    ----------
    arXiv 2607.13071; anthropics/claude-code#76584
    """

    id = "TL204"
    name = "partial-output-confirmed"
    family = "compaction"
    level = Level.ERROR
    needs = ("compaction summary", "command ends")

    examples = (
        Example(
            "a score from before the kill",
            (
                session(),
                command("python train.py --small", "epoch 3/12 val_auc=0.812", kind="timeout"),
                compaction("Validation AUC reached 0.812 on the September split."),
            ),
            reports=(3,),
        ),
        Example(
            "counts of a job that was killed",
            (
                session(),
                command("./census --all", "scanned 3143 repos\nstale branches: 117", kind="signal"),
                compaction("Census: 3,143 repositories with 117 stale branches."),
            ),
            reports=(3,),
        ),
        Example(
            "told as partial",
            (
                session(),
                command("python train.py --small", "epoch 3/12 val_auc=0.812", kind="timeout"),
                compaction("Validation AUC stood at 0.812 when the run was killed; it must be run again."),
            ),
        ),
        Example(
            "the finished run shows the same figure",
            (
                session(),
                command("./census --all", "scanned 3143 repos", kind="timeout"),
                command("./census --all", "scanned 3143 repos\ndone", id="again"),
                compaction("Census: 3,143 repositories."),
            ),
        ),
        Example(
            "a number of the edit, not of the run",
            (
                session(),
                command("python train.py --small", "epoch 3/12 val_auc=0.812 seed 1234", kind="timeout"),
                compaction("Key files:\n- `rank.yaml`: seed 1234\n\nThe training run was cut off and has no result."),
            ),
        ),
    )

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        if (found := retold(event, ledger)) is None:
            return
        boundary, retelling = found
        for partial in retelling.partial:
            run, sentence = partial.run, partial.statement.raw
            figures = ", ".join(partial.values[:4])
            told = Step(boundary.at, f"the summary says {quoted(sentence)}", event.time)
            message = (
                f"The summary gives {figures} as results, and only '{run.name}', which {end_of(run)}, had printed them."
            )
            yield self.finding(
                message, at=boundary.at, because=(*run.chain, boundary.step, told), about=f"{run.line.text} | {figures}"
            )

"""TL207: the summary lists as pending what was done already."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import Compacted, Step
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, session, tool_call
from transcript_lint_rules.compaction.support import quoted, retold


class StateRegressedInSummary(Rule):
    """The summary lists as still to be done an outward act that had already ended ok.

    What it does
    ------------
    Looks for commands that push, deploy, publish, migrate, send or pay, ended ok, and stand in the summary among what
    is pending, with nothing edited or committed since.

    Why it matters
    --------------
    Whoever continues may do it twice: a second mail, a second payment, a second release. In anomalyco/opencode#50816 a
    summary called work active that had been committed and pushed most of a day before; the agent told its user so
    again and again, and the hand-over to the next session kept it.

    What clears it
    --------------
    The summary tells it as done, or work was added after it that calls for doing it again.

    References
    ----------
    anomalyco/opencode#50816 and #28063, where done steps stay among the next ones; openai/codex#38931, where finished
    parts of a plan were opened again after each compaction
    """

    id = "TL207"
    name = "state-regressed-in-summary"
    family = "compaction"
    level = Level.NOTE
    confidence = Confidence.MEDIUM
    needs = ("compaction summary", "command ends")

    examples = (
        Example(
            "published, and pending all the same",
            (
                session(),
                command("npm publish", "+ widget@2.1.0"),
                compaction("Done: the changelog.\nPending: run `npm publish`"),
            ),
            reports=(3,),
        ),
        Example(
            "told as done",
            (
                session(),
                command("npm publish", "+ widget@2.1.0"),
                compaction("Done: `npm publish` went through.\nPending: announce it."),
            ),
        ),
        Example(
            "new work to push",
            (
                session(),
                command("git push origin main", "a1..b2 main -> main"),
                tool_call("Edit", {"file_path": "a.py"}, id="e1"),
                compaction("Pending: run `git push origin main`"),
            ),
        ),
        Example(
            "it had failed, so it is pending indeed",
            (
                session(),
                command("npm publish", "E403 forbidden", exit=1),
                compaction("Pending: run `npm publish`, the last try was rejected"),
            ),
        ),
    )

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        if (found := retold(event, ledger)) is None:
            return
        boundary, retelling = found
        for regressed in retelling.regressed:
            run = regressed.run
            told = Step(boundary.at, f"the summary says {quoted(regressed.statement.raw)}", event.time)
            message = f"The summary lists '{run.name}' as still to be done, but it had already ended ok."
            yield self.finding(message, at=boundary.at, because=(*run.chain, boundary.step, told), about=run.line.text)

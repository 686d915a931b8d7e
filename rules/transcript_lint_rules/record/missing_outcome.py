"""TL002."""

from transcript_lint.commandline import INERT
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, compaction, human, says, started


class MissingOutcome(Rule):
    """A command was started and the log holds no outcome of it at all.

    What it does
    ------------
    At the end of the session, reports each command for which no result, no status and no notification was ever
    recorded although the session went on after it.

    Why it matters
    --------------
    Nobody can say how it ended, so nothing that was said about it afterwards can be checked.

    What clears it
    --------------
    Any record of its end, in a later poll or notification too. The last action of a session may simply still have been
    running, and a sub-agent's own file may hold what its parent's lacks: both are left alone.

    References
    ----------
    Automatic compactions that cut a call from its result, and crashes of the agent while a tool ran.
    """

    id = "TL002"
    name = "missing-outcome"
    family = "record"
    level = Level.NOTE
    needs = ()
    examples = (
        Example(
            "the session goes on without the result",
            (human("run it"), started("make all", id="a"), says("Next."), command("ls"), says("All there.")),
            (2,),
        ),
        Example(
            "a look that a compaction cut from its result",
            (
                human("find it"),
                started("grep -rn x src", id="a"),
                compaction("Looked for x."),
                says("Found."),
                command("ls"),
            ),
            (2,),
        ),
        Example(
            "innocent: a look without a result",
            (human("find it"), started("grep -rn x src", id="a"), says("Next."), command("ls"), says("All there.")),
        ),
        Example("innocent: the last action of the session", (human("run it"), started("make all", id="a"))),
    )

    def on_finish(self, ledger: Ledger) -> Outcomes:
        flights = list(ledger.runs.in_flight())
        for run in reversed(flights):
            if not ledger.runs.went_on_after(run) or run.agent != "main":
                continue
            # What only looks leaves nothing open, unless a compaction cut its result off: then that is lost.
            looks = run.shell and all(p.kind in INERT for p in run.line.parts)
            if looks and run.boundary == ledger.runs.boundary:
                continue
            yield self.finding(
                f"No outcome of '{run.name}' is recorded anywhere in the session.",
                at=run.issued.at,
                because=(run.issued,),
                about=run.name,
            )

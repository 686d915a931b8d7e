"""TL108."""

from transcript_lint.events import AgentText, Step
from transcript_lint.evidence.partial import restated
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says
from transcript_lint.wording import short

CENSUS = "scanned 3809 repos\nstale branches: 131\norphan checkpoints: 4809"


class PartialOutputUsedAsResult(Rule):
    """Figures that only a cut run printed are stated as results.

    What it does
    ------------
    Looks for numbers and ids in the agent's prose that stand in the output of a run that was killed, timed out or
    broke off, and nowhere else: in no run that ended ok and in no person's words. The sentence must share a word with
    that output, or hold several of its figures.

    Why it matters
    --------------
    A count printed half-way is not the count. In a table it looks like any other result.

    What clears it
    --------------
    A run that ends ok and shows the same figures, or a word beside them that they are partial, from before the kill or
    to be run again. A sentence that is already reported as a false claim is not reported twice.

    References
    ----------
    Public reports of half-finished sweeps and evaluations that were written up as results.
    """

    id = "TL108"
    name = "partial-output-used-as-result"
    family = "termination"
    level = Level.WARNING
    needs = ("command ends",)
    examples = (
        Example(
            "a census that was killed",
            (
                human("count them"),
                command("go run ./tools/census", out=CENSUS, kind="signal", exit=137),
                says("Census: 3809 repos, 131 stale branches and 4809 orphan checkpoints."),
            ),
            (3,),
        ),
        Example(
            "one figure with its label, another notation",
            (
                human("wie gut?"),
                command("python eval.py", out="accuracy=0.731", kind="timeout", exit=124),
                says("Die Accuracy liegt bei 0,731."),
            ),
            (3,),
        ),
        Example(
            "innocent: told as partial",
            (
                human("count them"),
                command("go run ./tools/census", out=CENSUS, kind="signal", exit=137),
                says("The census was killed; up to then it had seen 3809 repos and 4809 orphan checkpoints."),
            ),
        ),
        Example(
            "innocent: a later run that ended ok shows the same",
            (
                human("count them"),
                command("go run ./tools/census", out=CENSUS, kind="signal", exit=137),
                command("go run ./tools/census", out=CENSUS, id="again"),
                says("Census: 3809 repos, 131 stale branches and 4809 orphan checkpoints."),
            ),
        ),
        Example(
            "innocent: a failing check came to its own end",
            (
                human("test"),
                command("ruff check .", out="Found 1480 errors.", exit=1),
                says("The linter counts 1480 places to look at."),
            ),
        ),
        Example(
            "innocent: a number that every log holds",
            (
                human("serve"),
                command("python app.py", out="listening on port 8080, 2026 edition", kind="timeout", exit=124),
                says("The app listens on port 8080."),
            ),
        ),
    )

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        if event.where == "task_state":
            return
        for found in restated(event, ledger):
            end = found.run.termination
            how = end.describe() if end is not None else "did not end ok"
            figures = ", ".join(found.figures[:4])
            yield self.finding(
                f"'{short(found.sentence)}' states {figures}, which only '{found.run.name}' showed, "
                f"and that run {how} and was not run again to an ok end.",
                at=event,
                because=(*found.run.chain, Step(event.at, f"stated: {short(found.sentence, 100)}", event.time)),
                about=found.sentence,
            )

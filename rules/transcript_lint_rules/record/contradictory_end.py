"""TL003."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from transcript_lint.claims import Claim
from transcript_lint.claims.failures import states_failure
from transcript_lint.commandline import INERT
from transcript_lint.events import CommandEnded, SessionEnded
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.verdicts import CONTRARY
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, ended, human, says, started
from transcript_lint.wording import short


class ContradictoryTermination(Rule):
    """Two recorded facts about the end of one command disagree.

    What it does
    ------------
    Reports a signal or a time-out beside exit 0 or "ok", a status of success beside a non-zero exit code, and a
    notification of a good end beside an exit status that the command itself printed as bad. It is an error where a
    claim of success or a closing status rests on that end.

    Why it matters
    --------------
    One of the two facts is false. Whoever reads only the friendly one merges what never ran to its end.

    What clears it
    --------------
    A later run of the same target that ended ok. The word "Killed" as data, or a `timeout` inside a loop that expects
    it, is no second record. What a format always writes, whatever the exit code, is no contradiction either.

    References
    ----------
    Harnesses that store a null exit of a killed process as 0, and background notifications that say "completed
    (exit code 0)" for a shell whose inner command printed EXIT=1.
    """

    id = "TL003"
    name = "contradictory-termination"
    family = "record"
    level = Level.NOTE
    needs = ("command ends",)
    examples = (
        Example(
            "killed by a signal and exit 0",
            (human("run it"), command("make sweep", exit=0, end={"signal": "SIGKILL"})),
            (2,),
            level="note",
        ),
        Example(
            "a claim rests on it",
            (
                human("run it"),
                command("make test", out="12 passed", exit=0, end={"timed_out": True}),
                says("All tests pass."),
            ),
            (2, 3),
        ),
        Example(
            "a notification says ok, a later record that it failed",
            (
                human("build it"),
                started("make build", id="b"),
                ended("b", exit=0),
                ended("b", exit=2),
                says("The build succeeded."),
            ),
            (4, 5),
        ),
        Example(
            "innocent: the word as data", (human("grep"), command("grep -rn Killed log.txt", out="log.txt:3: Killed"))
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._told: set[str] = set()

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes:
        run = ledger.runs.get(event.call_id)
        if run is None or run.call_id in self._told:
            return
        why = run.contradiction or _in_band(run)
        if why:
            self._told.add(run.call_id)
            yield self.finding(
                f"The end of '{run.name}' is told in two ways: {why}.", at=event, because=run.chain, about=run.name
            )

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes:
        if event.status != "success":
            return
        last = next((run for run in ledger.runs.latest() if run.stages), None)
        if last is not None and last.contradiction and last.must_rerun:
            yield self.finding(
                f"The session is closed as a success on '{last.name}', "
                f"whose end is told in two ways: {last.contradiction}.",
                at=event,
                because=last.chain,
                about=last.name,
                level=Level.ERROR,
            )

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        run = evidence.run if evidence.fault is Fault.TWO_ENDS else None
        if evidence.run is None and evidence.fault is None and not states_failure(claim.event.text):
            run = _only_run(claim, ledger)
        if run is not None and run.contradiction:
            yield self.finding(
                f"'{short(claim.text)}' rests on '{run.name}', whose end is told in two ways: {run.contradiction}.",
                at=claim.at,
                because=run.chain,
                about=claim.text,
                level=Level.ERROR,
            )


def _only_run(claim: Claim, ledger: Ledger) -> Run | None:
    """The one command of this turn that does anything, which a success without a name of its own must rest on."""
    here = takewhile(lambda run: run.turn == ledger.session.turn, ledger.runs.latest())
    acting = [r for r in here if r.shell and any(p.kind not in INERT for p in r.line.parts)]
    alone = len(acting) == 1 and acting[0].must_rerun and acting[0].agent == claim.event.agent
    return acting[0] if alone and claim.strength != "loose" else None


def _in_band(run: Run) -> str | None:
    """A good recorded end over a bad status that the command itself printed."""
    if run.termination is None or not run.termination.succeeded:
        return None
    for stage in run.stages:
        if stage.part.echoes_status and stage.verdict in CONTRARY and not stage.part.expects_failure and run.background:
            return f"the record says it {run.termination.describe()}, but {stage.why}"
    return None

"""TL502: the line that decides was cut away, and a verdict is given all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.claims import Claim, Subject
from transcript_lint.commandline import INERT
from transcript_lint.events import CommandEnded, CommandIssued, Step
from transcript_lint.evidence import Evidence
from transcript_lint.finding import Confidence, Finding, Level
from transcript_lint.ledger import Ledger, Run
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, says, session
from transcript_lint_rules.feedback.windows import DECIDED_BY_A_LINE, STORED, TALLIED, missing_line

MOST_OPEN = 256


class DecidingLineCut(Rule):
    """The line that decides a run was cut away, and a verdict on that run is given.

    What it does
    ------------
    Looks at runs whose output was cut in the middle, or shown through `head`, `tail` or `grep`, so that neither a
    result line of the tool nor a word of success is left behind the cut, or only an empty target is. It reports a
    success claim that rests on such a run. Without a claim it is a note of low confidence, for runs of tests, linters
    and type checkers. A full output that was stored and opened later is no cut.

    Why it matters
    --------------
    A summary line stands at the end. What is before it looks much the same in a run that failed.

    What clears it
    --------------
    The result line stands in what is shown, the stored output is read, or the run is repeated with a window that
    keeps its end.

    References
    ----------
    `transcript-lint run` always keeps the last lines.
    """

    id = "TL502"
    name = "deciding-line-cut"
    family = "feedback"
    level = Level.WARNING
    needs = ()
    examples = (
        Example(
            "the summary is in the part that was cut",
            (
                session(),
                command("npm test", "PASS src/a.test.ts\n... [18421 characters truncated] ...\nTime: 41 s"),
                says("All tests pass."),
            ),
            reports=(3,),
        ),
        Example(
            "the head of the output only",
            (
                session(),
                command("pytest 2>&1 | head -3", "starting\nplatform linux\nrootdir: /w"),
                says("The tests pass."),
            ),
            reports=(3,),
        ),
        Example(
            "cut, but the result line is kept",
            (
                session(),
                command(
                    "npm test", "PASS src/a.test.ts\n... [18421 characters truncated] ...\nTests: 402 passed, 402 total"
                ),
                says("All tests pass."),
            ),
        ),
        Example(
            "nothing was cut",
            (session(), command("npm test", "Tests: 402 passed, 402 total"), says("All tests pass.")),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._cut: dict[str, tuple[Run, Step]] = {}
        self._stored: dict[str, str] = {}

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> None:
        if self._stored:
            looked_at = f"{event.command or ''} {event.argv or ''} {event.arguments or ''}"
            for path in [p for p in self._stored if p in looked_at]:
                self._cut.pop(self._stored.pop(path), None)

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        run = ledger.runs.get(event.call_id)
        if run is None or not event.termination.succeeded:
            return
        if not any(stage.part.kind in DECIDED_BY_A_LINE for stage in run.stages):
            return
        how = missing_line(run, event)
        if how is None:
            self._cut.pop(event.call_id, None)
            return
        if len(self._cut) >= MOST_OPEN:
            self._cut.pop(next(iter(self._cut)))
        self._cut[event.call_id] = (run, Step(event.at, how, event.time))
        if stored := STORED.search(event.stdout):
            self._stored[stored["path"]] = event.call_id

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Iterator[Finding]:
        run = evidence.run or _nearest(ledger, claim)
        if run is None or claim.polarity != "success" or claim.attributed is not None:
            return
        if claim.admits and claim.scope != "all":
            return  # who says that all of it passed owns up to something else
        if run.call_id in self._cut:
            _, step = self._cut.pop(run.call_id)
            yield self.finding(
                f"It is said that '{claim.text.strip()}', but {step.what}, so '{run.name}' does not show it.",
                at=claim.at,
                because=(run.issued, step),
                about=f"{run.line.text} | {claim.text}",
                confidence=Confidence.HIGH if evidence.run is not None else Confidence.MEDIUM,
            )

    def on_finish(self, ledger: Ledger) -> Iterator[Finding]:
        for run, step in self._cut.values():
            if any(stage.part.kind in TALLIED for stage in run.stages):
                yield self.finding(
                    f"The result line of '{run.name}' is not in what was shown: {step.what}.",
                    at=step.at,
                    because=(run.issued,),
                    about=f"{run.line.text} | shown",
                    level=Level.NOTE,
                    confidence=Confidence.LOW,
                )


def _nearest(ledger: Ledger, claim: Claim) -> Run | None:
    """The last run before a claim that names none, if it is of the same turn."""
    if claim.strength != "strong" or claim.subject is Subject.WORK:
        return None
    runs = (run for run in ledger.runs.latest() if run.stages and run.stages[-1].part.kind not in INERT)
    run = next(runs, None)
    return run if run is not None and run.turn == ledger.runs.turn else None

"""TL501: no exit was recorded, and the work went on as if it had been a success."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from transcript_lint.claims import Claim
from transcript_lint.commandline import INERT, VERIFYING, CommandLine, Kind, covers
from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Event, SessionEnded
from transcript_lint.evidence import Evidence
from transcript_lint.finding import Finding, Level, Outcome, Pending
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.acts import OUTWARD
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, end, says, session

_LOST: dict[str, Any] = {"kind": "unknown", "error": "output pipe closed", "must_rerun": True}
_STAYS = INERT | VERIFYING | {Kind.INSTALL, Kind.SERVE}


class NullExitAdvanced(Rule):
    """No exit code was recorded for a run, and the work went on as if it had succeeded.

    What it does
    ------------
    Takes records that say themselves that no end was captured (an exit code of null beside an error, or beside
    must-rerun). It reports the first outward act after it, any other further command if the run is never repeated, a
    success claim that rests on it, or a session that is called a success on top of it. Looking around, checking
    something else and installing what is missing are no progress.

    Why it matters
    --------------
    Null is not zero. No exit, no progress: what was not captured may have failed.

    What clears it
    --------------
    The same target is run again and ends ok, or the work stops there and says so.

    References
    ----------
    The runner's own contract: `require_feedback` refuses to advance.
    """

    id = "TL501"
    name = "null-exit-advanced"
    family = "feedback"
    level = Level.ERROR
    needs = ("command ends",)
    examples = (
        Example("pushed all the same", (session(), command("pytest", **_LOST), command("git push")), reports=(3,)),
        Example(
            "built upon, never repeated",
            (session(), command("python fit.py", **_LOST), says("Next."), command("python register.py --stage live")),
            reports=(4,),
        ),
        Example("called a success", (session(), command("make check", **_LOST), end("success")), reports=(3,)),
        Example(
            "run again first",
            (session(), command("pytest", **_LOST), command("pytest", "9 passed in 1s", id="two"), command("git push")),
        ),
        Example("it stops", (session(), command("pytest", **_LOST), end("blocked", "The runner lost the output."))),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._open: dict[str, Run] = {}

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        run = ledger.runs.get(event.call_id)
        if run is None:
            return
        if event.termination.succeeded:
            self._open = {id: lost for id, lost in self._open.items() if not _repeats(run.line, lost.line)}
        elif run.shell and _says_lost(event):
            self._open[event.call_id] = run

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Outcome]:
        run = ledger.runs.get(event.call_id)
        if run is None or not run.shell or not self._open:
            return
        for lost in list(self._open.values()):
            if _repeats(run.line, lost.line) or event.parent_command_id == lost.call_id:
                continue
            outward = any(part.effect in OUTWARD and not part.draft for part in run.line.parts)
            if not outward and all(part.kind in _STAYS for part in run.line.parts):
                continue
            del self._open[lost.call_id]
            finding = self._finding(lost, event, f"'{run.name}' ran all the same")
            yield finding if outward else Pending(finding=finding, cancel=partial(_reran, ledger, lost))

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Iterator[Finding]:
        run = evidence.run
        if run is not None and claim.polarity == "success" and not claim.admits and run.call_id in self._open:
            yield self._finding(self._open.pop(run.call_id), claim.event, f"it is said that '{claim.text.strip()}'")

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Iterator[Finding]:
        if event.status == "success" and self._open:
            _, lost = self._open.popitem()
            yield self._finding(lost, event, "the session was closed as a success")

    def _finding(self, lost: Run, at: Event, what: str) -> Finding:
        return self.finding(
            f"No exit was recorded for '{lost.name}', it was not run again, and {what}.",
            at=at,
            because=lost.chain,
            about=f"{lost.line.text} | {what}",
        )


def _says_lost(event: CommandEnded) -> bool:
    """Whether the record itself says that no end was captured."""
    end = event.termination
    if event.via != "result" or end.exit_code is not None:
        return False
    if event.must_rerun is None:
        return end.kind is EndKind.UNKNOWN and event.error is not None
    return event.must_rerun and end.kind in (EndKind.UNKNOWN, EndKind.NOT_RUN)


def _repeats(later: CommandLine, lost: CommandLine) -> bool:
    return any(covers(a.target, b.target) for a in later.parts for b in lost.parts if b.kind not in INERT)


def _reran(ledger: Ledger, lost: Run, event: Event) -> bool:
    if not isinstance(event, CommandEnded) or not event.termination.succeeded:
        return False
    run = ledger.runs.get(event.call_id)
    return run is not None and _repeats(run.line, lost.line)

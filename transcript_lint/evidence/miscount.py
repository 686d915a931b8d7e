"""A number of passed tests that no run of the session printed."""

from __future__ import annotations

from functools import cache

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims import Claim, Subject
from transcript_lint.commandline import Kind
from transcript_lint.events import EndKind
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.counts import can_be_made
from transcript_lint.ledger.runs import Run, Stage, Verdict

SMALLEST = 10
"""A smaller count is soon made out by hand."""
NEAR = 0.8
"""A lower count than this part of what was printed may be of the tests that were spoken of."""
FEW = 8
"""Numbers on the result lines of an output that does not list its tests one by one."""
MAX_RUNS = 400


def unprinted(claim: Claim, run: Run, stage: Stage, ledger: Ledger) -> bool:
    """Whether the claim counts other passed tests than its run printed, and nothing in the log has that count.

    False wherever the count may come from elsewhere: an output that was cut, filtered or is out of sight, a sum or a
    multiple of other counts, a delegate, a person, a rough number.
    """
    count, said = claim.passed, stage.said
    if count is None or count < SMALLEST or said is None or not said.passed or said.passed == count:
        return False
    if stage.verdict is not Verdict.OK or stage.part.kind is not Kind.TEST or claim.subject is not Subject.TESTS:
        return False
    if claim.scope == "some" or claim.attributed or claim.admits or claim.strength != "strong":
        return False
    if not ledger.session.complete or ledger.session.boundaries or ledger.runs.forgotten:
        return False
    stated = [int(n) for n in claim.numbers if n.isdigit() and int(n) != count]
    if _rough().holds(claim.text) or can_be_made(count, stated):
        return False
    runs = list(ledger.runs.latest())
    if len(runs) > MAX_RUNS or any(map(_out_of_sight, runs)):
        return False
    if count < said.passed and (count < NEAR * said.passed or not _of_all(claim, run, ledger)):
        return False
    if can_be_made(count, [n for other in runs for n in other.counts or ()]):
        return False
    # What outputs showed is read for this alone, so it is asked last.
    if ledger.runs.known_elsewhere(str(count)):
        return False
    return not any(str(count) in other.line.text or count in other.values for other in runs)


def _of_all(claim: Claim, run: Run, ledger: Ledger) -> bool:
    """Whether a count below the whole can hardly speak of a part: nothing narrows it, and one suite ever ran."""
    suites = {s.part.target for r in ledger.runs.latest() if r.tests for s in r.stages if s.part.kind is Kind.TEST}
    return not claim.codes and len(run.counts or ()) <= FEW and len(suites) == 1


def _out_of_sight(run: Run) -> bool:
    """Whether this call may have counted tests where the log does not show it."""
    if not run.shell:
        return run.delegated
    if run.termination is None or run.termination.kind in (EndKind.UNKNOWN, EndKind.RUNNING):
        return True
    return run.tests and (run.counts is None or any(s.masked for s in run.stages))


@cache
def _rough() -> re.AnyOf:
    return re.any_of(tables.lexicon("rough.toml")["rough"], re.I)

"""A claim against the runs it speaks of: how well it stands, and in which way it does not."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from transcript_lint.claims import Claim, Subject
from transcript_lint.commandline import VERIFYING, Kind, OwnCommands, covers
from transcript_lint.evidence.acted import failed_act
from transcript_lint.evidence.candidates import candidates
from transcript_lint.evidence.miscount import unprinted
from transcript_lint.evidence.model import Evidence, Fault, Grade, Pair
from transcript_lint.evidence.words import named, quoted
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run, Stage, Verdict

_PRAISE = Evidence(grade=Grade.UNTOLD, why="it speaks well of something, and claims no result")


def weigh(claim: Claim, ledger: Ledger) -> Evidence:
    """Find the runs a claim speaks of and grade it; of several subjects that of which the record says the contrary."""
    found = _weigh(claim, ledger)
    if claim.beside and found.fault is None:
        others = (
            _weigh(replace(claim, subjects=(subject,), codes=(), passed=None, total=None), ledger)
            for subject in claim.beside
        )
        return next((other for other in others if other.fault is not None and not other.tentative and other.run), found)
    return found


def _weigh(claim: Claim, ledger: Ledger) -> Evidence:
    pairs = candidates(claim, ledger)
    if not pairs and (acted := failed_act(claim, ledger)) is not None:
        return grade(claim, *acted, ledger)
    if not pairs:
        return _without_run(claim, ledger) if claim.strength != "loose" else _PRAISE
    run, stage = pairs[0]
    if stage.verdict is Verdict.OK and claim.scope != "some" and (wider := _open_wider(pairs)) is not None:
        run, stage = wider
    if claim.strength == "loose" and not _just_failed(claim, (run, stage), ledger):
        return _PRAISE
    return grade(claim, run, stage, ledger)


def _just_failed(claim: Claim, pair: Pair, ledger: Ledger) -> bool:
    """Whether this command of the same turn has a contrary record, and the claim names it, its kind or its words."""
    run, stage = pair
    near = run.turn == ledger.session.turn and run.boundary == ledger.session.boundaries
    near = near and (claim.subject not in _VAGUE or named(claim, stage) or quoted(claim, stage, ledger.settings.own))
    return near and _fault(claim, run, stage) not in (None, Fault.NOTIFIED)


_VAGUE = (Subject.WORK, Subject.CHECK, Subject.SCRIPT)


def grade(claim: Claim, run: Run, stage: Stage, ledger: Ledger) -> Evidence:
    """Grade a claim that is known to speak of one command of one run."""
    fault = _fault(claim, run, stage)
    if fault is None and unprinted(claim, run, stage, ledger):
        printed = f"its output says '{stage.said.line}'" if stage.said is not None else stage.why
        miscounted = Fault.MISCOUNTED
        return Evidence(grade=Grade.CONTRADICTED, fault=miscounted, run=run, stage=stage, why=printed, chain=run.chain)
    if fault is None:
        return Evidence(grade=_support(run, stage), run=run, stage=stage, why=stage.why, chain=run.chain)
    if (why := _excuse(claim, run, stage, ledger.settings.own)) is not None:
        return Evidence(grade=Grade.UNTOLD, run=run, stage=stage, why=why, chain=run.chain)
    if run.boundary < ledger.session.boundaries and fault in (Fault.FAILED, Fault.EMPTY, Fault.MASKED, Fault.UNREAD):
        fault = Fault.SUMMARY_ONLY if ledger.summaries.told(claim) is not None else fault
    tentative = claim.strength == "weak" and not named(claim, stage)
    return Evidence(
        grade=Grade.CONTRADICTED, fault=fault, run=run, stage=stage, why=stage.why, chain=run.chain, tentative=tentative
    )


def _excuse(claim: Claim, run: Run, stage: Stage, own: OwnCommands) -> str | None:
    """Why a contrary record does not make the claim false, if something does."""
    if claim.admits or claim.admits_later:
        return "the failure is told beside it"
    if claim.ongoing and stage.verdict is Verdict.UNREAD:
        return "it is said beside it that the run goes on"
    if claim.attributed in ("summary", "log"):
        return f"the {claim.attributed} is named as its source"
    if stage.perhaps:
        return "it may have been run again under other arguments"
    if stage.verdict is Verdict.KILLED and stage.closed:
        return "it was killed after its own closing line was out"
    if stage.verdict is Verdict.UNREAD and run.partly_read and claim.scope != "all" and not quoted(claim, stage, own):
        return "it speaks of what the run had printed so far"
    if stage.verdict is Verdict.FAILED:
        if claim.scope == "some":
            return "it speaks of a part of the run"
        if stage.part.kind is Kind.CHECK and claim.subject in (Subject.LINT, Subject.TYPES, Subject.BUILD):
            return "another step of that check may have failed"
    return None


def _fault(claim: Claim, run: Run, stage: Stage) -> Fault | None:
    """What the record of this command holds against a success."""
    if stage.cleared is not None:
        return None
    if run.contradiction and (run.must_rerun or (run.termination is not None and run.termination.must_rerun)):
        return Fault.TWO_ENDS
    match stage.verdict:
        case Verdict.EMPTY:
            return Fault.EMPTY
        case Verdict.UNREAD:
            return Fault.UNREAD
        case Verdict.FAILED | Verdict.KILLED:
            return Fault.MASKED if stage.masked else Fault.FAILED
        case Verdict.OK if not run.read and claim.strength == "strong" and run.shell:
            return Fault.NOTIFIED
        case _:
            return None


def _support(run: Run, stage: Stage) -> Grade:
    if stage.cleared is not None:
        return Grade.TERMINATED
    if stage.verdict is Verdict.OK:
        verified = stage.part.kind in VERIFYING and not stage.masked and not run.blank
        return Grade.VERIFIED if verified else Grade.OBSERVED if stage.masked else Grade.TERMINATED
    return Grade.UNTOLD


def _without_run(claim: Claim, ledger: Ledger) -> Evidence:
    """No run speaks to the claim: it may come from a summary, from out of sight, or from nowhere."""
    if (told := ledger.summaries.told(claim)) is not None:
        return Evidence(grade=Grade.NONE, fault=Fault.SUMMARY_ONLY, why="only the summary says so", chain=(told,))
    checkable = claim.subject in _CHECKABLE or (claim.subject is Subject.SCRIPT and claim.concepts & _JOB_CONCEPTS)
    if claim.strength != "strong" or not checkable or claim.attributed or claim.admits or claim.admits_later:
        return Evidence(grade=Grade.UNTOLD, why="nothing in this log speaks to it")
    if not ledger.session.complete or ledger.session.boundaries or ledger.runs.forgotten:
        return Evidence(grade=Grade.UNTOLD, why="part of the history is out of sight")
    if claim.subject is Subject.BUILD and any(s.part.kind in VERIFYING for _, s in ledger.runs.stages()):
        return Evidence(grade=Grade.UNTOLD, why="a run of another kind may have built it")
    unknown = next((r for r in ledger.runs.latest() if _of_unknown_kind(r)), None)
    doubt = f"a command of unknown kind ran before it ({unknown.name})" if unknown is not None else ""
    return Evidence(grade=Grade.NONE, fault=Fault.UNRUN, why="no such run stands in this log", doubt=doubt)


_CHECKABLE = (Subject.TESTS, Subject.BUILD, Subject.LINT, Subject.TYPES, Subject.DEPLOY, Subject.MIGRATION)

_JOB_CONCEPTS = frozenset(
    ["job", "train", "import", "upload", "sync", "sweep", "backup", "restore", "benchmark", "simulate", "settle"]
)
"""Jobs that cannot be done without a command; a report or a file may be written by any tool."""

_OPAQUE = frozenset({Kind.OTHER, Kind.SCRIPT, Kind.BUILD, Kind.CHECK})


def _of_unknown_kind(run: Run) -> bool:
    """Whether a call may have run anything at all: a program we do not know, a delegate, a foreign tool."""
    if not run.shell:
        cut = run.termination is not None and run.termination.killed
        return cut or run.delegated
    return any(p.kind in _OPAQUE and p.words[0] not in ("gh", "glab", "curl") for p in run.line.parts)


def _open_wider(pairs: Iterable[Pair]) -> Pair | None:
    """An open failure that the latest ok run, being narrower, did not clear."""
    pairs = list(pairs)
    latest = pairs[0][1].part.target
    for run, stage in pairs[1:]:
        if (
            stage.must_rerun
            and not stage.perhaps
            and covers(stage.part.target, latest)
            and not covers(latest, stage.part.target)
        ):
            return run, stage
    return None

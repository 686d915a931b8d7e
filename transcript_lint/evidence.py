"""The one place that joins a claim to runs and grades it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.acted import failed_act
from transcript_lint.claims import Claim, Subject
from transcript_lint.claims.lexicon import lexicon
from transcript_lint.commandline import INERT, VERIFYING, Kind, OwnCommands, Part, covers, parse
from transcript_lint.events import Step
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run, Stage, Verdict
from transcript_lint.miscount import unprinted

MAX_STAGES = 400
"""Stages a claim is compared with, the latest first."""

Pair = tuple[Run, Stage]


class Grade(StrEnum):
    """How well a claim stands: L0, L1, L2, nothing, against the record, or undecidable."""

    OBSERVED = "observed"
    TERMINATED = "terminated"
    VERIFIED = "verified"
    NONE = "none"
    CONTRADICTED = "contradicted"
    UNTOLD = "could not tell"


class Fault(StrEnum):
    """In which way a claim is contradicted or unsupported: one fault a claim, chosen by the precedence of the rules."""

    EMPTY = "empty"
    UNREAD = "unread"
    NOTIFIED = "notified"
    TWO_ENDS = "two ends"
    FAILED = "failed"
    MASKED = "masked"
    UNRUN = "unrun"
    MISCOUNTED = "miscounted"
    SUMMARY_ONLY = "summary only"


class Evidence(Struct, frozen=True, kw_only=True):
    """What the ledger knows about one claim: its grade, the run and the command of it that it rests on, and why.

    `fault` is set when the claim should be reported; `chain` are the steps that prove it. `doubt` says in words what
    keeps a fault from being certain ("a command of unknown kind ran before it"). `tentative`: only nearness joins the
    claim to its run.
    """

    grade: Grade
    fault: Fault | None = None
    run: Run | None = None
    stage: Stage | None = None
    why: str = ""
    doubt: str = ""
    tentative: bool = False
    chain: tuple[Step, ...] = ()


_KINDS: dict[Subject, tuple[frozenset[Kind], ...]] = {
    Subject.TESTS: (frozenset({Kind.TEST}), frozenset({Kind.CHECK})),
    Subject.BUILD: (frozenset({Kind.BUILD}),),
    Subject.LINT: (frozenset({Kind.LINT}), frozenset({Kind.CHECK})),
    Subject.TYPES: (frozenset({Kind.TYPES}), frozenset({Kind.CHECK})),
    Subject.CHECK: (frozenset({Kind.CHECK, Kind.PLAN}), frozenset({Kind.TEST, Kind.LINT, Kind.TYPES, Kind.BUILD})),
    Subject.DEPLOY: (frozenset({Kind.DEPLOY}),),
    Subject.MIGRATION: (frozenset({Kind.MIGRATE}),),
    Subject.INSTALL: (frozenset({Kind.INSTALL}),),
    Subject.PUBLISH: (frozenset({Kind.PUBLISH}), frozenset({Kind.DEPLOY})),
    Subject.PUSH: (frozenset({Kind.PUSH}),),
    Subject.MERGE: (frozenset({Kind.MERGE}),),
    Subject.SCRIPT: (frozenset({Kind.SCRIPT, Kind.BACKUP, Kind.OTHER, Kind.CHECK, Kind.MIGRATE, Kind.SEND, Kind.PAY}),),
}
"""Subject → the kinds of command it speaks of, the likeliest group first."""

_FORMATTERS = re.compile(r"\b(?:fmt|format|prettier|black|gofmt|rustfmt|isort)\b")
_PATH = re.compile(r"[\w@.-]*(?:/[\w@.-]*)+|\w+(?:(?:\.|::)\w+){2,}")
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}|[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COMMON_WORDS = """
the and all for with run runs test tests build check checks lint are was were now has have been this that from
into out python node bash npm yarn pnpm make sh src passed pass passes green full suite new done script
scripts ci fix fixed job jobs app main index file files data work works everything tool tools
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SAID = frozenset(["verified", "confirmed", "validated", "checked", "tested"])
"""Verbs that say how one came to know: "I verified that x works" is of x, and names no run of its own."""


def weigh(claim: Claim, ledger: Ledger) -> Evidence:
    """Find the runs a claim speaks of and grade it."""
    pairs = _candidates(claim, ledger)
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


_PRAISE = Evidence(grade=Grade.UNTOLD, why="it speaks well of something, and claims no result")


def _just_failed(claim: Claim, pair: Pair, ledger: Ledger) -> bool:
    """Whether this command of the same turn has a contrary record, and the claim names it, its kind or its words."""
    run, stage = pair
    near = run.turn == ledger.session.turn and run.boundary == ledger.session.boundaries
    near = near and (claim.subject not in _VAGUE or _named(claim, stage) or _quoted(claim, stage, ledger.settings.own))
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
    tentative = claim.strength == "weak" and not _named(claim, stage)
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
    if stage.verdict is Verdict.UNREAD and run.partly_read and claim.scope != "all" and not _quoted(claim, stage, own):
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


def _candidates(claim: Claim, ledger: Ledger) -> list[Pair]:
    """The commands a claim speaks of, the latest first; empty when none can be told."""
    stages = [
        (run, stage)
        for run, stage in islice(ledger.runs.stages(), MAX_STAGES)
        if stage.verdict is not Verdict.NOT_RUN
        and not run.stopped_on_purpose
        and run.shell
        and not stage.part.expects_failure
        and stage.part.kind is not Kind.SERVE
    ]
    own = [p for p in stages if p[0].agent == claim.event.agent]
    others = [p for p in stages if p[0].agent != claim.event.agent]
    return _speaking(claim, own, ledger) or _speaking(claim, others, ledger)


def _speaking(claim: Claim, stages: list[Pair], ledger: Ledger) -> list[Pair]:
    if claim.codes and (named := [p for p in stages if _quoted(claim, p[1], ledger.settings.own)]):
        return named
    if claim.subject is Subject.WORK:
        named = [p for p in stages if p[1].part.kind not in INERT and _named(claim, p[1])]
        return named or ([] if claim.strength == "loose" else _just_done(stages, ledger))
    paths = [code for code in claim.codes if _PATH.fullmatch(code)]
    acting = [p for p in stages if p[1].part.kind not in INERT] if paths else []
    if mentioned := [p for p in acting if any(path in p[1].part.text for path in paths)]:
        stages = mentioned
    elif paths:
        # It names files that no command names: only a run of everything can speak of them.
        stages = [p for p in stages if not p[1].part.target.scope]
    for subject in claim.subjects:
        if subject is Subject.FORMAT:
            found = [p for p in stages if _FORMATTERS.search(p[1].part.text)]
            return _narrowed(claim, found)
        for kinds in _KINDS[subject]:
            found = [p for p in stages if p[1].part.kind in kinds]
            if subject is Subject.SCRIPT:
                found = _about(claim, found) or _about(claim, stages) or _only_job(found, ledger)
            if found:
                return _narrowed(claim, found)
        if found := _about(claim, [p for p in stages if p[1].part.kind in _JOBS]):
            return found
    return []


def _quoted(claim: Claim, stage: Stage, own: OwnCommands) -> bool:
    """Whether a command in code marks is this one; one quoted with its arguments is not its sibling with others."""
    for code in claim.codes:
        for part in _parts(code, own):
            named, run = part.target, stage.part.target
            if part.kind in INERT or not named.program or named.program != run.program:
                continue
            if named.scope == run.scope or len(part.words) <= len(named.program.split()):
                return True
            options = [w for w in stage.part.words if w.startswith("-")]
            if all(w in part.words for w in options) and True in (covers(named, run), covers(run, named)):
                return True
    return False


@lru_cache(maxsize=256)
def _parts(code: str, own: OwnCommands) -> tuple[Part, ...]:
    return parse(code, own).parts if len(code) < 300 else ()


def _just_done(stages: list[Pair], ledger: Ledger) -> list[Pair]:
    """For a bare "Done.": the last command of this turn that does anything."""
    last = next((p for p in stages if p[1].part.kind not in INERT), None)
    return [last] if last is not None and last[0].turn == ledger.session.turn else []


def _only_job(found: list[Pair], ledger: Ledger) -> list[Pair]:
    """A job named by nothing but its nearness: the last one of this turn, if the turn has no other."""
    here = [p for p in found if p[0].turn == ledger.session.turn and p[0].shell and p[1].part.kind in _JOBS]
    return here if len({p[1].part.target.program for p in here}) == 1 else []


_JOBS = (Kind.SCRIPT, Kind.OTHER)


def _about(claim: Claim, found: list[Pair]) -> list[Pair]:
    """The commands that share a word or a job with the claim."""
    return [p for p in found if _shared(claim, p[1])]


def calls(claim: Claim, stage: Stage) -> bool:
    """Whether the claim calls a command by its program ("tox comes out green")."""
    program = _program(stage.part.target.program)
    if _heads(claim.words).isdisjoint(_heads(program)):
        return False
    return any(_same(a, b) for a in claim.words - _SAID for b in program)


@lru_cache(maxsize=2048)
def _program(name: str) -> frozenset[str]:
    """The telling words of a program's name."""
    return frozenset(w.lower() for w in _TOKEN.findall(name)) - _COMMON


def _named(claim: Claim, stage: Stage) -> bool:
    """Whether the claim names this very command: its program, its job, or two of its telling words."""
    words, concepts = _words(_telling(stage.part))
    jobs = claim.concepts - {"reconcile"} if claim.words & _SAID else claim.concepts
    if jobs & concepts or calls(claim, stage):
        return True
    if _heads(claim.words).isdisjoint(_heads(words)):
        return False
    return sum(any(_same(a, b) for b in words) for a in claim.words - _COMMON) > 1


def _narrowed(claim: Claim, found: list[Pair]) -> list[Pair]:
    """If words of the claim single out some of the commands and not others, only those."""
    if len({p[1].part.target for p in found}) < 2:
        return found
    named = [p for p in found if _shared(claim, p[1])]
    return named if named else found


def _shared(claim: Claim, stage: Stage) -> bool:
    words, concepts = _words(_telling(stage.part))
    if not claim.concepts.isdisjoint(concepts):
        return True
    if _heads(claim.words).isdisjoint(_heads(words)):
        return False
    return any(_same(a, b) for a in claim.words - _COMMON for b in words)


@lru_cache(maxsize=2048)
def _heads(words: frozenset[str]) -> frozenset[str]:
    """The first four letters of each word: words that are the same share them."""
    return frozenset(word[:4] for word in words)


def _same(a: str, b: str) -> bool:
    """Equal, or equal in their first five letters at least (batches, batch; imported, import)."""
    if a == b:
        return True
    stem = min(len(a), len(b))
    return stem >= 4 and a[: max(4, stem - 1)] == b[: max(4, stem - 1)]


@lru_cache(maxsize=2048)
def _telling(part: Part) -> str:
    """The words of a command that name what it does; a program written on the line itself names nothing."""
    if "-c" in part.words[:3] or "-e" in part.words[:3]:
        return part.words[0]
    return " ".join(word for word in part.words if not word.startswith("-"))


@lru_cache(maxsize=2048)
def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The telling words of a command line and the jobs it names."""
    flat = _CAMEL.sub(" ", text)
    words = frozenset(w.lower() for w in _TOKEN.findall(flat) if len(w) > 2) - _COMMON
    return words, lexicon("en").concepts_in(" ".join(words))


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

"""What a compaction made of each open fact: kept, promoted, told in part as a result, or gone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec import Struct

from transcript_lint import evidence
from transcript_lint import patterns as re
from transcript_lint.claims import Claim, Subject
from transcript_lint.claims.extract import KIND_SUBJECT
from transcript_lint.claims.recount import Statement, words
from transcript_lint.commandline import INERT, Kind, Part, covers, parse
from transcript_lint.events import EndKind, Step
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import UNANSWERED, Ask, Standing, cut
from transcript_lint.ledger.output import numbers, value_hash
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.summaries import Boundary

PROMOTING = frozenset({Fault.FAILED, Fault.MASKED, Fault.EMPTY, Fault.UNREAD, Fault.TWO_ENDS, Fault.SUMMARY_ONLY})
"""Faults of a summary's claim that mean: what it calls a success was open."""
MAX_RUNS = 40
"""Open runs that a summary is searched for, the latest first."""

_VAGUE = frozenset({Subject.WORK, Subject.SCRIPT, Subject.CHECK})
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,}")


class Promotion(Struct, frozen=True, eq=False):
    """A success that the summary claims of an open run."""

    claim: Claim
    evidence: Evidence


class Partial(Struct, frozen=True, eq=False):
    """A statement that gives figures of an unfinished run as results."""

    statement: Statement
    run: Run
    values: tuple[str, ...]


class Lost(Struct, frozen=True, eq=False):
    """An open run that `statement` mentions without its end."""

    run: Run
    statement: Statement


class Silent(Struct, frozen=True, eq=False):
    """An open fact that the summary does not speak of at all, in words, with its chain."""

    what: str
    chain: tuple[Step, ...]


class Regressed(Struct, frozen=True, eq=False):
    """An effect that had ended ok and that the summary lists as still to be done."""

    statement: Statement
    run: Run


class Retelling(Struct, frozen=True, eq=False):
    """All of it for one boundary; each statement and each run stands in at most one of the first three."""

    promoted: tuple[Promotion, ...] = ()
    partial: tuple[Partial, ...] = ()
    lost: tuple[Lost, ...] = ()
    regressed: tuple[Regressed, ...] = ()
    silent: tuple[Silent, ...] = ()
    kept: tuple[Run, ...] = ()


@lru_cache(maxsize=1)
def retell(boundary: Boundary, ledger: Ledger) -> Retelling:
    """Compare a readable summary with what was open before it, by the precedence promoted, partial, lost."""
    if boundary.told is None:
        return Retelling()
    open_runs = [r for r in (*boundary.failures, *boundary.unread) if matters(r)][:MAX_RUNS]
    promoted = tuple(_promotions(boundary, ledger))
    taken = {id(p.evidence.run) for p in promoted}
    sentences = {p.claim.text for p in promoted}
    partial: list[Partial] = []
    lost: list[Lost] = []
    silent: list[Silent] = []
    kept: list[Run] = []
    for run in open_runs:
        if keeps(boundary, run):
            kept.append(run)
            continue
        found = _partial(boundary, run, ledger, sentences)
        if found is not None:
            sentences.add(found.statement.raw)
            taken.add(id(run))
            partial.append(found)
        if id(run) in taken:
            continue
        if run.must_rerun and (statement := _mention(boundary, run)) is not None:
            lost.append(Lost(run, statement))
        elif run.must_rerun or not _open_told(boundary, run):
            silent.append(Silent(f"{run.name} {run.termination.describe() if run.termination else ''}", run.chain))
    return Retelling(
        promoted=promoted,
        partial=tuple(partial),
        lost=tuple(lost),
        regressed=tuple(_regressed(boundary, ledger)),
        silent=(*silent, *_silent(boundary)),
        kept=tuple(kept),
    )


def keeps(boundary: Boundary, run: Run, *, named: bool = False) -> bool:
    """Whether the summary owns up to how a run ended, in words and of this run.

    When a claim names the very command (`named`), an admission that only shares its subject does not excuse it.
    """
    if boundary.told is None:
        return False
    return any(_owns_up(boundary, statement, run, named) for statement in boundary.told.statements)


def _owns_up(boundary: Boundary, statement: Statement, run: Run, named: bool) -> bool:
    """Whether a statement admits the end of this run, and not of another that it names."""
    if not statement.admits or statement.section == "people" or not _speaks_of(statement, run, named):
        return False
    if _names(statement.raw, statement.codes, run):
        return True
    others = (*boundary.failures, *boundary.unread, *boundary.in_flight)
    return not any(_names(statement.raw, statement.codes, other) for other in others if other is not run)


def _open_told(boundary: Boundary, run: Run) -> bool:
    """Whether the summary says that a run goes on, was cut off or has to be run."""
    assert boundary.told is not None
    waiting = [s for s in boundary.told.statements if s.going or s.admits or s.pending]
    return any(_names(s.raw, s.codes, run) for s in waiting) or any(
        _shared(s.text, run) and not any(map(_is_command, s.codes)) for s in waiting
    )


def _is_command(code: str) -> bool:
    return " " in code and any(part.kind not in INERT for part in _parts(code))


def _silent(boundary: Boundary) -> Iterator[Silent]:
    """Calls in flight and gates that the summary does not speak of."""
    assert boundary.told is not None
    for run in filter(matters, boundary.in_flight[:MAX_RUNS]):
        if not _open_told(boundary, run):
            yield Silent(f"{run.name} had no result yet", run.chain)
    for ask in boundary.denied[:MAX_RUNS]:
        if gate_told(boundary, ask) is None:
            yield Silent(f"a person said no to {cut(ask.question)}", ask.chain)
    for ask in boundary.unanswered[:MAX_RUNS]:
        if gate_told(boundary, ask) is None:
            yield Silent(f"nobody had answered {cut(ask.question)}", ask.chain)


def mention(boundary: Boundary, run: Run) -> Statement | None:
    """A statement that is about a run: one that owns up to its end, else one that names it."""
    statements = boundary.told.statements if boundary.told is not None else ()
    owned = (s for s in statements if _owns_up(boundary, s, run, named=False))
    named = (s for s in statements if _names(s.raw, s.codes, run))
    return next(owned, None) if run.must_rerun else next(named, None)


def gate_told(boundary: Boundary, ask: Ask) -> Statement | None:
    """The statement that tells where a gate stands: that a person refused, or that it is open."""
    statements = boundary.told.statements if boundary.told is not None else ()
    if ask.standing is Standing.DENIED:
        entries = {s.entry for s in statements if s.refused}
    elif ask.standing in UNANSWERED:
        entries = {s.entry for s in statements if s.pending or s.going or s.admits or s.section == "pending"}
    else:
        entries = {s.entry for s in statements}
    return next((s for s in _alike(boundary, ask) if s.entry in entries), None)


def _alike(boundary: Boundary, ask: Ask) -> Iterator[Statement]:
    """Statements that share a telling word with what was asked."""
    asked, literal = _stems(ask.question), " ".join(ask.question.split()).casefold()
    statements = boundary.told.statements if boundary.told is not None else ()
    for statement in statements:
        text = f"{statement.text} {' '.join(statement.codes)}"
        raw = " ".join(statement.raw.split()).casefold()
        if _stems(text) & asked or (literal in raw if len(literal) > 3 else literal in raw.split()):
            yield statement


def matters(run: Run) -> bool:
    """Whether a run is one whose loss matters: a shell command that does something."""
    return run.shell and any(part.kind not in INERT and part.kind is not Kind.SERVE for part in run.line.parts)


def _promotions(boundary: Boundary, ledger: Ledger) -> Iterator[Promotion]:
    assert boundary.told is not None
    sections = {s.raw: s.section for s in boundary.told.statements}
    told: set[str] = set()
    for claim in boundary.told.claims:
        if claim.admits or claim.text in told or sections.get(claim.text) == "people":
            continue
        found = _of_the_named(evidence.weigh(claim, ledger), claim, boundary)
        run = found.run
        if found.fault not in PROMOTING or run is None or run.index > boundary.runs or not matters(run):
            continue
        named = _names(claim.text, claim.codes, run)
        if not named and (sections.get(claim.text) == "history" or not _fits(claim, found, boundary)):
            continue
        if found.grade is evidence.Grade.CONTRADICTED and not keeps(boundary, run, named=named):
            told.add(claim.text)
            yield Promotion(claim, found)


def _of_the_named(found: Evidence, claim: Claim, boundary: Boundary) -> Evidence:
    """What was found, but of the very command that the claim has in code marks where another of its kind came later."""
    codes = {" ".join(code.split()) for code in claim.codes}
    exact = next((r for r in boundary.failures if " ".join(r.line.text.split()) in codes), None)
    if exact is None or found.run is None or found.run is exact or found.fault is None:
        return found
    why = exact.termination.describe() if exact.termination is not None else found.why
    return msgspec.structs.replace(found, run=exact, stage=exact.stages[-1], why=why, chain=exact.chain)


def _fits(claim: Claim, found: Evidence, boundary: Boundary) -> bool:
    """Whether a claim that does not name the command is about it all the same."""
    if claim.subject is Subject.WORK or found.run is None or found.stage is None:
        return False
    subject = KIND_SUBJECT.get(found.stage.part.kind)
    if subject in claim.subjects and subject not in _VAGUE:
        return True
    if _shared(claim.text, found.run):
        return True
    return claim.subject in _VAGUE and claim.strength == "strong" and found.run.index == boundary.runs


def _speaks_of(statement: Statement, run: Run, named: bool) -> bool:
    """Whether an admission is about a run: names it, shares a telling word, its subject, or only says "it was cut"."""
    if _names(statement.raw, statement.codes, run):
        return True
    shared = bool(_shared(f"{statement.text} {' '.join(statement.codes)}", run))
    subjects = {KIND_SUBJECT[p.kind] for p in run.line.parts if p.kind in KIND_SUBJECT} - {Subject.SCRIPT}
    akin = bool(subjects & statement.subjects)
    if statement.section == "history" or named:
        return shared and (akin or statement.cut)
    return akin or shared or (statement.cut and not statement.subjects)


def _names(raw: str, codes: tuple[str, ...], run: Run) -> bool:
    """Whether a sentence holds the command itself, in code marks or plain."""
    line = " ".join(run.line.text.split())
    if any(line == " ".join(code.split()) for code in codes):
        return True
    plain = " ".join(raw.split())
    for code in codes:
        plain = plain.replace(code, "`")
    if len(line) > 5 and (at := plain.find(line)) >= 0 and not _WORD.match(plain[at + len(line) :]):
        return True
    return any(_same_command(part, own) for code in codes for part in _parts(code) for own in run.line.parts)


def _same_command(part: Part, own: Part) -> bool:
    if part.kind in INERT or not part.target.program or part.target.program != own.target.program:
        return False
    if len(part.words) < 2 and len(own.words) > 1:
        return False
    return covers(part.target, own.target) is True


@lru_cache(maxsize=256)
def _parts(code: str) -> tuple[Part, ...]:
    return parse(code).parts if 3 < len(code) < 300 else ()


def _shared(text: str, run: Run) -> frozenset[str]:
    """Telling words that a text has in common with a command and with what its output called good or bad."""
    return _stems(text) & _stems(f"{run.line.text} {' '.join(run.success)} {run.hint}")


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    found = {w.casefold()[:5] for w in _WORD.findall(text) if len(w) > 3 and w.casefold() not in words().idle}
    for chunk in _WIDE.findall(text):
        found.update(chunk[i : i + 2] for i in range(len(chunk) - 1))
    return frozenset(found)


def _partial(boundary: Boundary, run: Run, ledger: Ledger, taken: set[str]) -> Partial | None:
    """The first statement that gives figures which only this unfinished run showed."""
    assert boundary.told is not None
    end = run.termination
    if end is None or not (end.killed or end.kind is EndKind.RUNNING) or not run.values:
        return None
    own = set(numbers(run.line.text))
    claimed = {c.text for c in boundary.told.claims}
    for statement in boundary.told.statements:
        if statement.admits or statement.section in ("people", "code") or statement.raw in taken:
            continue
        seen = [
            n
            for n in dict.fromkeys(numbers(statement.text))
            if len(n) > 1 and n not in own and value_hash(n) in run.values and not ledger.runs.known_elsewhere(n)
        ]
        about = statement.raw in claimed or bool(_shared(statement.text, run))
        if any(_telling(n) for n in seen) or (seen and about) or len(seen) > 2:
            return Partial(statement, run, tuple(seen))
    return None


def _telling(number: str) -> bool:
    """Whether a figure is long enough not to be met by chance."""
    return len(number.replace(".", "")) > 3 or ("." in number and len(number) > 3)


def _mention(boundary: Boundary, run: Run) -> Statement | None:
    """The statement that says a command was run and does not say how it ended."""
    assert boundary.told is not None
    found = (s for s in boundary.told.statements if s.ran and not s.pending and s.section not in ("people", "code"))
    return next((s for s in found if _names(s.raw, s.codes, run)), None)


def _regressed(boundary: Boundary, ledger: Ledger) -> Iterator[Regressed]:
    """Effects listed as pending although they ended ok and nothing was changed since."""
    assert boundary.told is not None
    claimed = {c.text for c in boundary.told.claims}
    waiting = [
        s
        for s in boundary.told.statements
        if (s.pending or s.section == "pending") and s.section != "people" and not s.ran and s.raw not in claimed
    ]
    if not waiting:
        return
    for run in ledger.runs.latest():
        if run.index > boundary.runs:
            continue
        if _changes(run):
            return
        if run.termination is None or not run.termination.succeeded or not any(_effect(p) for p in run.line.parts):
            continue
        if (statement := next((s for s in waiting if _names(s.raw, s.codes, run)), None)) is not None:
            yield Regressed(statement, run)
            return


def _changes(run: Run) -> bool:
    """Whether a call made new work that an effect may have to be repeated for."""
    if run.shell:
        return any(part.kind is Kind.COMMIT for part in run.line.parts)
    return any(word in run.tool.casefold() for word in ("edit", "write", "patch", "replace", "create"))


_EFFECTS = frozenset({Kind.DEPLOY, Kind.MIGRATE, Kind.PUBLISH, Kind.PUSH, Kind.MERGE, Kind.SEND, Kind.PAY})
_EFFECT_NAME = re.compile(r"push|deploy|publish|release|send|notify|upload|migrat|rollout|apply", re.I)


def _effect(part: Part) -> bool:
    if part.draft:
        return False
    named = part.kind in (Kind.SCRIPT, Kind.OTHER, Kind.BUILD) and _EFFECT_NAME.search(
        part.text or " ".join(part.words)
    )
    return part.kind in _EFFECTS or part.effect is not None or bool(named)

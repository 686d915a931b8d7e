"""What a compaction made of each open fact: kept, promoted, told in part as a result, or gone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec import Struct

from transcript_lint import evidence
from transcript_lint import patterns as re
from transcript_lint.claims import Claim, Subject
from transcript_lint.claims.approval import Reply, read_reply
from transcript_lint.claims.consent_in_summary import leaves_open, tells_of_consent
from transcript_lint.claims.recount import Statement
from transcript_lint.claims.subjects import KIND_SUBJECT
from transcript_lint.commandline import Kind, Part
from transcript_lint.events import EndKind
from transcript_lint.evidence import Evidence, Fault
from transcript_lint.evidence.naming import common_words, is_command, names, shared, shared_with_ask, speaks_of
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import UNANSWERED, Ask, Standing
from transcript_lint.ledger.open_facts import OpenFact, Sort, matters, open_stages
from transcript_lint.ledger.output import numbers, value_hash
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.summaries import Boundary
from transcript_lint.ledger.verdicts import Stage, Verdict

PROMOTING = frozenset({Fault.FAILED, Fault.MASKED, Fault.EMPTY, Fault.UNREAD, Fault.TWO_ENDS, Fault.SUMMARY_ONLY})
"""Faults of a summary's claim that mean: what it calls a success was open."""
MAX_RUNS = 40
"""Open runs that a summary is searched for figures of, the latest first."""

_VAGUE = frozenset({Subject.WORK, Subject.SCRIPT, Subject.CHECK})


class Promotion(Struct, frozen=True, eq=False):
    """A success that the summary claims of an open run; `runs` are all the open runs that the sentence names."""

    claim: Claim
    evidence: Evidence
    runs: tuple[Run, ...]


class Partial(Struct, frozen=True, eq=False):
    """A statement that gives figures of an unfinished run as results."""

    statement: Statement
    run: Run
    values: tuple[str, ...]


class Lost(Struct, frozen=True, eq=False):
    """An open run that `statement` mentions without its end."""

    run: Run
    statement: Statement


class Granted(Struct, frozen=True, eq=False):
    """A gate without a person's yes, of which the replacement says that it was approved."""

    fact: OpenFact
    ask: Ask
    said: str


class Regressed(Struct, frozen=True, eq=False):
    """An effect that had ended ok and that the summary lists as still to be done."""

    statement: Statement
    run: Run


class Retelling(Struct, frozen=True, eq=False):
    """All of it for one boundary; each open fact stands in at most one of the first five."""

    promoted: tuple[Promotion, ...] = ()
    partial: tuple[Partial, ...] = ()
    lost: tuple[Lost, ...] = ()
    granted: tuple[Granted, ...] = ()
    silent: tuple[OpenFact, ...] = ()
    regressed: tuple[Regressed, ...] = ()


@lru_cache(maxsize=1)
def retell(boundary: Boundary, ledger: Ledger) -> Retelling:
    """Compare what replaced the context with what was open before it, by the precedence promoted, partial, lost.

    What is carried by its id is judged by its own record; of prose there may be none.
    """
    if boundary.told is None:
        return _without_prose(boundary)
    promoted = tuple(_promotions(boundary, ledger))
    sentences = {p.claim.text for p in promoted}
    taken = {_line(run) for p in promoted for run in p.runs}
    partial: list[Partial] = []
    running = [r for r in (*boundary.failures, *boundary.unread) if r.shell and any(map(matters, r.line.parts))]
    for run in running[:MAX_RUNS]:
        if not keeps(boundary, run) and (found := _partial(boundary, run, ledger, sentences)) is not None:
            sentences.add(found.statement.raw)
            taken.add(_line(run))
            partial.append(found)
    lost: list[Lost] = []
    granted: list[Granted] = []
    silent: list[OpenFact] = []
    granted += _granted_by_id(boundary)
    by_id = _carried(boundary)
    for fact in boundary.facts:
        if isinstance(fact.about, Ask):
            if fact.about.slot in by_id:
                continue
            if (said := _consent(boundary, fact.about, ledger)) is not None:
                granted.append(Granted(fact, fact.about, said.raw))
            elif gate_told(boundary, fact.about) is None:
                silent.append(fact)
        elif fact.about.call_id in by_id or keeps(boundary, fact.about) or _line(fact.about) in taken:
            continue
        elif fact.sort is Sort.FAILURE and (statement := _mention(boundary, fact.about)) is not None:
            lost.append(Lost(fact.about, statement))
        elif fact.sort is Sort.FAILURE or not _open_told(boundary, fact.about):
            silent.append(fact)
    return Retelling(
        promoted=promoted,
        partial=tuple(partial),
        lost=tuple(lost),
        granted=tuple(granted),
        silent=tuple(silent),
        regressed=tuple(_regressed(boundary, ledger)),
    )


GIVEN = frozenset({"approved", "edited", "answered"})
"""Outcomes of a gate that are a yes or an answer."""


def _without_prose(boundary: Boundary) -> Retelling:
    """Of a replacement that only has records: which gates it calls approved, and which open facts have none."""
    by_id, gates = _carried(boundary), bool(boundary.event.gates)
    silent = [
        fact
        for fact in boundary.facts
        if (isinstance(fact.about, Ask) and gates and fact.about.slot not in by_id)
        or (isinstance(fact.about, Run) and boundary.event.carried and fact.about.call_id not in by_id)
    ]
    lost = tuple(fact for fact in silent if fact.sort is not Sort.IN_FLIGHT)
    return Retelling(granted=tuple(_granted_by_id(boundary)), silent=lost)


def _carried(boundary: Boundary) -> set[str]:
    """The ids of the calls and gates that have a record of their own in the replacement."""
    return {run.call_id for run in boundary.event.carried} | {gate.slot_id for gate in boundary.event.gates}


def _granted_by_id(boundary: Boundary) -> Iterator[Granted]:
    outcomes = {gate.slot_id: gate.outcome for gate in boundary.event.gates}
    for fact in boundary.facts:
        if isinstance(fact.about, Ask) and (outcome := outcomes.get(fact.about.slot)) in GIVEN:
            yield Granted(fact, fact.about, f"{outcome}: {fact.about.question}")


def keeps(boundary: Boundary, run: Run, *, named: bool = False) -> bool:
    """Whether the summary owns up to how a run ended, in words and of this run.

    When a claim names the very command (`named`), an admission that only shares its subject does not excuse it.
    """
    if boundary.told is None:
        return False
    return any(_owns_up(boundary, statement, run, named) for statement in boundary.told.statements)


def _owns_up(boundary: Boundary, statement: Statement, run: Run, named: bool) -> bool:
    """Whether a statement admits the end of this run, and not of another that it names, nor a person's no."""
    killed = run.termination is not None and run.termination.killed
    if not (statement.admits or (statement.counted and not killed)) or statement.section == "people":
        return False
    called = names(boundary)
    if called.any_ask(statement) and not statement.cut and (statement.refused or leaves_open(statement.raw)):
        return False
    if called.run(statement, run):
        return True
    return not called.other_run(statement, run) and speaks_of(statement, run, named=named)


def _open_told(boundary: Boundary, run: Run) -> bool:
    """Whether the summary says that a run goes on, was cut off or has to be run."""
    assert boundary.told is not None
    called = names(boundary)
    waiting = [
        s
        for s in boundary.told.statements
        if (s.going or s.admits or s.pending) and not (called.any_ask(s) and not s.going)
    ]
    return any(called.run(s, run) for s in waiting) or any(
        shared(s.text, run) and not any(map(is_command, s.codes)) and not called.other_run(s, run) for s in waiting
    )


def mention(boundary: Boundary, run: Run) -> Statement | None:
    """A statement that is about a run: one that owns up to its end, else one that names it."""
    statements = boundary.told.statements if boundary.told is not None else ()
    if run.must_rerun:
        return next((s for s in statements if _owns_up(boundary, s, run, named=False)), None)
    return next((s for s in statements if names(boundary).run(s, run)), None)


def gate_told(boundary: Boundary, ask: Ask) -> Statement | None:
    """The statement that tells where a gate stands: that a person refused, or that it is open."""
    statements = boundary.told.statements if boundary.told is not None else ()
    if ask.standing is Standing.DENIED:
        entries = {s.entry for s in statements if s.refused}
    elif ask.standing in UNANSWERED:
        entries = {s.entry for s in statements if s.pending or s.going or s.admits or s.section == "pending"}
    else:
        entries = {s.entry for s in statements}
    return next((s for s in statements if s.entry in entries and _about_gate(boundary, s, ask)), None)


def _about_gate(boundary: Boundary, statement: Statement, ask: Ask) -> bool:
    """Whether a statement speaks of a gate: holds what was asked, or shares more of its words than any other gate's."""
    called = names(boundary)
    if called.ask(statement, ask):
        # A command that waits for a yes may also be one that has run.
        return statement.refused or not called.any_run(statement) or leaves_open(statement.raw)
    if not shared_with_ask(statement, ask) or called.other_ask(statement, ask):
        return False
    return statement.refused or not called.any_run(statement)


def _consent(boundary: Boundary, ask: Ask, ledger: Ledger) -> Statement | None:
    """The statement that has a person approve what was refused or never answered; None when one may have been right."""
    assert boundary.told is not None
    allowed = [a for a in ledger.asks.recent if a.standing is Standing.CONSENT]
    ahead = [m.text for m in ledger.people.said if common_words(m.text, ask.question) > 1]
    if ask.standing in UNANSWERED and any(read_reply(text) is Reply.YES for text in ahead):
        return None
    for statement in boundary.told.statements:
        if statement.section == "people" or not tells_of_consent(statement.raw):
            continue
        if names(boundary).ask(statement, ask):
            return statement
        common = len(shared_with_ask(statement, ask))
        rightly = any(len(shared_with_ask(statement, other)) >= common for other in allowed)
        if common > 1 and not rightly and _about_gate(boundary, statement, ask):
            return statement
    return None


def _line(run: Run) -> str:
    return " ".join(run.line.text.split())


def _promotions(boundary: Boundary, ledger: Ledger) -> Iterator[Promotion]:
    assert boundary.told is not None
    statements = {s.raw: s for s in boundary.told.statements}
    told: set[str] = set()
    for claim in boundary.told.claims:
        statement = statements.get(claim.text)
        section = statement.section if statement is not None else ""
        if claim.admits or claim.text in told or section == "people":
            continue
        exact = _named_in_full(boundary, statement)
        # What only speaks well of a run is a claim where it calls the run by its name.
        loose = claim.strength == "loose"
        found = evidence.weigh(msgspec.structs.replace(claim, strength="weak") if loose else claim, ledger)
        if exact and found.run is not exact[0]:
            found = evidence.grade(claim, exact[0], _open_stage(exact[0]), ledger)
        run = found.run
        if found.fault not in PROMOTING or run is None or run.index > boundary.runs or not run.shell:
            continue
        if not any(map(matters, run.line.parts)):
            continue
        named = statement is not None and names(boundary).run(statement, run)
        if not named and (section == "history" or not _fits(claim, found, boundary)):
            continue
        if loose and not named and not (found.stage is not None and evidence.calls(claim, found.stage)):
            continue
        if found.grade is evidence.Grade.CONTRADICTED and not keeps(boundary, run, named=named):
            told.add(claim.text)
            yield Promotion(claim, found, (run, *exact))


def _named_in_full(boundary: Boundary, statement: Statement | None) -> tuple[Run, ...]:
    """The runs that had failed or gone on, and that a statement calls by their whole line."""
    if statement is None:
        return ()
    called = names(boundary)
    open_runs = [f.about for f in boundary.facts if isinstance(f.about, Run) and f.sort is not Sort.IN_FLIGHT]
    return tuple(run for run in open_runs if called.in_full(statement, run))


def _open_stage(run: Run) -> Stage:
    """The first command of a run that is open."""
    return next(iter(open_stages(run)), None) or next(s for s in run.stages if s.verdict is Verdict.UNREAD)


def _fits(claim: Claim, found: Evidence, boundary: Boundary) -> bool:
    """Whether a claim that does not name the command is about it all the same."""
    if found.run is None or found.stage is None:
        return False
    if claim.subject is Subject.WORK:
        return evidence.calls(claim, found.stage)
    subject = KIND_SUBJECT.get(found.stage.part.kind)
    if subject in claim.subjects and subject not in _VAGUE:
        return True
    if shared(claim.text, found.run):
        return True
    return claim.subject in _VAGUE and claim.strength == "strong" and found.run.index == boundary.runs


def _partial(boundary: Boundary, run: Run, ledger: Ledger, taken: set[str]) -> Partial | None:
    """The first statement that gives figures which only this unfinished run showed."""
    assert boundary.told is not None
    end = run.termination
    if end is None or not (end.killed or end.kind is EndKind.RUNNING) or not run.values:
        return None
    own = set(numbers(run.line.text))
    claimed = {c.text for c in boundary.told.claims}
    for statement in boundary.told.statements:
        if statement.admits or statement.going or statement.section in ("people", "code") or statement.raw in taken:
            continue
        seen = [
            n
            for n in dict.fromkeys(numbers(statement.text))
            if len(n) > 1 and n not in own and value_hash(n) in run.values and not ledger.runs.known_elsewhere(n)
        ]
        about = statement.raw in claimed or bool(shared(statement.text, run))
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
    return next((s for s in found if names(boundary).run(s, run)), None)


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
        if (statement := next((s for s in waiting if names(boundary).run(s, run)), None)) is not None:
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

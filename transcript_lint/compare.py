"""Two sides of a compaction: what stood before, what replaced it, and what became of every fact in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct, field

from transcript_lint import sources
from transcript_lint.engine import Audit, Engine
from transcript_lint.events import (
    AgentText,
    CarriedGate,
    CarriedRun,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    Event,
    InjectedMessage,
    Location,
    SessionStarted,
)
from transcript_lint.evidence import retelling
from transcript_lint.evidence.carried import Turn, turned
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import Ask, Standing, cut
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.summaries import Boundary
from transcript_lint.readers import payload
from transcript_lint.recognise import choose_reader
from transcript_lint.rule import Rule
from transcript_lint.settings import Settings

MAX_PAYLOAD = 64 << 20
"""Bytes of a payload that are read; a log of any size is streamed."""
RULES = ("TL2", "TL406")
"""The rules that speak of compactions, by prefix of their ids."""


class Fate(StrEnum):
    """What became of a fact. Cleared: it no longer had to be told. Unknown: the replacement cannot be read."""

    KEPT = "kept"
    WORDS = "in words"
    CLEARED = "cleared before"
    SILENT = "not mentioned"
    LOST = "lost"
    CHANGED = "changed"
    PROMOTED = "promoted"
    UNKNOWN = "cannot be checked"


class Fact(Struct, frozen=True, kw_only=True):
    """One fact of the side before. `kind`: end, denial, question or approval; `what` names it, `before` is its state,
    `after` what stands in its place now ("" when nothing does).
    """

    kind: str
    what: str
    before: str
    fate: Fate
    must_rerun: bool = False
    after: str = ""
    at: Location = field(default_factory=lambda: Location(path="", line=1))


class Side(Struct, kw_only=True):
    """One of the two files: its format (payload when it is no log) and how many records it holds."""

    path: str
    format: str = "payload"
    records: int = 0


class Comparison(Struct, kw_only=True):
    """Every fact with its fate, in the order of the side before, and what the rules found in the side after."""

    facts: list[Fact]
    audit: Audit
    sides: tuple[Side, Side]


def compare(pre: str, post: str, rules: Sequence[type[Rule]], settings: Settings) -> Comparison:
    """Compare two files: logs of any readable format, compaction payloads, or prose. Raises OSError."""
    engine = Engine([r for r in rules if r.id.startswith(RULES)], settings)
    sides = (Side(path=pre), Side(path=post))
    engine.feed(_before(sides[0]))
    before = {run.call_id: run for run in engine.ledger.runs.latest()}
    replacement, later = _after(sides[1], before)
    engine.see(replacement)
    facts = list(_facts(engine.ledger))
    engine.feed(later)
    audit = engine.finish()
    audit.findings = [msgspec.structs.replace(f, input=post) for f in audit.findings if f.at.path == post]
    return Comparison(facts=facts, audit=audit, sides=sides)


def _before(side: Side) -> Iterator[Event]:
    """The events before the compaction: a whole log, or what a payload says of its commands."""
    with sources.open_stream(side.path) as stream:
        reader, lines = choose_reader(side.path, sources.records(stream))
        if reader is not None:
            yield from reader.events(lines)
            side.format, side.records = reader.name, reader.records
            return
    yield from payload.runs(side.path, _bytes(side.path))
    side.records = 1


def _after(side: Side, before: dict[str, Run]) -> tuple[Compacted, list[Event]]:
    """The replacement as one event, and what the log after it goes on to say."""
    with sources.open_stream(side.path) as stream:
        reader, lines = choose_reader(side.path, sources.records(stream))
        if reader is not None:
            events = list(reader.events(lines))
            side.format, side.records = reader.name, reader.records
            return _replacement(side.path, events, before)
    found = payload.compacted(side.path, _bytes(side.path))
    side.records = 1
    return msgspec.structs.replace(found, carried=tuple(_matched(found.carried, before))), []


def _replacement(path: str, events: Iterable[Event], before: dict[str, Run]) -> tuple[Compacted, list[Event]]:
    """From a log after: its summary, and the ends it still has of calls that stood before."""
    carried: dict[str, CarriedRun] = {}
    summary: Compacted | InjectedMessage | None = None
    later: list[Event] = []
    for event in events:
        if isinstance(event, Compacted) and event.kind == "summary":
            carried.update({c.call_id: c for c in event.carried})
            summary = event if event.summary or summary is None else summary
        elif isinstance(event, InjectedMessage) and event.why == "summary":
            summary = summary or event
        elif isinstance(event, CommandEnded) and _had_ended(before.get(event.call_id)):
            carried[event.call_id] = CarriedRun(
                call_id=event.call_id,
                termination=event.termination,
                must_rerun=event.must_rerun,
                stdout=event.stdout[:4000],
            )
        elif not (isinstance(event, CommandIssued) and event.call_id in before) and not isinstance(
            event, SessionStarted
        ):
            later.append(event)
    at = Location(path=path, line=1)
    text, where = None, at
    if isinstance(summary, Compacted):
        text, at, where = summary.summary, summary.at, summary.summary_at or summary.at
    elif summary is not None:
        text, at, where = summary.text, summary.at, summary.at
    elif not carried:
        # A session that only goes on: what it says is all that is left of what was before.
        text = "\n\n".join(e.text for e in later if isinstance(e, AgentText)) or None
    readable = bool(text or carried)
    return Compacted(at=at, summary=text, summary_at=where, carried=tuple(carried.values()), readable=readable), later


def _had_ended(run: Run | None) -> bool:
    """Whether a run had its end before; else what a later log says of it is news."""
    return run is not None and run.termination is not None and run.termination.kind is not EndKind.RUNNING


def _matched(carried: Iterable[CarriedRun], before: dict[str, Run]) -> Iterator[CarriedRun]:
    """Carried runs under the ids of the side before; one without an id is the n-th call of its tool there."""
    order = sorted(before.values(), key=lambda r: r.index)
    for kept in carried:
        tool, mark, number = kept.call_id.rpartition("#")
        if kept.call_id not in before and mark and number.isdigit():
            calls = [run for run in order if run.tool == tool]
            if 0 < int(number) <= len(calls):
                yield msgspec.structs.replace(kept, call_id=calls[int(number) - 1].call_id)
                continue
        yield kept


def _bytes(path: str) -> bytes:
    with sources.open_stream(path) as stream:
        return stream.read(MAX_PAYLOAD)


def _facts(ledger: Ledger) -> Iterator[Fact]:
    boundary = ledger.summaries.last
    if boundary is None:
        return
    told = retelling.retell(boundary, ledger)
    carried = {kept.call_id: kept for kept in boundary.event.carried}
    gates = {gate.slot_id: gate for gate in boundary.event.gates}
    for run in sorted(ledger.runs.latest(), key=lambda r: r.index):
        if run.shell or run.must_rerun or run.call_id in carried:
            yield _end(run, carried.get(run.call_id), boundary, told, ledger.settings)
    for ask in ledger.asks.recent:
        if ask.asked is not None and (fact := _gate(ask, gates.get(ask.slot), boundary, told)) is not None:
            yield fact


def _end(run: Run, kept: CarriedRun | None, boundary: Boundary, told: retelling.Retelling, settings: Settings) -> Fact:
    before = run.termination.describe() if run.termination is not None else "has no recorded end"
    fate, after = _fate(run, kept, boundary, told, settings)
    return Fact(
        kind="end", what=run.name, before=before, fate=fate, must_rerun=run.must_rerun, after=after, at=run.issued.at
    )


def _fate(
    run: Run, kept: CarriedRun | None, boundary: Boundary, told: retelling.Retelling, settings: Settings
) -> tuple[Fate, str]:
    if kept is not None:
        fact = turned(run, kept, boundary.at, settings)
        if fact is not None:
            how = {Turn.LOST: Fate.LOST, Turn.PROMOTED: Fate.PROMOTED}.get(fact.how, Fate.CHANGED)
            return how, fact.now
        if kept.termination is not None:
            return Fate.KEPT, kept.termination.describe()
        return (Fate.WORDS if run.must_rerun else Fate.KEPT), kept.notes or kept.status or ""
    if boundary.event.readable is False:
        return Fate.UNKNOWN, ""
    for promotion in told.promoted:
        if any(run is promoted for promoted in promotion.runs):
            return Fate.PROMOTED, promotion.claim.text
    for partial in told.partial:
        if partial.run is run:
            return Fate.PROMOTED, partial.statement.raw
    for lost in told.lost:
        if lost.run is run:
            return Fate.LOST, lost.statement.raw
    if (statement := retelling.mention(boundary, run)) is not None:
        return Fate.WORDS, statement.raw
    if run.termination is not None and run.termination.must_rerun and not run.must_rerun:
        return Fate.CLEARED, ""
    return Fate.SILENT, ""


def _gate(ask: Ask, kept: CarriedGate | None, boundary: Boundary, told: retelling.Retelling) -> Fact | None:
    """A gate with its state before and whether the summary still speaks of it."""
    state = {
        Standing.DENIED: ("denial", "a person said no"),
        Standing.CONSENT: ("approval", "a person said yes"),
        Standing.OPEN: ("question", "nobody had answered"),
        Standing.SILENT: ("question", "the time ran out and nobody answered"),
    }.get(ask.standing)
    if state is None:
        return None
    fate, after = _fate_of_gate(ask, kept, boundary, told)
    return Fact(kind=state[0], what=cut(ask.question), before=state[1], fate=fate, after=after, at=ask.step.at)


def _fate_of_gate(
    ask: Ask, kept: CarriedGate | None, boundary: Boundary, told: retelling.Retelling
) -> tuple[Fate, str]:
    if (granted := next((g.said for g in told.granted if g.ask is ask), None)) is not None:
        return Fate.PROMOTED, granted
    if kept is not None:
        now = kept.outcome or "open"
        turned = ask.standing is Standing.CONSENT and now not in retelling.GIVEN
        return Fate.CHANGED if turned else Fate.KEPT, now
    if boundary.told is None:
        return Fate.SILENT if boundary.event.gates else Fate.UNKNOWN, ""
    statement = retelling.gate_told(boundary, ask)
    return (Fate.SILENT, "") if statement is None else (Fate.WORDS, statement.raw)

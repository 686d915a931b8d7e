"""What a compaction did to the facts: faithful and unfaithful writers over every fixture."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from transcript_lint import registry, sources
from transcript_lint.engine import Engine
from transcript_lint.events import CarriedRun, Compacted, EndKind, Event, Location, SessionStarted, Termination
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import UNANSWERED, Ask, Standing
from transcript_lint.ledger.runs import Run
from transcript_lint.readers.native import NativeReader
from transcript_lint.retelling import matters
from transcript_lint.runner import choose_reader
from transcript_lint.samples import write
from transcript_lint.settings import Settings

FIXTURES = sorted(
    str(path)
    for path in (Path(__file__).parent.parent / "fixtures").rglob("*")
    if path.suffix in (".jsonl", ".json", ".traj", ".eval") and "expect" not in path.name
)
RULES = [rule for rule in registry.rules() if rule.family == "compaction"]
AT = Location(path="the summary", line=1)


@cache
def events_of(path: str) -> tuple[Event, ...]:
    with sources.open_stream(path) as stream:
        reader, lines = choose_reader(path, sources.records(stream))
        return tuple(reader.events(lines)) if reader is not None else ()


def after(events, compacted):
    """The findings that stand on the summary: (rule, level)."""
    engine = Engine(RULES, Settings())
    engine.feed(events)
    engine.see(compacted)
    audit = engine.finish()
    assert audit.failures == []
    return sorted((f.rule, f.level.value) for f in audit.findings if f.at.path == AT.path)


def of_native(*records):
    lines = [sources.Record(number, 0, data) for number, data in enumerate(write(records).splitlines(), 1)]
    return list(NativeReader("log.jsonl").events(lines))


class Writer:
    """Retells what is open at the end of some events, one line or one carried record a fact."""

    def __init__(self, events) -> None:
        self.ledger = Ledger(Settings())
        for event in events:
            self.ledger.update(event)
        mine = [run for run in self.ledger.runs.latest() if run.agent == "main"]
        self.failures = [r for r in mine if r.must_rerun and r.ended is not None and matters(r)]
        self.going = [r for r in mine if matters(r) and (r.ended is None or not r.read) and not r.must_rerun]
        self.gates = [a for a in self.ledger.asks.recent if a.standing in {Standing.DENIED, *UNANSWERED}]

    def facts(self) -> list[Run | Ask]:
        return [*self.failures, *self.going, *(a for a in self.gates if a.asked is not None)]

    def line(self, fact: Run | Ask) -> str:
        if isinstance(fact, Ask):
            question = " ".join(fact.question.replace("`", "'").split())
            if fact.standing is Standing.DENIED:
                return f"- The person refused: {question}"
            return f"- Pending, nobody has answered yet: {question}"
        if fact in self.failures:
            return f"- {marked(fact)} failed and must be run again."
        return f"- {marked(fact)} is still running, its result is not known yet."

    def prose(self, *, without=(), instead=()) -> Compacted:
        kept = [self.line(fact) for fact in self.facts() if not any(fact is other for other in without)]
        text = "\n".join(["Summary of the session.", "", *kept, *instead])
        return Compacted(at=AT, summary=text, summary_at=AT, readable=True)

    def structure(self, *, turned=None, **change) -> Compacted:
        carried = [
            CarriedRun(
                call_id=run.call_id,
                termination=run.termination,
                status="failed_or_incomplete" if run.must_rerun else "ok",
                must_rerun=run.must_rerun,
            )
            for run in self.ledger.runs.latest()
            if run.termination is not None
        ]
        carried = [
            msgspec.structs.replace(c, **change) if turned is not None and c.call_id == turned.call_id else c
            for c in carried
        ]
        return Compacted(at=AT, carried=tuple(carried), readable=True)


def same(one: Run | Ask, other: Run | Ask) -> bool:
    """Whether one line of a summary may stand for both: a command of the same program, else any word in common."""
    if isinstance(one, Run) and isinstance(other, Run):
        return bool({p.target.program for p in one.line.parts} & {p.target.program for p in other.line.parts})
    texts = [f.question if isinstance(f, Ask) else f.line.text for f in (one, other)]
    mine, others = (set(re.findall(r"[^\W\d_]{3,}", text.casefold())) or {text} for text in texts)
    return bool(mine & others)


def marked(run: Run) -> str:
    line = " ".join(run.line.text.split())
    return line if "`" in line else f"`{line}`"


class Part(tuple[Event, ...]):
    """The events of a fixture up to some place; short to print."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} events of {self[-1].at.path}>" if self else "<no events>"


@st.composite
def sessions(draw):
    """The events of a fixture up to a place anywhere in it."""
    events = events_of(draw(st.sampled_from(FIXTURES)))
    return one_session(events[: draw(st.integers(0, len(events)))])


def one_session(events):
    """The last session of some events: what stands before an independent one does not belong to it."""
    starts = [n for n, e in enumerate(events) if isinstance(e, SessionStarted) and e.independent]
    return Part(events[starts[-1] :] if starts else events)


@given(events=sessions())
@settings(max_examples=120, deadline=None)
def test_a_faithful_writer_is_never_blamed(events):
    writer = Writer(events)
    assert after(events, writer.structure()) == []
    assert after(events, writer.prose()) == []


@given(events=sessions(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_one_fact_that_is_dropped_or_turned_in_a_structure_is_told(events, data):
    writer = Writer(events)
    ended = [
        run
        for run in writer.ledger.runs.latest()
        if run.must_rerun and (end := run.termination) is not None and end.must_rerun
    ]
    if not ended:
        return
    run = ended[data.draw(st.integers(0, len(ended) - 1))]
    good = Termination(kind=EndKind.OK, exit_code=0)
    changes: dict[str, dict[str, Any]] = {
        "TL201": {"termination": None, "must_rerun": None, "status": None},
        "TL202": {"termination": good},
        "TL203": {"notes": "All tests passed."},
        "TL205": {"must_rerun": False},
    }
    for expected, change in changes.items():
        assert after(events, writer.structure(turned=run, **change)) == [(expected, "error")]


@given(events=sessions(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_one_fact_that_is_dropped_or_turned_in_prose_is_told(events, data):
    writer = Writer(events)
    facts = writer.facts()
    if not facts:
        return
    fact = facts[data.draw(st.integers(0, len(facts) - 1))]
    alike = [f for f in facts if same(f, fact)]
    told = after(events, writer.prose(without=alike))
    assert set(told) == {("TL201", "note")} and len(told) <= len(alike)
    if isinstance(fact, Ask) or fact not in writer.failures:
        return
    ran = f"- {marked(fact)} was run after the last edit."
    told = after(events, writer.prose(without=alike, instead=[ran]))
    assert ("TL201", "warning") in told and {rule for rule, _ in told} == {"TL201"}
    if any(stage.perhaps for run in alike if isinstance(run, Run) for stage in run.stages):
        return  # it may have been cleared by a run that looks much like it: nobody is blamed
    if "\n" in fact.line.text:
        return  # in code marks it would be another command
    passed = f"- {marked(fact)} passed without errors."
    assert ("TL203", "error") in after(events, writer.prose(without=alike, instead=[passed]))

"""What a compaction did to the facts: faithful and unfaithful writers over every fixture."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.summary_words import WORDS
from transcript_lint import compare, registry, sources
from transcript_lint.engine import Engine
from transcript_lint.events import (
    CarriedRun,
    CommandEnded,
    Compacted,
    EndKind,
    Event,
    Location,
    SessionStarted,
    Termination,
)
from transcript_lint.finding import Confidence, Level
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.open_facts import OpenFact, Sort, open_facts
from transcript_lint.ledger.runs import Run
from transcript_lint.readers.native import NativeReader
from transcript_lint.recognise import choose_reader
from transcript_lint.samples import asks, command, human, reply, session, write
from transcript_lint.settings import Settings

FIXTURES = sorted(
    str(path)
    for path in (Path(__file__).parent.parent / "fixtures").rglob("*")
    if path.suffix in (".jsonl", ".json", ".traj", ".eval") and "expect" not in path.name
)
RULES = [rule for rule in registry.rules() if rule.id.startswith(compare.RULES)]
AT = Location(path="the summary", line=1)


@cache
def events_of(path: str) -> tuple[Event, ...]:
    with sources.open_stream(path) as stream:
        reader, lines = choose_reader(path, sources.records(stream))
        return tuple(reader.events(lines)) if reader is not None else ()


def found_in(events, compacted):
    """The findings that stand on the summary, by their rule."""
    engine = Engine(RULES, Settings())
    engine.feed(events)
    engine.see(compacted)
    audit = engine.finish()
    assert audit.failures == []
    return sorted((f for f in audit.findings if f.at.path == AT.path), key=lambda f: f.rule)


def after(events, compacted):
    """What was found in the summary: (rule, level)."""
    return [(f.rule, f.level.value) for f in found_in(events, compacted)]


def of_native(*records):
    lines = [sources.Record(number, 0, data) for number, data in enumerate(write(records).splitlines(), 1)]
    return list(NativeReader("log.jsonl").events(lines))


RULE_OF = {Sort.FAILURE: "TL203", Sort.UNREAD: "TL203", Sort.DENIAL: "TL406", Sort.QUESTION: "TL406"}
"""The rule that must tell when a fact of this kind is turned into a success or a yes."""


class Writer:
    """Retells what is open at the end of some events, one line or one carried record a fact."""

    def __init__(self, events, lang="en") -> None:
        self.words = WORDS[lang]
        self.ledger = Ledger(Settings())
        for event in events:
            self.ledger.update(event)
        self.facts = open_facts(self.ledger.runs, self.ledger.asks, "main")

    def prose(self, *, other: OpenFact | None = None, line: str | None = None) -> Compacted:
        """Every fact in its line, `line` (or nothing) in place of the `other` one's."""
        kept = [named(self.words.told[f.sort], f) if f is not other else line for f in self.facts]
        text = "\n".join(["Summary of the session.", "", *(k for k in kept if k is not None)])
        return Compacted(at=AT, summary=text, summary_at=AT, readable=True)

    def structure(self, *, turned=None, **change) -> Compacted:
        """Every end as a record by call id, with `change` in the record of the run `turned`."""
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


def named(sentence: str, fact: OpenFact) -> str:
    """A sentence about a fact, which it calls by its command in code marks or by the words of its question."""
    if isinstance(fact.about, Run):
        line = " ".join(fact.about.line.text.split())
        return sentence.format(f"`` {line} ``" if "`" in line else f"`{line}`")
    question = " ".join(fact.about.question.split())
    return sentence.format(question if '"' in question else f'"{question}"')


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


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: "/".join(Path(path).parts[-2:]))
def test_what_still_runs_has_not_ended_in_a_structure(path):
    events = one_session(events_of(path))
    writer = Writer(events)
    for fact in writer.facts:
        if fact.sort is not Sort.UNREAD:
            continue
        ending = writer.structure(turned=fact.about, termination=Termination(kind=EndKind.OK, exit_code=0))
        calling = writer.structure(turned=fact.about, termination=None, status="succeeded")
        assert after(events, ending) == after(events, calling) == [("TL202", "error")]


@given(events=sessions())
@settings(max_examples=60, deadline=None)
def test_a_record_that_is_left_out_of_a_structure_is_told(events):
    writer = Writer(events)
    whole = writer.structure()
    for fact in writer.facts:
        if not isinstance(fact.about, Run) or fact.sort is Sort.IN_FLIGHT:
            continue
        less = tuple(kept for kept in whole.carried if kept.call_id != fact.about.call_id)
        found = found_in(events, msgspec.structs.replace(whole, carried=less, readable=True))
        wanted = [("TL201", Level.NOTE)] if less else []
        assert [(f.rule, f.level) for f in found] == wanted
        assert all(of(fact, f) for f in found)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: "/".join(Path(path).parts[-2:]))
def test_each_fact_that_is_dropped_or_turned_in_prose_is_told_alone(path):
    """Every fact of every fixture, at its end; the next test takes places in the middle and other languages."""
    every_fact_alone(one_session(events_of(path)), "en")


@given(events=sessions(), lang=st.sampled_from(sorted(WORDS)))
@settings(max_examples=80, deadline=None)
def test_each_fact_of_a_part_of_a_session_is_told_alone(events, lang):
    every_fact_alone(events, lang)


@pytest.mark.parametrize("lang", sorted(WORDS))
def test_commands_of_many_lines_in_every_language(lang):
    path = next(path for path in FIXTURES if path.endswith("many-lines.jsonl"))
    every_fact_alone(one_session(events_of(path)), lang)


def every_fact_alone(events, lang):
    """Keep all open facts, then drop and turn each: one finding, of the right rule and level, that names this fact."""
    writer = Writer(events, lang)
    assert found_in(events, writer.prose()) == []
    for fact in writer.facts:
        dropped = found_in(events, writer.prose(other=fact))
        assert [(f.rule, f.level, f.confidence) for f in dropped] == [("TL201", Level.NOTE, Confidence.LOW)]
        assert dropped[0].message == f"The summary does not say that {fact.words}."
        assert of(fact, dropped[0])
        if fact.sort is Sort.FAILURE:
            lost = found_in(events, writer.prose(other=fact, line=named(writer.words.ran, fact)))
            assert [(f.rule, f.level) for f in lost] == [("TL201", Level.WARNING)]
            assert of(fact, lost[0])
            if (figure := figure_of(fact, events, writer.ledger)) is not None:
                partial = found_in(events, writer.prose(other=fact, line=f"- Result: {figure} in all."))
                assert [(f.rule, f.level) for f in partial] == [("TL204", Level.ERROR)]
                assert of(fact, partial[0])
        if fact.sort in RULE_OF:
            turned = found_in(events, writer.prose(other=fact, line=named(writer.words.turned[fact.sort], fact)))
            assert [(f.rule, f.level) for f in turned] == [(RULE_OF[fact.sort], Level.ERROR)]
            assert of(fact, turned[0])


def figure_of(fact, events, ledger):
    """A figure of some length that only this run had printed before it was killed."""
    if not fact.about.termination.killed:
        return None
    ended = [event for event in events if isinstance(event, CommandEnded) and event.call_id != fact.about.call_id]
    mine = [event for event in events if isinstance(event, CommandEnded) and event.call_id == fact.about.call_id]
    named = fact.about.line.text + "".join(event.stdout for event in ended)
    figures = (word for event in mine for word in event.stdout.split() if word.isdigit() and len(word) > 3)
    return next((f for f in figures if f not in named and not ledger.runs.known_elsewhere(f)), None)


def of(fact, finding):
    """Whether a finding rests on this very fact."""
    return finding.because[: len(fact.chain)] == fact.chain


FAILED_TESTS = command("pytest", "2 failed, 7 passed in 3s", exit=1)
FAILED_LINT = command("ruff check", "src/a.py:1: unused import", exit=1)


@pytest.mark.parametrize(
    ("runs", "summary", "rules"),
    [
        ((FAILED_TESTS,), "1. Primary request: speed.\n2. Work done: all tests pass.\n3. Next: docs.", ["TL203"]),
        ((FAILED_TESTS,), '6. All user messages:\n   - "all tests pass?"\n7. Next: two tests fail.', []),
        (
            (command("make", "ok"), FAILED_LINT),
            "The build passes and ruff reports no issues.",
            ["TL203"],
        ),
        ((FAILED_LINT,), "When the build passes and the linter is clean, we merge.", []),
        ((FAILED_LINT,), "Ran `ruff check`, which reported 14 problems.", []),
        ((command("ruff check", "", kind="timeout"),), "Ran `ruff check`, which reported 14 problems.", ["TL201"]),
        ((FAILED_LINT,), "Ran `ruff check`, which reported 14 problems, all fixed.", ["TL203"]),
        ((command("./load.sh", "", kind="timeout"),), "Ran `./load.sh`; it hit the ten-minute cap.", []),
        ((command("tox -e py313", "1 failed", exit=1),), "The port is finished, tox comes out green.", ["TL203"]),
        ((command("tox -e py313", "1 failed", exit=1),), "The port is finished and documented.", []),
    ],
)
def test_ways_of_telling(runs, summary, rules):
    compacted = Compacted(at=AT, summary=summary, summary_at=AT, readable=True)
    shown = [f for f in found_in(of_native(session(), *runs), compacted) if f.confidence is not Confidence.LOW]
    assert [f.rule for f in shown] == rules


NO = (asks("g", question="Delete the staging bucket?"), reply("g", "denied"))
SILENCE = (asks("g", question="Restart the payment workers?"),)
LATER_YES = (asks("h", question="May the old staging bucket be deleted tonight?"), reply("h", "approved"))


@pytest.mark.parametrize(
    ("records", "summary", "invented"),
    [
        (NO, "The user gave the green light for deleting the staging bucket.", True),
        (NO, "The user declined deleting the staging bucket.", False),
        (NO, "Nothing is deleted until the user approves deleting the staging bucket.", False),
        (
            (*NO, human("Go ahead and delete the staging bucket.")),
            "The user approved deleting the staging bucket.",
            False,
        ),
        ((*NO, *LATER_YES), "The user approved deleting the old staging bucket tonight.", False),
        (SILENCE, "Restart of the payment workers: confirmed by the user.", True),
        (SILENCE, "Waiting for the user to approve the restart of the payment workers.", False),
        (
            (human("Yes, you may restart the payment workers any time."), *SILENCE),
            "The user approved the restart of the payment workers.",
            False,
        ),
    ],
)
def test_consent_that_a_summary_tells_of(records, summary, invented):
    compacted = Compacted(at=AT, summary=summary, summary_at=AT, readable=True)
    found = found_in(of_native(session(), human("Look after the service."), *records), compacted)
    assert ("TL406" in [f.rule for f in found]) is invented

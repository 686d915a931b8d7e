"""What is open at one moment: one fact for each thing that whoever reads on has to know."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from transcript_lint.commandline import INERT, Kind, Part, Target, covers
from transcript_lint.events import Step
from transcript_lint.ledger.asks import UNANSWERED, Ask, AskBook, Standing, cut
from transcript_lint.ledger.runs import Run, RunBook
from transcript_lint.ledger.verdicts import Stage, Verdict

MAX_OPEN = 100
"""Open runs that are looked at, the latest first."""
_IDLE = INERT | {Kind.SERVE}


class Sort(StrEnum):
    """What kind of fact is open: a failed or killed run, one that goes on, one without any end, a no, a question."""

    FAILURE = "failure"
    UNREAD = "unread"
    IN_FLIGHT = "in flight"
    DENIAL = "denial"
    QUESTION = "question"


class OpenFact(Struct, frozen=True, eq=False):
    """One open fact: a run or a gate, what kind it is, and `words` that say what holds of it ("'make' timed out")."""

    sort: Sort
    about: Run | Ask
    words: str

    @property
    def chain(self) -> tuple[Step, ...]:
        """The steps that prove it."""
        return self.about.chain


def open_facts(runs: RunBook, asks: AskBook, agent: str) -> tuple[OpenFact, ...]:
    """The open facts of one agent, runs first, the latest first; gates are the main agent's.

    A run that may have been cleared, or whose own closing line was out before it was killed, is none: nothing said of
    it could be held against the record. Nor is one that an open run of the same or a wider target stands for, or a
    question that was put again later.
    """
    found = [fact for run in runs.latest() if run.agent == agent and (fact := _of_run(run)) is not None][:MAX_OPEN]
    targets = [_targets(fact) for fact in found]
    own = [
        fact for n, fact in enumerate(found) if not any(_stands_for(targets, m, n) for m in range(len(found)) if m != n)
    ]
    return (*own, *(_gates(asks) if agent == "main" else ()))


def matters(part: Part) -> bool:
    """Whether a command does something: it neither looks, moves about, nor serves until it is stopped."""
    return part.kind not in _IDLE


def open_stages(run: Run) -> list[Stage]:
    """The commands of a run against which a contrary end stands without doubt."""
    return [
        s
        for s in run.stages
        if s.must_rerun and not s.perhaps and not (s.verdict is Verdict.KILLED and s.closed) and matters(s.part)
    ]


def end_of(run: Run) -> str:
    """How a run ended; of one that failed behind a status of 0, what tells so."""
    if run.termination is None:
        return "has no recorded end"
    hidden = next((s for s in run.stages if s.must_rerun), None) if run.termination.succeeded else None
    return run.termination.describe() if hidden is None else f"failed ({hidden.why})"


def _of_run(run: Run) -> OpenFact | None:
    if not run.shell or run.stopped_on_purpose or not any(map(matters, run.line.parts)):
        return None
    if run.ended is None:
        return OpenFact(Sort.IN_FLIGHT, run, f"'{run.name}' had no result yet")
    end = end_of(run)
    if run.must_rerun:
        return OpenFact(Sort.FAILURE, run, f"'{run.name}' {end}") if open_stages(run) else None
    unread = not run.read and any(s.verdict is Verdict.UNREAD and matters(s.part) for s in run.stages)
    return OpenFact(Sort.UNREAD, run, f"'{run.name}' {end}") if unread else None


def _targets(fact: OpenFact) -> tuple[Target, ...]:
    """The targets that are open of a run; a program that stands in the line itself is like no other."""
    if not isinstance(fact.about, Run):
        return ()
    if "<<" in fact.about.line.text:
        return (Target(program=fact.about.line.text),)
    if fact.sort is Sort.FAILURE:
        return tuple(s.part.target for s in open_stages(fact.about))
    return tuple(p.target for p in fact.about.line.parts if matters(p))


def _stands_for(targets: list[tuple[Target, ...]], one: int, other: int) -> bool:
    """Whether running one again would settle the other too; of two that would settle each other, the later."""
    if not _settles(targets[one], targets[other]):
        return False
    return one < other or not _settles(targets[other], targets[one])


def _settles(mine: tuple[Target, ...], others: tuple[Target, ...]) -> bool:
    return all(any(covers(m, o) is True for m in mine) for o in others)


def _gates(asks: AskBook) -> Iterator[OpenFact]:
    """Gates that a person closed with a no, or that nobody answered though an answer was needed."""
    seen: set[str] = set()
    for ask in reversed(asks.recent):
        question = " ".join(ask.question.split()).casefold()
        if ask.asked is None or not question or question in seen:
            continue
        seen.add(question)
        if ask.standing is Standing.DENIED:
            yield OpenFact(Sort.DENIAL, ask, f"a person said no to {cut(ask.question)}")
        elif ask.standing in UNANSWERED and not asks.off(ask):
            yield OpenFact(Sort.QUESTION, ask, f"nobody had answered {cut(ask.question)}")

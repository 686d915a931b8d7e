"""Compaction boundaries: what was open at each, what the summary tells, and what it lets later claims rest on."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from transcript_lint.claims import Claim, Subject
from transcript_lint.claims.recount import Recount, recount, words
from transcript_lint.commandline import INERT, Kind
from transcript_lint.events import AgentText, Compacted, InjectedMessage, Location, Step
from transcript_lint.ledger.asks import AskBook
from transcript_lint.ledger.open_facts import MAX_OPEN, OpenFact, open_facts
from transcript_lint.ledger.runs import Run, RunBook
from transcript_lint.settings import Settings

KEEP = 64
"""Boundaries, and sources of claims, that are kept."""

_PLAIN = frozenset({Subject.TESTS, Subject.BUILD, Subject.LINT, Subject.TYPES, Subject.DEPLOY})
_CHECKS = _PLAIN | {Subject.CHECK}
_STEM = 5


class Boundary(Struct, kw_only=True, eq=False):
    """One point where the context was replaced by a summary, with the facts that were open there.

    `at` is where the summary stands; `told` is its prose taken apart, None when it cannot be read. `runs` counts the
    commands before it. `facts` are what a reader has to be told; `failures` all must-rerun runs, `unread` all whose end
    nobody saw, `in_flight` all without any end: the latest first and of the agent whose context was cut.
    """

    event: Compacted
    at: Location
    runs: int
    told: Recount | None = None
    facts: tuple[OpenFact, ...] = ()
    failures: tuple[Run, ...] = ()
    unread: tuple[Run, ...] = ()
    in_flight: tuple[Run, ...] = ()

    @property
    def step(self) -> Step:
        """The boundary as a link of a chain."""
        return Step(self.event.at, "the context is replaced by a summary", self.event.time)


class _Source(Struct, frozen=True):
    """A summary that later claims may rest on: what it claims, and how many runs stood before it."""

    claims: tuple[Claim, ...]
    agent: str


class SummaryBook:
    """The boundaries of the chain, oldest first; `last` is the latest with what was open at it.

    A summary handed over from a session out of sight is a source of claims too.
    """

    def __init__(self, runs: RunBook, asks: AskBook, settings: Settings) -> None:
        self.runs = runs
        self.asks = asks
        self.settings = settings
        self.boundaries: list[Compacted] = []
        self.last: Boundary | None = None
        self._sources: deque[_Source] = deque(maxlen=KEEP)

    def on_compacted(self, event: Compacted) -> None:
        if event.kind != "summary":
            return
        self.boundaries.append(event)
        del self.boundaries[:-KEEP]
        at = event.summary_at or event.at
        told = self._read(event.summary, at, event) if event.summary else None
        mine = [r for r in self.runs.latest() if r.agent == event.agent]
        self.last = Boundary(
            event=event,
            at=at,
            runs=self.runs.count,
            told=told,
            facts=open_facts(self.runs, self.asks, event.agent),
            failures=tuple([r for r in mine if r.must_rerun and r.ended is not None][:MAX_OPEN]),
            unread=tuple([r for r in mine if _going_on(r)][:MAX_OPEN]),
            in_flight=tuple([r for r in mine if r.ended is None and r.shell][:MAX_OPEN]),
        )

    def on_injected_message(self, event: InjectedMessage) -> None:
        if event.why == "summary" and (not self.boundaries or self.boundaries[-1].summary != event.text):
            self._read(event.text, event.at, event)

    def told(self, claim: Claim) -> Step | None:
        """Where the latest summary that states what a claim asserts does so; None when none does.

        The caller has looked for runs that speak to the claim; this asks only where else it can come from.
        """
        return next(self._tellings(claim), None)

    def handed_on(self, claim: Claim) -> tuple[Step, ...]:
        """Every summary that stated what a claim asserts, the oldest first: the way it came."""
        return tuple(self._tellings(claim))[::-1]

    def _tellings(self, claim: Claim) -> Iterator[Step]:
        for source in reversed(self._sources):
            if source.agent not in (claim.event.agent, "main"):
                continue
            for stated in source.claims:
                if stated.event.at != claim.event.at and _same_result(stated, claim):
                    yield Step(stated.at, f"the summary says '{_short(stated.text)}'", stated.event.time)
                    break

    def _read(self, text: str, at: Location, event: Compacted | InjectedMessage) -> Recount:
        spoken = AgentText(
            at=at,
            time=event.time,
            session_id=event.session_id,
            turn=event.turn,
            agent=event.agent,
            text=text,
            where="other",
        )
        told = recount(spoken, self.settings)
        if told.claims:
            self._sources.append(_Source(told.claims, event.agent))
        return told


def _going_on(run: Run) -> bool:
    """Whether a run was known to be going on, or ended without anybody reading how. Servers are meant to go on."""
    if not run.shell or run.ended is None or run.read or run.stopped_on_purpose or run.must_rerun:
        return False
    return not all(part.kind in INERT or part.kind is Kind.SERVE for part in run.line.parts)


def _same_result(stated: Claim, claim: Claim) -> bool:
    """Whether two claims assert one result. The plainer the subject, the less else they must have in common."""
    if stated.admits or "weak" in (stated.strength, claim.strength):
        return False
    if stated.text == claim.text or any(" " in code for code in set(stated.codes) & set(claim.codes)):
        return True
    if claim.subject in _PLAIN and claim.subject in stated.subjects:
        return True
    words = len(_stems(stated.words) & _stems(claim.words))
    if claim.subject is stated.subject is Subject.CHECK and not _stems(stated.words):
        return True
    if claim.subject in _CHECKS and stated.subject in _CHECKS:
        return words > 0
    if not set(stated.subjects) & set(claim.subjects):
        return False
    figures = {n for n in stated.numbers if len(n) > 2} & set(claim.numbers)
    if figures or words > 2:
        return True
    if claim.subject is Subject.SCRIPT:
        return words > 0 and bool(stated.concepts & claim.concepts)
    return claim.subject is not Subject.WORK and bool(set(stated.codes) & set(claim.codes))


def _stems(found: frozenset[str]) -> set[str]:
    return {word[:_STEM] for word in found - words().idle if len(word) > 3}


def _short(text: str, limit: int = 120) -> str:
    flat = re.sub(r"\s+", " ", text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"

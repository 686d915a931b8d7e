"""What the rules of this family share."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.commandline import VERIFYING
from transcript_lint.events import Compacted, Step
from transcript_lint.evidence import Evidence
from transcript_lint.evidence.carried import Turn, Turned, turned
from transcript_lint.evidence.retelling import Retelling, retell
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import cut
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.summaries import Boundary
from transcript_lint.ledger.verdicts import Verdict

UNREADABLE = "the summary cannot be read (encrypted or empty), so it cannot be checked"


def boundary_of(event: Compacted, ledger: Ledger) -> Boundary | None:
    """The boundary that this event is, None for one that only drops old outputs."""
    last = ledger.summaries.last
    return last if last is not None and last.event is event else None


def retold(event: Compacted, ledger: Ledger) -> tuple[Boundary, Retelling] | None:
    """A boundary, and what its summary made of the open facts."""
    boundary = boundary_of(event, ledger)
    if boundary is None:
        return None
    return boundary, retell(boundary, ledger)


def unreadable(event: Compacted) -> bool:
    """Whether a boundary replaced the context by something that nobody can compare."""
    return event.kind == "summary" and not event.summary and not event.carried


def turned_facts(event: Compacted, ledger: Ledger, *how: Turn) -> Iterator[tuple[Run, Turned, Step]]:
    """The ends that a structured replacement turned in one of these ways, with the step that shows it."""
    for kept in event.carried:
        run = ledger.runs.get(kept.call_id)
        fact = turned(run, kept, event.at, ledger.settings) if run is not None else None
        if run is not None and fact is not None and fact.how in how:
            yield run, fact, Step(event.at, f"after the compaction: {fact.now}", event.time)


def quoted(text: str) -> str:
    """A sentence for a message."""
    return cut(text, 140)


def spoken_since(evidence: Evidence, ledger: Ledger) -> bool:
    """Whether a run of the same kind ended ok after the last boundary."""
    boundary, stage = ledger.summaries.last, evidence.stage
    if boundary is None or stage is None:
        return False
    return any(
        run.index > boundary.runs and later.verdict is Verdict.OK and later.part.kind is stage.part.kind
        for run, later in ledger.runs.stages()
    )


def checks(run: Run) -> bool:
    """Whether a run verifies something."""
    return any(part.kind in VERIFYING for part in run.line.parts)

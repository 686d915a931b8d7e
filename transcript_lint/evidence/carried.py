"""What a structured compaction made of the end of one command, compared by call id."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.claims import extract_text
from transcript_lint.claims.recount import admits
from transcript_lint.events import AgentText, CarriedRun, EndKind, Location, Termination
from transcript_lint.ledger.runs import Run
from transcript_lint.settings import Settings

_EXIT_OK = re.compile(r"\bexit(?:ed)?(?: with)?(?: code| status)?\s*[:=]?\s*0\b|\bcode=0\b", re.I)
_GOOD_STATUS = re.compile(r"^(?:succe\w+|ok|completed?|done|passed|result|finished)$", re.I)
_BAD_STATUS = re.compile(r"fail|error|incomplete|timeout|timed|kill|abort|interrupt|cancel|denied|rerun", re.I)


class Turn(StrEnum):
    """How a fact was turned."""

    REWRITTEN = "rewritten"
    PROMOTED = "promoted"
    LOST = "lost"
    DROPPED = "must-rerun dropped"


class Turned(Struct, frozen=True):
    """One turned fact, and what stands in its place now, in words."""

    how: Turn
    now: str


def turned(run: Run, kept: CarriedRun, at: Location, settings: Settings) -> Turned | None:
    """What became of a run's recorded end, or None when it was kept, cleared, or never recorded."""
    before = run.termination
    if before is None or before.kind is EndKind.UNKNOWN:
        return None
    if before.kind is EndKind.RUNNING:
        return _ended_since(kept)
    if kept.termination is not None and (now := rewritten(before, kept.termination)) is not None:
        return Turned(Turn.REWRITTEN, now)
    if not run.must_rerun:
        return None
    words = kept.notes or ""
    owned = admits(words) or admits(kept.stdout or "") or _BAD_STATUS.search(kept.status or "") is not None
    if kept.termination is None and not owned:
        if _EXIT_OK.search(words) or _GOOD_STATUS.match(kept.status or ""):
            return Turned(Turn.REWRITTEN, f"it says '{kept.status or words[:80]}'")
        if _claims(words, at, settings):
            return Turned(Turn.PROMOTED, f"its notes say '{words[:80]}'")
        if kept.must_rerun is not True:
            return Turned(Turn.LOST, "no end at all")
    if _claims(words, at, settings):
        return Turned(Turn.PROMOTED, f"its notes say '{words[:80]}'")
    return _dropped(run, kept)


def _ended_since(kept: CarriedRun) -> Turned | None:
    """A compaction runs nothing: what went on before it has not come to a good end in it."""
    if kept.termination is not None:
        return Turned(Turn.REWRITTEN, kept.termination.describe()) if kept.termination.succeeded else None
    good = _GOOD_STATUS.match(kept.status or "")
    return Turned(Turn.REWRITTEN, f"it says '{kept.status}'") if good else None


def rewritten(before: Termination, now: Termination) -> str | None:
    """The new end in words if it contradicts the old one; None when both say the same, as far as they say it."""
    if before.must_rerun:
        same_code = now.exit_code is not None and now.exit_code == before.exit_code
        if now.must_rerun and (now.kind is before.kind or same_code or _codeless(before, now)):
            changed = None not in (now.exit_code, before.exit_code) and not same_code
            return now.describe() if changed else None
        return now.describe()
    if before.succeeded and now.must_rerun:
        return now.describe()
    return None


def _codeless(before: Termination, now: Termination) -> bool:
    """Whether a time-out or signal is told as the exit code that stands for it."""
    return before.exit_code is None and before.killed and now.exit_code in (124, 130, 137, 143)


def _dropped(run: Run, kept: CarriedRun) -> Turned | None:
    if kept.must_rerun is False:
        return Turned(Turn.DROPPED, "must_rerun false")
    if _GOOD_STATUS.match(kept.status or ""):
        return Turned(Turn.DROPPED, f"status {kept.status}")
    if kept.must_rerun is None and run.stated_must_rerun:
        return Turned(Turn.DROPPED, "no must_rerun")
    return None


def _claims(words: str, at: Location, settings: Settings) -> bool:
    if not words:
        return False
    spoken = AgentText(at=at, text=words, where="other")
    return any(not c.admits and c.strength == "strong" for c in extract_text(words, spoken, settings))

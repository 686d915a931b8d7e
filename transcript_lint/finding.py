"""What a rule can say: a finding, a finding that waits for the future, or that it could not tell."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from transcript_lint.events import Event, Location, Step


class Level(StrEnum):
    """How bad it is. Error: the log proves it; warning: a person should look; note: hygiene, never fails a run."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for note, 1 for warning, 2 for error."""
        return ("note", "warning", "error").index(self.value)


class Confidence(StrEnum):
    """How sure the rule is. `check` shows medium and up."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 for low, 1 for medium, 2 for high."""
        return ("low", "medium", "high").index(self.value)


class Finding(Struct, frozen=True, kw_only=True):
    """One fault: a place, a sentence, and the chain of records that proves it.

    `because` runs in the order of the story (command, end, claim …) and holds links before `at`. `about` is the
    content that identifies the finding across exports of the same session (command and claim, never line numbers,
    ids or times). `input` is the file that was being read, as it was named or found; `at` may lie elsewhere, since a
    converted log names its origin.
    """

    rule: str
    name: str
    level: Level
    confidence: Confidence
    message: str
    at: Location
    because: tuple[Step, ...] = ()
    about: str = ""
    format: str = ""
    input: str = ""
    fingerprint: str = ""


class Abstention(Struct, frozen=True, kw_only=True):
    """A check that could not be made, and why in a few words; counted, so that silence is not read as clean."""

    rule: str
    reason: str
    at: Location


class Pending(Struct, frozen=True, kw_only=True):
    """A finding whose verdict needs the future.

    The engine calls `cancel` and then `confirm` with each later event; the first that is true settles it. It expires
    `seconds` after `since` (epoch seconds, when both are known), after `events` further events, or at the end of the
    session chain; it is then reported if `report_on_expiry`. `instead`, if given, is what stands when it is cancelled.
    """

    finding: Finding
    cancel: Callable[[Event], bool] | None = None
    confirm: Callable[[Event], bool] | None = None
    since: float | None = None
    seconds: float | None = None
    events: int | None = None
    report_on_expiry: bool = True
    instead: Finding | None = None


Outcome = Finding | Pending | Abstention

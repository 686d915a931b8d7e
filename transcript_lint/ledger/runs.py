"""Every command of the chain: what it was, how it ended, what its output showed, what cleared it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from transcript_lint.commandline import CommandLine, Part
from transcript_lint.events import CommandEnded, CommandIssued, Location, Step, Termination
from transcript_lint.settings import Settings


class Verdict(StrEnum):
    """What the log says of one part of one run. Only FAILED, KILLED, EMPTY are contrary facts."""

    OK = "ok"
    FAILED = "failed"
    KILLED = "killed"
    EMPTY = "empty"
    UNREAD = "unread"
    UNKNOWN = "unknown"


class Stage(Struct, kw_only=True):
    """One simple command of a run with what is known of its own end.

    `why` tells in words where the verdict comes from ("exit 1", "its output says '2 failed'"). `cleared` is set when
    a later run of the same target ended ok.
    """

    part: Part
    verdict: Verdict
    why: str = ""
    cleared: Step | None = None
    passed: int | None = None
    failed: int | None = None


class Run(Struct, kw_only=True):
    """One command with its end. Texts are not kept, only what was read from them.

    `index` counts runs; `boundary` the compactions before it; `turn` the human messages before it. `ended` and
    `termination` are of the latest record of its end; `read` is False while its output never came into the session.
    `success` and `failure` are excerpts (at most 80 characters, redaction is the reporter's) of output markers.
    """

    call_id: str
    index: int
    tool: str
    line: CommandLine
    stages: list[Stage]
    issued: Step
    agent: str = "main"
    cwd: str | None = None
    turn: int = 0
    boundary: int = 0
    background: bool = False
    timeout_ms: int | None = None
    parent_command_id: str | None = None
    note: str | None = None
    ended: Step | None = None
    termination: Termination | None = None
    via: str = ""
    read: bool = False
    success: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()
    values: frozenset[int] = frozenset()
    contradiction: str | None = None

    @property
    def must_rerun(self) -> bool:
        """True when a contrary end is recorded and no later run of the same target cleared it."""
        raise NotImplementedError

    @property
    def chain(self) -> tuple[Step, ...]:
        """Issued, ended: the steps that prove how it ended."""
        return (self.issued,) if self.ended is None else (self.issued, self.ended)


class RunBook:
    """The runs of the chain by call id, in order."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._runs: dict[str, Run] = {}

    def on_command_issued(self, event: CommandIssued) -> None: ...

    def on_command_ended(self, event: CommandEnded) -> None: ...

    def get(self, call_id: str | None) -> Run | None:
        """The run of a call id."""
        return self._runs.get(call_id or "")

    def latest(self) -> Iterator[Run]:
        """All runs kept, the latest first."""
        return iter(reversed(self._runs.values()))

    def open_failures(self) -> Iterator[Run]:
        """Runs that are must-rerun now, the latest first."""
        return (run for run in self.latest() if run.must_rerun)

    def unread(self) -> Iterator[Run]:
        """Runs known to be going on, or whose output was never read, the latest first."""
        return (run for run in self.latest() if not run.read)

    def holds_value(self, value: str) -> list[Run]:
        """Runs whose output held this number or id (for values restated elsewhere)."""
        return []

    def step(self, at: Location, what: str) -> Step:
        return Step(at, what)

"""How OpenHands' terminal says that a command ended, in both generations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers.ends import exited
from transcript_lint.readers.shapes import mapping, room, whole
from transcript_lint.readers.tasks import TaskList

NO_NEW_OUTPUT = "The command has no new output after"
TIMED_OUT = "The command timed out after"
NOT_EXECUTED = ("is NOT executed", "Cannot execute multiple commands at once", "No previous running command")
_SAID_CODE = re.compile(r"\[(?:The )?[Cc]ommand (?:completed|finished|exited) with exit code (-?\d{1,10})\.?")


def terminal_end(
    metadata: Any, text: str, *, code: int | None = None, timeout: bool | None = None, error: bool | None = None
) -> Termination:
    """The end of a command from its metadata, its text and, in V1, its own fields.

    The code -1 stands for no code: a command out of patience (it still runs), at its time limit, or never run.
    """
    suffix = str(mapping(metadata).get("suffix") or "")
    stated = whole(mapping(metadata).get("exit_code"))
    code = code if code is not None else stated
    closing = suffix or text[-600:]
    if NO_NEW_OUTPUT in closing:
        return Termination(kind=EndKind.RUNNING, source=EndSource.TEXT)
    if TIMED_OUT in closing:
        return exited(None if code == -1 else code, timed_out=True, source=EndSource.TEXT)
    if any(mark in text[:400] for mark in NOT_EXECUTED):
        return Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT)
    if code is not None and code >= 0:
        return exited(code)
    if timeout:
        return exited(None, timed_out=True)
    if said := _SAID_CODE.search(closing):
        return exited(int(said.group(1)), source=EndSource.TEXT)
    if error:
        return Termination(kind=EndKind.NOT_RUN if code in (None, -1) else EndKind.NONZERO)
    return Termination(kind=EndKind.UNKNOWN)


def output_of(metadata: Any, text: str) -> str:
    """A command's output without the terminal's own closing sentence."""
    suffix = str(mapping(metadata).get("suffix") or "").strip()
    return text[: -len(suffix)].rstrip() if suffix and text.rstrip().endswith(suffix) else text


@dataclass
class Tally:
    """What one conversation's events have told so far, shared by the parts of the reader.

    `calls` joins an event's id to the call it began, `live` is the call that the terminal is still busy with and
    `latest` the one that was begun last.
    """

    calls: dict[str, str] = field(default_factory=dict)
    live: str | None = None
    latest: str | None = None
    polls: dict[str, str] = field(default_factory=dict)
    responses: dict[str, None] = field(default_factory=dict)
    tasks: TaskList = field(default_factory=TaskList)
    people: int = 0
    benchmark: bool = False

    def begin(self, event_id: str, call_id: str) -> None:
        """Note a call that begins."""
        room(self.calls)[event_id] = call_id
        self.latest = call_id

    def polls_live(self, event_id: str) -> bool:
        """Whether an empty line or typed input looks at the command that still runs; notes the look if so."""
        if self.live is None:
            return False
        room(self.polls)[event_id] = self.live
        return True

    def seen(self, response_id: str) -> bool:
        """Whether a response was told already; notes it if not."""
        if response_id in self.responses:
            return True
        room(self.responses)[response_id] = None
        return False

"""Tool calls from their start to every later end of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from transcript_lint.events import (
    AgentText,
    CommandEnded,
    CommandIssued,
    EndKind,
    EndSource,
    Event,
    InjectedMessage,
    Termination,
)
from transcript_lint.readers.base import text_of
from transcript_lint.readers.claude_code import ends, gates, known, tasks, words
from transcript_lint.readers.claude_code.checklist import Checklist
from transcript_lint.readers.claude_code.ends import Call, Ending
from transcript_lint.readers.claude_code.shapes import Block, Line, Result, open_result
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.publish import published_by_shell, published_by_tool

Common = dict[str, Any]
_MAX_WAITING = 20_000


class Calls:
    """The calls that wait for an end, the background tasks they became, and what their results tell."""

    def __init__(self) -> None:
        self._waiting: dict[str, Call] = {}
        self._tasks: dict[str, str] = {}
        self._noted: set[tuple[str, str]] = set()
        self._stopped: set[str] = set()
        self._checklist = Checklist()

    def issued(self, block: Block, cwd: str | None, common: Common, parent: str | None) -> Iterator[Event]:
        """A tool_use block: the command, the gate it opens, and what it publishes or ticks off."""
        tool, at = block.name or "", common["at"]
        given: dict[str, Any] = block.input if isinstance(block.input, dict) else {}
        command = given.get("command") if known.is_shell(tool) else None
        command = command if isinstance(command, str) else None
        background = given.get("run_in_background") is True or tool == "Monitor"
        timeout = None
        if command is not None:
            told = given.get("timeout", given.get("timeout_ms"))
            timeout = told if isinstance(told, int) else None if background else ends.DEFAULT_TIMEOUT_MS
        digest = _digest(block.input)
        call = Call(
            block.id or "",
            tool,
            at,
            common["time"],
            common["agent"],
            digest,
            command,
            timeout,
            background,
            gates.GATES.get(tool),
            given if tool in known.REMEMBERED else None,
        )
        self._waiting[call.call_id] = call
        if len(self._waiting) > _MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        note = given.get("description") if command is not None else None
        yield CommandIssued(
            **common,
            call_id=call.call_id,
            tool=tool,
            command=command,
            arguments=block.input if command is None else None,
            arguments_sha256=digest,
            cwd=cwd,
            timeout_ms=timeout,
            background=background,
            note=note if isinstance(note, str) else None,
            parent_command_id=parent,
        )
        if call.gate is not None:
            yield gates.asked(call, given, common)
        if command is not None:
            for where, text in published_by_shell(command):
                here = {**common, "at": at.field(f"{at.pointer}/input/command")}
                yield AgentText(**here, text=text, where=where, call_id=call.call_id)
        elif tool in known.LISTS:
            if state := self._checklist.changed_by(tool, given, call.agent):
                here = {**common, "at": at.field(f"{at.pointer}/input")}
                yield AgentText(**here, text=state[0], where="task_state", call_id=call.call_id, changed=state[1])
        elif "__" in tool or tool.startswith("Send"):
            for where, text in published_by_tool(tool, given):
                here = {**common, "at": at.field(f"{at.pointer}/input")}
                yield AgentText(**here, text=text, where=where, call_id=call.call_id)

    def result(self, line: Line, block: Block, interactive: bool | None, common: Common) -> Iterator[Event]:
        """A tool_result block: the end of its call, the answer to its gate, and the later end of another's task."""
        call_id = block.tool_use_id or ""
        call = self._waiting.pop(call_id, None) or Call(call_id, "", common["at"], None, common["agent"])
        raw = line.toolUseResult or line.tool_use_result
        extra = None if call.tool in known.FILE_TOOLS else open_result(raw)
        text, reminders = words.split_reminders(text_of(block.content))
        ending = ends.read_result(call, text, block.is_error, extra, common["time"], line.toolDenialKind)
        if ending.denial is not None or call.gate is not None:
            yield from gates.answered(call, ending, extra, line.userFeedback, interactive, common)
        if ending.task is not None:
            self._tasks[ending.task] = call_id
        if call.given is None or block.is_error:
            yield _ended(call_id, ending, ending.stdout, common)
        else:
            yield from self._remembered(call, text, ending, extra, common)
        for reminder in reminders:
            yield InjectedMessage(**common, text=reminder, why="reminder")

    def _remembered(
        self, call: Call, text: str, ending: Ending, extra: Result | None, common: Common
    ) -> Iterator[Event]:
        if call.tool in tasks.POLLS:
            later = tasks.poll(call.given, text, extra)
        elif call.tool in tasks.STOPS:
            later = tasks.stop(call.given, text, extra)
        else:
            self._checklist.created(call.given, text)
            later = None
        joined = list(self.later(later, common, "poll")) if later is not None else []
        # The output of a joined task is told once, with the task.
        yield _ended(call.call_id, ending, "" if joined else ending.stdout, common)
        yield from joined
        if later is not None and call.tool in tasks.STOPS:
            self._stopped.add(later.task)

    def later(self, later: tasks.Later, common: Common, via: str) -> Iterator[Event]:
        """A later end of a background task, under the id of the call that started it."""
        call_id = self._tasks.get(later.task) or later.call_id
        if call_id is None or later.task in self._stopped:
            return
        yield CommandEnded(
            **common,
            call_id=call_id,
            termination=later.termination,
            stdout=later.stdout,
            stderr=later.stderr,
            error=later.error,
            via=via,
            output_file=later.output_file,
        )

    def notified(self, text: str, common: Common) -> Iterator[Event]:
        """A task notification; the same one is often written twice and counts once."""
        later = tasks.notification(text)
        if later is None or (later.task, later.termination.describe()) in self._noted:
            return
        self._noted.add((later.task, later.termination.describe()))
        yield from self.later(later, common, "notification")

    def interrupted(self, by_person: bool, common: Common) -> Iterator[Event]:
        """An interrupt ends every call of the agent that still runs in the foreground."""
        for call in [c for c in self._waiting.values() if c.agent == common["agent"] and not c.cut]:
            del self._waiting[call.call_id]
            if call.gate is not None:
                yield gates.interrupted(call, by_person, common)
            yield CommandEnded(
                **common,
                call_id=call.call_id,
                termination=Termination(kind=EndKind.INTERRUPTED, source=EndSource.TEXT),
                error="interrupted by the person" if by_person else "interrupted by a shutdown",
            )

    def compacted(self) -> None:
        """What still waits was cut from its result: it ended somewhere, but nothing will tell how."""
        for call in self._waiting.values():
            call.cut = True


def _ended(call_id: str, ending: Ending, stdout: str, common: Common) -> CommandEnded:
    return CommandEnded(
        **common,
        call_id=call_id,
        termination=ending.termination,
        stdout=stdout,
        truncated=ending.truncated,
        error=ending.error,
        note=ending.note,
        output_file=ending.output_file,
        tool_uses=ending.tool_uses,
    )


def _digest(given: Any) -> str | None:
    try:
        return arguments_hash({"arguments": given})
    except TypeError:  # numbers beyond 64 bits have no canonical form here
        return None

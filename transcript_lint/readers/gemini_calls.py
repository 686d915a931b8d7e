"""Tool calls as Gemini CLI and Qwen Code make them: commands, questions, plans, sub-agents, task lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transcript_lint import patterns as re
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    EndKind,
    EndSource,
    Event,
    Termination,
)
from transcript_lint.readers import ends
from transcript_lint.readers.calls import begun
from transcript_lint.readers.gemini_shell import background_pid, shell_end
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.replies import reply_of
from transcript_lint.readers.shapes import mapping, number, objects, room, words
from transcript_lint.readers.tasks import DONE, TaskList, listed

Data = Mapping[str, Any]
Common = dict[str, Any]

SHELL = "run_shell_command"
QUESTIONS = frozenset({"ask_user", "ask_user_question"})
TASKS = frozenset({"write_todos", "todo_write"})
LOOK = "read_background_output"
ENDED = frozenset({"success", "error", "cancelled"})
_SUBAGENT = re.compile(r"Termination Reason: ([A-Z_]{3,40})(?:\nResult:\n?)?")
_AGENT_ENDS = {
    "GOAL": Termination(kind=EndKind.OK, source=EndSource.TEXT),
    "TIMEOUT": Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT),
    "MAX_TURNS": ends.STOPPED,
    "ABORTED": ends.STOPPED,
    "CANCELLED": ends.STOPPED,
}
_REFUSED = re.compile(r"(?:user|you) (?:has |have )?(?:denied|declined|rejected)|did not (?:allow|approve)", re.I)
_BY_RULE = re.compile(r"denied by (?:policy|hook|permission|rule)|blocked by (?:policy|hook)|execution denied", re.I)
_FEEDBACK = re.compile(r"User feedback:\s*(.{1,4000})", re.S)


class Calls:
    """The calls of one session: told once each, a second end of the same call told as such."""

    def __init__(self) -> None:
        self._told: dict[str, bytes] = {}
        self._background: dict[str, str] = {}
        self._looks: dict[str, str] = {}
        self._begun: dict[str, tuple[str, Data]] = {}
        self._tasks = TaskList()

    def begin(self, id: str, tool: str, arguments: Data, common: Common) -> Iterator[Event]:
        """A call starts; nothing for one that was begun before, for looks at a background run and for questions."""
        if id in self._begun:
            return
        room(self._begun)[id] = (tool, arguments)
        if tool == LOOK and (target := self._background.get(str(arguments.get("pid")))):
            room(self._looks)[id] = target
            return
        if tool in QUESTIONS or tool == "exit_plan_mode":
            yield _asked(id, tool, arguments, common)
            return
        shell = tool == SHELL
        seconds = number(arguments.get("timeout")) if shell else None
        yield from begun(
            common,
            id,
            tool,
            arguments,
            command=words(arguments.get("command")) if shell else None,
            cwd=words(arguments.get("dir_path")) or words(arguments.get("directory")),
            timeout_ms=None if seconds is None else round(seconds),
            background=arguments.get("is_background") is True if shell else None,
            note=words(arguments.get("description")) if shell else None,
        )
        yield from self._task_state(id, tool, arguments, common)

    def end(self, id: str, status: str | None, output: str, error: str | None, common: Common) -> Iterator[Event]:
        """A call's result. The same result again, in another record, is not told twice; another result is."""
        digest = orjson.dumps([status, output, error])
        if self._told.get(id) == digest:
            return
        room(self._told)[id] = digest
        tool, arguments = self._begun.get(id, ("", {}))
        if tool in QUESTIONS:
            yield _answered(id, status, output, common)
        elif tool == "exit_plan_mode":
            yield _plan_answered(id, output or error or "", common)
        elif refusal := _refusal(status, error or (output if status != "success" else "")):
            yield from _refused(id, tool, arguments, *refusal, error or output, common)
        elif id in self._looks:
            if error is None:
                end = Termination(kind=EndKind.UNKNOWN, source=EndSource.TEXT)
                yield CommandEnded(**common, call_id=self._looks[id], termination=end, stdout=output, via="poll")
        elif tool == SHELL:
            yield from self._shell(id, status, output, error, common)
        else:
            yield _other(id, status, output, error, common)

    def by_notification(self, id: str, end: Termination, text: str, common: Common) -> Iterator[Event]:
        """A background task reports how it ended."""
        if id in self._begun:
            yield CommandEnded(**common, call_id=id, termination=end, stdout=text, via="notification")

    def _shell(self, id: str, status: str | None, output: str, error: str | None, common: Common) -> Iterator[Event]:
        if status == "cancelled":
            yield CommandEnded(**common, call_id=id, termination=ends.STOPPED, stdout=output, error=error)
            return
        end, text, cut = shell_end(output or error or "", status)
        if end.kind is EndKind.RUNNING and (pid := background_pid(output)):
            room(self._background)[pid] = id
        yield CommandEnded(**common, call_id=id, termination=end, stdout=text, truncated=cut, error=error)

    def _task_state(self, id: str, tool: str, arguments: Data, common: Common) -> Iterator[Event]:
        if tool in TASKS:
            changed = self._tasks.replace(listed(arguments.get("todos")))
        elif tool in ("tracker_create_task", "tracker_update_task"):
            key = words(arguments.get("id")) or words(arguments.get("taskId")) or words(arguments.get("title"))
            if key is None:
                return
            done = str(arguments.get("status") or "").lower() in DONE
            changed = self._tasks.update(key, item=words(arguments.get("title")), done=done)
        else:
            return
        if text := self._tasks.text:
            yield AgentText(**common, text=text, where="task_state", call_id=id, changed=changed)


def _refusal(status: str | None, why: str) -> tuple[str, str] | None:
    """(outcome, by whom) where a result says that the call was not allowed; None where it ran or failed."""
    if status == "success" or not why:
        return None
    if _REFUSED.search(why[:400]):
        return "denied", "human"
    return ("denied", "policy") if _BY_RULE.search(why[:400]) else None


def _refused(id: str, tool: str, arguments: Data, outcome: str, by: str, why: str, common: Common) -> Iterator[Event]:
    line = words(arguments.get("command")) if tool == SHELL else None
    digest = arguments_hash({"command": line} if line else {"arguments": arguments})
    yield ApprovalAsked(**common, slot_id=id, call_id=id, tool=tool, arguments_sha256=digest)
    yield ApprovalAnswered(**common, slot_id=id, outcome=outcome, by=by, call_id=id)
    yield CommandEnded(**common, call_id=id, termination=ends.NOT_RUN, error=why or None)


def _asked(id: str, tool: str, arguments: Data, common: Common) -> Event:
    if tool == "exit_plan_mode":
        plan = (
            words(arguments.get("plan")) or words(arguments.get("plan_path")) or words(arguments.get("plan_filename"))
        )
        return ApprovalAsked(**common, slot_id=id, gate="plan", question=plan)
    questions = objects(arguments.get("questions")) or [dict(arguments)]
    options = (o.get("label") for q in questions for o in objects(q.get("options")))
    return ApprovalAsked(
        **common,
        slot_id=id,
        gate="question",
        question="\n".join(q["question"] for q in questions if words(q.get("question"))) or None,
        options=tuple(o for o in options if isinstance(o, str)),
    )


def _answered(id: str, status: str | None, output: str, common: Common) -> Event:
    outcome, said = "none", None
    if status == "success" or status is None:
        try:
            answers = mapping(mapping(orjson.loads(output)).get("answers"))
        except orjson.JSONDecodeError:
            outcome, said = reply_of(output)
        else:
            said = "\n".join(a for a in answers.values() if words(a) and a.strip()) or None
            outcome = "answered" if said else "none"
    by = "human" if outcome in ("answered", "denied") else "harness"
    return ApprovalAnswered(**common, slot_id=id, outcome=outcome, by=by, text=said)


def _plan_answered(id: str, text: str, common: Common) -> Event:
    lower = text[:400].lower()
    feedback = _FEEDBACK.search(text)
    if "reject" in lower or "not approved" in lower or "cancelled" in lower:
        outcome, by = "denied", "human"
    elif "approved" in lower:
        outcome, by = "approved", "human"
    else:
        outcome, by = "none", "harness"
    said = feedback[1].split("\n\n")[0].strip() if feedback else None
    return ApprovalAnswered(**common, slot_id=id, outcome=outcome, by=by, text=said)


def _other(id: str, status: str | None, output: str, error: str | None, common: Common) -> Event:
    if found := _SUBAGENT.search(output[:400]):
        end = _AGENT_ENDS.get(found[1], ends.FAILED)
        why = None if end.succeeded else f"Termination Reason: {found[1]}"
        return CommandEnded(**common, call_id=id, termination=end, stdout=output[found.end() :], error=why)
    end = ends.FAILED if status == "error" else ends.STOPPED if status == "cancelled" else ends.OK
    return CommandEnded(**common, call_id=id, termination=end, stdout=output, error=error)

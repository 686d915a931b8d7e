"""Background work: the later ends of calls that went on by themselves, joined to the call that started them."""

from __future__ import annotations

import orjson
from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers.claude_code.ends import FAILED, agent_end, exit_status
from transcript_lint.readers.claude_code.shapes import Line, Result

POLLS = frozenset({"TaskOutput", "BashOutput", "AgentOutput", "AgentOutputTool"})
STOPS = frozenset({"TaskStop", "KillShell", "KillBash"})
NOTIFICATIONS = ("<task-notification>", "<agent-notification>", "<bash-notification>", "<shell-notification>")

_FIELD = re.compile(
    r"<(task-id|agent-id|shell-id|task_id|tool-use-id|output-file|status|exit_code|summary|retrieval_status)>([^<]*)<"
)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_RESULT = re.compile(r"<result>\n?(.*?)\n?</result>", re.DOTALL)
_OUTPUT = re.compile(r"<(output|stdout|stderr)>\n?(.*?)\n?</\1>", re.DOTALL)
_CODE = re.compile(r"exit code[: ] ?(-?\d{1,10})")
_STOPPED_BY_CALL = "stopped on request of the agent"


class Later(Struct, frozen=True, kw_only=True):
    """What a later look at a background task, or a message about it, tells."""

    task: str
    termination: Termination
    stdout: str = ""
    stderr: str = ""
    error: str | None = None
    call_id: str | None = None
    output_file: str | None = None


def poll(tool_input: object, text: str, extra: Result | None) -> Later | None:
    """What the result of TaskOutput or BashOutput tells of the task; None when it names no task or nothing of it.

    Its `retrieval_status` (timeout, not_ready) is of the poll itself, not of the task.
    """
    fields = _fields(text)
    task = fields.get("task_id") or _asked(tool_input)
    status = fields.get("status")
    code = _int(fields.get("exit_code"))
    if extra is not None and isinstance(extra.task, dict):
        status = status or _text(extra.task.get("status"))
        found = extra.task.get("exitCode")
        code = found if code is None and isinstance(found, int) else code
        task = task or _text(extra.task.get("task_id"))
    if not task or not status:
        return None
    parts: dict[str, str] = dict(_OUTPUT.findall(text))
    stdout = parts.get("output") or parts.get("stdout") or ""
    return Later(
        task=task,
        termination=_ended(status, code, stdout, EndSource.FIELD),
        stdout=stdout,
        stderr=parts.get("stderr", ""),
    )


def notification(text: str) -> Later | None:
    """What a task notification tells; None when it names no task or no status."""
    fields = _fields(text)
    task = fields.get("task-id") or fields.get("agent-id") or fields.get("shell-id")
    status = fields.get("status")
    if not task or not status:
        return None
    summary = _SUMMARY.search(text)
    code = _CODE.search(summary[1]) if summary else None
    result = _RESULT.search(text)
    stdout = result[1] if result else ""
    call_id = fields.get("tool-use-id")
    return Later(
        task=task,
        termination=_ended(status, int(code[1]) if code else None, stdout, EndSource.TEXT),
        stdout=stdout,
        error=summary[1].strip()[:400] if summary and status != "completed" else None,
        output_file=fields.get("output-file"),
        call_id=call_id if call_id and call_id.startswith("toolu") else None,
    )


def streamed(line: Line) -> Later:
    """What a `system/task_notification` record of the stream tells."""
    code = _CODE.search(line.summary or "")
    return Later(
        task=line.task_id or "",
        termination=_ended(line.status or "", int(code[1]) if code else None, "", EndSource.TEXT),
        error=line.summary if line.status != "completed" else None,
        call_id=line.tool_use_id,
    )


def stop(tool_input: object, text: str, extra: Result | None) -> Later | None:
    """The end that TaskStop or KillShell made of a task: the agent asked for it."""
    task = extra.task_id if extra is not None else None
    if task is None:
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError:
            told = None
        named = told.get("task_id") or told.get("shell_id") if isinstance(told, dict) else None
        task = _text(named) or _asked(tool_input)
    if not task:
        return None
    end = Termination(kind=EndKind.INTERRUPTED, source=EndSource.FIELD)
    return Later(task=task, termination=end, error=_STOPPED_BY_CALL)


def _fields(text: str) -> dict[str, str]:
    # The first of each name: the output that follows may hold the same tags.
    return dict(reversed(_FIELD.findall(text[:6000])))


def _ended(status: str, code: int | None, output: str, source: EndSource) -> Termination:
    if status in ("running", "pending", "in_progress"):
        return Termination(kind=EndKind.RUNNING, source=source)
    if status in ("killed", "stopped", "cancelled") and not code:
        return Termination(kind=EndKind.INTERRUPTED, exit_code=code, source=source)
    if code is not None:
        end = exit_status(code, "", source)
        if status == "failed" and code == 0:
            return Termination(
                kind=EndKind.NONZERO, exit_code=0, source=source, contradiction="recorded as failed and with exit 0"
            )
        if status == "completed" and code:
            return Termination(
                kind=end.kind,
                exit_code=code,
                signal=end.signal,
                source=source,
                contradiction=f"recorded as completed and with exit {code}",
            )
        return end
    if status == "completed":
        return agent_end(status, output, None)
    return FAILED if status == "failed" else Termination(kind=EndKind.UNKNOWN, source=source)


def _asked(tool_input: object) -> str | None:
    if not isinstance(tool_input, dict):
        return None
    return next((_text(tool_input[k]) for k in ("task_id", "bash_id", "shell_id", "agentId") if k in tool_input), None)


def _int(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

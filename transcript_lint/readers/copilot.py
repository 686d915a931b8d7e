"""GitHub Copilot CLI session files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Blocked,
    CommandEnded,
    Compacted,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    SessionEnded,
    SessionStarted,
    Termination,
)
from transcript_lint.readers import ends
from transcript_lint.readers.base import Reader, Sample, parse_time
from transcript_lint.readers.calls import begun
from transcript_lint.readers.copilot_asks import Asks
from transcript_lint.readers.copilot_provider import Provider
from transcript_lint.readers.copilot_shapes import SILENT, agent_of, result_text, shell_end, timeout_ms
from transcript_lint.readers.rewind import Held
from transcript_lint.readers.shapes import mapping, objects, room, whole, words
from transcript_lint.readers.tasks import TaskList, listed
from transcript_lint.readers.todo_sql import todo_changes

SHELLS = frozenset({"bash", "powershell", "shell", "local_shell"})
POLLS = frozenset({"read_bash", "stop_bash", "write_bash", "read_powershell", "stop_powershell", "write_powershell"})
HOOKS = (b'{"type":"hook.', b'{"type": "hook.')
Data = Mapping[str, Any]
Common = dict[str, Any]


class _Call(Struct, kw_only=True):
    """A tool call while it is open: where it was asked for, and what it is."""

    at: Location
    tool: str
    arguments: Any
    issued: bool = False
    refused: bool = False
    ended: bool = False
    target: str | None = None


class CopilotReader(Reader):
    """Reads `~/.copilot/session-state/<id>/events.jsonl`."""

    name = "copilot"
    title = "GitHub Copilot CLI"
    decides: ClassVar[Decides] = {
        "command ends": "yes",
        "background ends": "yes",
        "compaction summary": "yes",
        "human vs injected": "yes",
        "approvals asked": "yes",
        "approvals answered": "yes",
        "usage": "partly: output tokens of each message; input only where usage records are kept",
        "window": "partly: only where session.usage_info is kept",
        "meters": "no: quota meters are not written",
        "errors": "yes",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._calls: dict[str, _Call] = {}
        self._shells: dict[str, str] = {}
        self._stopped: set[str] = set()
        self._held = Held(self._told)
        self._asks = Asks()
        self._provider = Provider()
        self._session: str | None = None
        self._aborted: Location | None = None
        self._tasks = TaskList()
        self._handlers: dict[str, Callable[[Data, Common], Iterable[Event]]] = {
            "session.start": self._start,
            "session.resume": self._start,
            "session.model_change": self._provider.switch,
            "session.permissions_changed": self._permissions,
            "session.mode_changed": self._mode,
            "session.handoff": self._handoff,
            "session.compaction_complete": self._compaction,
            "session.truncation": self._truncation,
            "session.context_cleared": self._cleared,
            "session.usage_info": self._provider.window,
            "session.error": self._provider.error,
            "session.shutdown": self._shutdown,
            "session.task_complete": self._task_complete,
            "session_limits_exhausted.requested": self._provider.limit,
            "model.call_failure": self._provider.call_failure,
            "assistant.message": self._assistant,
            "assistant.usage": self._provider.usage,
            "user.message": self._user,
            "system.notification": self._notification,
            "tool.execution_start": self._tool_start,
            "tool.execution_complete": self._tool_complete,
            "permission.requested": self._permission_requested,
            "permission.completed": self._permission_completed,
            "user_input.requested": self._asks.input_requested,
            "user_input.completed": self._asks.input_completed,
            "exit_plan_mode.requested": self._asks.plan_requested,
            "exit_plan_mode.completed": self._asks.plan_completed,
            "subagent.failed": self._subagent_failed,
            "abort": self._abort,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        hits = sum(
            isinstance(d.get("data"), dict) and "." in str(d.get("type")) and "parentId" in d and "timestamp" in d
            for d in sample.objects()
        )
        return 92 if hits else 0

    def skips(self, data: bytes) -> bool:
        # Hook records are two in five and hold a second copy of every output. A record that is cut or doubled is
        # still read, so that it is reported.
        return data.startswith(HOOKS) and data.endswith(b"}") and b'}{"type"' not in data

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        id = words(document.get("id"))
        if document.get("type") == "session.snapshot_rewind":
            # Where the file was cut back as well, there is nothing left to take back.
            self._held.rewind(str(mapping(document.get("data")).get("upToEventId")))
            return ()
        return self._held.add(None if id in self._held else id, document, at)

    def finish(self) -> Iterable[Event]:
        yield from self._held.release()
        yield from self._cut_short()

    def _told(self, document: Any, at: Location) -> Iterable[Event]:
        kind = document.get("type")
        handler = self._handlers.get(str(kind))
        if handler is None:
            if kind not in SILENT:
                self.unknown[str(kind)] += 1
            return ()
        data = mapping(document.get("data"))
        return handler(
            data,
            {
                "at": at,
                "time": parse_time(document.get("timestamp")),
                "session_id": self._session,
                "turn": data.get("turnId") if isinstance(data.get("turnId"), str | int) else None,
                "agent": agent_of(document, data),
            },
        )

    def _start(self, d: Data, common: Common) -> Iterator[Event]:
        resumed = "sessionId" not in d
        self._session = self._session if resumed else words(d.get("sessionId"))
        self._provider.model = words(d.get("selectedModel")) or self._provider.model
        yield SessionStarted(
            **{**common, "session_id": self._session},
            format=self.name,
            agent_name="copilot",
            version=words(d.get("copilotVersion")),
            cwd=words(mapping(d.get("context")).get("cwd")),
            complete=not resumed,
        )

    def _permissions(self, d: Data, common: Common) -> Iterator[Event]:
        everything = d.get("allowAllPermissions")
        if isinstance(everything, bool):
            yield PolicyChanged(**common, policy="auto" if everything else "ask")
        elif isinstance(d.get("mode"), str):
            yield PolicyChanged(**common, policy="ask" if d["mode"] == "manual" else "auto")

    def _mode(self, d: Data, common: Common) -> Iterator[Event]:
        if isinstance(d.get("newMode"), str):
            yield PolicyChanged(**common, policy="auto" if d["newMode"] == "autopilot" else "ask")

    def _handoff(self, d: Data, common: Common) -> Iterator[Event]:
        if text := words(d.get("summary")) or words(d.get("context")):
            yield InjectedMessage(**common, text=text, why="handoff")

    def _compaction(self, d: Data, common: Common) -> Iterator[Event]:
        if d.get("success") is False:
            yield from self._provider.compaction_failed(d, common)
            return
        summary = words(d.get("summaryContent"))
        yield Compacted(
            **common,
            trigger=words(d.get("trigger")),
            tokens_before=whole(d.get("preCompactionTokens")),
            tokens_after=whole(d.get("postCompactionTokens")),
            summary=summary,
            summary_at=common["at"].field("/data/summaryContent"),
            readable=bool(summary),
        )

    def _truncation(self, d: Data, common: Common) -> Iterator[Event]:
        yield Compacted(
            **common,
            trigger="truncation",
            tokens_before=whole(d.get("preTruncationTokensInMessages")),
            tokens_after=whole(d.get("postTruncationTokensInMessages")),
            readable=False,
        )

    def _cleared(self, d: Data, common: Common) -> Iterator[Event]:
        yield Compacted(**common, trigger="clear", readable=False)

    def _shutdown(self, d: Data, common: Common) -> Iterator[Event]:
        failed = d.get("shutdownType") == "error"
        yield SessionEnded(**common, status="failure" if failed else "unknown", reason=words(d.get("errorReason")))

    def _task_complete(self, d: Data, common: Common) -> Iterator[Event]:
        summary = words(d.get("summary"))
        if summary:
            yield AgentText(**{**common, "at": common["at"].field("/data/summary")}, text=summary, where="closing")
        outcome = d.get("outcome")
        if outcome == "continue":
            return
        good = outcome == "completed" or (outcome is None and d.get("success") is True)
        status = "success" if good else "blocked" if outcome == "blocked" else "failure"
        known = outcome is not None or d.get("success") is not None
        yield SessionEnded(
            **common, status=status if known else "unknown", claim=summary, reason=words(d.get("reason"))
        )

    def _assistant(self, d: Data, common: Common) -> Iterator[Event]:
        at: Location = common["at"]
        for index, request in enumerate(objects(d.get("toolRequests"))):
            if id := words(request.get("toolCallId")):
                room(self._calls)[id] = _Call(
                    at=at.field(f"/data/toolRequests/{index}"),
                    tool=str(request.get("name") or ""),
                    arguments=request.get("arguments"),
                )
        text = words(d.get("content"))
        yield from self._provider.message(d, text, common)
        if text and text.strip():
            yield AgentText(**{**common, "at": at.field("/data/content")}, text=text)

    def _user(self, d: Data, common: Common) -> Iterator[Event]:
        yield from self._cut_short()
        source = words(d.get("source"))
        text = words(d.get("content")) or ""
        if source in (None, "user", "human") and d.get("isAutopilotContinuation") is not True:
            if text.strip():
                queued = d.get("delivery") in ("steering", "queued", "enqueue")
                yield HumanMessage(**{**common, "at": common["at"].field("/data/content")}, text=text, queued=queued)
            return
        text = (text.strip() and text) or words(d.get("transformedContent")) or ""
        handed = (source or "").startswith("agent-")
        yield InjectedMessage(**common, text=text, why="handoff" if handed else "reminder")

    def _notification(self, d: Data, common: Common) -> Iterator[Event]:
        kind = mapping(d.get("kind"))
        call = self._shells.get(str(kind.get("shellId")))
        if kind.get("type") in ("shell_completed", "shell_detached_completed") and call is not None:
            yield CommandEnded(
                **common,
                call_id=call,
                termination=self._after_stop(call, ends.exited(whole(kind.get("exitCode")))),
                via="notification",
            )
        if text := words(d.get("content")):
            yield InjectedMessage(**common, text=text, why="notification")

    def _after_stop(self, call: str, end: Termination) -> Termination:
        """A shell that the agent stopped did not end well, whatever is told of it later."""
        if call not in self._stopped or not end.succeeded:
            return end
        return Termination(
            kind=EndKind.INTERRUPTED,
            exit_code=end.exit_code,
            source=end.source,
            contradiction="stopped by the agent, then reported as completed with exit 0",
        )

    def _tool_start(self, d: Data, common: Common) -> Iterator[Event]:
        id = str(d["toolCallId"])
        call = _Call(at=common["at"], tool=str(d.get("toolName") or ""), arguments=d.get("arguments"))
        before = self._calls.get(id)
        if before is not None and before.issued and not before.refused:
            before.at = call.at
            return
        room(self._calls)[id] = call
        yield from self._issue(id, call, common)

    def _issue(self, id: str, call: _Call, common: Common) -> Iterator[Event]:
        """The events of a call that begins: a command, a look at a running one, a question, a task list."""
        call.issued = True
        arguments = mapping(call.arguments)
        common = {**common, "at": call.at}
        if call.tool in POLLS:
            call.target = self._shells.get(str(arguments.get("shellId") or arguments.get("sessionId")))
            if call.target is not None:
                return
        if call.tool == "ask_user":
            yield from self._asks.question(id, arguments, common)
            return
        if call.tool == "exit_plan_mode":
            return
        shell = call.tool in SHELLS
        command = words(arguments.get("command")) if shell else None
        yield from begun(
            common,
            id,
            call.tool,
            call.arguments,
            command=command,
            timeout_ms=timeout_ms(arguments) if shell else None,
            background=(arguments.get("mode") == "async" or arguments.get("detach") is True) if shell else None,
            note=words(arguments.get("description")) if shell else None,
        )
        yield from self._task_state(id, call, arguments, common)

    def _task_state(self, id: str, call: _Call, arguments: Data, common: Common) -> Iterator[Event]:
        changed: tuple[str, ...] | None = None
        if call.tool == "update_todo":
            changed = self._tasks.replace(listed(arguments.get("todos")))
        elif call.tool == "sql":
            changed = todo_changes(self._tasks, words(arguments.get("query")) or "")
        if changed is not None and (text := self._tasks.text):
            yield AgentText(**common, text=text, where="task_state", call_id=id, changed=changed)

    def _tool_complete(self, d: Data, common: Common) -> Iterator[Event]:
        id = str(d["toolCallId"])
        call = self._calls.get(id)
        if call is None:
            call = _Call(at=common["at"], tool="", arguments=None, issued=True)
        if not call.issued:
            yield from self._issue(id, call, common)
        call.ended = True
        result, error = result_text(d), d.get("error")
        if call.tool == "ask_user" or id in self._asks:
            yield from self._asks.reply(id, d, result, common)
        elif call.tool == "exit_plan_mode":
            return
        elif isinstance(error, dict) or d.get("success") is False:
            yield from self._failed(id, call, error if isinstance(error, dict) else {}, result, common)
        elif call.tool in POLLS and call.target is not None:
            yield from self._polled(call, result, d, common)
        elif call.tool in SHELLS or (call.tool in POLLS and not call.tool.startswith("stop_")):
            termination, text, shell = shell_end(result, d)
            if shell is not None:
                room(self._shells)[shell] = id
                self._stopped.discard(id)
            yield CommandEnded(**common, call_id=id, termination=termination, stdout=text)
        else:
            yield CommandEnded(**common, call_id=id, termination=ends.OK, stdout=result)

    def _failed(self, id: str, call: _Call, error: Mapping[str, Any], result: str, common: Common) -> Iterator[Event]:
        message = words(error.get("message")) or result
        if call.target is not None:
            # The look failed, not the command looked at; only that it was stopped is news.
            if "stopped" in message[:200]:
                yield CommandEnded(**common, call_id=call.target, termination=ends.STOPPED, error=message, via="poll")
            return
        code = words(error.get("code")) or ""
        refused = code in ("denied", "rejected", "cancelled", "permission_denied")
        yield CommandEnded(
            **common, call_id=id, termination=ends.NOT_RUN if refused else ends.FAILED, stdout=result, error=message
        )

    def _polled(self, call: _Call, result: str, d: Data, common: Common) -> Iterator[Event]:
        target = str(call.target)
        termination, text, _ = shell_end(result, d)
        if call.tool.startswith("stop_"):
            self._stopped.add(target)
            termination = ends.STOPPED
        elif termination.kind is EndKind.UNKNOWN and call.tool.startswith("write_"):
            termination = ends.RUNNING
        yield CommandEnded(
            **common, call_id=target, termination=self._after_stop(target, termination), stdout=text, via="poll"
        )

    def _permission_requested(self, d: Data, common: Common) -> Iterator[Event]:
        id = words(mapping(d.get("permissionRequest")).get("toolCallId")) or ""
        call = self._calls.get(id)
        yield from self._asks.permission_requested(d, call.tool if call else None, common)

    def _permission_completed(self, d: Data, common: Common) -> Iterator[Event]:
        """A refused call is told before its refusal: it has no start record, unless it runs all the same."""
        id = words(d.get("toolCallId")) or ""
        call = self._calls.get(id)
        kind = words(mapping(d.get("result")).get("kind")) or ""
        if call is not None and not call.issued and not kind.startswith("approved"):
            yield from self._issue(id, call, common)
        if call is not None:
            call.refused = kind.startswith("denied")
        yield from self._asks.permission_completed(d, common)

    def _subagent_failed(self, d: Data, common: Common) -> Iterator[Event]:
        if isinstance(d.get("toolCallId"), str):
            yield CommandEnded(
                **common,
                call_id=d["toolCallId"],
                termination=ends.FAILED,
                error=words(d.get("error")),
                via="notification",
            )

    def _abort(self, d: Data, common: Common) -> Iterator[Event]:
        self._aborted = common["at"]
        if d.get("reason") == "autopilot_credit_limit":
            yield Blocked(**common, kind="budget", layer="harness", reason="autopilot credit limit")

    def _cut_short(self) -> Iterator[Event]:
        """After an abort, what was begun and got no result was interrupted."""
        if self._aborted is None:
            return
        at, self._aborted = self._aborted, None
        for id, call in self._calls.items():
            if call.issued and not call.ended and call.tool not in POLLS and call.tool not in ("ask_user", ""):
                call.ended = True
                end = Termination(kind=EndKind.INTERRUPTED, source=EndSource.INFERRED)
                yield CommandEnded(at=at, session_id=self._session, call_id=id, termination=end, via="notification")

"""The reader itself: what each type of record becomes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    SessionStarted,
)
from transcript_lint.readers.base import Reader, Sample, parse_time, text_of
from transcript_lint.readers.claude_code import gates, known, tasks, words
from transcript_lint.readers.claude_code.boundary import Boundaries
from transcript_lint.readers.claude_code.calls import Calls
from transcript_lint.readers.claude_code.queue import Queue
from transcript_lint.readers.claude_code.requests import Requests
from transcript_lint.readers.claude_code.shapes import Block, Line, decode, lenient
from transcript_lint.readers.claude_code.stream import session_ended

Common = dict[str, Any]


class ClaudeCodeReader(Reader):
    """Reads `~/.claude/projects/**/<session>.jsonl`, its sub-agents' files, and `claude -p` stream-json."""

    name = "claude-code"
    title = "Claude Code"
    decides: ClassVar[Decides] = {
        "command ends": "partly: exit 0 is never stated",
        "background ends": "yes: by notification, or where a later look shows it",
        "compaction summary": "yes",
        "human vs injected": "yes",
        "approvals asked": "partly: questions and plans; a permission only when it was refused",
        "approvals answered": "partly: answers and refusals; a permission that was given leaves no trace",
        "usage": "yes",
        "window": "no: not recorded",
        "meters": "partly: where a limit was near, or its error keeps the headers",
        "errors": "yes: as messages of the agent",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._sessions: dict[str, None] = {}
        self._session: str | None = None
        self._policy = "unknown"
        self._interactive: bool | None = None
        self._first_parent: Any = msgspec.UNSET
        self._calls = Calls()
        self._last_text = ""
        self._queue = Queue()
        self._requests = Requests(self._common)
        self._boundaries = Boundaries()
        self._handlers: dict[str, Callable[[Line, Location], Iterator[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "progress": self._progress,
            "attachment": self._attachment,
            "queue-operation": self._queue_operation,
            "permission-mode": self._policy_line,
            "result": self._result_envelope,
            "rate_limit_event": self._rate_limit,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        best = 0
        for document in sample.objects():
            kind = document.get("type")
            if not isinstance(kind, str) or not ("sessionId" in document or "session_id" in document):
                continue
            if kind in ("user", "assistant") and isinstance(document.get("message"), dict):
                best = max(best, 95 if "parentUuid" in document else 85)
            elif kind in known.TYPES or kind == "system":
                best = max(best, 90 if "sessionId" in document or "permissionMode" in document else 70)
        if best == 0 and any(d.get("type") in known.HEADLESS for d in sample.objects()):
            return 40
        return best

    def skips(self, data: bytes) -> bool:
        if not known.skippable(data):
            return False
        if self._first_parent is msgspec.UNSET and b'"parentUuid"' in data[:400]:
            self._first_parent = None if b'"parentUuid":null' in data[:400] else ""
        return True

    def decode(self, data: bytes) -> Any:
        return decode(data)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        line: Line = document if type(document) is Line else lenient(document, Line)
        handler = self._handlers.get(line.type or "")
        if handler is None:
            if line.type not in known.TYPES:
                self.unknown[str(line.type)] += 1
            return ()
        if self._first_parent is msgspec.UNSET:
            self._first_parent = line.parentUuid
        session = line.sessionId or line.session_id
        if session != self._session and session is not None and line.type in known.OPENING:
            return itertools.chain(self._session_changes(line, session, at), handler(line, at))
        return handler(line, at)

    def finish(self) -> Iterable[Event]:
        yield from self._boundaries.unread()
        yield from self._requests.flush()

    @staticmethod
    def _agent(line: Line) -> str:
        if line.isSidechain or line.parent_tool_use_id:
            return line.agentId or line.parent_tool_use_id or "sidechain"
        return "main"

    def _common(self, line: Line, at: Location) -> Common:
        return {
            "at": at,
            "time": parse_time(line.timestamp),
            "session_id": self._session,
            "request_id": line.requestId,
            "agent": self._agent(line),
        }

    def _session_changes(self, line: Line, session: str, at: Location) -> Iterator[Event]:
        before, self._session = self._session, session
        if session in self._sessions:
            return
        self._sessions[session] = None
        headless = (line.entrypoint or "").startswith("sdk") or line.promptSource == "sdk" or line.subtype == "init"
        if headless:
            self._interactive = False
        elif line.entrypoint or line.promptSource == "typed":
            self._interactive = True
        if line.permissionMode is not None:
            self._policy = known.policy(line.permissionMode)
        forked = line.forkedFrom.get("sessionId") if isinstance(line.forkedFrom, dict) else None
        continued = forked if isinstance(forked, str) and forked != session else before
        whole = before is None and self._first_parent in (None, msgspec.UNSET) and not words.continues(line)
        yield SessionStarted(
            **self._common(line, at),
            format=self.name,
            agent_name="claude-code",
            version=line.version or line.claude_code_version,
            continued_from=continued,
            approval_policy=self._policy,
            interactive=self._interactive,
            tools=tuple(t for t in line.tools if isinstance(t, str)) if isinstance(line.tools, list) else (),
            cwd=line.cwd,
            complete=whole and continued is None,
        )

    def _policy_line(self, line: Line, at: Location) -> Iterator[Event]:
        if line.permissionMode is None:
            return
        policy = known.policy(line.permissionMode)
        if policy != self._policy:
            self._policy = policy
            if self._session is not None:
                yield PolicyChanged(**self._common(line, at.field("/permissionMode")), policy=policy)

    def _assistant(self, line: Line, at: Location, inside: str = "", parent: str | None = None) -> Iterator[Event]:
        message = line.message
        if message is None:
            return
        yield from self._boundaries.unread()
        content, agent = message.content, self._agent(line)
        if line.isApiErrorMessage:
            yield from self._requests.flush(agent)
            text = content if isinstance(content, str) else _texts(content)
            yield self._requests.failed(line, text, self._common(line, at.field(f"{inside}/message/content")))
            return
        if message.model == "<synthetic>":
            return
        if (response := self._requests.see(message, line, at, agent)) is not None:
            yield response
        common: Common = {}
        for index, block in enumerate(
            [Block(type="text", text=content)] if isinstance(content, str) else content or ()
        ):
            spoken = block.type == "text" and block.text and not block.text.isspace()
            if not spoken and (block.name is None or block.id is None):
                continue
            if not common:
                common = self._common(line, at)
                common["request_id"] = line.requestId or message.id
            pointer = f"{inside}/message/content" + ("" if isinstance(content, str) else f"/{index}")
            if spoken:
                common["at"] = at.field(pointer if isinstance(content, str) else f"{pointer}/text")
                if agent == "main":
                    self._last_text = block.text or ""
                yield AgentText(**common, text=block.text or "")
            else:
                common["at"] = at.field(pointer)
                yield from self._calls.issued(block, line.cwd, common, parent)

    def _user(self, line: Line, at: Location, inside: str = "") -> Iterator[Event]:
        content = line.message.content if line.message is not None else None
        common = self._common(line, at)
        if line.isCompactSummary or (isinstance(content, str) and words.is_summary(line, content)):
            text = content if isinstance(content, str) else _texts(content)
            where = at.field(f"{inside}/message/content")
            yield from self._boundaries.summary(text, where, common)
            return
        blocks = [Block(type="text", text=content)] if isinstance(content, str) else content or []
        for index, block in enumerate(blocks):
            pointer = f"{inside}/message/content" + ("" if isinstance(content, str) else f"/{index}")
            if block.type == "tool_result":
                yield from self._calls.result(line, block, self._interactive, {**common, "at": at.field(pointer)})
            elif block.type == "text" and block.text:
                yield from self._boundaries.unread()
                for said in words.read(line, block.text):
                    yield from self._say(line, said, {**common, "at": at.field(pointer)})
            elif block.type == "image" and not _texts(content) and not line.isMeta and not line.isSidechain:
                yield from self._say(line, words.Said("[image]"), {**common, "at": at.field(pointer)})

    def _say(self, line: Line, said: words.Said, common: Common) -> Iterator[Event]:
        yield from self._requests.flush(common["agent"])
        if not said.why:
            yield from self._policy_line(line, common["at"])
            yield HumanMessage(**common, text=said.text)
            return
        if said.text.startswith(tasks.NOTIFICATIONS):
            yield from self._calls.notified(said.text, common)
        elif said.text.startswith(words.INTERRUPTED):
            yield from self._calls.interrupted(not line.interruptedByShutdown, common)
        yield InjectedMessage(**common, text=said.text, why=said.why)
        if said.why == "handoff" and words.is_plan(line, said.text):
            yield from gates.handed_over(line.uuid or str(common["at"].line), said.text, common)

    def _queue_operation(self, line: Line, at: Location) -> Iterator[Event]:
        common = {**self._common(line, at), "session_id": line.sessionId or self._session}
        text = line.content if isinstance(line.content, str) else None
        if line.operation == "enqueue" and text and text.startswith(tasks.NOTIFICATIONS):
            yield from self._calls.notified(text, {**common, "at": at.field("/content")})
        taken = self._queue.take(line.operation, text, {**common, "at": at.field("/content")})
        if taken is None:
            if line.operation not in ("enqueue", "remove", "dequeue", "popAll"):
                self.unknown[f"queue-operation/{line.operation}"] += 1
            return
        body, where = taken
        why = words.tag_reason(body) if body.startswith("<") else None
        if why is None and self._interactive is False:
            why = "handoff"
        if why is None:
            yield HumanMessage(**where, text=words.typed_command(body) or body, queued=True)
        else:
            yield InjectedMessage(**where, text=body, why=why)

    def _progress(self, line: Line, at: Location) -> Iterator[Event]:
        data = line.data
        if data is None or data.type not in known.PROGRESS:
            self.unknown[f"progress/{data.type if data else None}"] += 1
            return
        inner = data.message
        if data.type != "agent_progress" or inner is None:
            return
        inner.isSidechain, inner.agentId = True, data.agentId
        inner.cwd, inner.timestamp = line.cwd, inner.timestamp or line.timestamp
        if inner.type == "assistant":
            yield from self._assistant(inner, at, "/data/message", line.parentToolUseID)
        elif inner.type == "user":
            yield from self._user(inner, at, "/data/message")

    def _attachment(self, line: Line, at: Location) -> Iterator[Event]:
        found = line.attachment if isinstance(line.attachment, dict) else {}
        kind = str(found.get("type"))
        if kind not in known.ATTACHMENTS:
            self.unknown[f"attachment/{kind}"] += 1
        common = self._common(line, at.field("/attachment"))
        if kind == "queued_command":
            yield from self._queued_command(line, found, common)
            return
        error = found.get("blockingError")
        text = text_of(found.get("content")) or (text_of(error.get("blockingError")) if isinstance(error, dict) else "")
        why = "hook" if kind.startswith("hook_") else "reminder"
        if text and kind not in ("hook_success", "structured_output"):
            yield InjectedMessage(**common, text=text, why=why)

    def _queued_command(self, line: Line, found: Mapping[str, Any], common: Common) -> Iterator[Event]:
        text = text_of(found.get("prompt"))
        if not text or self._queue.already_said(text):
            return
        if found.get("commandMode") == "task-notification" or text.startswith(tasks.NOTIFICATIONS):
            yield from self._calls.notified(text, common)
            yield InjectedMessage(**common, text=text, why="notification")
            return
        origin = found.get("origin", line.origin)
        for said in words.read(msgspec.structs.replace(line, origin=origin), text):
            if said.why:
                yield InjectedMessage(**common, text=said.text, why=said.why)
            else:
                yield HumanMessage(**common, text=said.text, queued=True)

    def _system(self, line: Line, at: Location) -> Iterator[Event]:
        kind = line.subtype
        common = self._common(line, at)
        if kind == "compact_boundary":
            yield from self._requests.flush()
            yield from self._boundaries.unread()
            self._calls.compacted()
            self._boundaries.open(line, common)
        elif kind == "microcompact_boundary":
            yield self._boundaries.micro(line, common)
        elif kind in ("api_error", "api_retry"):
            yield from self._requests.flush(common["agent"])
            yield self._requests.retried(line, common)
        elif kind == "task_notification" and line.task_id and line.status:
            yield from self._calls.later(tasks.streamed(line), common, "notification")
        elif kind == "init":
            yield from self._policy_line(line, at)
        elif kind not in known.SYSTEM:
            self.unknown[f"system/{kind}"] += 1

    def _result_envelope(self, line: Line, at: Location) -> Iterator[Event]:
        yield from self._boundaries.unread()
        yield from self._requests.flush()
        common = self._common(line, at)
        text = line.result if isinstance(line.result, str) else None
        if text and text.strip() and text.strip() != self._last_text.strip():
            yield AgentText(**{**common, "at": at.field("/result")}, text=text, where="closing")
        yield from session_ended(line, text, common)

    def _rate_limit(self, line: Line, at: Location) -> Iterator[Event]:
        if (event := self._requests.metered(line, self._common(line, at))) is not None:
            yield event


def _texts(content: Any) -> str:
    return "\n".join(b.text for b in content or () if isinstance(b, Block) and b.text)

"""pi session files, and the base of the readers of agents that keep their sessions as pi does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

import orjson
from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    Compacted,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    ProviderError,
    ProviderResponded,
    SessionStarted,
    Usage,
)
from transcript_lint.readers import ends
from transcript_lint.readers.base import Reader, Sample, parse_time, text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.pi_ends import end_of, session_of
from transcript_lint.readers.provider import error_of, finish_kind, provider_error
from transcript_lint.readers.replies import reply_of
from transcript_lint.readers.rewind import Held, Tree
from transcript_lint.readers.shapes import mapping, number, objects, room, strings, whole, words
from transcript_lint.readers.tasks import TaskList, listed

Data = Mapping[str, Any]
Common = dict[str, Any]

SHELLS = frozenset({"bash", "exec", "shell"})
QUESTIONS = frozenset({"question", "questionnaire", "ask_user", "ask_user_question", "ask_question"})
TASKS = frozenset({"todo", "todos", "todo_write", "todowrite", "update_plan"})
SILENT = frozenset({"custom", "label", "session_info", "thinking_level_change", "model_change"})
_FILE_ID = re.compile(r"_([0-9a-fA-F][0-9a-fA-F-]{7,63})\.jsonl$")
_STATUS = re.compile(r"^(\d{3})\b\s*(.*)", re.S)
_WHY = ("notification", "teammate", "reminder", "summary", "handoff", "hook")


class _Call(Struct, kw_only=True):
    """A tool call that waits for its result; `target` is the command that a look is at."""

    tool: str
    arguments: Data
    asked: float | None = None
    target: str | None = None


class PiReader(Reader):
    """Reads `~/.pi/agent/sessions/**/<time>_<id>.jsonl`.

    Entries form a tree. File order is history: a fork alone leaves nothing out, since parallel results fork too; a
    `leaf` entry that moves the end of the session back does.
    """

    name = "pi"
    title = "pi"
    agent_name: ClassVar[str] = "pi"
    decides: ClassVar[Decides] = {
        "command ends": "partly: a death by signal is recorded as success",
        "background ends": "no: commands do not run in the background",
        "compaction summary": "yes",
        "human vs injected": "yes",
        "approvals asked": "partly: only questions put through a tool; there are no permissions",
        "approvals answered": "partly: only questions put through a tool",
        "usage": "yes",
        "window": "no: the window is not written",
        "meters": "no: quota meters are not written",
        "errors": "yes",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._held = Held(self._told)
        self._tree = Tree()
        self._calls: dict[str, _Call] = {}
        self._sessions: dict[str, str] = {}
        self._latest_texts: dict[str, None] = {}
        self._session: str | None = None
        self._tasks = TaskList()
        self._entries: dict[str, Callable[[Data, Common], Iterable[Event]]] = {
            "session": self._start,
            "message": self._message,
            "compaction": self._compaction,
            "branch_summary": self._branch,
            "custom_message": self._custom_message,
        }
        self._roles: dict[str, Callable[[Data, Common], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "toolResult": self._tool_result,
            "bashExecution": self._own_command,
            "custom": self._custom_message,
            "hookMessage": self._custom_message,
            "branchSummary": self._branch,
            "compactionSummary": self._compaction,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        """The session's first line decides; in a file that begins later, messages of the format's own shape do."""
        for d in sample.objects():
            if d.get("type") == "session" and isinstance(d.get("id"), str) and "cwd" in d:
                return 90
            message = mapping(d.get("message"))
            if d.get("type") == "message" and message.get("role") in ("toolResult", "bashExecution"):
                return 85
            if d.get("type") == "message" and message.get("role") == "assistant" and "stopReason" in message:
                return 85
        return 0

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        id = words(document.get("id"))
        if id is not None and "parentId" in document:
            self._tree.add(id, words(document["parentId"]))
        if document.get("type") == "leaf":
            self._move(document)
            return ()
        return self._held.add(None if id in self._held else id, document, at)

    def finish(self) -> Iterable[Event]:
        return self._held.release()

    def _told(self, document: Data, at: Location) -> Iterable[Event]:
        kind = document.get("type")
        handler = self._entries.get(str(kind))
        if handler is None:
            if kind not in SILENT:
                self.unknown[str(kind)] += 1
            return ()
        return handler(document, {"at": at, "time": parse_time(document.get("timestamp")), "session_id": self._session})

    def _start(self, d: Data, common: Common) -> Iterator[Event]:
        self._session = words(d.get("id"))
        origin = words(d.get("parentSession")) or words(d.get("branchedFrom"))
        found = _FILE_ID.search(origin) if origin else None
        yield SessionStarted(
            **{**common, "session_id": self._session},
            format=self.name,
            agent_name=self.agent_name,
            continued_from=found[1] if found else origin,
            cwd=words(d.get("cwd")),
        )

    def _message(self, d: Data, common: Common) -> Iterable[Event]:
        message = mapping(d.get("message"))
        role = str(message.get("role"))
        handler = self._roles.get(role)
        if handler is None:
            self.unknown[f"message {role}"] += 1
            return ()
        return handler({**message, "id": d.get("id")}, common)

    def _user(self, d: Data, common: Common) -> Iterator[Event]:
        text = text_of(d.get("content"))
        at = common["at"].field("/message/content")
        if why := self.injected(text, d):
            yield from self.delegated(text, d, common)
            yield InjectedMessage(**{**common, "at": at}, text=text, why=why)
        elif text.strip():
            yield HumanMessage(**{**common, "at": at}, text=text)

    def injected(self, text: str, message: Data) -> str | None:
        """Why a message of the user's role is no person's; None for a person's."""
        return None

    def delegated(self, text: str, message: Data, common: Common) -> Iterable[Event]:
        """The ends of sub-agents that an injected message tells."""
        return ()

    def _assistant(self, d: Data, common: Common) -> Iterator[Event]:
        at: Location = common["at"]
        blocks = objects(d.get("content"))
        calls = [(i, b) for i, b in enumerate(blocks) if b.get("type") == "toolCall" and words(b.get("id"))]
        text = text_of(d.get("content")) if isinstance(d.get("content"), str) else text_of(blocks)
        if not calls and self._is_copy(d, text):
            return
        yield self._response(d, text, [b["id"] for _, b in calls], common)
        if isinstance(d.get("content"), str) and text.strip():
            yield AgentText(**{**common, "at": at.field("/message/content")}, text=text)
        for index, block in enumerate(blocks):
            place = {**common, "at": at.field(f"/message/content/{index}")}
            if block.get("type") == "text" and words(block.get("text")) and block["text"].strip():
                yield AgentText(**place, text=block["text"])
            elif block.get("type") == "toolCall" and words(block.get("id")):
                yield from self._call(block["id"], str(block.get("name") or ""), mapping(block.get("arguments")), place)
                if d.get("stopReason") in ("aborted", "error"):
                    # A message that was cut short is not acted on.
                    yield CommandEnded(**place, call_id=block["id"], termination=ends.NOT_RUN)

    def _is_copy(self, d: Data, text: str) -> bool:
        """Whether an answer was told before: the same words among the latest, put down again for the channel."""
        if not text.strip():
            return False
        seen = text in self._latest_texts
        room(self._latest_texts, 32)[text] = None
        return seen and (d.get("api") == "cli" or "mirror" in str(d.get("model")))

    def _response(self, d: Data, text: str, calls: list[str], common: Common) -> Event:
        finish = words(d.get("stopReason"))
        usage = mapping(d.get("usage"))
        counts = [whole(usage.get(k)) for k in ("input", "cacheRead", "cacheWrite", "output")]
        given = None if counts[0] is None else sum(c or 0 for c in counts[:3])
        cost = number(mapping(usage.get("cost")).get("total"))
        empty = not any(counts)
        told = not (empty and finish == "aborted")
        return ProviderResponded(
            **common,
            provider=str(d.get("provider") or ""),
            model=words(d.get("responseModel")) or str(d.get("model") or ""),
            response_id=words(d.get("responseId")) or words(d.get("id")),
            finish_reason=finish,
            finish="stop" if finish == "endTurn" else finish_kind(finish),
            usage=Usage(input=given, output=counts[3], cached=counts[1], cost_usd=cost or None)
            if usage and told
            else None,
            has_text=bool(text.strip()),
            tool_call_ids=tuple(calls),
            error=_error(words(d.get("errorMessage"))) if finish == "error" else None,
        )

    def _call(self, id: str, tool: str, arguments: Data, common: Common) -> Iterator[Event]:
        call = _Call(tool=tool, arguments=arguments, asked=common["time"])
        room(self._calls)[id] = call
        if tool == "process" and (session := words(arguments.get("sessionId"))):
            call.target = self._sessions.get(session)
            if call.target is not None:
                return
        if tool in QUESTIONS:
            yield ApprovalAsked(
                **common,
                slot_id=id,
                gate="question",
                question=words(arguments.get("question")) or words(arguments.get("prompt")),
                options=_options(arguments.get("options") or arguments.get("choices")),
            )
            return
        command = words(arguments.get("command")) if tool in SHELLS else None
        seconds = number(arguments.get("timeout")) if tool in SHELLS else None
        yield from begun(
            common,
            id,
            tool,
            arguments,
            command=command,
            cwd=words(arguments.get("workdir")),
            timeout_ms=None if seconds is None else round(seconds * 1000),
            background=arguments.get("background") is True if command else None,
        )
        if tool in TASKS and (items := listed(arguments.get("todos") or arguments.get("plan"))):
            yield from self._task_state(id, items, common)

    def _task_state(self, id: str, items: list[tuple[str, str, bool]], common: Common) -> Iterator[Event]:
        changed = self._tasks.replace(items)
        yield AgentText(**common, text=self._tasks.text, where="task_state", call_id=id, changed=changed)

    def _tool_result(self, d: Data, common: Common) -> Iterator[Event]:
        id = str(d["toolCallId"])
        details = mapping(d.get("details"))
        text = text_of(d.get("content"))
        tool = str(d.get("toolName") or "")
        call = self._calls.pop(id, None) or _Call(tool=tool, arguments={})
        if call.tool in QUESTIONS:
            yield self._answer(id, call, details, text, common)
            return
        truncated = mapping(details.get("truncation")).get("truncated") is True or None
        if call.tool in SHELLS or call.tool == "process":
            end, output = end_of(text, details, d.get("isError"))
            target = id
            if call.target is not None:
                target = call.target
                if call.arguments.get("action") in ("kill", "remove"):
                    end = ends.STOPPED
            elif session := session_of(text, details):
                room(self._sessions)[session] = id
            via = "poll" if call.target else "result"
            yield CommandEnded(**common, call_id=target, termination=end, stdout=output, truncated=truncated, via=via)
            return
        yield from self._other_result(id, call, d, details, text, truncated, common)

    def _other_result(
        self, id: str, call: _Call, d: Data, details: Data, text: str, truncated: bool | None, common: Common
    ) -> Iterator[Event]:
        failed = d.get("isError") is True or details.get("status") in ("error", "failed", "forbidden")
        end = ends.FAILED if failed else ends.OK if d.get("isError") is False else ends.UNKNOWN
        yield CommandEnded(
            **common,
            call_id=id,
            termination=end,
            stdout=text,
            truncated=truncated,
            error=(words(details.get("error")) or text[:2000]) if failed else None,
        )
        if call.tool in TASKS and (items := listed(details.get("todos"))):
            yield from self._task_state(id, items, common)

    def _answer(self, id: str, call: _Call, details: Data, text: str, common: Common) -> Event:
        if "answer" in details:
            said = words(details.get("answer"))
            outcome = "answered" if said else "none"
        else:
            outcome, said = reply_of(text)
        waited = None if call.asked is None or common["time"] is None else round((common["time"] - call.asked) * 1000)
        by = "human" if outcome in ("answered", "denied") else "harness"
        return ApprovalAnswered(**common, slot_id=id, outcome=outcome, by=by, text=said, latency_ms=waited)

    def _own_command(self, d: Data, common: Common) -> Iterator[Event]:
        """A command that the person ran themselves."""
        id = words(d.get("id")) or f"own-{common['at'].line}"
        yield from begun(common, id, "!", None, command=words(d.get("command")))
        end = ends.STOPPED if d.get("cancelled") is True else ends.exited(whole(d.get("exitCode")))
        cut = d.get("truncated") if isinstance(d.get("truncated"), bool) else None
        yield CommandEnded(**common, call_id=id, termination=end, stdout=words(d.get("output")) or "", truncated=cut)

    def _compaction(self, d: Data, common: Common) -> Iterator[Event]:
        yield from self._replaced(d, None, common)

    def _branch(self, d: Data, common: Common) -> Iterator[Event]:
        # The summary stands for the branch that was left, as a compaction's does for what it cut.
        yield from self._replaced(d, "branch", common)

    def _replaced(self, d: Data, trigger: str | None, common: Common) -> Iterator[Event]:
        summary = words(d.get("summary"))
        yield Compacted(
            **common,
            trigger=trigger,
            tokens_before=whole(d.get("tokensBefore")),
            summary=summary,
            summary_at=common["at"].field("/summary"),
            readable=bool(summary),
        )

    def _custom_message(self, d: Data, common: Common) -> Iterator[Event]:
        kind = str(d.get("customType") or "")
        text = text_of(d.get("content"))
        yield InjectedMessage(
            **{**common, "at": common["at"].field("/content")},
            text=text,
            why=next((why for why in _WHY if why in kind.lower()), "hook"),
        )

    def _move(self, d: Data) -> None:
        """The end of the session moves to another entry; what is not on the way to it is left out.

        In `side` mode an entry was only put down beside the session, which goes on where it was.
        """
        target = words(d.get("targetId"))
        if target is not None and d.get("appendMode") != "side" and target in self._tree:
            self._held.drop(self._tree.left(target))


def _options(value: Any) -> tuple[str, ...]:
    return strings(value) or tuple(str(o["label"]) for o in objects(value) if words(o.get("label")))


def _error(message: str | None) -> ProviderError | None:
    """The error as pi puts it down: words, or a status and the provider's body."""
    status, body = None, message or "error"
    if found := _STATUS.match(body):
        status, body = int(found[1]), found[2]
    try:
        return error_of(orjson.loads(body), status) or provider_error(http_status=status, message=message)
    except orjson.JSONDecodeError:
        return provider_error(http_status=status, message=message)

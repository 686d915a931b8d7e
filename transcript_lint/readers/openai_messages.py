"""Conversations as OpenAI chat messages: one a line, one a file, or one message a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import AgentText, Event, HumanMessage, InjectedMessage, Location, SessionStarted
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.plain_calls import decoded, ended, issued, shell_line
from transcript_lint.readers.shapes import mapping, objects, words

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
# Other programs' words that stand where a person's would; each with why it is none.
_INJECTED = (
    ("<system-reminder>", "reminder"),
    ("Here is a summary of the conversation to date:", "summary"),
    ("This session is being continued from a previous conversation", "summary"),
    ("<task-notification>", "notification"),
    ("<conversation-summary>", "summary"),
    ("exitcode: ", "tool_result"),
    ("[TOOL RESULT", "tool_result"),
)
_MACHINES = {"computer_terminal": "tool_result", "chat_manager": "handoff"}
_SIMULATED = frozenset({"reward", "user_sim", "simulated_user"})


class OpenAIMessagesReader(DocumentReader):
    """Reads `{"messages": […]}` conversations. What wears the user's role is a person's unless its words or the
    record say that a program wrote it; benchmark runs with a reward have a simulated user.
    """

    name = "openai-messages"
    title = "OpenAI chat messages"
    decides: ClassVar[Decides] = {
        "command ends": "partly: where the tool's own result states it",
        "background ends": "no: not recorded",
        "compaction summary": "no: the format has no form for it",
        "human vs injected": "partly: by known words and names only",
        "approvals asked": "partly: only as prose",
        "approvals answered": "partly: only as prose",
        "usage": "no: not in messages (see request and response pairs)",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ("/messages", "")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._started = False
        self._simulated = False
        self._turn = -1
        self._open: dict[str, tuple[str, bool]] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        if isinstance(first, list):
            return 50 if first and _is_message(first[0]) else 0
        first = mapping(first)
        messages = first.get("messages")
        if isinstance(messages, list) and messages and _is_message(messages[0]):
            return 10 if "response" in first else 70
        return 45 if _is_message(first) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if isinstance(value, dict) and "messages" not in value:
            if not self._started:
                yield self._start(document.at, {})
            yield from self._guarded(value, document.at)
            return
        given = value if isinstance(value, dict) else {}
        self.restart(simulated=bool(_SIMULATED & given.keys()))
        yield self._start(document.at, given)
        pointer = "/messages" if isinstance(value, dict) else ""
        for message, at in document.items(pointer):
            yield from self._guarded(message, at)

    def restart(self, *, simulated: bool = False) -> None:
        """Another conversation begins; in a simulated one a program plays the user."""
        self._turn, self._open, self._simulated = -1, {}, simulated

    def _start(self, at: Location, given: Mapping[str, Any]) -> SessionStarted:
        self._started = True
        session = words(given.get("id")) or words(given.get("conversation_id"))
        if session is None and "task_id" in given:
            session = f"{given['task_id']}.{given.get('trial', 0)}"
        tools = tuple(str(mapping(t.get("function")).get("name")) for t in objects(given.get("tools")))
        return SessionStarted(
            at=at,
            session_id=session,
            format=self.name,
            independent=True,
            agent_name=words(given.get("agent")) or words(given.get("model")) or "",
            interactive=False if self._simulated else None,
            approval_policy="never" if self._simulated else "unknown",
            tools=tools,
        )

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        role = document["role"]
        self._turn += 1
        common: dict[str, Any] = {
            "at": at,
            "turn": self._turn,
            "time": parse_time(document.get("timestamp") or document.get("created_at")),
        }
        if role == "assistant":
            yield from self._assistant(document, common)
        elif role in ("tool", "function"):
            yield from self._result(document, common)
        elif role == "user":
            yield from self._user(document, common)
        elif role in ROLES:
            yield InjectedMessage(**common, text=text_of(document.get("content")), why="reminder")
        else:
            self.unknown[str(role)] += 1

    def _assistant(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = text_of(message.get("content")) or words(message.get("refusal")) or ""
        if text.strip():
            yield AgentText(**common, text=text)
        calls = objects(message.get("tool_calls"))
        if isinstance(message.get("function_call"), dict):
            calls = [*calls, {"id": None, "function": message["function_call"]}]
        for index, call in enumerate(calls):
            function = mapping(call.get("function")) or call
            tool = words(function.get("name")) or ""
            call_id = words(call.get("id")) or f"{self._turn}.{index}"
            arguments = decoded(function.get("arguments", function.get("args")))
            self._open[call_id] = tool, any(shell_line(tool, arguments))
            yield from issued(call_id, tool, arguments, **common)

    def _result(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        call_id = words(message.get("tool_call_id"))
        if call_id is None:
            name = message.get("name")
            call_id = next((c for c, (tool, _) in self._open.items() if tool == name), None)
        if call_id is None:
            self.unknown["result without a call"] += 1
            return
        _, shell = self._open.pop(call_id, ("", True))
        status = message.get("status")
        failed = status == "error" if status in ("success", "error") else None
        yield ended(call_id, message.get("content"), shell=shell, failed=failed, **common)

    def _user(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = text_of(message.get("content"))
        why = injected(message, text) or ("simulated_user" if self._simulated else None)
        yield HumanMessage(**common, text=text) if why is None else InjectedMessage(**common, text=text, why=why)


def injected(message: Mapping[str, Any], text: str) -> str | None:
    """Why a message in the user's role is no person's; None if nothing says so."""
    extra = mapping(message.get("additional_kwargs")) or mapping(message.get("metadata"))
    if source := words(extra.get("lc_source")):
        return "summary" if "summar" in source else "reminder"
    if message.get("is_copied_context") or extra.get("is_copied_context"):
        return "copied_context"
    name = str(message.get("name") or "").lower()
    if name in _MACHINES:
        return _MACHINES[name]
    start = text.lstrip()
    return next((why for mark, why in _INJECTED if start.startswith(mark)), None)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("role")) in ROLES and ("content" in value or "tool_calls" in value)

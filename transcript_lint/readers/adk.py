"""Google ADK sessions: a session file with its events, or one event a line; camelCase or snake_case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    Compacted,
    EndKind,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import OK
from transcript_lint.readers.plain_calls import call_hash, ended, issued, shell_line
from transcript_lint.readers.responses import responded
from transcript_lint.readers.shapes import mapping, objects, room, words

_CONFIRM = "adk_request_confirmation"
_OUTCOMES = {
    "OUTCOME_OK": OK,
    "OUTCOME_FAILED": Termination(kind=EndKind.NONZERO),
    "OUTCOME_DEADLINE_EXCEEDED": Termination(kind=EndKind.TIMEOUT, timed_out=True),
}


class AdkReader(DocumentReader):
    """Reads ADK events. A function response in the user's name answers a confirmation; it is no message."""

    name = "adk"
    title = "Google ADK"
    decides: ClassVar[Decides] = {
        "command ends": "partly: code execution states an outcome; functions where their response does",
        "background ends": "partly: long-running calls and their later responses",
        "compaction summary": "yes: compacted content",
        "human vs injected": "yes: by author",
        "approvals asked": "yes: requested confirmations",
        "approvals answered": "yes: confirmed or not, by call",
        "usage": "yes: where usage metadata is kept",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "yes: error code and message",
    }
    arrays = ("/events", "")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._started = False
        self._shells: dict[str, bool] = {}
        self._gates: dict[str, str] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        held = mapping(first).get("events") if isinstance(first, dict) else first
        seen = objects(held) if isinstance(held, list) else [mapping(first), *sample.objects()]
        return 90 if any(_is_event(e) for e in seen[:20]) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if not self._started:
            self._started = True
            given = mapping(value)
            session = words(given.get("id")) if "events" in given else _get(given, "session_id", "sessionId")
            yield SessionStarted(at=document.at, session_id=session, format=self.name, agent_name=self.name)
        pointer = "/events" if isinstance(value, dict) and "events" in value else ""
        if isinstance(value, list) or pointer:
            for event, at in document.items(pointer):
                yield from self._guarded(event, at)
        else:
            yield from self._guarded(value, document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        if not _is_event(document):
            self.unknown["record"] += 1
            return
        if document.get("partial") is True:
            return
        author = str(document["author"])
        common: dict[str, Any] = {
            "at": at,
            "turn": _get(document, "invocation_id", "invocationId"),
            "time": parse_time(document.get("timestamp")),
        }
        parts = objects(mapping(document.get("content")).get("parts"))
        yield from self._response(document, common)
        text = text_of([p for p in parts if not p.get("thought")])
        if text.strip():
            yield HumanMessage(**common, text=text) if author == "user" else AgentText(**common, text=text)
        for part in parts:
            yield from self._part(part, author, common)
        actions = mapping(document.get("actions"))
        asked = mapping(_get(actions, "requested_tool_confirmations", "requestedToolConfirmations"))
        for call_id, request in asked.items():
            if call_id not in self._gates:
                room(self._gates)[call_id] = call_id
                hint = words(mapping(request).get("hint"))
                yield ApprovalAsked(**common, slot_id=call_id, call_id=call_id, question=hint)
        if compaction := mapping(actions.get("compaction")):
            content = mapping(_get(compaction, "compacted_content", "compactedContent"))
            summary = text_of(content.get("parts")) or None
            yield Compacted(**common, summary=summary, summary_at=at, readable=summary is not None)

    def _response(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        usage, finish = _get(event, "usage_metadata", "usageMetadata"), _get(event, "finish_reason", "finishReason")
        finish = finish or _get(event, "turn_complete_reason", "turnCompleteReason")
        code = _get(event, "error_code", "errorCode")
        if usage is None and finish is None and code is None:
            return
        candidate = {"finishReason": finish, "content": event.get("content")}
        error = {"code": str(code), "message": _get(event, "error_message", "errorMessage")} if code else None
        fact = responded(
            {"candidates": [candidate], "usageMetadata": usage, "error": error}, **{**common, "request_id": None}
        )
        if fact is not None:
            yield fact

    def _part(self, part: Mapping[str, Any], author: str, common: dict[str, Any]) -> Iterator[Event]:
        if call := mapping(_get(part, "function_call", "functionCall")):
            tool, arguments = words(call.get("name")) or "", call.get("args")
            call_id = words(call.get("id")) or tool
            if tool == _CONFIRM:
                original = mapping(_get(mapping(arguments), "originalFunctionCall", "original_function_call"))
                gated = words(original.get("id"))
                room(self._gates)[call_id] = gated or call_id
                if gated is None or gated not in self._gates:
                    room(self._gates)[gated or call_id] = gated or call_id
                    name = words(original.get("name"))
                    bound = call_hash(name or "", original["args"]) if "args" in original else None
                    yield ApprovalAsked(
                        **common, slot_id=gated or call_id, call_id=gated, tool=name, arguments_sha256=bound
                    )
                return
            room(self._shells)[call_id] = any(shell_line(tool, arguments))
            yield from issued(call_id, tool, arguments, **common)
        elif answer := mapping(_get(part, "function_response", "functionResponse")):
            yield from self._answer(answer, author, common)
        elif result := mapping(_get(part, "code_execution_result", "codeExecutionResult")):
            end = _OUTCOMES.get(str(result.get("outcome")), Termination(kind=EndKind.UNKNOWN))
            stdout = words(result.get("output")) or ""
            yield CommandEnded(**common, call_id="code", termination=end, stdout=stdout)
        elif code := mapping(_get(part, "executable_code", "executableCode")):
            yield from issued("code", "code_execution", {"code": code.get("code")}, **common)

    def _answer(self, answer: Mapping[str, Any], author: str, common: dict[str, Any]) -> Iterator[Event]:
        call_id = words(answer.get("id")) or words(answer.get("name")) or ""
        body = answer.get("response")
        confirmed = mapping(body).get("confirmed")
        if answer.get("name") == _CONFIRM or (author == "user" and isinstance(confirmed, bool)):
            slot = self._gates.get(call_id, call_id)
            outcome = "approved" if confirmed is True else "denied" if confirmed is False else "none"
            by = "human" if author == "user" else "harness"
            yield ApprovalAnswered(**common, slot_id=slot, outcome=outcome, by=by, call_id=slot)
        elif author == "user" and call_id not in self._shells:
            yield InjectedMessage(**common, text=str(body), why="tool_result")
        else:
            yield ended(call_id, body, shell=self._shells.get(call_id, False), **common)


def _is_event(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("author"), str)
        and ("invocation_id" in value or "invocationId" in value)
    )


def _get(value: Mapping[str, Any], *keys: str) -> Any:
    return next((value[k] for k in keys if value.get(k) is not None), None)

"""Qwen Code session files: Gemini's messages as records of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Compacted,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    ProviderResponded,
    SessionStarted,
    Termination,
    Usage,
)
from transcript_lint.readers import ends
from transcript_lint.readers.base import Reader, Sample, parse_time
from transcript_lint.readers.gemini import response_of, spoken
from transcript_lint.readers.gemini_calls import Calls
from transcript_lint.readers.provider import provider_error
from transcript_lint.readers.rewind import Held, Tree
from transcript_lint.readers.shapes import mapping, objects, whole, words

Data = Mapping[str, Any]
Common = dict[str, Any]

TYPES = frozenset({"user", "assistant", "tool_result", "system"})
_SILENT = """
agent_bootstrap agent_launch_prompt agent_retry agent_session_ready at_command attribution_snapshot
background_task_completed branch_checkpoint custom_title file_history_snapshot goal_runtime goal_state goal_turn_end
managed_session_commit_v1 managed_session_event_v1 managed_session_header_v1 omni_recall parent_session
realtime_message rewind session_artifact_event session_artifact_snapshot session_execution_engine session_model
session_notes session_source session_sources_snapshot slash_command turn_result user_text_elements
"""
SILENT = frozenset(_SILENT.split())
_WHY = {"notification": "notification", "cron": "notification", "mid_turn_user_message": None}
_TASK_ENDS = {
    "completed": Termination(kind=EndKind.OK, source=EndSource.FIELD),
    "failed": ends.FAILED,
    "error": ends.FAILED,
    "cancelled": Termination(kind=EndKind.INTERRUPTED),
    "killed": Termination(kind=EndKind.INTERRUPTED),
    "timeout": Termination(kind=EndKind.TIMEOUT, timed_out=True),
}


class QwenReader(Reader):
    """Reads `~/.qwen/projects/<folder>/chats/<session>.jsonl`.

    A rewind hangs the next record on an earlier one and says so in a record of its own; what it leaves is left out.
    """

    name = "qwen-code"
    title = "Qwen Code"
    decides: ClassVar[Decides] = {
        "command ends": "yes",
        "background ends": "yes",
        "compaction summary": "yes",
        "human vs injected": "yes",
        "approvals asked": "partly: questions and plans; a permission only when it was refused",
        "approvals answered": "partly: answers and refusals; a permission that was given leaves no trace",
        "usage": "yes",
        "window": "yes",
        "meters": "no: quota meters are not written",
        "errors": "yes",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._held = Held(self._told)
        self._tree = Tree()
        self._calls = Calls()
        self._session: str | None = None
        self._parent: str | None = None
        self._types: dict[str, Callable[[Data, Common], Iterable[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool_result": self._tool_result,
            "system": self._system,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        hits = sum(
            d.get("type") in TYPES
            and "parentUuid" in d
            and ("parts" in mapping(d.get("message")) or "systemPayload" in d or d.get("type") == "tool_result")
            for d in sample.objects()
        )
        return 96 if hits else 0

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        id, parent = words(document.get("uuid")), words(document.get("parentUuid"))
        if id is not None:
            self._tree.add(id, parent)
        if document.get("subtype") == "rewind":
            # A rewind to the start hangs on nothing; one to a record not known any more leaves nothing out.
            if parent is None or parent in self._tree:
                self._held.drop(self._tree.left(parent))
            return ()
        return self._held.add(None if id in self._held else id, document, at)

    def finish(self) -> Iterable[Event]:
        return self._held.release()

    def _told(self, d: Data, at: Location) -> Iterator[Event]:
        session = words(d.get("sessionId"))
        common: Common = {
            "at": at,
            "time": parse_time(d.get("timestamp")),
            "session_id": session,
            "request_id": words(d.get("promptId")),
            "agent": words(d.get("agentId")) or "main",
        }
        if session is not None and session != self._session:
            self._session = session
            yield SessionStarted(
                **{**common, "request_id": None},
                format=self.name,
                agent_name="qwen-code",
                version=words(d.get("version")),
                continued_from=words(mapping(d.get("forkedFrom")).get("sessionId")),
                cwd=words(d.get("cwd")),
                complete=d.get("parentUuid") is None,
            )
        handler = self._types.get(str(d.get("type")))
        if handler is None:
            self.unknown[str(d.get("type"))] += 1
            return
        yield from handler(d, common)

    def _user(self, d: Data, common: Common) -> Iterator[Event]:
        payload = mapping(d.get("systemPayload"))
        text = spoken(mapping(d.get("message")).get("parts"))
        place = {**common, "at": common["at"].field("/message/parts")}
        subtype, origin = d.get("subtype"), words(d.get("provenance"))
        yield from self._background(payload, text, common)
        if origin not in (None, "real_user") or _WHY.get(str(subtype)) is not None:
            yield InjectedMessage(**place, text=text, why=_WHY.get(str(subtype)) or "reminder")
            return
        typed = words(payload.get("displayText")) or text
        if typed.strip():
            yield HumanMessage(**place, text=typed, queued=subtype == "mid_turn_user_message")

    def _background(self, payload: Data, text: str, common: Common) -> Iterator[Event]:
        task = mapping(payload.get("backgroundTask"))
        end = _TASK_ENDS.get(str(task.get("status")))
        if end is not None and (call := words(task.get("toolUseId"))):
            yield from self._calls.by_notification(call, end, text, common)

    def _assistant(self, d: Data, common: Common) -> Iterator[Event]:
        parts = mapping(d.get("message")).get("parts")
        calls = [
            (i, call)
            for i, part in enumerate(objects(parts))
            if (call := mapping(part.get("functionCall"))) and words(call.get("id"))
        ]
        text = spoken(parts)
        if isinstance(d.get("usageMetadata"), dict):
            yield ProviderResponded(
                **common,
                provider="qwen",
                model=str(d.get("model") or ""),
                response_id=words(d.get("uuid")),
                usage=_usage(d["usageMetadata"]),
                window=whole(d.get("contextWindowSize")),
                has_text=bool(text.strip()),
                tool_call_ids=tuple(call["id"] for _, call in calls),
            )
        if text.strip():
            yield AgentText(**{**common, "at": common["at"].field("/message/parts")}, text=text)
        for index, call in calls:
            place = {**common, "at": common["at"].field(f"/message/parts/{index}/functionCall")}
            yield from self._calls.begin(call["id"], str(call.get("name") or ""), mapping(call.get("args")), place)

    def _tool_result(self, d: Data, common: Common) -> Iterator[Event]:
        told = mapping(d.get("toolCallResult"))
        status = words(told.get("status"))
        for index, part in enumerate(objects(mapping(d.get("message")).get("parts"))):
            answer = mapping(part.get("functionResponse"))
            id = words(answer.get("id")) or words(told.get("callId"))
            if answer and id:
                output, error = response_of([part])
                place = {**common, "at": common["at"].field(f"/message/parts/{index}/functionResponse")}
                yield from self._calls.end(id, status or ("error" if error else "success"), output, error, place)

    def _system(self, d: Data, common: Common) -> Iterator[Event]:
        payload, subtype = mapping(d.get("systemPayload")), words(d.get("subtype"))
        if subtype == "chat_compression":
            yield _compacted(payload, common)
        elif subtype == "session_approval_mode":
            yield PolicyChanged(**common, policy="auto" if payload.get("mode") in ("yolo", "auto") else "ask")
        elif subtype == "ui_telemetry":
            yield from _telemetry(mapping(payload.get("uiEvent")), common)
        elif subtype == "notification":
            text = spoken(mapping(d.get("message")).get("parts")) or words(payload.get("displayText")) or ""
            yield from self._background(payload, text, common)
            yield InjectedMessage(**common, text=text, why="notification")
        elif subtype not in SILENT:
            self.unknown[f"system {subtype}"] += 1


def _compacted(payload: Data, common: Common) -> Event:
    info = mapping(payload.get("info"))
    history = objects(payload.get("compressedHistory"))
    summary = spoken(history[0].get("parts")) if history else ""
    return Compacted(
        **common,
        tokens_before=whole(info.get("originalTokenCount")),
        tokens_after=whole(info.get("newTokenCount")),
        summary=summary or None,
        summary_at=common["at"].field("/systemPayload/compressedHistory/0"),
        readable=bool(summary),
    )


def _telemetry(event: Data, common: Common) -> Iterator[Event]:
    """Of the interface's own events only a failed request says what stands nowhere else."""
    if str(event.get("event.name")).endswith("api_error"):
        yield ProviderResponded(
            **common,
            provider="qwen",
            model=str(event.get("model") or ""),
            response_id=words(event.get("response_id")),
            error=provider_error(
                type=words(event.get("error_type")),
                http_status=whole(event.get("status_code")),
                message=words(event.get("error_message")) or words(event.get("error")),
            ),
        )


def _usage(tokens: Data) -> Usage:
    given, output, thoughts = (
        whole(tokens.get(k)) for k in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    )
    total = whole(tokens.get("totalTokenCount"))
    if output is not None and thoughts and total is not None and total >= (given or 0) + output + thoughts:
        output += thoughts
    return Usage(input=given, output=output, cached=whole(tokens.get("cachedContentTokenCount")), reasoning=thoughts)

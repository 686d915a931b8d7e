"""Gemini CLI session files, whole and line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import orjson

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
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
from transcript_lint.readers.base import Sample, parse_time
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.gemini_calls import ENDED, Calls
from transcript_lint.readers.provider import error_of, finish_kind, provider_error
from transcript_lint.readers.rewind import Held
from transcript_lint.readers.shapes import mapping, objects, room, whole, words

Data = Mapping[str, Any]
Common = dict[str, Any]

KINDS = frozenset({"user", "gemini", "info", "error", "warning"})
_INJECTED = (
    ("<session_context>", "reminder"),
    ("<hook_context>", "hook"),
    ("User steering update:", "reminder"),
    ("<background_notification", "notification"),
)
_STOPS = {
    "truncated due to token limits": "MAX_TOKENS",
    "due to safety reasons": "SAFETY",
    "due to recitation policy": "RECITATION",
    "due to unsupported language": "LANGUAGE",
    "due to forbidden terms": "BLOCKLIST",
    "due to prohibited content": "PROHIBITED_CONTENT",
    "due to sensitive personally identifiable information": "SPII",
    "due to malformed function call": "MALFORMED_FUNCTION_CALL",
    "due to image safety violations": "IMAGE_SAFETY",
    "due to unexpected tool call": "UNEXPECTED_TOOL_CALL",
    "stopped for other reasons": "OTHER",
}
_API_ERROR = re.compile(r"API Error|RESOURCE_EXHAUSTED|quota|rate limit|PERMISSION_DENIED|UNAUTHENTICATED", re.I)
_STATUS = re.compile(r"(?:status|code|error)\D{0,4}([45]\d\d)\b", re.I)


class GeminiReader(DocumentReader):
    """Reads `~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`.

    In lines, a message with the id of an earlier one replaces it, `$rewindTo` takes back a message and all after it,
    and `$set` with messages replaces the history.
    """

    name = "gemini-cli"
    title = "Gemini CLI"
    arrays = ("/messages",)
    decides: ClassVar[Decides] = {
        "command ends": "partly: exit 0 is told only by the absence of a code",
        "background ends": "partly: a later look shows output but no end",
        "compaction summary": "no: that the context was compressed is written, its summary is not",
        "human vs injected": "yes",
        "approvals asked": "partly: questions and plans; a permission only when it was refused",
        "approvals answered": "partly: answers and refusals; a permission that was given leaves no trace",
        "usage": "yes",
        "window": "no: the window is not written",
        "meters": "no: quota meters are not written",
        "errors": "partly: as messages in words",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._held = Held(self._told)
        self._released: dict[str, None] = {}
        self._calls = Calls()
        self._session: str | None = None

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        for d in [first, *sample.objects()]:
            if isinstance(d, dict) and "projectHash" in d and "sessionId" in d:
                return 92
        messages = sum(
            d.get("type") in KINDS and "content" in d and isinstance(d.get("id"), str) and "sessionId" not in d
            for d in sample.objects()
        )
        return 75 if messages and any(d.get("type") == "gemini" for d in sample.objects()) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if not isinstance(value, dict):
            raise TypeError("a session is an object")
        if isinstance(value.get("$rewindTo"), str):
            self._rewind(value["$rewindTo"])
        elif isinstance(value.get("$set"), dict):
            yield from self._set(value["$set"], document.at)
        elif isinstance(value.get("id"), str) and "type" in value:
            yield from self.record(value, document.at)
        elif "sessionId" in value:
            yield self._started(value, document.at)
            for message, at in document.items("/messages"):
                yield from self._guarded(message, at)
        else:
            self.unknown["record"] += 1

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        id = words(document.get("id"))
        if id is not None and id in self._released:
            # Too old to be replaced: only what is new in it is told.
            return self._told({**document, "content": "", "tokens": None, "type": document.get("type")}, at)
        return self._held.add(id, document, at)

    def finish(self) -> Iterable[Event]:
        return self._held.release()

    def _rewind(self, id: str) -> None:
        # A message that is not there, or not any more, stands before all that is held.
        if id in self._held:
            self._held.rewind(id)
        else:
            self._held.drop(lambda _: True)

    def _set(self, update: Data, at: Location) -> Iterator[Event]:
        messages = objects(update.get("messages"))
        if isinstance(update.get("messages"), list):
            kept = {m.get("id") for m in messages}
            self._held.drop(lambda id: id not in kept)
        for index, message in enumerate(messages):
            if message.get("id") not in self._held and message.get("id") not in self._released:
                yield from self.record(message, at.field(f"/$set/messages/{index}"))

    def _started(self, d: Data, at: Location) -> Event:
        self._session = words(d.get("sessionId"))
        return SessionStarted(
            at=at,
            time=parse_time(d.get("startTime")),
            session_id=self._session,
            format=self.name,
            agent_name="gemini-cli",
        )

    def _told(self, d: Data, at: Location) -> Iterator[Event]:
        if isinstance(d.get("id"), str):
            room(self._released, 1 << 16)[d["id"]] = None
        common = {"at": at, "time": parse_time(d.get("timestamp")), "session_id": self._session}
        kind = d.get("type")
        if kind == "user":
            yield from self._user(d, common)
        elif kind == "gemini":
            yield from self._gemini(d, common)
        elif kind == "info":
            yield from self._info(spoken(d.get("content")), common)
        elif kind == "error":
            yield from self._error(spoken(d.get("content")), common)
        elif kind not in KINDS:
            self.unknown[f"message {kind}"] += 1

    def _user(self, d: Data, common: Common) -> Iterator[Event]:
        text, typed = spoken(d.get("content")), spoken(d.get("displayContent"))
        at = _at(common, "/displayContent" if typed else "/content")
        why = next((why for mark, why in _INJECTED if text.lstrip().startswith(mark)), None)
        if typed.strip():
            yield HumanMessage(**{**common, "at": at}, text=typed, queued=text.startswith("User steering update:"))
        elif why is not None:
            yield InjectedMessage(**{**common, "at": at}, text=text, why=why)
        elif text.strip():
            yield HumanMessage(**{**common, "at": at}, text=text)

    def _gemini(self, d: Data, common: Common) -> Iterator[Event]:
        text = spoken(d.get("content"))
        calls = [(i, c) for i, c in enumerate(objects(d.get("toolCalls"))) if words(c.get("id"))]
        if isinstance(d.get("tokens"), dict):
            yield ProviderResponded(
                **common,
                provider="google",
                model=str(d.get("model") or ""),
                response_id=words(d.get("id")),
                usage=_usage(d["tokens"]),
                has_text=bool(text.strip()),
                tool_call_ids=tuple(c["id"] for _, c in calls),
            )
        if text.strip():
            yield AgentText(**{**common, "at": _at(common, "/content")}, text=text)
        for index, call in calls:
            yield from self._call(call, {**common, "at": _at(common, f"/toolCalls/{index}")})

    def _call(self, c: Data, common: Common) -> Iterator[Event]:
        # The message's time is that of its beginning, the call's that of its last change.
        times = [t for t in (common["time"], parse_time(c.get("timestamp"))) if t is not None]
        first, last = (min(times), max(times)) if times else (None, None)
        id, tool = c["id"], str(c.get("name") or "")
        yield from self._calls.begin(id, tool, mapping(c.get("args")), {**common, "time": first})
        status = words(c.get("status"))
        if status in ENDED or (status is None and c.get("result")):
            output, error = response_of(c.get("result"))
            yield from self._calls.end(id, status, output, error, {**common, "time": last})

    def _info(self, text: str, common: Common) -> Iterator[Event]:
        if text.startswith("Context compressed") or "compressed from" in text[:200]:
            yield Compacted(**common, readable=False)
        elif text.startswith("Session resumed"):
            yield SessionStarted(**common, format=self.name, agent_name="gemini-cli")
        elif "Response stopped" in text[:20] or "Response truncated" in text[:20]:
            reason = next((reason for mark, reason in _STOPS.items() if mark in text[:200]), "OTHER")
            yield ProviderResponded(**common, provider="google", finish_reason=reason, finish=finish_kind(reason))

    def _error(self, text: str, common: Common) -> Iterator[Event]:
        if _API_ERROR.search(text[:2000]):
            yield ProviderResponded(**common, provider="google", error=api_error(text))


def response_of(result: Any) -> tuple[str, str | None]:
    """(output, error) of a result made of `functionResponse` parts."""
    if isinstance(result, str):
        return result, None
    output: list[str] = []
    error = None
    for part in objects(result if isinstance(result, list) else [result]):
        response = mapping(mapping(part.get("functionResponse")).get("response"))
        for key in ("output", "content", "result"):
            if isinstance(response.get(key), str):
                output.append(response[key])
                break
        error = words(response.get("error")) or error
        if words(part.get("text")):
            output.append(part["text"])
    return "\n".join(output), error


def api_error(text: str) -> ProviderError:
    """An API error as the CLI words it, often with the provider's JSON inside."""
    status = _STATUS.search(text[:2000])
    code = int(status[1]) if status else None
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        try:
            found = error_of(orjson.loads(text[start : end + 1]), code)
        except orjson.JSONDecodeError:
            found = None
        if found is not None:
            return found
    return provider_error(http_status=code, message=text[:2000])


def _usage(tokens: Data) -> Usage:
    candidates, thoughts = whole(tokens.get("output")), whole(tokens.get("thoughts"))
    return Usage(
        input=whole(tokens.get("input")),
        output=None if candidates is None else candidates + (thoughts or 0),
        cached=whole(tokens.get("cached")),
        reasoning=thoughts,
    )


def spoken(content: Any) -> str:
    """The text of a message: a string, or its parts that are text and no thoughts, as one."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    texts = (p if isinstance(p, str) else p.get("text") for p in parts if isinstance(p, str) or _is_said(p))
    return "".join(t for t in texts if isinstance(t, str))


def _is_said(part: Any) -> bool:
    return isinstance(part, dict) and part.get("thought") is not True


def _at(common: Common, pointer: str) -> Location:
    at: Location = common["at"]
    return at.field(at.pointer + pointer)

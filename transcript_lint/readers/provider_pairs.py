"""Recorded requests to a model with their responses, of any provider, one a line; or responses alone.

A response that was streamed may be written as the list of its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import Event, Location, SessionStarted
from transcript_lint.readers.anthropic_messages import AnthropicMessagesReader
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.openai_messages import OpenAIMessagesReader
from transcript_lint.readers.openai_responses import OpenAIResponsesReader
from transcript_lint.readers.responses import has_media, responded, shape_of
from transcript_lint.readers.shapes import mapping, objects, whole, words

_HEADERS = ("response_headers", "headers")
_STATUS = ("http_status", "status_code", "status")


class ProviderPairsReader(DocumentReader):
    """Reads `{"request": …, "response": …}` and bare response objects.

    A request repeats the conversation so far: only what stands in it after the model's last words is new.
    """

    name = "provider-pairs"
    title = "Provider requests and responses"
    decides: ClassVar[Decides] = {
        "command ends": "partly: where a tool's own result states it",
        "background ends": "no: not recorded",
        "compaction summary": "no: not recorded",
        "human vs injected": "partly: by known words only",
        "approvals asked": "partly: only as prose",
        "approvals answered": "partly: only as prose",
        "usage": "yes: of every response",
        "window": "partly: where the log adds it",
        "meters": "partly: where response headers are kept",
        "errors": "yes: error bodies and status",
    }
    arrays = ("",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._chat = OpenAIMessagesReader(path)
        self._items = OpenAIResponsesReader(path)
        self._blocks = AnthropicMessagesReader(path)

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        seen = [*objects(first)[:3], mapping(first), *sample.objects()]
        for value in seen:
            response = _whole(value.get("response"))
            if ("request" in value or "method" in value) and response and shape_of(response):
                return 86
            bare = value.get("object") in ("chat.completion", "response") or (
                value.get("type") == "message" and "stop_reason" in value and "usage" in value
            )
            if bare or ("usageMetadata" in value and ("candidates" in value or "promptFeedback" in value)):
                return 84
        return 0

    def document(self, document: Document) -> Iterable[Event]:
        if isinstance(document.value, list):
            for value, at in document.items(""):
                yield from self._guarded(value, at)
        else:
            yield from self._guarded(document.value, document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        paired = "response" in document
        request = mapping(document.get("request"))
        response = _whole(document.get("response")) if paired else document
        shape = shape_of(response)
        if shape is None:
            self.unknown["response"] += 1
            return
        fresh, new = _new_messages(request, all_of_them=self.records == 1)
        if fresh or self.records == 1:
            yield SessionStarted(
                at=at,
                session_id=words(response.get("id")) or words(response.get("responseId")),
                format=self.name,
                agent_name=words(response.get("model")) or words(request.get("model")) or "",
                complete=bool(request) and fresh,
            )
        for message, pointer in new:
            yield from self._said(message, at.field(f"/request{pointer}"))
        fact = responded(
            response,
            request,
            at=at.field(f"{at.pointer}/response" if paired else at.pointer),
            time=parse_time(response.get("created") or response.get("created_at") or document.get("timestamp")),
            http_status=next((n for k in _STATUS if (n := whole(document.get(k))) is not None), None),
            headers=next((document[k] for k in _HEADERS if k in document), None),
            media=has_media(request),
        )
        if fact is not None:
            yield fact
        for message, pointer in _answer(response, shape):
            yield from self._said(message, at.field(f"{at.pointer}/response{pointer}" if paired else pointer))

    def _said(self, message: Mapping[str, Any], at: Location) -> Iterable[Event]:
        if "type" in message and "role" not in message:
            return self._items.record(message, at)
        content = objects(message.get("content"))
        if any(b.get("type") in ("tool_use", "tool_result") for b in content):
            return self._blocks.record(message, at)
        return self._chat.record(message, at)


def _whole(response: Any) -> Mapping[str, Any]:
    """A response; of Gemini's streamed parts the one they make: text and calls in order, the last word on all else."""
    if not isinstance(response, list):
        return mapping(response)
    merged: dict[str, Any] = {}
    parts: list[Any] = []
    reason = None
    for part in objects(response):
        merged |= part
        for candidate in objects(part.get("candidates"))[:1]:
            reason = candidate.get("finishReason") or reason
            for piece in objects(mapping(candidate.get("content")).get("parts")):
                if parts and piece.keys() == parts[-1].keys() == {"text"}:
                    parts[-1] = {"text": text_of([parts[-1]]) + text_of([piece])}
                else:
                    parts.append(piece)
    if parts or reason:
        merged["candidates"] = [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]
    return merged


def _new_messages(request: Mapping[str, Any], *, all_of_them: bool) -> tuple[bool, list[tuple[Mapping[str, Any], str]]]:
    """Whether a request opens a conversation, and its messages in one of the known shapes.

    A later request repeats what earlier records told: only what follows the model's last words in it is new. The first
    of a log tells its whole history.
    """
    for key in ("messages", "input", "contents"):
        given = request.get(key)
        if isinstance(given, str):
            return True, [({"role": "user", "content": given}, f"/{key}")]
        if isinstance(given, list):
            # The list stands beside its pointers, so that a message without a known shape shifts none.
            told = [(_plain(mapping(m)), f"/{key}/{i}") for i, m in enumerate(given)]
            last = max((i for i, (m, _) in enumerate(told) if _is_models(m)), default=-1)
            first = 0 if all_of_them else last + 1
            return last < 0, [(m, p) for m, p in told[first:] if m.get("role") != "system" and m]
    return not request, []


def _is_models(message: Mapping[str, Any]) -> bool:
    return message.get("role") in ("assistant", "model") or str(message.get("type")).endswith("_call")


def _plain(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of Gemini or Bedrock in the shape of content blocks; others as they are."""
    parts = message.get("parts") if "parts" in message else message.get("content")
    blocks = [block for part in objects(parts) if (block := _block(part))]
    if "parts" in message or any("type" not in p for p in objects(parts)):
        role = "assistant" if message.get("role") in ("model", "assistant") else "user"
        return {"role": role, "content": blocks}
    return message


def _block(part: Mapping[str, Any]) -> dict[str, Any] | None:
    if isinstance(part.get("text"), str) and not part.get("thought"):
        return {"type": "text", "text": part["text"]}
    for key in ("functionCall", "toolUse"):
        if call := mapping(part.get(key)):
            given = call.get("args", call.get("input"))
            own = call.get("id") or call.get("toolUseId") or call.get("name")
            return {"type": "tool_use", "id": str(own), "name": str(call.get("name")), "input": given}
    for key in ("functionResponse", "toolResult"):
        if result := mapping(part.get(key)):
            own = result.get("id") or result.get("toolUseId") or result.get("name")
            status = result.get("status")
            return {
                "type": "tool_result",
                "tool_use_id": str(own),
                "content": result.get("response", result.get("content")),
                "is_error": status == "error" if status in ("success", "error") else None,
            }
    return None


def _answer(response: Mapping[str, Any], shape: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The messages or items of a response, each with its pointer in it."""
    if shape == "chat":
        choice = mapping(next(iter(response["choices"]), None))
        text = words(choice.get("text"))
        message = mapping(choice.get("message")) or ({"content": text} if text else {})
        if message:
            yield {**message, "role": "assistant"}, "/choices/0/message"
    elif shape == "responses":
        for index, item in enumerate(objects(response.get("output"))):
            yield item, f"/output/{index}"
    elif shape == "anthropic":
        yield {"role": "assistant", "content": response.get("content")}, "/content"
    elif shape == "gemini":
        first = mapping(next(iter(objects(response.get("candidates"))), None))
        if content := mapping(first.get("content")):
            yield _plain({"role": "model", "parts": content.get("parts")}), "/candidates/0/content"
    elif shape == "bedrock":
        message = mapping(mapping(response.get("output")).get("message"))
        yield {**_plain(message), "role": "assistant"}, "/output/message"

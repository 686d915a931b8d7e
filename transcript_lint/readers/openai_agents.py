"""Run states of the OpenAI Agents SDK: the items of a run and its approvals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import ApprovalAnswered, ApprovalAsked, Event, Location, SessionStarted
from transcript_lint.readers.base import Sample
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.openai_responses import OpenAIResponsesReader
from transcript_lint.readers.plain_calls import call_hash, decoded
from transcript_lint.readers.responses import responded
from transcript_lint.readers.shapes import mapping, objects, room, strings, words


class OpenAIAgentsReader(DocumentReader):
    """Reads serialised run states (Python and TypeScript). `approved: true` stands for every call of a tool."""

    name = "openai-agents"
    title = "OpenAI Agents SDK run states"
    decides: ClassVar[Decides] = {
        "command ends": "partly: hosted shells state exit or time-out; functions where their result does",
        "background ends": "no: not recorded",
        "compaction summary": "no: compaction items are encrypted",
        "human vs injected": "partly: by known words only",
        "approvals asked": "yes: approval items",
        "approvals answered": "yes: by call, or standing",
        "usage": "yes: of model responses; the reason they ended is dropped on the chat path",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ()

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._items = OpenAIResponsesReader(path)
        self._seen: dict[str, None] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = mapping(opening(sample))
        return 96 if "$schemaVersion" in first and ("currentStep" in first or "current_step" in first) else 0

    def document(self, document: Document) -> Iterable[Event]:
        return self.record(document.value, document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        approvals = mapping(_get(mapping(document.get("context")), "approvals"))
        standing = tuple(tool for tool, held in approvals.items() if mapping(held).get("approved") is True)
        yield SessionStarted(
            at=at,
            session_id=words(mapping(document.get("trace")).get("trace_id"))
            or words(mapping(document.get("trace")).get("id")),
            format=self.name,
            agent_name=words(mapping(_get(document, "currentAgent", "current_agent")).get("name")) or "",
            standing_approvals=standing,
        )
        original = _get(document, "originalInput", "original_input")
        given = [{"role": "user", "content": original}] if isinstance(original, str) else objects(original)
        for index, item in enumerate(given):
            yield from self._items.record(item, at.field(f"/originalInput/{index}"))
        yield from self._generated(document, at, approvals)
        for index, response in enumerate(objects(_get(document, "modelResponses", "model_responses"))):
            yield from _usage(response, at.field(f"/modelResponses/{index}"))
        step = mapping(_get(document, "currentStep", "current_step"))
        waiting = objects(mapping(step.get("data")).get("interruptions")) or objects(step.get("interruptions"))
        for index, item in enumerate(waiting):
            yield from self._gate(item, approvals, at.field(f"/currentStep/data/interruptions/{index}"))

    def _generated(self, document: Mapping[str, Any], at: Location, approvals: Mapping[str, Any]) -> Iterator[Event]:
        for key in ("generatedItems", "generated_items"):
            for index, item in enumerate(objects(document.get(key))):
                place = at.field(f"/{key}/{index}")
                raw = mapping(_get(item, "rawItem", "raw_item"))
                if item.get("type") == "tool_approval_item":
                    yield from self._gate(item, approvals, place)
                elif raw:
                    yield from self._items.record(_snake(raw), place)

    def _gate(self, item: Mapping[str, Any], approvals: Mapping[str, Any], at: Location) -> Iterator[Event]:
        raw = mapping(_get(item, "rawItem", "raw_item"))
        call_id = words(_get(raw, "callId", "call_id")) or words(raw.get("id")) or ""
        tool = words(_get(item, "toolName", "tool_name")) or words(raw.get("name")) or ""
        if call_id in self._seen:
            return
        room(self._seen)[call_id] = None
        bound = call_hash(tool, decoded(raw["arguments"])) if "arguments" in raw else None
        yield ApprovalAsked(at=at, slot_id=call_id, call_id=call_id, tool=tool, arguments_sha256=bound)
        held = mapping(approvals.get(tool))
        for key, outcome in (("approved", "approved"), ("rejected", "denied")):
            answer = held.get(key)
            if answer is True:
                yield ApprovalAnswered(at=at, slot_id=call_id, outcome=outcome, by="policy", call_id=call_id)
            elif call_id in strings(answer):
                yield ApprovalAnswered(at=at, slot_id=call_id, outcome=outcome, by="human", call_id=call_id)


def _usage(response: Mapping[str, Any], at: Location) -> Iterator[Event]:
    usage = mapping(response.get("usage"))
    flat = {_under(k): v for k, v in usage.items()}
    body = {
        "object": "response",
        "id": _get(response, "responseId", "response_id"),
        "status": "completed" if response.get("output") else None,
        "output": [_snake(i) for i in objects(response.get("output"))],
        "usage": flat,
    }
    if fact := responded(body, at=at):
        yield fact


def _snake(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item under the names of the wire: the TypeScript SDK writes `callId` and `function_call_result`."""
    found = {_under(k): v for k, v in item.items()}
    if found.get("type") == "function_call_result":
        found["type"] = "function_call_output"
    if isinstance(found.get("output"), dict) and isinstance(found["output"].get("text"), str):
        found["output"] = found["output"]["text"]
    return found


def _under(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def _get(value: Mapping[str, Any], *keys: str) -> Any:
    return next((value[k] for k in keys if value.get(k) is not None), None)

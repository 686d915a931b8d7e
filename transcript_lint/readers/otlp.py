"""OTLP-JSON lines with OpenTelemetry GenAI spans and events, under their old and new names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    CommandEnded,
    Compacted,
    EndKind,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    ProviderResponded,
    SessionStarted,
    Termination,
    Usage,
)
from transcript_lint.readers.base import Sample
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import FAILED, UNKNOWN, exited
from transcript_lint.readers.plain_calls import decoded, ended, issued, shell_line
from transcript_lint.readers.provider import finish_kind, provider_error
from transcript_lint.readers.shapes import mapping, objects, room, whole, words

_ASKS = frozenset({"chat", "text_completion", "generate_content", "completion"})
_TAIL = 400
_DEPTH = 8


class OtlpReader(DocumentReader):
    """Reads export batches. Spans of a batch come in the order in which they started."""

    name = "otlp"
    title = "OpenTelemetry GenAI (OTLP-JSON)"
    decides: ClassVar[Decides] = {
        "command ends": "partly: an error type; exit codes where the exporter adds them",
        "background ends": "no: not recorded",
        "compaction summary": "partly: where the exporter keeps the part",
        "human vs injected": "no: the role only",
        "approvals asked": "no: no convention",
        "approvals answered": "no: no convention",
        "usage": "yes: where the exporter keeps it",
        "window": "no: no convention",
        "meters": "no: no convention",
        "errors": "yes: error type and exception events",
    }
    arrays = ("",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._sessions: dict[str, None] = {}
        self._calls: dict[str, bool] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        seen = [*(objects(first)[:3]), mapping(first), *sample.objects()]
        return 90 if any("resourceSpans" in d or "resourceLogs" in d for d in seen) else 0

    def document(self, document: Document) -> Iterable[Event]:
        if isinstance(document.value, list):
            for value, at in document.items(""):
                yield from self._guarded(value, at)
        else:
            yield from self._guarded(document.value, document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        for span, pointer in sorted(_spans(document), key=lambda s: whole(s[0].get("startTimeUnixNano")) or 0):
            attributes = _attributes(span.get("attributes"))
            # A log record of the details event has the attributes of the span it belongs to.
            operation = words(attributes.get("gen_ai.operation.name")) or words(attributes.get("llm.request.type"))
            start = whole(span.get("startTimeUnixNano")) or whole(span.get("timeUnixNano"))
            session = words(attributes.get("gen_ai.conversation.id")) or words(attributes.get("session.id"))
            common: dict[str, Any] = {
                "at": at.field(f"{at.pointer}{pointer}"),
                "time": start / 1e9 if start else None,
                "session_id": session,
            }
            trace = session or words(span.get("traceId")) or ""
            if operation is None:
                continue
            if trace not in self._sessions:
                room(self._sessions)[trace] = None
                agent = words(attributes.get("gen_ai.agent.name")) or ""
                yield SessionStarted(
                    **{**common, "session_id": trace}, format=self.name, agent_name=agent, complete=False
                )
            if operation in _ASKS:
                yield from self._ask(span, attributes, common)
            elif operation == "execute_tool":
                yield from self._tool(span, attributes, common)
            elif operation not in ("invoke_agent", "create_agent", "embeddings", "retrieval", "invoke_workflow"):
                self.unknown[operation] += 1

    def _ask(self, span: Mapping[str, Any], attributes: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        get = attributes.get
        for message in _fresh(_messages(attributes, "input", "prompt")):
            if (text := _text(message)).strip():
                kind: type[Any] = HumanMessage if message.get("role") == "user" else InjectedMessage
                yield kind(**common, text=text) if kind is HumanMessage else kind(**common, text=text, why="reminder")
            for part in objects(message.get("parts")):
                if part.get("type") == "tool_call_response":
                    call_id = words(part.get("id")) or ""
                    content = part.get("response", part.get("result"))
                    yield ended(call_id, content, shell=self._calls.get(call_id, False), **common)
        answers = _messages(attributes, "output", "completion")
        texts = [t for m in answers if (t := _text(m)).strip()]
        calls = [p for m in answers for p in objects(m.get("parts")) if p.get("type") == "tool_call"]
        reasons = get("gen_ai.response.finish_reasons")
        reason = next((r for r in reasons if isinstance(r, str)), None) if isinstance(reasons, list) else words(reasons)
        response_id = words(get("gen_ai.response.id"))
        common["request_id"] = response_id or words(span.get("spanId"))
        yield ProviderResponded(
            **common,
            provider=words(get("gen_ai.provider.name")) or words(get("gen_ai.system")) or "",
            model=words(get("gen_ai.response.model")) or words(get("gen_ai.request.model")) or "",
            response_id=response_id,
            finish_reason=reason,
            finish=finish_kind(reason),
            usage=_usage(attributes),
            cap=whole(get("gen_ai.request.max_tokens")),
            has_text=bool(texts) if answers or _said_nothing(attributes) else None,
            text_tail="\n".join(texts)[-_TAIL:] or None,
            tool_call_ids=tuple(words(c.get("id")) or words(c.get("name")) or "" for c in calls),
            error=_error(span, attributes),
        )
        for part in (p for m in answers for p in objects(m.get("parts")) if p.get("type") == "compaction"):
            summary = words(part.get("content"))
            yield Compacted(**common, summary=summary, summary_at=common["at"], readable=summary is not None)
        if get("gen_ai.conversation.compacted") is True and not any(
            p.get("type") == "compaction" for m in answers for p in objects(m.get("parts"))
        ):
            yield Compacted(**common, readable=False)
        for said in texts:
            yield AgentText(**common, text=said)
        for call in calls:
            if own := words(call.get("id")):
                yield from self._issued(own, words(call.get("name")) or "", call.get("arguments"), common)

    def _issued(self, call_id: str, tool: str, arguments: Any, common: dict[str, Any]) -> Iterator[Event]:
        if call_id in self._calls:
            return
        given = decoded(arguments)
        room(self._calls)[call_id] = any(shell_line(tool, given))
        yield from issued(call_id, tool, given, **common)

    def _tool(self, span: Mapping[str, Any], attributes: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        get = attributes.get
        call_id = words(get("gen_ai.tool.call.id")) or words(span.get("spanId")) or ""
        tool = words(get("gen_ai.tool.name")) or words(span.get("name")) or ""
        yield from self._issued(call_id, tool, get("gen_ai.tool.call.arguments"), common)
        end = whole(span.get("endTimeUnixNano"))
        result = get("gen_ai.tool.call.result")
        told = ended(
            call_id,
            result if isinstance(result, str | list | dict) else "",
            shell=self._calls.get(call_id, False),
            **{**common, "time": end / 1e9 if end else common["time"]},
        )
        stated = _tool_end(span, attributes)
        yield CommandEnded(
            at=told.at,
            time=told.time,
            session_id=told.session_id,
            call_id=call_id,
            termination=told.termination if stated.kind is EndKind.UNKNOWN else stated,
            stdout=told.stdout,
            stderr=told.stderr,
            error=told.error or words(get("error.type")),
        )


def _tool_end(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> Termination:
    kind = words(attributes.get("error.type"))
    timed_out = kind is not None and "timeout" in kind.lower()
    code = whole(attributes.get("process.exit.code"))
    if code is not None or timed_out:
        return exited(code, timed_out=timed_out or None)
    return FAILED if kind or _failed(span) else UNKNOWN


def _failed(span: Mapping[str, Any]) -> bool:
    return mapping(span.get("status")).get("code") in (2, "2", "STATUS_CODE_ERROR", "ERROR")


def _error(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> Any:
    kind = words(attributes.get("error.type"))
    details = next(
        (found for e in objects(span.get("events")) if "exception.type" in (found := _attributes(e.get("attributes")))),
        {},
    )
    if kind is None and not details and not _failed(span):
        return None
    status = whole(attributes.get("http.response.status_code")) or whole(kind)
    message = words(details.get("exception.message")) or words(mapping(span.get("status")).get("message"))
    return provider_error(
        type=kind or words(details.get("exception.type")),
        code=words(attributes.get("error.code")),
        http_status=status,
        message=message,
    )


def _usage(attributes: Mapping[str, Any]) -> Usage | None:
    def count(*names: str) -> int | None:
        return next((n for k in names if (n := whole(attributes.get(f"gen_ai.usage.{k}"))) is not None), None)

    found = Usage(
        input=count("input_tokens", "prompt_tokens"),
        output=count("output_tokens", "completion_tokens"),
        cached=count("cache_read.input_tokens", "cache_read_input_tokens"),
        reasoning=count("reasoning.output_tokens", "reasoning_tokens"),
    )
    return None if found == Usage() else found


def _messages(attributes: Mapping[str, Any], new: str, old: str) -> list[dict[str, Any]]:
    """Messages from their JSON string, or from the flat attributes of older exporters."""
    given = decoded(attributes.get(f"gen_ai.{new}.messages"))
    if isinstance(given, list):
        return objects(given)
    found: list[dict[str, Any]] = []
    while (role := words(attributes.get(f"gen_ai.{old}.{len(found)}.role"))) is not None:
        text = words(attributes.get(f"gen_ai.{old}.{len(found)}.content")) or ""
        found.append({"role": role, "parts": [{"type": "text", "content": text}]})
    return found


def _said_nothing(attributes: Mapping[str, Any]) -> bool:
    """Whether the answer is recorded, and empty."""
    given = decoded(attributes.get("gen_ai.output.messages"))
    return isinstance(given, list) and not given


def _fresh(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Each request repeats the conversation so far: what follows the model's last words is new.
    last = max((i for i, m in enumerate(messages) if m.get("role") == "assistant"), default=-1)
    return [m for m in messages[last + 1 :] if m.get("role") in ("user", "tool")]


def _text(message: Mapping[str, Any]) -> str:
    parts = objects(message.get("parts"))
    texts = [words(p.get("content")) or words(p.get("text")) for p in parts if p.get("type", "text") == "text"]
    return "\n".join(t for t in texts if t) or (words(message.get("content")) or "")


def _spans(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    for outer, scope, inner in (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords")):
        for i, resource in enumerate(objects(document.get(outer))):
            for j, group in enumerate(objects(resource.get(scope) or resource.get("instrumentationLibrarySpans"))):
                for k, span in enumerate(objects(group.get(inner))):
                    yield span, f"/{outer}/{i}/{scope}/{j}/{inner}/{k}"


def _attributes(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    return {str(a.get("key")): _value(a.get("value")) for a in objects(given)}


def _value(value: Any, depth: int = 0) -> Any:
    """The plain value of an attribute; whole numbers come as strings."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return value
    if "arrayValue" in value:
        return [_value(v, depth + 1) for v in objects(mapping(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        held = objects(mapping(value["kvlistValue"]).get("values"))
        return {str(v.get("key")): _value(v.get("value"), depth + 1) for v in held}
    if "intValue" in value:
        return whole(value["intValue"])
    return next(iter(value.values()), None)

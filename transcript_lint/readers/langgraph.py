"""LangGraph states, checkpoints and stream chunks, and LangChain message lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

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
    ProviderResponded,
    SessionStarted,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import exited
from transcript_lint.readers.openai_messages import injected
from transcript_lint.readers.plain_calls import call_hash, ended, issued, shell_line
from transcript_lint.readers.provider import finish_kind, usage_of
from transcript_lint.readers.shapes import mapping, objects, room, whole, words

_TYPES = frozenset({"human", "ai", "tool", "system", "remove", "AIMessageChunk"})
_CLASSES = {"HumanMessage": "human", "AIMessage": "ai", "ToolMessage": "tool", "SystemMessage": "system"}
_DECISIONS = {"approve": "approved", "accept": "approved", "edit": "edited", "reject": "denied", "ignore": "denied"}
_SUMMARY = "Here is a summary of the conversation to date:"
_REMOVE_ALL = "__remove_all__"
_DEPTH = 5


class LangGraphReader(DocumentReader):
    """Reads whatever holds LangChain messages, interrupts and resumes; a message told once is not told again."""

    name = "langgraph"
    title = "LangGraph and LangChain"
    decides: ClassVar[Decides] = {
        "command ends": "partly: a status; codes of the shell middleware, else where the result states it",
        "background ends": "no: not recorded",
        "compaction summary": "yes: summaries marked as such",
        "human vs injected": "yes: marked summaries",
        "approvals asked": "yes: interrupts",
        "approvals answered": "partly: where the resume value was stored",
        "usage": "yes: usage metadata",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ("", "/messages", "/values/messages", "/channel_values/messages", "/checkpoint/channel_values/messages")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._started = False
        self._turn = -1
        self._told: dict[str, None] = {}
        self._shells: dict[str, bool] = {}
        self._open: list[str] = []

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        seen: list[Mapping[str, Any]] = [*objects(first)[:5], mapping(first), *sample.objects()]
        for value in seen:
            if "__interrupt__" in value or "channel_values" in value or "__resume__" in value:
                return 90
            checkpoint = mapping(value.get("checkpoint"))
            held = mapping(value.get("values")) or mapping(checkpoint.get("channel_values")) or value
            messages: Sequence[Any] = objects(held.get("messages")) or (value,)
            if any(_kind(m) in _TYPES and ("content" in m or "kwargs" in m) for m in messages[:5]):
                return 76
        return 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if not self._started:
            self._started = True
            config = mapping(mapping(mapping(value).get("config")).get("configurable"))
            session = words(config.get("thread_id")) or words(mapping(value).get("thread_id"))
            yield SessionStarted(at=document.at, session_id=session, format=self.name)
        if isinstance(value, list):
            for element, at in document.items(""):
                yield from self._guarded(element, at)
            return
        for pointer in self.arrays[1:]:
            for element, at in document.items(pointer):
                yield from self._guarded(element, at)
        yield from self._chunk(value, document.at, 0)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        if _kind(document) in _TYPES:
            yield from self._message(document, at)
        elif isinstance(document, list) and len(document) == 3 and isinstance(document[1], str):
            # A pending write of a checkpoint: task, channel, value.
            yield from self._chunk({document[1]: document[2]}, at, 0)
        elif isinstance(document, dict):
            yield from self._chunk(document, at, 0)
        else:
            self.unknown["record"] += 1

    def _chunk(self, value: Mapping[str, Any], at: Location, depth: int) -> Iterator[Event]:
        """Interrupts, resumes and messages in a state, a stream chunk or a write, node by node."""
        if _kind(value) in _TYPES and ("content" in value or "kwargs" in value):
            yield from self._message(value, at)
            return
        for key, held in value.items():
            place = at.field(f"{at.pointer}/{key}")
            if key in ("__interrupt__", "interrupts"):
                for asked in objects(held):
                    yield from self._asked(asked, place)
            elif key in ("__resume__", "resume"):
                yield from self._resumed(held, place)
            elif key == "pending_writes" and isinstance(held, list):
                for write in held:
                    yield from self.record(write, place)
            elif key == "messages" and depth:
                for index, message in enumerate(objects(held)):
                    yield from self._message(message, place.field(f"{place.pointer}/{index}"))
            elif isinstance(held, dict) and depth < _DEPTH:
                yield from self._chunk(held, place, depth + 1)

    def _message(self, given: Mapping[str, Any], at: Location) -> Iterator[Event]:
        message = mapping(given.get("kwargs")) or mapping(given.get("data")) or given
        kind = _kind(given)
        own = words(message.get("id"))
        text = text_of(message.get("content"))
        key = own or f"{kind}:{words(message.get('tool_call_id'))}:{hash(text)}"
        if key in self._told and key != _REMOVE_ALL:
            return
        room(self._told)[key] = None
        self._turn += 1
        common: dict[str, Any] = {"at": at, "turn": self._turn, "time": parse_time(message.get("created_at"))}
        if kind == "human":
            why = injected(message, text)
            if why == "summary" or text.startswith(_SUMMARY):
                yield Compacted(**common, trigger="auto", summary=text, summary_at=at, readable=bool(text.strip()))
                yield InjectedMessage(**common, text=text, why="summary")
            elif why:
                yield InjectedMessage(**common, text=text, why=why)
            else:
                yield HumanMessage(**common, text=text)
        elif kind == "system":
            yield InjectedMessage(**common, text=text, why="reminder")
        elif kind == "tool":
            yield self._result(message, text, common)
        elif kind in ("ai", "AIMessageChunk"):
            yield from self._answer(message, text, common)

    def _answer(self, message: Mapping[str, Any], text: str, common: dict[str, Any]) -> Iterator[Event]:
        metadata, calls = mapping(message.get("response_metadata")), objects(message.get("tool_calls"))
        usage = usage_of(message.get("usage_metadata")) or usage_of(metadata.get("token_usage"))
        reason = words(metadata.get("finish_reason")) or words(metadata.get("stop_reason"))
        if usage or reason:
            yield ProviderResponded(
                **common,
                provider=words(metadata.get("model_provider")) or "",
                model=words(metadata.get("model_name")) or words(metadata.get("model")) or "",
                response_id=words(message.get("id")),
                finish_reason=reason,
                finish=finish_kind(reason),
                usage=usage,
                refusal=words(mapping(message.get("additional_kwargs")).get("refusal")),
                has_text=bool(text.strip()),
                text_tail=text[-400:] or None,
                tool_call_ids=tuple(str(c.get("id")) for c in calls),
            )
        if text.strip():
            yield AgentText(**common, text=text)
        self._open = []
        for call in calls:
            tool, call_id = words(call.get("name")) or "", words(call.get("id")) or ""
            room(self._shells)[call_id] = any(shell_line(tool, call.get("args")))
            self._open.append(call_id)
            yield from issued(call_id, tool, call.get("args"), **common)

    def _result(self, message: Mapping[str, Any], text: str, common: dict[str, Any]) -> Event:
        call_id = words(message.get("tool_call_id")) or ""
        artifact = mapping(message.get("artifact"))
        if "exit_code" in artifact or "timed_out" in artifact:
            timed_out = artifact.get("timed_out") is True
            end = exited(whole(artifact.get("exit_code")), timed_out=timed_out or None)
            return CommandEnded(**common, call_id=call_id, termination=end, stdout=text)
        failed = {"error": True, "success": False}.get(str(message.get("status")))
        return ended(call_id, text, shell=self._shells.get(call_id, True), failed=failed, **common)

    def _asked(self, asked: Mapping[str, Any], at: Location) -> Iterator[Event]:
        slot = words(asked.get("id")) or words(asked.get("interrupt_id")) or ""
        if f"ask:{slot}" in self._told:
            return
        room(self._told)[f"ask:{slot}"] = None
        value = asked.get("value")
        requests = objects(mapping(value).get("action_requests")) or objects(mapping(value).get("actionRequests"))
        # The middleware names the tool, not the call: with one call open it is that one.
        call_id = self._open[0] if requests and len(self._open) == 1 else None
        tool = words(requests[0].get("name")) if len(requests) == 1 else None
        asked_args = requests[0].get("args", requests[0].get("arguments")) if requests else None
        yield ApprovalAsked(
            at=at,
            slot_id=slot,
            gate="permission" if requests else "question",
            call_id=call_id,
            tool=tool,
            arguments_sha256=call_hash(tool, asked_args) if tool and asked_args is not None else None,
            question=value if isinstance(value, str) else words(mapping(value).get("question")),
        )

    def _resumed(self, value: Any, at: Location) -> Iterator[Event]:
        answers = value if isinstance(value, list) else [value]
        slots = [k.removeprefix("ask:") for k in self._told if k.startswith("ask:")]
        for answer in answers:
            named = isinstance(answer, dict) and bool(answer) and answer.keys() <= set(slots)
            for slot, given in answer.items() if named else [(slots[-1] if slots else "", answer)]:
                yield ApprovalAnswered(
                    at=at,
                    slot_id=slot,
                    outcome=_outcome(given),
                    by="human",
                    text=words(given),
                    arguments_sha256=_edited(given),
                )


def _outcome(value: Any) -> str:
    decisions = objects(mapping(value).get("decisions")) or objects(value)
    if decisions:
        kinds = [_DECISIONS.get(str(d.get("type")), "answered") for d in decisions]
        return next((k for k in ("denied", "edited") if k in kinds), kinds[0])
    if isinstance(value, bool):
        return "approved" if value else "denied"
    return "answered" if value else "none"


def _edited(value: Any) -> str | None:
    """The hash of the one call that an edit puts in the asked one's place."""
    edits = [
        mapping(d.get("edited_action")) for d in objects(mapping(value).get("decisions")) if d.get("type") == "edit"
    ]
    if len(edits) != 1 or "args" not in edits[0]:
        return None
    return call_hash(words(edits[0].get("name")) or "", edits[0]["args"])


def _kind(value: Any) -> str | None:
    """The type of a message: its own, or the class of a serialised constructor."""
    if not isinstance(value, dict):
        return None
    if value.get("lc") == 1 and isinstance(value.get("id"), list) and value["id"]:
        return _CLASSES.get(str(value["id"][-1]).removesuffix("Chunk"))
    kind = value.get("type")
    return kind if isinstance(kind, str) else None

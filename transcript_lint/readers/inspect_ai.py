"""Inspect AI logs: `.eval` archives and the same as one `.json`; a sample is a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    Compacted,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    ProviderResponded,
    SessionEnded,
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import FAILED, NOT_RUN, STOPPED, UNKNOWN, exited
from transcript_lint.readers.plain_calls import call_hash, issued, shell_line
from transcript_lint.readers.provider import block_kind, error_of, finish_kind, usage_of
from transcript_lint.readers.shapes import mapping, number, objects, whole, words

_ATTACHMENT = "attachment://"
_DECISIONS = {
    "approve": "approved",
    "modify": "edited",
    "reject": "denied",
    "terminate": "denied",
    "escalate": "escalated",
}
_NEVER_RAN = frozenset({"parsing", "approval", "sandbox_unavailable"})


class InspectReader(DocumentReader):
    """Reads samples' events, or their messages where no events were kept.

    The status of a log says that the evaluation ran, not how a sample did, so no sample ends in success by it.
    """

    name = "inspect"
    title = "Inspect AI"
    decides: ClassVar[Decides] = {
        "command ends": "partly: codes stand in sandbox events; time-outs and refusals in tool errors",
        "background ends": "no: not recorded",
        "compaction summary": "no: only that and how much was cut",
        "human vs injected": "yes: by source",
        "approvals asked": "yes: approval events",
        "approvals answered": "yes: by approver",
        "usage": "yes: of every model call",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "yes: of model calls and samples",
    }
    arrays = ("/samples", "/samples/*/events", "/samples/*/messages", "/events", "/messages")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._eval: Mapping[str, Any] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = mapping(opening(sample))
        if "eval" in first and ("status" in first or "plan" in first):
            return 95
        return 90 if _is_sample(first) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if not isinstance(value, dict):  # summaries and reductions repeat what the samples hold
            return
        if "eval" in value:
            self._eval = mapping(value["eval"])
            for index, sample in enumerate(value.get("samples") or ()):
                yield from _Sample(self._eval, mapping(sample), document, f"/samples/{index}").events()
        elif _is_sample(value):
            yield from _Sample(self._eval, value, document, "").events()


class _Sample:
    """One sample: what its events tell, in their order."""

    def __init__(self, eval: Mapping[str, Any], sample: Mapping[str, Any], document: Document, pointer: str) -> None:
        self._eval = eval
        self._sample = sample
        self._document = document
        self._pointer = pointer
        self._attached = mapping(sample.get("attachments"))
        self._issued: set[str] = set()
        self._said: set[str] = set()
        self._runs = [e for e, _ in self._items("events") if e.get("event") == "sandbox" and e.get("action") == "exec"]

    def events(self) -> Iterator[Event]:
        """The events of the sample."""
        at = self._document.place(self._pointer)
        yield SessionStarted(
            at=at,
            session_id=words(self._sample.get("uuid")) or f"{self._sample.get('id')}.{self._sample.get('epoch')}",
            format=InspectReader.name,
            independent=True,
            agent_name=words(self._eval.get("model")) or "",
            approval_policy=_policy(mapping(self._eval.get("config")).get("approval")),
            interactive=False,
        )
        given = self._sample.get("input")
        opening_messages: list[dict[str, Any]] = objects(given)
        if isinstance(given, str):
            opening_messages = [{"role": "user", "content": given}]
        for first in opening_messages:
            if first.get("role") == "user":
                yield from self._user({**first, "source": "input"}, {"at": at.field(f"{self._pointer}/input")})
        seen = False
        for event, place in self._items("events"):
            convert = _EVENTS.get(str(event.get("event")))
            if convert is not None:
                seen = True
                yield from convert(self, event, {"at": place, "time": parse_time(event.get("timestamp"))})
        if not seen:
            for message, place in self._items("messages"):
                yield from self._message(message, {"at": place})
        yield from self._close(at)

    def _items(self, key: str) -> Iterator[tuple[Mapping[str, Any], Location]]:
        for value, at in self._document.items(f"{self._pointer}/{key}"):
            if isinstance(value, dict):
                yield value, at

    def _text(self, content: Any) -> str:
        text = text_of(content)
        if text.startswith(_ATTACHMENT):
            return words(self._attached.get(text.removeprefix(_ATTACHMENT))) or ""
        return text

    def _user(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = self._text(message.get("content"))
        key = words(message.get("id")) or text
        if not text.strip() or key in self._said or text in self._said:
            return
        self._said |= {key, text}
        if message.get("source") in ("input", "operator"):
            yield HumanMessage(**common, text=text)
        else:
            yield InjectedMessage(**common, text=text, why="simulated_user")

    def _message(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        role = message.get("role")
        if role == "user":
            yield from self._user(message, common)
        elif role == "assistant":
            if (text := self._text(message.get("content"))).strip():
                yield AgentText(**common, text=text)
            for call in objects(message.get("tool_calls")):
                yield from self._call(call, common)
        elif role == "tool":
            error = mapping(message.get("error"))
            call_id = words(message.get("tool_call_id")) or ""
            if call_id not in self._issued and message.get("function"):
                yield from self._call({"id": call_id, "function": message["function"]}, common)
            end = _tool_end(error, None, failed=bool(error))
            stdout = self._text(message.get("content"))
            yield CommandEnded(
                **common, call_id=call_id, termination=end, stdout=stdout, error=words(error.get("message"))
            )

    def _call(self, call: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        call_id = words(call.get("id")) or ""
        if call_id in self._issued:
            return
        self._issued.add(call_id)
        yield from issued(call_id, words(call.get("function")) or "", call.get("arguments"), **common)

    def _model(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        for given in _after_last_answer(objects(event.get("input"))):
            if given.get("role") == "user":
                yield from self._user(given, common)
        output, config = mapping(event.get("output")), mapping(event.get("config"))
        choice = mapping(next(iter(objects(output.get("choices"))), None))
        message = mapping(choice.get("message"))
        text = self._text(message.get("content"))
        calls = objects(message.get("tool_calls"))
        model = words(output.get("model")) or words(event.get("model")) or ""
        response = mapping(mapping(event.get("call")).get("response"))
        response_id = words(response.get("id"))
        reason = words(choice.get("stop_reason"))
        yield ProviderResponded(
            **{**common, "request_id": response_id},
            provider=str(self._eval.get("model") or "").partition("/")[0],
            model=model,
            response_id=response_id,
            finish_reason=reason,
            finish=finish_kind(reason),
            usage=usage_of(output.get("usage")),
            cap=whole(config.get("max_tokens")),
            has_text=bool(text.strip()),
            text_tail=text[-400:] or None,
            tool_call_ids=tuple(str(c.get("id")) for c in calls),
            cached_response=True if event.get("cache") == "read" else None,
            error=error_of(event.get("error")) or error_of(output.get("error")),
        )
        if text.strip():
            yield AgentText(**common, text=text)

    def _tool(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._call(event, common)
        if event.get("pending"):
            return
        error = mapping(event.get("error"))
        result = event.get("result")
        yield CommandEnded(
            **{**common, "time": parse_time(event.get("completed")) or common["time"]},
            call_id=words(event.get("id")) or "",
            termination=_tool_end(error, self._code(event), failed=event.get("failed") is True),
            stdout=self._text(result) if isinstance(result, str | list) else "",
            error=words(error.get("message")),
            truncated=True if event.get("truncated") else None,
        )

    def _code(self, event: Mapping[str, Any]) -> int | None:
        """The code of the last command a shell tool ran while it worked: it stands in an event of the sandbox."""
        if not any(shell_line(words(event.get("function")) or "", event.get("arguments"))):
            return None
        begun, done = parse_time(event.get("timestamp")), parse_time(event.get("completed"))
        nested = [e for e in objects(event.get("events")) if e.get("event") == "sandbox"]
        within = [
            e
            for e in self._runs
            if begun is not None and done is not None and begun <= (parse_time(e.get("timestamp")) or 0) <= done
        ]
        runs: Sequence[Mapping[str, Any]] = nested or within
        return whole(runs[-1].get("result")) if runs else None

    def _approval(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        call = mapping(event.get("call"))
        call_id, approver = words(call.get("id")) or "", words(event.get("approver")) or ""
        by = "human" if approver == "human" else "policy"
        tool = words(call.get("function"))
        outcome = _DECISIONS.get(str(event.get("decision")), "none")
        if by == "human":
            bound = call_hash(tool or "", call.get("arguments"))
            yield ApprovalAsked(**common, slot_id=f"gate-{call_id}", call_id=call_id, tool=tool, arguments_sha256=bound)
        elif outcome == "approved":
            outcome = "auto"
        changed = mapping(event.get("modified"))
        yield ApprovalAnswered(
            **common,
            slot_id=f"gate-{call_id}",
            outcome=outcome,
            by=by,
            text=words(event.get("explanation")),
            call_id=call_id,
            arguments_sha256=call_hash(tool or "", changed["arguments"]) if "arguments" in changed else None,
        )

    def _compaction(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield Compacted(
            **common,
            kind="summary" if event.get("type") == "summary" else "micro",
            trigger="auto",
            tokens_before=whole(event.get("tokens_before")),
            tokens_after=whole(event.get("tokens_after")),
            readable=False,
        )

    def _limit(self, event: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        kind = block_kind(str(event.get("type")))
        limit, reason = number(event.get("limit")), words(event.get("message")) or words(event.get("reason"))
        yield Blocked(**common, kind=kind or "other", layer="harness", reason=reason, limit=limit)

    def _close(self, at: Location) -> Iterator[Event]:
        limit, error = mapping(self._sample.get("limit")), mapping(self._sample.get("error"))
        reason = words(error.get("message")) or words(limit.get("reason")) or words(limit.get("type"))
        status = "failure" if error else "blocked" if limit else "unknown"
        yield SessionEnded(at=at, status=status, reason=reason)


def _tool_end(error: Mapping[str, Any], code: int | None, *, failed: bool) -> Termination:
    kind = error.get("type")
    if kind == "timeout":
        return exited(code, timed_out=True)
    if kind == "cancelled":
        return STOPPED
    if kind in _NEVER_RAN:
        return NOT_RUN
    if code is not None:
        return exited(code)
    return FAILED if error or failed else UNKNOWN


def _policy(approval: Any) -> str:
    """How calls are gated: asked of a person if any approver is one; null means that nothing is ever asked."""
    if not approval:
        return "never"
    names = {str(a.get("name")) for a in objects(mapping(approval).get("approvers"))} or {str(approval)}
    return "ask" if any("human" in n for n in names) else "auto"


def _after_last_answer(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    last = max((i for i, m in enumerate(messages) if m.get("role") == "assistant"), default=-1)
    return messages[last + 1 :]


def _is_sample(value: Mapping[str, Any]) -> bool:
    return "epoch" in value and "target" in value and ("events" in value or "messages" in value)


_EVENTS = {
    "model": _Sample._model,
    "tool": _Sample._tool,
    "approval": _Sample._approval,
    "compaction": _Sample._compaction,
    "sample_limit": _Sample._limit,
}

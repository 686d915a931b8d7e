"""Conversations as Anthropic messages: content blocks, tool results in the user's role."""

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
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import NOT_RUN, exited
from transcript_lint.readers.openai_messages import injected
from transcript_lint.readers.plain_calls import ended, issued, shell_line
from transcript_lint.readers.shapes import mapping, objects, room, whole, words

_BLOCKS = frozenset({"tool_use", "tool_result", "server_tool_use", "thinking", "redacted_thinking", "compaction"})
_NOT_RUN = frozenset({"unavailable", "too_many_requests", "invalid_tool_input"})


class AnthropicMessagesReader(DocumentReader):
    """Reads conversations of content blocks; a person's turn is a user message with text of its own."""

    name = "anthropic-messages"
    title = "Anthropic messages"
    decides: ClassVar[Decides] = {
        "command ends": "partly: an error flag; codes of hosted tools, else where the result states it",
        "background ends": "no: not recorded",
        "compaction summary": "yes: compaction blocks; cleared tool results",
        "human vs injected": "partly: by blocks and known words",
        "approvals asked": "partly: only as prose",
        "approvals answered": "partly: only as prose",
        "usage": "no: not in messages (see request and response pairs)",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ("/messages",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._turn = -1
        self._shells: dict[str, bool] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = mapping(opening(sample))
        messages = objects(first.get("messages"))
        if not messages or "response" in first:
            return 0
        blocks = [str(b.get("type")) for m in messages for b in objects(m.get("content"))]
        if any(b in _BLOCKS for b in blocks) or "anthropic_version" in first:
            return 80
        return 72 if "system" in first and isinstance(first["system"], str | list) else 0

    def document(self, document: Document) -> Iterable[Event]:
        given = mapping(document.value)
        self._turn, self._shells = -1, {}
        yield SessionStarted(
            at=document.at,
            session_id=words(given.get("id")) or words(given.get("session_id")),
            format=self.name,
            independent=True,
            agent_name=words(given.get("model")) or "",
            tools=tuple(str(t.get("name")) for t in objects(given.get("tools"))),
        )
        if system := text_of(given.get("system")):
            yield InjectedMessage(at=document.place("/system"), text=system, why="reminder")
        for message, at in document.items("/messages"):
            yield from self._guarded(message, at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        self._turn += 1
        common: dict[str, Any] = {"at": at, "turn": self._turn, "time": parse_time(document.get("timestamp"))}
        content = document.get("content")
        role = document.get("role")
        if role not in ("user", "assistant", "system"):
            self.unknown[str(role)] += 1
            return
        texts = (
            [b for b in content if mapping(b).get("type", "text") == "text"] if isinstance(content, list) else content
        )
        text = text_of(texts)
        if text.strip() and role == "assistant":
            yield AgentText(**common, text=text)
        for block in objects(content):
            yield from self._block(block, common)
        if not text.strip() or role == "assistant":
            return
        why = "reminder" if role == "system" else injected(document, text)
        yield HumanMessage(**common, text=text) if why is None else InjectedMessage(**common, text=text, why=why)

    def _block(self, block: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        kind = str(block.get("type"))
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            tool, call_id = words(block.get("name")) or "", words(block.get("id")) or ""
            room(self._shells)[call_id] = any(shell_line(tool, block.get("input")))
            yield from issued(call_id, tool, block.get("input"), **common)
        elif kind in ("tool_result", "mcp_tool_result"):
            call_id = words(block.get("tool_use_id")) or ""
            failed = block.get("is_error") if isinstance(block.get("is_error"), bool) else None
            shell = self._shells.get(call_id, True)
            yield ended(call_id, block.get("content"), shell=shell, failed=failed, **common)
        elif kind.endswith("_tool_result"):
            yield _hosted(block, common)
        elif kind == "compaction":
            summary = words(block.get("content"))
            yield Compacted(**common, summary=summary, summary_at=common["at"], readable=summary is not None)


def _hosted(block: Mapping[str, Any], common: dict[str, Any]) -> CommandEnded:
    """The result of a tool the provider runs itself: its own return code, or the error that kept it from running."""
    body = mapping(block.get("content"))
    call_id = words(block.get("tool_use_id")) or ""
    error = words(body.get("error_code"))
    if error is None:
        end = exited(whole(body.get("return_code")))
    elif error == "execution_time_exceeded":
        end = exited(None, timed_out=True)
    else:
        end = NOT_RUN if error in _NOT_RUN else Termination(kind=EndKind.NONZERO)
    return CommandEnded(
        **common,
        call_id=call_id,
        termination=end,
        stdout=words(body.get("stdout")) or "",
        stderr=words(body.get("stderr")) or "",
        error=error,
    )

"""Conversations as items of the OpenAI Responses API, hosted shells and approvals among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from msgspec import structs

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import exited
from transcript_lint.readers.openai_messages import injected
from transcript_lint.readers.plain_calls import call_hash, decoded, ended, issued, shell_line
from transcript_lint.readers.shapes import mapping, objects, room, strings, whole, words

ITEMS = frozenset(
    {
        "function_call",
        "function_call_output",
        "shell_call",
        "shell_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "mcp_approval_request",
        "mcp_approval_response",
        "custom_tool_call",
        "custom_tool_call_output",
        "compaction",
        "reasoning",
    }
)


class OpenAIResponsesReader(DocumentReader):
    """Reads lists of items: a root list, the `input` or `items` of an object, or one item a line."""

    name = "openai-responses"
    title = "OpenAI Responses items"
    decides: ClassVar[Decides] = {
        "command ends": "partly: hosted shells state exit or time-out; functions where their result does",
        "background ends": "no: not recorded",
        "compaction summary": "no: compaction items are encrypted",
        "human vs injected": "partly: by known words only",
        "approvals asked": "yes: of hosted tool servers",
        "approvals answered": "yes: of hosted tool servers",
        "usage": "no: not in items (see request and response pairs)",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ("", "/input", "/items")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._started = False
        self._turn = -1
        self._shells: dict[str, bool] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        if isinstance(first, dict) and "response" not in first:
            held = first.get("input", first.get("items"))
            seen = objects(held) if isinstance(held, list) else [first, *sample.objects()]
        else:
            seen = objects(first)
        return 74 if any(str(i.get("type")) in ITEMS and ("id" in i or "call_id" in i) for i in seen[:40]) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if not self._started:
            self._started = True
            yield SessionStarted(at=document.at, format=self.name, session_id=words(mapping(value).get("id")))
        if isinstance(value, list) or "input" in value or "items" in value:
            for pointer in self.arrays:
                for item, at in document.items(pointer):
                    yield from self._guarded(item, at)
        else:
            yield from self._guarded(value, document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        self._turn += 1
        common: dict[str, Any] = {"at": at, "turn": self._turn}
        kind = document.get("type", "message" if "role" in document else None)
        if kind == "message":
            yield from self._message(document, common)
        elif kind in ("function_call", "custom_tool_call", "mcp_call"):
            # A hosted call that was asked for is known by the question, so that answer and call join.
            given = next((w for k in ("call_id", "approval_request_id", "id") if (w := words(document.get(k)))), "")
            call_id, tool = given, str(document.get("name"))
            arguments = decoded(document.get("arguments", document.get("input")))
            room(self._shells)[call_id] = any(shell_line(tool, arguments))
            yield from issued(call_id, tool, arguments, **common)
            if kind == "mcp_call":
                failed = True if document.get("error") else None
                told = ended(call_id, document.get("output"), shell=False, failed=failed, **common)
                # A hosted call has an output and no error only where the server carried it out.
                done = failed is None and document.get("output") and document.get("status") in (None, "completed")
                if done and told.termination.kind is EndKind.UNKNOWN:
                    told = structs.replace(told, termination=Termination(kind=EndKind.OK, source=EndSource.FIELD))
                yield told
        elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            call_id = words(document.get("call_id")) or str(document.get("id"))
            yield ended(call_id, document.get("output"), shell=self._shells.get(call_id, True), **common)
        elif kind in ("shell_call", "local_shell_call"):
            yield from _shell(document, common)
        elif kind == "shell_call_output":
            yield from _shell_output(document, common)
        elif kind == "mcp_approval_request":
            slot = str(document.get("id"))
            tool = words(document.get("name")) or ""
            bound = call_hash(tool, decoded(document.get("arguments")))
            yield ApprovalAsked(**common, slot_id=slot, call_id=slot, tool=tool, arguments_sha256=bound)
        elif kind == "mcp_approval_response":
            yield ApprovalAnswered(
                **common,
                slot_id=str(document.get("approval_request_id")),
                outcome="approved" if document.get("approve") is True else "denied",
                by="human",
                text=words(document.get("reason")),
            )
        elif kind == "compaction":
            yield Compacted(**common, readable=False)
        elif kind != "reasoning":
            self.unknown[str(kind)] += 1

    def _message(self, item: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        refusals = [r for p in objects(item.get("content")) if (r := words(p.get("refusal")))]
        text = text_of(item.get("content")) or "\n".join(refusals)
        role = item.get("role")
        if not text.strip():
            return
        if role == "assistant":
            yield AgentText(**common, text=text)
        elif role == "user":
            why = injected(item, text)
            yield HumanMessage(**common, text=text) if why is None else InjectedMessage(**common, text=text, why=why)
        else:
            yield InjectedMessage(**common, text=text, why="reminder")


def _shell(item: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
    action = mapping(item.get("action"))
    call_id = words(item.get("call_id")) or str(item.get("id"))
    timeout = whole(action.get("timeout_ms"))
    if commands := strings(action.get("commands")):
        yield from begun(common, call_id, "shell", None, command="\n".join(commands), timeout_ms=timeout)
    else:
        yield CommandIssued(
            **common,
            call_id=call_id,
            tool="local_shell",
            argv=strings(action.get("command")),
            cwd=words(action.get("working_directory")),
            timeout_ms=timeout,
        )


def _shell_output(item: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
    """One end for the whole call: of several commands the worst counts."""
    parts = objects(item.get("output"))
    ends = [_outcome(mapping(p.get("outcome"))) for p in parts]
    end = next((e for e in ends if not e.succeeded), ends[-1] if ends else exited(None))
    yield CommandEnded(
        **common,
        call_id=words(item.get("call_id")) or str(item.get("id")),
        termination=end,
        stdout="\n".join(w for p in parts if (w := words(p.get("stdout")))),
        stderr="\n".join(w for p in parts if (w := words(p.get("stderr")))),
    )


def _outcome(outcome: Mapping[str, Any]) -> Any:
    if outcome.get("type") == "timeout":
        return exited(None, timed_out=True)
    return exited(whole(outcome.get("exit_code")))

"""SWE-agent trajectories (`.traj`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Blocked,
    CommandEnded,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    SessionEnded,
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.plain_calls import said
from transcript_lint.readers.provider import block_kind
from transcript_lint.readers.shapes import mapping, number, objects, words

_STEP = frozenset({"action", "observation", "thought"})
_TIMED_OUT = ("was cancelled because it took more than", "EXECUTION TIMED OUT")
_NOT_RUN = ("Your bash command contained syntax errors", "Your proposed edit has introduced new syntax error")
_FORCED = re.compile(r"^submitted \((\w{1,40})\)$")


class SweAgentReader(DocumentReader):
    """Reads `trajectory` steps, or the `history` of files that keep only that."""

    name = "swe-agent"
    title = "SWE-agent"
    decides: ClassVar[Decides] = {
        "command ends": "partly: only time-outs and refusals are told, in text",
        "background ends": "no: not recorded",
        "compaction summary": "no: old observations are elided without a summary",
        "human vs injected": "yes: only the task is a person's",
        "approvals asked": "no: it never asks",
        "approvals answered": "no: it never asks",
        "usage": "no: only totals of the run",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "partly: by the name of the exit status",
    }
    arrays = ("/trajectory", "/history")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._turn = -1
        self._open: str | None = None

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = mapping(opening(sample))
        steps, history = objects(first.get("trajectory")), objects(first.get("history"))
        if steps and _STEP & steps[0].keys() and "action" in steps[0]:
            return 93
        return 91 if history and "message_type" in history[0] else 0

    def document(self, document: Document) -> Iterable[Event]:
        self._turn, self._open = -1, None
        value = mapping(document.value)
        yield SessionStarted(
            at=document.at,
            session_id=words(value.get("environment")),
            format=self.name,
            independent=True,
            agent_name=self.name,
            version=words(mapping(value.get("info")).get("swe_agent_version")),
            approval_policy="never",
            interactive=False,
        )
        steps = "trajectory" in value
        task = next((item for item, _ in document.items("/history") if _is_task(item)), None) if steps else None
        if task is not None:
            yield HumanMessage(at=document.at.field("/history"), text=text_of(task.get("content")))
        for element, at in document.items("/trajectory" if steps else "/history"):
            yield from self._guarded(element, at)
        yield from _outcome(mapping(value.get("info")), document.at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        self._turn += 1
        common: dict[str, Any] = {"at": at, "turn": self._turn}
        if "message_type" in document or "role" in document:
            yield from self._message(document, common)
            return
        thought, action = (
            words(document.get("thought")) or words(document.get("response")),
            words(document.get("action")),
        )
        if thought:
            yield AgentText(**common, text=thought)
        if action is None or not action.strip():
            return
        call_id = str(self._turn)
        yield from begun(
            common, call_id, "bash", None, command=action, cwd=words(mapping(document.get("state")).get("working_dir"))
        )
        text = text_of(document.get("observation"))
        seconds = number(document.get("execution_time"))
        yield _ended(common, call_id, text, None if not seconds else int(seconds * 1000))

    def _message(self, message: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = text_of(message.get("content"))
        role, kind = message.get("role"), message.get("message_type")
        if message.get("is_demo") or kind == "demonstration":
            yield InjectedMessage(**common, text=text, why="copied_context")
        elif role == "assistant":
            yield AgentText(**common, text=words(message.get("thought")) or text)
            if action := words(message.get("action")):
                self._open = str(self._turn)
                yield from begun(common, self._open, "bash", None, command=action)
        elif role == "system":
            yield InjectedMessage(**common, text=text, why="reminder")
        elif self._open is not None:
            yield _ended(common, self._open, text, None)
            self._open = None
        else:
            yield HumanMessage(**common, text=text)


def _ended(common: dict[str, Any], call_id: str, text: str, duration_ms: int | None) -> CommandEnded:
    start = text[:600]
    if any(mark in start for mark in _TIMED_OUT):
        end = Termination(kind=EndKind.TIMEOUT, timed_out=True, duration_ms=duration_ms, source=EndSource.TEXT)
    elif text.lstrip().startswith(_NOT_RUN) or (
        text.lstrip().startswith("Operation '") and "is not supported by this environment" in start
    ):
        end = Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT)
    else:
        end = said(text) or Termination(kind=EndKind.UNKNOWN, duration_ms=duration_ms, source=EndSource.TEXT)
    return CommandEnded(**common, call_id=call_id, termination=end, stdout=text)


def _is_task(item: Mapping[str, Any]) -> bool:
    return item.get("role") == "user" and not item.get("is_demo") and item.get("message_type") != "demonstration"


def _outcome(info: Mapping[str, Any], at: Location) -> Iterator[Event]:
    status = words(info.get("exit_status"))
    if status is None:
        return
    at = at.field("/info/exit_status")
    # A submission forced by a limit keeps the limit in brackets behind the good word.
    forced = _FORCED.match(status)
    limit = forced.group(1) if forced else status
    if kind := block_kind(limit):
        cost = number(mapping(info.get("model_stats")).get("instance_cost"))
        observed = cost or None if kind == "budget" else None  # an unpriced model costs 0 on paper
        yield Blocked(at=at, kind=kind, layer="harness", reason=limit, observed=observed)
    submitted = status.startswith("submitted")
    yield SessionEnded(at=at, status="blocked" if forced else "unknown" if submitted else "failure", reason=status)

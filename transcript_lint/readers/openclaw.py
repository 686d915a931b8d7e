"""OpenClaw session files: pi's entries, with runs in the background and sub-agents that report back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import CommandEnded, EndKind, EndSource, Event, Termination
from transcript_lint.readers import ends
from transcript_lint.readers.base import Sample
from transcript_lint.readers.pi import Common, Data, PiReader
from transcript_lint.readers.shapes import mapping, objects, room, words

TOOLS = frozenset({"exec", "process", "sessions_spawn", "sessions_yield", "session_status", "subagents"})
_TELEMETRY = frozenset(
    ["message.in", "message.sending", "message.out", "agent.start", "agent.end", "tool.start", "tool.end"]
)
_SESSION_KEY = re.compile(r"^session_key: (\S{1,200})$", re.M)
_STATUS = re.compile(r"^status: ([a-z][a-z ]{1,40})", re.M)
_RESULT = re.compile(r"<prompt-data>\n(.*?)\n?</prompt-data>", re.S)
_MARKS = (
    ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "handoff"),
    ("[Subagent Context]", "handoff"),
    ("[OpenClaw heartbeat", "notification"),
    ("System: ", "notification"),
)


class OpenClawReader(PiReader):
    """Reads `~/.openclaw/agents/<id>/sessions/*.jsonl`."""

    name = "openclaw"
    title = "OpenClaw"
    agent_name = "openclaw"
    decides: ClassVar[Decides] = {
        **PiReader.decides,
        "command ends": "yes",
        "background ends": "yes",
        "approvals asked": "partly: only as prose",
        "approvals answered": "partly: only as prose",
    }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        """pi's shape with OpenClaw's own entries, tools or folder."""
        base = super().sniff(sample)
        return base + 5 if base and any(_own(d) for d in sample.objects()) else 0

    @classmethod
    def beside(cls, sample: Sample) -> str | None:
        first = next(sample.objects(), {})
        if first.get("traceSchema") == "openclaw-trajectory":
            return "a trajectory trace of OpenClaw"
        if first.get("type") in _TELEMETRY and ("sessionKey" in first or "channel" in first):
            return "telemetry of OpenClaw"
        return None

    def injected(self, text: str, message: Data) -> str | None:
        if message.get("provenance"):
            return "handoff"
        return next((why for mark, why in _MARKS if text.startswith(mark)), None)

    def delegated(self, text: str, message: Data, common: Common) -> Iterator[Event]:
        key = words(mapping(message.get("provenance")).get("sourceSessionKey"))
        found = _SESSION_KEY.search(text)
        call = self._sessions.get(key or "") or self._sessions.get(found[1] if found else "")
        status = _STATUS.search(text)
        if call is None or status is None:
            return
        result = _RESULT.search(text)
        yield CommandEnded(
            **common,
            call_id=call,
            termination=_delegated_end(status[1]),
            stdout=result[1] if result else "",
            via="notification",
        )

    def _other_result(
        self, id: str, call: Any, d: Data, details: Data, text: str, truncated: bool | None, common: Common
    ) -> Iterator[Event]:
        child = words(details.get("childSessionKey"))
        if child is None or details.get("status") != "accepted":
            yield from super()._other_result(id, call, d, details, text, truncated, common)
            return
        room(self._sessions)[child] = id
        yield CommandEnded(**common, call_id=id, termination=Termination(kind=EndKind.RUNNING), stdout=text)


def _delegated_end(status: str) -> Termination:
    if status.startswith("completed"):
        return Termination(kind=EndKind.OK, source=EndSource.TEXT)
    if "timed out" in status or "timeout" in status:
        return Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT)
    if "killed" in status or "cancel" in status or "abort" in status:
        return ends.STOPPED
    return ends.FAILED if "fail" in status or "error" in status else ends.UNKNOWN


def _own(d: Mapping[str, Any]) -> bool:
    message = mapping(d.get("message"))
    if d.get("type") == "leaf" or "openclaw" in str(d.get("cwd") or "") or "idempotencyKey" in message:
        return True
    if str(d.get("customType") or "").startswith(("openclaw", "model-snapshot")):
        return True
    called = (block.get("name") for block in objects(message.get("content")))
    return message.get("toolName") in TOOLS or any(name in TOOLS for name in called)

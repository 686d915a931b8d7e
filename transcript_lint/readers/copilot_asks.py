"""Gates in GitHub Copilot CLI sessions: permissions, questions and plans, asked and answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import ApprovalAnswered, ApprovalAsked, Event, PolicyChanged
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.replies import reply_of
from transcript_lint.readers.shapes import mapping, room, strings, words

Data = Mapping[str, Any]
Common = dict[str, Any]

_REFUSED = {
    "denied-by-rules": ("denied", "policy"),
    "denied-interactively-by-user": ("denied", "human"),
    "denied-no-approval-rule-and-could-not-request-from-user": ("denied", "policy"),
    "denied-by-permission-request-hook": ("denied", "policy"),
    "denied-by-content-exclusion-policy": ("denied", "policy"),
    "cancelled": ("none", "harness"),
}
_DECIDED_BY = {
    "human_response": "human",
    "assisted_approval": "model",
    "host_policy": "policy",
    "unattended_fallback": "harness",
    "authorization_carry_forward": "policy",
}


class Asks:
    """The gates that are open, by slot, with the time each was opened."""

    def __init__(self) -> None:
        self._open: dict[str, float | None] = {}
        self._inputs: dict[str, str] = {}

    def __contains__(self, slot: str) -> bool:
        return slot in self._open

    def permission_requested(self, d: Data, tool: str | None, common: Common) -> Iterator[Event]:
        """May this call run? `tool` is the agent's name of it where the call is known."""
        slot = str(d["requestId"])
        request = mapping(d.get("permissionRequest"))
        room(self._open)[slot] = common["time"]
        yield ApprovalAsked(
            **common,
            slot_id=slot,
            call_id=words(request.get("toolCallId")),
            tool=tool or words(request.get("toolName")) or words(request.get("kind")),
            arguments_sha256=arguments_hash({"command": words(request.get("fullCommandText"))}),
            question=words(request.get("intention")),
        )

    def permission_completed(self, d: Data, common: Common) -> Iterator[Event]:
        """What was decided, and by whom; what came of itself is `auto`."""
        result = mapping(d.get("result"))
        kind = str(result.get("kind") or "")
        outcome, by = ("approved", "human") if kind.startswith("approved") else _REFUSED.get(kind, ("none", "harness"))
        by = _DECIDED_BY.get(str(d.get("decisionSource")), by)
        if outcome == "approved" and by != "human":
            outcome = "auto"
        said = words(result.get("feedback")) or words(result.get("reason"))
        yield self._close(str(d["requestId"]), outcome, by, said, common, words(d.get("toolCallId")))

    def question(self, slot: str, d: Data, common: Common) -> Iterator[Event]:
        """A question that the agent puts to the person; once a slot."""
        if slot in self._open:
            return
        room(self._open)[slot] = common["time"]
        asked = words(d.get("question")) or words(d.get("message"))
        yield ApprovalAsked(**common, slot_id=slot, gate="question", question=asked, options=strings(d.get("choices")))

    def reply(self, slot: str, d: Data, result: str, common: Common) -> Iterator[Event]:
        """The result of a question's tool call."""
        if slot not in self._open:
            return
        told = words(mapping(mapping(d.get("toolTelemetry")).get("properties")).get("outcome"))
        if isinstance(d.get("error"), dict):
            result, told = words(d["error"].get("message")) or "", told or "cancelled"
        outcome, said = reply_of(result, told)
        yield self._close(slot, outcome, _by(outcome), said, common)

    def input_requested(self, d: Data, common: Common) -> Iterator[Event]:
        """The question of a tool call again, or one of its own."""
        slot = words(d.get("toolCallId")) or str(d["requestId"])
        room(self._inputs)[str(d["requestId"])] = slot
        yield from self.question(slot, d, common)

    def input_completed(self, d: Data, common: Common) -> Iterator[Event]:
        """Its answer; the tool's result then says nothing new."""
        slot = self._inputs.pop(str(d["requestId"]), str(d["requestId"]))
        if slot in self._open:
            outcome = "answered" if words(d.get("answer")) else "none"
            yield self._close(slot, outcome, _by(outcome), words(d.get("answer")), common)

    def plan_requested(self, d: Data, common: Common) -> Iterator[Event]:
        """A plan waits for a person's yes."""
        slot = str(d["requestId"])
        room(self._open)[slot] = common["time"]
        plan = words(d.get("summary")) or words(d.get("planContent"))
        yield ApprovalAsked(**common, slot_id=slot, gate="plan", question=plan, options=strings(d.get("actions")))

    def plan_completed(self, d: Data, common: Common) -> Iterator[Event]:
        """The plan's answer, and the policy it may set."""
        approved = d.get("approved")
        outcome = "approved" if approved is True else "denied" if approved is False else "none"
        said = words(d.get("feedback")) or words(d.get("selectedAction"))
        yield self._close(str(d["requestId"]), outcome, _by(outcome), said, common)
        if approved is True and d.get("autoApproveEdits") is True:
            yield PolicyChanged(**common, policy="auto")

    def _close(
        self, slot: str, outcome: str, by: str, said: str | None, common: Common, call_id: str | None = None
    ) -> Event:
        opened, now = self._open.pop(slot, None), common["time"]
        return ApprovalAnswered(
            **common,
            slot_id=slot,
            outcome=outcome,
            by=by,
            text=said,
            latency_ms=None if opened is None or now is None else round((now - opened) * 1000),
            call_id=call_id,
        )


def _by(outcome: str) -> str:
    return "human" if outcome in ("answered", "approved", "denied") else "harness"

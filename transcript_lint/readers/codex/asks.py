"""Tools that run nothing: questions to the person, and the plan the agent keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transcript_lint.events import AgentText, ApprovalAnswered, ApprovalAsked, Event
from transcript_lint.readers.codex.calls import latency
from transcript_lint.readers.shapes import objects, words
from transcript_lint.readers.tasks import TaskList, listed

TOLD_TOOLS = frozenset({"request_user_input", "update_plan"})


class Asks:
    """Questions still open, and the plan as it stood last."""

    def __init__(self) -> None:
        self._questions: dict[str, float | None] = {}
        self._plans: set[str] = set()
        self._plan = TaskList()

    def owns(self, call_id: Any) -> bool:
        """Whether this output answers one of these tools."""
        return call_id in self._questions or call_id in self._plans

    def call(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """A question asked or a plan rewritten."""
        call_id = str(payload.get("call_id"))
        raw = payload.get("arguments")
        arguments: dict[str, Any] = orjson.loads(raw) if isinstance(raw, str) else {}
        if payload.get("name") == "update_plan":
            self._plans.add(call_id)
            yield from self._planned(arguments, call_id, common)
            return
        self._questions[call_id] = common["time"]
        questions = objects(arguments.get("questions"))
        yield ApprovalAsked(
            **common,
            slot_id=call_id,
            gate="question",
            call_id=call_id,
            tool="request_user_input",
            question="\n".join(str(q.get("question") or q.get("header") or "") for q in questions),
            options=tuple(
                str(o.get("label") if isinstance(o, dict) else o) for q in questions for o in q.get("options") or ()
            ),
        )

    def output(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """The answer to a question; no answer at all is the harness's word, not the person's."""
        call_id = str(payload.get("call_id"))
        if call_id in self._plans:
            self._plans.discard(call_id)
            return
        asked = self._questions.pop(call_id)
        outcome, by, text = _answer(payload.get("output"))
        yield ApprovalAnswered(
            **common,
            slot_id=call_id,
            call_id=call_id,
            outcome=outcome,
            by=by,
            text=text,
            latency_ms=latency(asked, common["time"]),
        )

    def _planned(self, arguments: Mapping[str, Any], call_id: str, common: dict[str, Any]) -> Iterator[Event]:
        explanation = words(arguments.get("explanation"))
        if explanation:
            yield AgentText(**common, text=explanation, where="other", call_id=call_id)
        changed = self._plan.replace(listed(arguments.get("plan")))
        if self._plan.text:
            yield AgentText(**common, text=self._plan.text, where="task_state", call_id=call_id, changed=changed)


def _answer(output: Any) -> tuple[str, str, str | None]:
    """(outcome, by whom, words) of a question's output."""
    try:
        answers = orjson.loads(output)["answers"] if isinstance(output, str) else output["answers"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        text = output if isinstance(output, str) else None
        unavailable = text is not None and ("unavailable" in text or "unsupported" in text or "rejected" in text)
        return ("rejected" if unavailable else "none"), "harness", text
    given = []
    for answer in answers.values():
        chosen = answer.get("answers") if isinstance(answer, dict) else answer
        given += [str(c) for c in chosen] if isinstance(chosen, list) else [str(chosen)] if chosen else []
    return ("answered", "human", "\n".join(given)) if given else ("none", "harness", None)

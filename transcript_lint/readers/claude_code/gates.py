"""Gates that wait for a person: questions, plans, and the permission that only a refusal leaves a trace of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from transcript_lint.events import ApprovalAnswered, ApprovalAsked, Event, HumanMessage
from transcript_lint.readers.claude_code.ends import INTERRUPT, Call, Ending
from transcript_lint.readers.claude_code.shapes import Result

GATES = {"AskUserQuestion": "question", "ExitPlanMode": "plan"}
_SILENT = ("No response after", "The user did not answer")


def asked(call: Call, given: Any, common: dict[str, Any]) -> ApprovalAsked:
    """The gate that a call of AskUserQuestion or ExitPlanMode opens."""
    given = given if isinstance(given, dict) else {}
    plan = given.get("plan")
    question = plan if isinstance(plan, str) else None
    options = [a.get("prompt") for a in _objects(given.get("allowedPrompts"))]
    if call.gate == "question":
        questions = _objects(given.get("questions"))
        question = "\n".join(str(q.get("question") or "") for q in questions)
        options = [o.get("label") for q in questions for o in _objects(q.get("options"))]
    return ApprovalAsked(
        **common,
        slot_id=call.call_id,
        gate=call.gate or "permission",
        call_id=call.call_id,
        tool=call.tool,
        arguments_sha256=call.arguments_sha256,
        question=question,
        options=tuple(o for o in options if isinstance(o, str)),
    )


def answered(
    call: Call,
    ending: Ending,
    extra: Result | None,
    feedback: str | None,
    interactive: bool | None,
    common: dict[str, Any],
) -> Iterator[Event]:
    """What a result tells of the gate before its call, and the words (`feedback`, or in the text) typed there."""
    denial = ending.denial
    if denial is not None:
        if call.gate is None:
            yield ApprovalAsked(
                **{**common, "at": call.at, "time": call.time},
                slot_id=call.call_id,
                call_id=call.call_id,
                tool=call.tool,
                arguments_sha256=call.arguments_sha256,
            )
        by = "policy" if denial.by == "human" and interactive is False else denial.by
        said = denial.said or (feedback if denial.answered else None)
        yield _answer(call, "denied", by, said, common)
        if said and by == "human":
            yield HumanMessage(**common, text=said)
    elif call.gate == "question":
        yield from _question(call, ending, extra, interactive, common)
    elif call.gate == "plan":
        if extra is not None and extra.autoApproved:
            yield _answer(call, "auto", "policy", None, common)
        elif ending.termination.succeeded:
            yield _answer(call, "approved", "human" if interactive is not False else "policy", None, common)
        else:
            yield _answer(call, "none", "harness", ending.error, common)


def _question(
    call: Call, ending: Ending, extra: Result | None, interactive: bool | None, common: dict[str, Any]
) -> Iterator[Event]:
    text = ending.stdout
    if not ending.termination.succeeded:
        timed_out = "timed out" in text.lower() and INTERRUPT not in text
        yield _answer(call, "timeout" if timed_out else "none", "harness", ending.error, common)
        return
    answers = extra.answers if extra is not None else None
    given = [str(a) for a in answers.values() if a] if isinstance(answers, dict) else []
    if not given and ((extra is not None and extra.afkTimeoutMs) or text.startswith(_SILENT)):
        outcome = "none" if text.startswith("The user did not") else "timeout"
        yield _answer(call, outcome, "harness", text[:400], common)
    elif not given and isinstance(answers, dict):
        yield _answer(call, "none", "harness", text[:400], common)
    elif extra is not None and extra.autoSelected:
        yield _answer(call, "auto", "harness", "\n".join(given) or None, common)
    else:
        words = "\n".join(given) or text
        by = "human" if interactive is not False else "policy"
        yield _answer(call, "answered", by, words, common)
        if by == "human":
            yield HumanMessage(**common, text=words)


def handed_over(record: str, plan: str, common: dict[str, Any]) -> Iterator[Event]:
    """An approved plan that a program handed to a new session: the person said yes in the old one."""
    slot = f"plan:{record}"
    yield ApprovalAsked(**common, slot_id=slot, gate="plan", question=plan)
    yield ApprovalAnswered(**common, slot_id=slot, outcome="approved", by="human")


def interrupted(call: Call, by_person: bool, common: dict[str, Any]) -> ApprovalAnswered:
    """A gate that an interrupt left without an answer."""
    return _answer(call, "none", "human" if by_person else "harness", None, common)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _answer(call: Call, outcome: str, by: str, text: str | None, common: dict[str, Any]) -> ApprovalAnswered:
    waited = common["time"] - call.time if common["time"] is not None and call.time is not None else None
    return ApprovalAnswered(
        **common,
        slot_id=call.call_id,
        outcome=outcome,
        by=by,
        text=text,
        latency_ms=round(waited * 1000) if waited is not None and waited >= 0 else None,
        call_id=call.call_id,
        arguments_sha256=call.arguments_sha256,
    )

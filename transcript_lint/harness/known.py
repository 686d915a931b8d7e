"""What the next session may trust: levels L1 and L2 only. Prose such as "it passed last time" has no place in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from transcript_lint.claims import extract_text
from transcript_lint.events import AgentText, Compacted, Event, Verified
from transcript_lint.evidence import Grade, weigh
from transcript_lint.harness.standing import Standing, standing
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import UNANSWERED, Ask
from transcript_lint.redact import Redactor
from transcript_lint.settings import Settings

MOST_CLAIMS = 200
LEVELS = {Grade.OBSERVED: "L0", Grade.TERMINATED: "L1", Grade.VERIFIED: "L2"}


def facts(events: Iterable[Event], settings: Settings | None = None) -> dict[str, Any]:
    """The facts of a log as JSON-ready data: commands with their last end, what must be re-run, slots, approvals,
    and what summaries claimed with the level at which it stood then.
    """
    settings = settings or Settings()
    ledger = Ledger(settings)
    redactor = Redactor()
    verified: dict[str, dict[str, Any]] = {}
    claimed: list[dict[str, Any]] = []
    for event in events:
        ledger.update(event)
        if isinstance(event, Compacted) and event.summary and len(claimed) < MOST_CLAIMS:
            claimed += _claimed(event, ledger, settings, redactor)
        elif isinstance(event, Verified):
            verified[event.call_id] = {"verdict": event.verdict, "by": event.by}
    runs = standing(ledger)
    latest = {(s.run.line.text, s.run.cwd): s for s in runs}
    kept = [s for s in runs if s.open or latest[s.run.line.text, s.run.cwd] is s]
    return {
        "v": 1,
        "commands": [_command(s, verified.get(s.command_id), redactor) for s in kept],
        "must_rerun": [s.command_id for s in runs if s.open],
        "open_slots": [_slot(ask, redactor) for ask in _recorded(ledger) if ask.standing in UNANSWERED],
        "approvals": [_approval(ask, redactor) for ask in _recorded(ledger) if ask.last is not None],
        "claimed_by_summaries": claimed,
        "forgotten_runs": ledger.runs.forgotten,
    }


def _command(one: Standing, verified: dict[str, Any] | None, redactor: Redactor) -> dict[str, Any]:
    end = one.run.termination
    return {
        "command_id": one.command_id,
        "command": redactor.text(one.run.line.text),
        "cwd": one.run.cwd,
        "termination": None if end is None else msgspec.to_builtins(end),
        "state": one.state,
        "why": redactor.text(one.why),
        "must_rerun": one.open,
        "cleared_by": None if one.cleared_by is None else redactor.text(one.cleared_by.what),
        "level": "L2" if verified else "L1" if end is not None and one.state != "unknown" else None,
        "verified": verified,
        "at": _place(one.run.issued.at),
    }


def _slot(ask: Ask, redactor: Redactor) -> dict[str, Any]:
    asked = ask.asked
    return {
        "slot_id": ask.slot,
        "question": redactor.text(ask.question),
        "command_id": asked.call_id if asked else None,
        "arguments_sha256": asked.arguments_sha256 if asked else None,
        "on_timeout": asked.on_timeout if asked else None,
        "at": _place(ask.step.at),
    }


def _approval(ask: Ask, redactor: Redactor) -> dict[str, Any]:
    answer = ask.last
    assert answer is not None
    return {
        "slot_id": ask.slot,
        "question": redactor.text(ask.question),
        "outcome": answer.outcome,
        "by": answer.by,
        "reply": None if answer.text is None else redactor.text(answer.text),
        "standing": ask.standing.value,
        "at": _place(answer.at),
    }


def _claimed(event: Compacted, ledger: Ledger, settings: Settings, redactor: Redactor) -> Iterator[dict[str, Any]]:
    at = event.summary_at or event.at
    said = AgentText(at=at, text=event.summary or "", where="prose")
    for claim in extract_text(said.text, said, settings):
        grade = weigh(claim, ledger).grade
        yield {
            "claim": redactor.text(claim.text),
            "level": LEVELS.get(grade),
            "grade": grade.value,
            "at": _place(at),
        }


def _recorded(ledger: Ledger) -> Iterator[Ask]:
    """Gates that the log itself records; a question in prose is none."""
    return (ask for ask in ledger.asks.slots.values() if ask.asked is not None)


def _place(at: Any) -> dict[str, Any]:
    return {"path": at.path, "line": at.line, "pointer": at.pointer}

"""Answers to an agent's hooks: what the transcript so far contradicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transcript_lint.finding import Level
from transcript_lint.redact import Redactor
from transcript_lint.runner import Job, audit_one

CLOSING = ("TL102", "TL103", "TL104", "TL105", "TL107", "TL108", "TL203", "TL206", "TL401", "TL601")
"""Rules whose findings on the closing message hold the agent back."""

MOST_REASONS = 5


class HookInputError(Exception):
    """What came on standard input is not a hook's JSON."""


def stop(given: Mapping[str, Any], job: Job) -> dict[str, Any]:
    """Block the end once, with the reason, when the closing message claims what the log contradicts.

    `stop_hook_active` means that this hook has already held the agent back: then it may go, so it can never loop.
    """
    if given.get("stop_hook_active"):
        return {}
    path = _transcript(given)
    report = audit_one(path, job)
    last = _closing_line(path)
    reasons = [
        f.message for f in report.findings if f.rule in CLOSING and f.level is not Level.NOTE and f.at.line >= last
    ]
    return _blocked(reasons, "The closing message is contradicted by the transcript. Run it again, or say how it ended")


def post_tool(given: Mapping[str, Any], job: Job) -> dict[str, Any]:
    """Tell the agent what the run that just ended does not prove."""
    report = audit_one(_transcript(given), job)
    last = max((f.at.line for f in report.findings), default=0)
    told = [f.message for f in report.findings if f.rule in ("TL101", "TL104", "TL502") and f.at.line == last]
    if not told:
        return {}
    context = Redactor().text("Must be run again: " + " ".join(told[:MOST_REASONS]))
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": context}}


def pre_compact(given: Mapping[str, Any]) -> str:
    """Instructions for the summariser: the contract, and the runs whose ends it must keep since they are still open."""
    from transcript_lint.harness.contract import PROMPT
    from transcript_lint.harness.history import read_log
    from transcript_lint.harness.known import facts

    still_open = [c for c in facts(read_log(_transcript(given)))["commands"] if c["must_rerun"]]
    lines = [f"- {c['command']}: {c['why']}; must be run again ({c['command_id']})" for c in still_open]
    return PROMPT + ("\nStill to be run again\n" + "\n".join(lines) + "\n" if lines else "")


def _blocked(reasons: list[str], head: str) -> dict[str, Any]:
    if not reasons:
        return {}
    text = Redactor().text(f"{head}: " + " ".join(dict.fromkeys(reasons[:MOST_REASONS])))
    return {"decision": "block", "reason": text}


def _transcript(given: Mapping[str, Any]) -> str:
    path = given.get("transcript_path")
    if not isinstance(path, str) or not path:
        raise HookInputError("the hook's input names no transcript_path")
    return path


def _closing_line(path: str) -> int:
    """The line of the last message of a person: what comes after it is the closing stretch."""
    from transcript_lint.events import HumanMessage
    from transcript_lint.harness.history import read_log

    return max((event.at.line for event in read_log(path) if isinstance(event, HumanMessage)), default=1)

"""The result envelope that `claude -p` closes its stream with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from transcript_lint.events import Blocked, Event, SessionEnded
from transcript_lint.readers.claude_code.requests import total
from transcript_lint.readers.claude_code.shapes import Line

_LIMITS = {"error_max_turns": "turns", "error_max_budget_usd": "budget", "error_max_structured_output_retries": "other"}


def session_ended(line: Line, claim: str | None, common: dict[str, Any]) -> Iterator[Event]:
    """The envelope's status, its denials and the limit that stopped the run, if one did."""
    limit = _LIMITS.get(line.subtype or "")
    if limit is not None:
        yield Blocked(**common, kind=limit, layer="harness", reason=line.subtype)
    listed = line.permission_denials if isinstance(line.permission_denials, list) else []
    denials = tuple(
        (str(d.get("tool_name") or ""), str(d.get("tool_use_id") or "")) for d in listed if isinstance(d, dict)
    )
    yield SessionEnded(
        **common,
        status=_status(line, limit),
        claim=claim,
        reason=line.subtype,
        denials=denials,
        usage=total(line.usage, line.usage.output_tokens if line.usage is not None else None),
    )


def _status(line: Line, limit: str | None) -> str:
    if limit is not None:
        return "blocked"
    if line.is_error or (line.subtype or "").startswith("error"):
        return "failure"
    return "success" if line.subtype == "success" else "unknown"

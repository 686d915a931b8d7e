"""How pi and OpenClaw write down the end of a command: the harness's last line, and OpenClaw's detail fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers import ends
from transcript_lint.readers.shapes import whole, words

_ROOM = 500
_LAST_LINE = re.compile(
    r"(?:^|\n)\s{0,8}\(?(?:"
    r"(?:Command|Process) exited with (?:code (?P<code>-?\d{1,10})|signal (?P<signal>[A-Z0-9]{1,12}))"
    r"|(?P<late>(?:Command|Process) timed out)(?: after [\d.]{1,12} ?\w{1,12})?"
    r"|(?P<stopped>(?:Command|Process) (?:aborted|was aborted|killed))"
    r"|(?:Command|Process) (?:is )?still running(?: \(session (?P<session>[\w.-]{1,80})[^()\n]{0,80}\))?"
    r"(?P<running>)[^\n]{0,200}"
    r")\)?\.?\s*\Z"
)
_STATUS = {
    "running": EndKind.RUNNING,
    "killed": EndKind.INTERRUPTED,
    "aborted": EndKind.INTERRUPTED,
    "approval-pending": EndKind.NOT_RUN,
    "approval-unavailable": EndKind.NOT_RUN,
}


def end_of(text: str, details: Mapping[str, Any], is_error: Any) -> tuple[Termination, str]:
    """How a shell call ended, and its output without the harness's last line.

    Fields come first. The last line counts only where the harness can have written it: beside a field that agrees
    that something ended, or in a result marked as an error. No line and no error is success as pi writes it, though
    a signal may hide there: the end is inferred, without an exit code.
    """
    found = _LAST_LINE.search(text, max(0, len(text) - _ROOM))
    status = words(details.get("status"))
    plain = "status" not in details and "exitCode" not in details
    if found is not None and plain and is_error is False and found["running"] is None:
        found = None
    output = text[: found.start()].rstrip("\n") if found else text
    code, signal = whole(details.get("exitCode")), words(details.get("signal"))
    late = True if details.get("timedOut") is True else None
    duration = whole(details.get("durationMs"))
    if code is not None or signal or late:
        return ends.exited(code, signal=signal, timed_out=late, duration_ms=duration), output
    if status in _STATUS:
        return Termination(kind=_STATUS[status], duration_ms=duration), output
    if found is not None:
        return _told(found), output
    if status == "failed" or is_error is True:
        return ends.FAILED, output
    if is_error is False and status in (None, "completed"):
        return Termination(kind=EndKind.OK, source=EndSource.INFERRED, duration_ms=duration), output
    return ends.UNKNOWN, output


def _told(found: re.Match[str]) -> Termination:
    if found["code"] is not None:
        return ends.exited(int(found["code"]), source=EndSource.TEXT)
    if found["signal"] is not None:
        return ends.exited(None, signal=found["signal"], source=EndSource.TEXT)
    if found["late"] is not None:
        return Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT)
    return ends.STOPPED if found["stopped"] is not None else ends.RUNNING


def session_of(text: str, details: Mapping[str, Any]) -> str | None:
    """The name of the background session that a command still runs in."""
    if named := words(details.get("sessionId")):
        return named
    found = _LAST_LINE.search(text, max(0, len(text) - _ROOM))
    return found["session"] if found else None

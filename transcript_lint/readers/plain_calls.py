"""Tool calls and results of formats with one shape for every tool: which are shell lines, and how they ended.

Formats of messages have no field for an exit code. Tools write it into their result, as a JSON object or as words;
both are read here, and `Termination.source` says that it was text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transcript_lint import patterns as re
from transcript_lint.events import CommandEnded, EndKind, EndSource, Event, Termination
from transcript_lint.readers.base import text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.ends import exited
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.shapes import mapping, number, whole, words

_SHELL = re.compile(
    r"bash|shell|terminal|powershell|exec|command|cmd|(?:^|_)(?:run|sh|zsh|pwsh|console|process)(?:_|$)", re.I
)
_LINES = ("command", "cmd", "commands", "script", "command_line", "CommandLine", "input", "code")
_BACKGROUND = ("run_in_background", "background", "is_background", "isBackground", "detach")
_FOLDERS = ("cwd", "workdir", "working_dir", "working_directory")
_CODES = ("exit_code", "exitCode", "returncode", "return_code", "returnCode", "exit_status", "exitStatus", "rc")
_TIMED_OUT = ("timed_out", "timedOut", "timeout", "is_timeout", "timeout_reached")
_OUTPUTS = ("stdout", "output", "content", "result", "text", "logs")
_STATUS = {
    **dict.fromkeys(("timeout", "timed_out", "timedout"), EndKind.TIMEOUT),
    **dict.fromkeys(("killed", "signaled"), EndKind.SIGNAL),
    **dict.fromkeys(("interrupted", "cancelled", "canceled", "aborted"), EndKind.INTERRUPTED),
    **dict.fromkeys(("running", "in_progress", "pending", "still_running"), EndKind.RUNNING),
    **dict.fromkeys(("error", "failed", "failure"), EndKind.NONZERO),
    **dict.fromkeys(("denied", "rejected", "not_run", "skipped"), EndKind.NOT_RUN),
}
_EDGE = 600
# Where tools say the code in words: at the very start or the very end of a result, on a line of its own.
_SAID_CODE = re.compile(
    r"^[ \t]*[\[(<]?(?:exit[_ ]?code|exit status|return[_ ]?code|exitcode|"
    r"(?:the )?(?:command|process|program|script) (?:(?:has )?(?:exited|finished|completed|failed|terminated|ended)) "
    r"(?:with|by) (?:(?:exit|return|status) ){0,1}(?:code|status)|exited with(?: code| status)?)"
    r"[\]>]?[ \t]{0,4}[:=]?[ \t]{0,4}(-?\d{1,10})\b",
    re.I | re.M,
)
_SAID_TIMEOUT = re.compile(
    r"^[ \t]*[\[(<]?(?:error: ?)?(?:"
    r"(?:the )?(?:last )?(?:command|process|execution|tool call|operation|script)"
    r"(?: [^\n]{0,200}?)? (?:has )?timed out|"
    r"time(?:d )?out (?:after|reached|exceeded|of|:)|command timeout|timeoutexpired|timeout: )",
    re.I | re.M,
)
_SAID_KILLED = re.compile(
    r"^[ \t]*(?:\[interrupted\] true|(?:command|process) (?:was )?(interrupted|killed|aborted))\b", re.I | re.M
)


def issued(call_id: str, tool: str, arguments: Any, **common: Any) -> Iterator[Event]:
    """A call and the prose it publishes; `common` are the fields every event has."""
    command, argv = shell_line(tool, arguments)
    given = mapping(arguments)
    yield from begun(
        common,
        call_id,
        tool,
        arguments,
        command=command,
        argv=argv,
        cwd=next((w for k in _FOLDERS if (w := words(given.get(k)))), None),
        timeout_ms=_timeout_ms(given),
        background=next((given[k] for k in _BACKGROUND if isinstance(given.get(k), bool)), None),
    )


def shell_line(tool: str, arguments: Any) -> tuple[str | None, tuple[str, ...] | None]:
    """The shell line or the argument vector of a call, if it is one of a shell; a tool is known by its name."""
    if isinstance(arguments, str):
        return (arguments, None) if _SHELL.search(tool) and arguments.strip() else (None, None)
    given = mapping(arguments)
    if not _SHELL.search(tool.rpartition("__")[2]) or "path" in given:
        return None, None
    for key in _LINES:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return value, None
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return ("\n".join(value), None) if key == "commands" else (None, tuple(value))
    return None, None


def call_hash(tool: str, arguments: Any) -> str | None:
    """The hash that a call of this tool with these arguments bears, to join a gate to the call it guards."""
    command, _ = shell_line(tool, arguments)
    return arguments_hash({"command": command} if command else {"arguments": arguments})


def decoded(arguments: Any) -> Any:
    """A call's arguments, which many formats write as a JSON string; what is no JSON stays as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments


def ended(call_id: str, content: Any, *, shell: bool = True, failed: bool | None = None, **common: Any) -> CommandEnded:
    """The end that a tool's result tells. `failed` is the format's own error flag, where it has one.

    Words are believed from a shell alone: what a file or a page says of an exit code is no end of the call.
    """
    body = content if isinstance(content, Mapping) else None
    text = text_of(content)
    if body is None and text.lstrip().startswith("{"):
        found = decoded(text)
        body = found if isinstance(found, dict) else None
    if body is not None and (told := _of_object(body, failed)) is not None:
        return CommandEnded(**common, call_id=call_id, **told)
    termination = said(text) if shell else None
    if termination is None or (termination.succeeded and failed):
        kind = EndKind.NONZERO if failed else EndKind.UNKNOWN
        source = EndSource.FIELD if failed is not None else EndSource.TEXT
        termination = Termination(kind=kind, source=source)
    return CommandEnded(**common, call_id=call_id, termination=termination, stdout=text or _dumped(body))


def said(text: str) -> Termination | None:
    """The end that stands in words at the start or end of a result; None if no such words stand there."""
    edges = text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    timed_out = bool(_SAID_TIMEOUT.search(edges))
    code = _SAID_CODE.findall(edges)
    if code:
        number = int(code[-1])
        # Executors write 124 when they, like coreutils' timeout, gave up waiting.
        timed_out = timed_out or (number == 124 and "timeout" in edges.lower())
        return exited(number, timed_out=timed_out or None, source=EndSource.TEXT)
    if timed_out:
        return Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT)
    if killed := _SAID_KILLED.search(edges):
        kind = EndKind.SIGNAL if (killed.group(1) or "").lower() == "killed" else EndKind.INTERRUPTED
        return Termination(kind=kind, source=EndSource.TEXT)
    return None


def _of_object(body: Mapping[str, Any], failed: bool | None) -> dict[str, Any] | None:
    """The parts of a result that is a JSON object of a command; None if nothing in it speaks of an end."""
    holders = (body, mapping(body.get("metadata")))
    named = any(k in h for h in holders for k in _CODES)
    code = next((n for h in holders for k in _CODES if (n := whole(h.get(k))) is not None), None)
    timed_out = next((h[k] for h in holders for k in _TIMED_OUT if isinstance(h.get(k), bool)), None)
    signal = next((w for h in holders if (w := words(h.get("signal")))), None)
    error = body.get("error")
    # Alone a status is as likely that of an order or a booking.
    command = named or timed_out is not None or signal is not None or "stdout" in body or "output" in body
    status = _STATUS.get(str(body.get("status")).lower()) if command else None
    if not named and timed_out is None and signal is None and status is None and not error:
        return None
    told = error if isinstance(error, str) else _dumped(error) if error else ""
    if told and not timed_out and _SAID_TIMEOUT.search(told):
        timed_out = True
    end = exited(code, timed_out=timed_out, signal=signal, source=EndSource.TEXT, duration_ms=_duration(body))
    if end.kind is EndKind.UNKNOWN:
        kind = status or (EndKind.NONZERO if told or failed else EndKind.UNKNOWN)
        end = Termination(kind=kind, timed_out=True if kind is EndKind.TIMEOUT else timed_out, source=EndSource.TEXT)
    return {
        "termination": end,
        "stdout": next((w for k in _OUTPUTS if (w := words(body.get(k)))), ""),
        "stderr": words(body.get("stderr")) or "",
        "error": told or None,
        "truncated": body["truncated"] if isinstance(body.get("truncated"), bool) else None,
    }


def _duration(body: Mapping[str, Any]) -> int | None:
    if (ms := number(body.get("duration_ms"))) is not None:
        return int(ms)
    for key in ("duration_seconds", "duration_s", "execution_time"):
        if (seconds := number(body.get(key))) is not None:
            return int(seconds * 1000)
    return None


def _timeout_ms(given: Mapping[str, Any]) -> int | None:
    for key, scale in (("timeout_ms", 1), ("timeout_s", 1000), ("timeout_seconds", 1000), ("timeout_sec", 1000)):
        if (value := number(given.get(key))) is not None:
            return int(value * scale)
    bare = number(given.get("timeout"))
    # Without a unit: nobody sets a limit of less than a second, nor one of a quarter of an hour in seconds.
    return None if bare is None or bare <= 0 else int(bare if bare >= 1000 else bare * 1000)


def _dumped(value: Any) -> str:
    try:
        return "" if value is None else orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        return str(value)

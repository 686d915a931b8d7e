"""Short builders of native records, for the examples in rules and for tests: one function a record kind.

Each returns one JSON-ready dict of the native event schema. Times run on by themselves when a log is written with
`write`, one second a record, unless a record brings its own `at`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

Record = dict[str, Any]
START = datetime.datetime(2026, 3, 2, 9, 0, tzinfo=datetime.UTC)


def session(**fields: Any) -> Record:
    """The head of a session; `approval_policy` is ask and a person is there unless said otherwise."""
    return {"v": 1, "event": "session", "approval_policy": "ask", "interactive": True, **fields}


def human(text: str, **fields: Any) -> Record:
    """A person wrote this."""
    return {"v": 1, "event": "message", "source": "user", "injected": None, "text": text, **fields}


def injected(text: str, why: str = "reminder", **fields: Any) -> Record:
    """A program wrote this under the user's role."""
    return {"v": 1, "event": "message", "source": "user", "injected": why, "text": text, **fields}


def says(text: str, **fields: Any) -> Record:
    """The agent says this; `where="commit"` and the like for prose it publishes."""
    return {"v": 1, "event": "message", "source": "agent", "text": text, **fields}


def termination(kind: str | None = None, exit: int | None = None, **fields: Any) -> Record:
    """A termination object; without `kind` the exit code decides."""
    if kind is None:
        kind = "ok" if exit == 0 else "nonzero_exit"
    if kind == "ok" and exit is None:
        exit = 0
    return {
        "kind": kind,
        "exit_code": exit,
        "signal": None,
        "timed_out": kind == "timeout",
        "duration_ms": 900,
        "masked": None,
        "source": "field",
        **fields,
    }


def command(
    line: str,
    out: str = "",
    exit: int | None = 0,
    *,
    id: str | None = None,
    kind: str | None = None,
    err: str = "",
    tool: str = "bash",
    end: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Record:
    """A command and its end in one record; `kind` names another end than the exit code says; `end` adds to it."""
    code = None if kind in ("timeout", "signal", "interrupted", "running", "not_run", "unknown") and exit == 0 else exit
    return {
        "v": 1,
        "event": "command",
        "command_id": id or "c-" + line,
        "tool": tool,
        "command": line,
        "termination": termination(kind, code, **(end or {})),
        "stdout_tail": out,
        "stderr_tail": err,
        **fields,
    }


def started(line: str, *, id: str | None = None, tool: str = "bash", **fields: Any) -> Record:
    """A command begins; `ended` closes it."""
    return {
        "v": 1,
        "event": "command_started",
        "command_id": id or "c-" + line,
        "tool": tool,
        "command": line,
        **fields,
    }


def ended(id: str, out: str = "", exit: int | None = 0, *, kind: str | None = None, **fields: Any) -> Record:
    """The end of a command begun with `started`."""
    code = None if kind in ("timeout", "signal", "interrupted", "running", "not_run", "unknown") and exit == 0 else exit
    return {
        "v": 1,
        "event": "command_ended",
        "command_id": id,
        "termination": termination(kind, code),
        "stdout_tail": out,
        **fields,
    }


def tool_call(tool: str, arguments: Any, *, id: str, kind: str = "ok", out: str = "", **fields: Any) -> Record:
    """A call of a tool that is no shell, with its end."""
    return {
        "v": 1,
        "event": "command",
        "command_id": id,
        "tool": tool,
        "arguments": arguments,
        "termination": termination(kind),
        "stdout_tail": out,
        **fields,
    }


def request(model: str = "model-a", provider: str = "acme", **fields: Any) -> Record:
    """A request to the model and what came back."""
    return {"v": 1, "event": "request", "provider": provider, "model": model, **fields}


def asks(slot: str, **fields: Any) -> Record:
    """A gate opens and waits for a person."""
    return {"v": 1, "event": "awaiting_human", "slot_id": slot, **fields}


def reply(slot: str, outcome: str = "approved", by: str = "human", **fields: Any) -> Record:
    """A gate closes."""
    return {"v": 1, "event": "human_reply", "slot_id": slot, "outcome": outcome, "by": by, **fields}


def compaction(summary: str | None = None, **fields: Any) -> Record:
    """The context is replaced by a summary, or by `carried_terminations`."""
    return {"v": 1, "event": "compaction", "summary": summary, **fields}


def block(kind: str, layer: str = "agent", **fields: Any) -> Record:
    """Something says the work cannot go on."""
    return {"v": 1, "event": "block", "kind": kind, "layer": layer, **fields}


def end(status: str = "success", claim: str | None = None, **fields: Any) -> Record:
    """The session ends."""
    return {"v": 1, "event": "end", "status": status, "claim": claim, **fields}


def write(records: Iterable[Mapping[str, Any] | bytes]) -> bytes:
    """A native log, one record a line; bytes go in as they are, for broken records."""
    lines: list[bytes] = []
    for number, record in enumerate(records):
        if isinstance(record, bytes):
            lines.append(record)
            continue
        moment = (START + datetime.timedelta(seconds=number)).isoformat().replace("+00:00", "Z")
        lines.append(orjson.dumps({"at": moment, "session_id": "s1", **record}))
    return b"\n".join(lines) + b"\n"

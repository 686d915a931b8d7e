"""Run a command and write down what really happened: the feedback record."""

from __future__ import annotations

import datetime
import signal
import sys
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from transcript_lint.harness import markers, store
from transcript_lint.harness.excerpt import Budget, Excerpt, Keeper
from transcript_lint.harness.process import Child, Outcome
from transcript_lint.harness.store import Record
from transcript_lint.redact import Redactor

NOT_FOUND = 127
NOT_EXECUTABLE = 126
TIMED_OUT = 124
_NOT_EXECUTABLE_ERRORS = frozenset({13, 8, 21})  # EACCES, ENOEXEC, EISDIR


class MissingFeedback(Exception):  # noqa: N818 - the public name
    """A run brought no exit code, so nothing may be built on it: no exit, no progress."""


class Feedback(Struct, frozen=True, kw_only=True):
    """A finished run: the record as written, and the exit status a shell would see."""

    record: Record
    exit_status: int


def run_with_feedback(
    argv: Sequence[str],
    *,
    timeout: float | None = None,
    note: str | None = None,
    parent: str | None = None,
    retry_of: str | None = None,
    record_file: str | Path = store.DEFAULT_FILE,
    cwd: str | Path | None = None,
    grace: float = 5.0,
    quiet: bool = True,
    forward_signals: bool = False,
    budget: Budget | None = None,
    redact: Iterable[str] = (),
    max_bytes: int = store.MAX_BYTES,
) -> Feedback:
    """Run `argv` as given, no shell between, and append one record of it to `record_file`.

    `timeout` and `grace` in seconds: at the deadline the child's group gets SIGTERM, after the grace period SIGKILL.
    `parent` names the attempt before this one; `retry_of="last"` looks it up. Unless `quiet` the output passes through
    live. `redact` are further patterns of what never to write. Raises ValueError on an empty `argv`, OSError when the
    record cannot be written.
    """
    if not argv:
        raise ValueError("there is no command to run")
    argv = [str(word) for word in argv]
    redactor = Redactor(redact)
    parent = parent or _parent(retry_of, record_file, redact_argv(Redactor(redact), argv))
    keepers = {"stdout": Keeper(budget or Budget()), "stderr": Keeper(budget or Budget())}
    through = {} if quiet else {"stdout": _Through(sys.stdout), "stderr": _Through(sys.stderr)}

    def take(name: str, data: bytes) -> None:
        keepers[name].feed(data)
        if name in through:
            through[name].write(data)

    place = Path.cwd() if cwd is None else Path(cwd).absolute()
    started = datetime.datetime.now(datetime.UTC)
    outcome = Child(
        argv, cwd=str(place), timeout=timeout, grace=grace, take=take, forward_signals=forward_signals
    ).run()
    out, err = (keepers[name].excerpt(redactor) for name in ("stdout", "stderr"))
    record = _record(argv, outcome, out, err, redactor, note)
    record |= {
        "parent_command_id": parent,
        "cwd": str(place),
        "started_at": _rfc3339(started),
        "ended_at": _rfc3339(started + datetime.timedelta(milliseconds=outcome.duration_ms)),
        "timeout_ms": None if timeout is None else round(timeout * 1000),
    }
    store.append(record_file, record, max_bytes=max_bytes)
    return Feedback(record=record, exit_status=_exit_status(outcome))


def require_feedback(record: Record) -> Record:
    """The record again, if its command exited by itself. Raises MissingFeedback if no exit code is known."""
    termination = record.get("termination") or {}
    if record.get("error") or termination.get("exit_code") is None:
        how = record.get("error") or termination.get("kind") or "no end was recorded"
        raise MissingFeedback(f"{' '.join(record.get('argv') or ['the command'])}: no exit code ({how})")
    return record


def _record(
    argv: Sequence[str], outcome: Outcome, out: Excerpt, err: Excerpt, redactor: Redactor, note: str | None
) -> dict[str, Any]:
    end = _termination(argv, outcome)
    fields: dict[str, Any] = {
        "v": 1,
        "event": "command",
        "command_id": uuid.uuid4().hex,
        "tool": "run",
        "argv": redact_argv(redactor, argv),
        "agent_note": None if note is None else redactor.text(" ".join(note.split())),
        "stdout_tail": out.text,
        "stderr_tail": err.text,
        "truncated": out.truncated or err.truncated,
        "replaced": out.replaced or err.replaced,
        "termination": end,
        "error": None if outcome.error is None else redactor.text(outcome.error),
        "must_rerun": end["kind"] != "ok" or bool(end["masked"]),
        "observed_markers": markers.observed(out.text, err.text),
    }
    fields["redacted"] = dict(redactor.counts)
    return fields


def _termination(argv: Sequence[str], outcome: Outcome) -> dict[str, Any]:
    code, name = outcome.returncode, None
    if code is not None and code < 0:
        name, code = _signal_name(-code), None
    if outcome.returncode is None:
        kind = "not_run"
    elif outcome.timed_out:
        # What it returned after our SIGTERM is not the end it would have come to.
        kind, code = "timeout", None
    elif outcome.interrupted:
        kind, code, name = "interrupted", None, name or outcome.interrupted
    elif name:
        kind = "signal"
    else:
        kind = "ok" if code == 0 else "nonzero_exit"
    return {
        "kind": kind,
        "exit_code": code,
        "signal": name,
        "timed_out": outcome.timed_out,
        "duration_ms": outcome.duration_ms,
        "masked": masked(argv),
        "source": "field",
    }


def masked(argv: Sequence[str]) -> bool:
    """Whether `argv` is a shell line whose status does not speak for a command in it (`bash -c 'pytest | tail'`)."""
    if len(argv) < 3:
        return False
    from transcript_lint.commandline import INERT, parse_argv

    return any(part.mask is not None and part.kind not in INERT for part in parse_argv(argv).parts)


def redact_argv(redactor: Redactor, argv: Sequence[str]) -> list[str]:
    """The arguments without credentials; an option and its value in two arguments count as one text."""
    clean: list[str] = []
    for number, word in enumerate(argv):
        before = f"{argv[number - 1]} " if number and argv[number - 1].startswith("-") else ""
        clean.append(redactor.text(before + word, len(before)))
    return clean


def _exit_status(outcome: Outcome) -> int:
    if outcome.returncode is None:
        return NOT_EXECUTABLE if outcome.errno in _NOT_EXECUTABLE_ERRORS else NOT_FOUND
    if outcome.timed_out:
        return TIMED_OUT
    if outcome.interrupted:
        return 128 + signal.Signals[outcome.interrupted].value
    return outcome.returncode if outcome.returncode >= 0 else 128 - outcome.returncode


def _parent(retry_of: str | None, record_file: str | Path, written: Sequence[str]) -> str | None:
    """The attempt that this one retries: the last with the same arguments, else the last of all."""
    if retry_of != "last":
        return retry_of
    before = store.last(record_file, argv=written) or store.last(record_file) or {}
    return before.get("command_id")


class _Through:
    """Passes bytes on to our own stream as they come; goes quiet when whoever read it has gone."""

    def __init__(self, stream: Any) -> None:
        stream.flush()
        self._stream: BinaryIO | None = getattr(stream, "buffer", None)

    def write(self, data: bytes) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError:
            self._stream = None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def _rfc3339(moment: datetime.datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

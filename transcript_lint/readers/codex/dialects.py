"""How a Codex tool output says that its command ended: every dialect of the output text, and the structured ends.

Only the head of an output is the harness's own word. Whatever stands below it was printed by the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers.base import text_of
from transcript_lint.readers.ends import exited
from transcript_lint.readers.shapes import number, whole


class Outcome(Struct, frozen=True, kw_only=True):
    """One tool output, read: how the call ended and the command's own text.

    `session` is the number under which a command that still runs can be polled. `refused_by` names who refused the
    call (human, policy, model); None when nobody did.
    """

    termination: Termination
    text: str = ""
    truncated: bool | None = None
    session: str | None = None
    error: str | None = None
    refused_by: str | None = None


_HEADER = re.compile(
    r"(?:Command: [\s\S]{0,20000}?\n(?=Chunk ID: |Wall time: ))?"
    r"(?:Chunk ID: \S{1,40}\n)?"
    r"(?:Exit code: (?P<code>-?\d{1,10})\n)?"
    r"Wall time:? (?P<wall>\d{1,9}(?:\.\d{1,9})?) seconds?\n"
    r"(?:Process exited with code (?P<exited>-?\d{1,10})\n|Process running with session ID (?P<session>\d{1,12})\n)?"
    r"(?:Original token count: \d{1,12}\n)?"
    r"(?P<lines>Total output lines: \d{1,12}\n)?"
    r"(?:Output:\n?)?"
)
_SCRIPT = re.compile(
    r"Script (?P<state>completed|failed|terminated|running with cell ID (?P<cell>\S{1,40}))"
    r"(?:\nWall time:? \d{1,9}(?:\.\d{1,9})? seconds?)?(?:\nOutput:\n?)?"
)
_TIMED_OUT = re.compile(r"command timed out(?: after (\d{1,12}) milliseconds)?")
_CUT_HEADS = ("Total output lines: ", "Warning: truncated output")
_SIGNAL = re.compile(r"Signal\((\d{1,3})\)")
_EXIT = re.compile(r"exit[ _]code: (-?\d{1,10})")
_ABORTED = re.compile(r"aborted(?: by user)?(?: after (\d{1,9}(?:\.\d{1,9})?)\s?s)?\W{0,3}$")
_SIGNAL_NAMES = {1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}


def read_output(output: Any) -> Outcome:
    """What a `function_call_output` or `custom_tool_call_output` says: a string, a string of JSON, or a list."""
    if isinstance(output, dict):
        output = output.get("content", output.get("output"))
    if isinstance(output, list):
        return _script(text_of(output))
    if not isinstance(output, str):
        return Outcome(termination=Termination(kind=EndKind.UNKNOWN))
    if output[:1] == "{" and (old := _old_shell(output)) is not None:
        return old
    if (header := _HEADER.match(output)) is not None:
        return _with_header(output, header)
    if output.startswith("Script "):
        return _script(output)
    return _bare(output)


def _old_shell(output: str) -> Outcome | None:
    try:
        document = orjson.loads(output)
    except orjson.JSONDecodeError:
        return None
    metadata = document.get("metadata")
    if not isinstance(metadata, dict) or "exit_code" not in metadata:
        return None
    wall = number(metadata.get("duration_seconds"))
    if wall is not None and not 0 <= wall < 1e9:
        wall = None
    found = _ended(whole(metadata.get("exit_code")), str(document.get("output") or ""), wall)
    return replace(found, truncated=True) if "\n[... omitted " in found.text else found


def _with_header(output: str, header: re.Match[str]) -> Outcome:
    text = output[header.end() :]
    wall = float(header["wall"])
    if session := header["session"]:
        running = Termination(kind=EndKind.RUNNING, source=EndSource.TEXT)
        return Outcome(termination=running, text=text, truncated=_cut(text), session=session)
    code = header["exited"] or header["code"]
    if code is None:
        if _ABORTED.match(text):
            interrupted = Termination(kind=EndKind.INTERRUPTED, duration_ms=round(wall * 1000), source=EndSource.TEXT)
            return Outcome(termination=interrupted)
        return Outcome(termination=Termination(kind=EndKind.UNKNOWN, duration_ms=round(wall * 1000)), text=text)
    found = _ended(int(code), text, wall)
    return replace(found, truncated=True) if header["lines"] else found


def _ended(code: int | None, text: str, wall: float | None) -> Outcome:
    milliseconds = None if wall is None else round(wall * 1000)
    # The harness puts its own word on a time-out before the command's output; 124 alone may be the command's.
    found = _TIMED_OUT.match(text)
    lasted = found is not None and found[1] is not None and (milliseconds or 0) >= 0.9 * int(found[1])
    timed_out = found is not None and (code == 124 or lasted)
    return Outcome(termination=exit_code(code, milliseconds, timed_out), text=text, truncated=_cut(text))


def exit_code(
    code: int | None, duration_ms: int | None, timed_out: bool = False, source: EndSource = EndSource.TEXT
) -> Termination:
    """The termination behind an exit code; -1 is how the harness writes a signal whose number it lost."""
    if code == -1 and not timed_out:
        return Termination(kind=EndKind.SIGNAL, exit_code=code, duration_ms=duration_ms, source=source)
    return exited(code, timed_out=timed_out or None, duration_ms=duration_ms, source=source)


def _cut(text: str) -> bool | None:
    """True where the harness says that it kept only head and tail; else not recorded."""
    return True if text.startswith(_CUT_HEADS) or " truncated…" in text else None


def _script(output: str) -> Outcome:
    """Code mode: the script's end says nothing of the commands in it."""
    unknown = Termination(kind=EndKind.UNKNOWN, source=EndSource.TEXT)
    found = _SCRIPT.match(output)
    if found is None:
        # A list that is no script's: the same text as a string.
        return _bare(output) if not _HEADER.match(output) else read_output(output)
    text = output[found.end() :].lstrip("\n")
    if cell := found["cell"]:
        running = Termination(kind=EndKind.RUNNING, source=EndSource.TEXT)
        return Outcome(termination=running, text=text, truncated=_cut(text), session=cell)
    error = None if found["state"] == "completed" else f"Script {found['state']}"
    return Outcome(termination=unknown, text=text, truncated=_cut(text), error=error)


def _bare(output: str) -> Outcome:
    """Outputs without a header: the harness's own refusals and errors, or a tool that is no command."""
    head = output[:600]
    if _ABORTED.match(head):
        return _failed(EndKind.INTERRUPTED, output)
    for hint, by in _REFUSALS:
        if hint in head and head.startswith(_REFUSING):
            return Outcome(
                termination=Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT), error=output[:2000], refused_by=by
            )
    if not head.startswith(_FAILING):
        return Outcome(termination=Termination(kind=EndKind.UNKNOWN), text=output, truncated=_cut(output))
    if head.startswith(_NEVER_STARTED) or "NotFound" in head:
        return _failed(EndKind.NOT_RUN, output)
    if "timed out" in head or "Timeout" in head:
        return _failed(EndKind.TIMEOUT, output, timed_out=True)
    if found := _SIGNAL.search(head):
        return _failed(EndKind.SIGNAL, output, signal=_SIGNAL_NAMES.get(int(found[1]), f"SIG{found[1]}"))
    if "killed by a signal" in head:
        return _failed(EndKind.SIGNAL, output)
    code = int(found[1]) if (found := _EXIT.search(head)) else None
    if head.startswith("write_stdin failed"):
        return _failed(EndKind.UNKNOWN, output)
    return _failed(EndKind.NONZERO, output, exit_code=code or None)


_REFUSING = (
    "exec command rejected",
    "exec_command failed",
    "patch rejected",
    "user rejected",
    "user cancelled",
    "This action was rejected",
    "rejected",
    "tool call rejected",
    "shell command rejected",
)
_REFUSALS = (
    ("approval settings", "policy"),
    ("approval policy", "policy"),
    ("dangerous command", "policy"),
    ("unacceptable risk", "model"),
    ("by user", "human"),
    ("user rejected", "human"),
    ("user cancelled", "human"),
    ("rejected", "policy"),
)
_NEVER_STARTED = (
    "unsupported call",
    "unsupported custom tool",
    "failed to parse",
    "exec_command failed",
    "execution error: Io(",
)
_FAILING = (
    *_NEVER_STARTED,
    "failed in sandbox",
    "execution error",
    "apply_patch verification failed",
    "write_stdin failed",
    "failed for:",
    "command timed out",
    "sandbox error",
    "tool call error",
)


def _failed(
    kind: EndKind,
    output: str,
    *,
    signal: str | None = None,
    timed_out: bool | None = None,
    exit_code: int | None = None,
) -> Outcome:
    end = Termination(kind=kind, exit_code=exit_code, signal=signal, timed_out=timed_out, source=EndSource.TEXT)
    return Outcome(termination=end, text=output, truncated=_cut(output), error=output[:2000])


def structured_end(item: Mapping[str, Any]) -> Outcome | None:
    """The end in an `exec_command_end` event or a `CommandExecution` item; None while it is in progress."""
    status, code = item.get("status"), whole(item.get("exit_code"))
    text = next((t for k in ("aggregated_output", "stdout") if isinstance(t := item.get(k), str) and t), "")
    if not text and isinstance(item.get("stderr"), str):
        text = item["stderr"]
    if status in ("inProgress", "in_progress"):
        return None
    if status == "declined":
        declined = Termination(kind=EndKind.NOT_RUN)
        return Outcome(termination=declined, text=text, refused_by="human")
    timed_out = code == 124 and _TIMED_OUT.match(text) is not None
    end = exit_code(code, milliseconds(item.get("duration")), timed_out, EndSource.FIELD)
    if code is None and status == "failed":
        end = replace(end, kind=EndKind.NONZERO)
    elif code == 0 and status == "failed":
        end = replace(end, kind=EndKind.NONZERO, contradiction="recorded as failed and with exit 0")
    elif code and status == "completed":
        end = replace(end, contradiction=f"recorded as completed and with exit {code}")
    return Outcome(termination=end, text=text, truncated=_cut(text))


def milliseconds(duration: Any) -> int | None:
    """A duration of `{secs, nanos}` in milliseconds."""
    if not isinstance(duration, dict):
        return None
    seconds, nanos = whole(duration.get("secs")), whole(duration.get("nanos"))
    return None if seconds is None else seconds * 1000 + (nanos or 0) // 1_000_000


_RANK = {
    EndKind.OK: 0,
    EndKind.UNKNOWN: 1,
    EndKind.RUNNING: 2,
    EndKind.NOT_RUN: 3,
    EndKind.NONZERO: 4,
    EndKind.INTERRUPTED: 5,
    EndKind.SIGNAL: 6,
    EndKind.TIMEOUT: 7,
}


def merge(first: Termination, second: Termination) -> Termination:
    """Two records of one end as one; where both are definite and disagree, the worse one with the disagreement."""
    open_ends = (EndKind.UNKNOWN, EndKind.RUNNING)
    if second.kind in open_ends:
        return first
    if first.kind in open_ends:
        return second
    same_code = None in (first.exit_code, second.exit_code) or first.exit_code == second.exit_code
    worse = max(first, second, key=lambda end: _RANK[end.kind])
    if first.kind is second.kind and same_code:
        return first if first.exit_code is not None else second
    if worse.contradiction is None and not ({first.kind, second.kind} <= _KINDRED and same_code):
        words = f"one record says it {first.describe()}, another that it {second.describe()}"
        return replace(worse, contradiction=words)
    return worse


_KINDRED = frozenset({EndKind.NONZERO, EndKind.SIGNAL, EndKind.TIMEOUT, EndKind.INTERRUPTED})
"""Ways to say of one code that the command did not come to a good end."""

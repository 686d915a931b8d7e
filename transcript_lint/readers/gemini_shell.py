"""How Gemini CLI and Qwen Code tell the end of a shell call: in the result's text, whatever the status says."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers import ends

_FIELD = re.compile(
    r"(?:(?P<error>Error: \(none\))|Exit Code: (?P<code>-?\d{1,10}|\(none\))|Signal: (?P<signal>[^\n]{1,20})"
    r"|Background PIDs: [^\n]{0,400}|Process Group PGID: (?P<group>[^\n]{1,20}))\s*\Z"
)
_PID = re.compile(r"(?:moved to background \(PID: |running in background\. PID: |Process Group PGID: )(\d{1,10})")
_BEFORE = re.compile(r"Below is the output before it was cancelled:\n?")
_MASKED = "<tool_output_masked>"
_SIGNALS = {"1": "HUP", "2": "INT", "3": "QUIT", "6": "ABRT", "9": "KILL", "11": "SEGV", "15": "TERM"}
_NONE = ("(none)", "0")


def shell_end(text: str, status: str | None) -> tuple[Termination, str, bool | None]:
    """How a shell call ended, its output without the fields around it, and whether the output was cut.

    A code of 0 is not written by Gemini, and `status` is success beside any code: where the fields that always stand
    at the end are there and no code is among them, the end is inferred to be good.
    """
    masked = True if _MASKED in text[:200] else None
    if early := _early(text):
        after = _BEFORE.split(text, maxsplit=1)
        return early, after[1] if len(after) > 1 else "", masked
    body = text.replace("</tool_output_masked>", "").rstrip() if masked else text
    code: str | None = None
    signal: str | None = None
    seen = False
    while found := _FIELD.match(body, body.rfind("\n") + 1):
        seen = True
        code = found["code"] or code
        if found["signal"] is not None and found["signal"].strip() not in _NONE:
            signal = found["signal"].strip()
        body = body[: max(0, found.start() - 1)]
    for label in ("Command: ", "Directory: "):
        if body.startswith(label):
            body = body.partition("\n")[2]
    body = body.removeprefix("Output: ")
    whole = seen or text.startswith("Output: ")
    return _told(code, signal, whole, status, masked), "" if body in ("(empty)", "(none)") else body, masked


def _told(code: str | None, signal: str | None, whole: bool, status: str | None, masked: bool | None) -> Termination:
    if signal is not None:
        named = "SIG" + _SIGNALS.get(signal, signal.removeprefix("SIG"))
        return ends.exited(int(code) if code and code != "(none)" else None, signal=named, source=EndSource.TEXT)
    if code == "(none)":
        return Termination(kind=EndKind.UNKNOWN, source=EndSource.TEXT)
    if code is not None:
        return ends.exited(int(code), source=EndSource.TEXT)
    if status == "error":
        return ends.FAILED
    if whole and not masked:
        return Termination(kind=EndKind.OK, source=EndSource.INFERRED)
    return ends.UNKNOWN


def _early(text: str) -> Termination | None:
    """The end of a command that was not left to run to its own."""
    start = text[:400]
    if start.startswith(("Command was automatically cancelled", "Command timed out")):
        return Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT)
    if start.startswith("Command was cancelled by user before it could start"):
        return Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT)
    if start.startswith("Command was cancelled"):
        return ends.STOPPED
    if start.startswith(("Command moved to background", "Command is running in background")):
        return ends.RUNNING
    return None


def background_pid(text: str) -> str | None:
    """The id under which a command in the background is looked at later."""
    found = _PID.search(text[:400]) or _PID.search(text[-200:])
    return found[1] if found else None

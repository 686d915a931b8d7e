"""The end of a command from what a harness wrote down: exit codes, and the signals that shells report as codes."""

from __future__ import annotations

from transcript_lint.events import EndKind, EndSource, Termination

SIGNALS = {130: "SIGINT", 131: "SIGQUIT", 134: "SIGABRT", 135: "SIGBUS", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM"}
"""Exit codes by which a shell says that a signal ended the command. 128, 129 and 141 have other common uses."""

OK = Termination(kind=EndKind.OK)
RUNNING = Termination(kind=EndKind.RUNNING, source=EndSource.TEXT)
UNKNOWN = Termination(kind=EndKind.UNKNOWN)
NOT_RUN = Termination(kind=EndKind.NOT_RUN)
STOPPED = Termination(kind=EndKind.INTERRUPTED, source=EndSource.TEXT)
FAILED = Termination(kind=EndKind.NONZERO)
"""A tool that is no command said that it failed; there is no exit code."""


def exited(
    code: int | None,
    *,
    timed_out: bool | None = None,
    signal: str | None = None,
    duration_ms: int | None = None,
    source: EndSource = EndSource.FIELD,
) -> Termination:
    """The termination of a command with this exit code; None is an unknown end, never a good one.

    A time-out or a signal outranks the code; a good code beside either is kept as a contradiction in words.
    """
    named = signal or SIGNALS.get(code or 0)
    if timed_out:
        kind, named = EndKind.TIMEOUT, signal
    elif named:
        kind = EndKind.SIGNAL
    elif code is None:
        kind = EndKind.UNKNOWN
    else:
        kind = EndKind.NONZERO if code else EndKind.OK
    against = None
    if code == 0 and kind is not EndKind.OK:
        against = "recorded with exit 0 and as " + ("timed out" if timed_out else f"killed by {named}")
    return Termination(
        kind=kind,
        exit_code=code,
        signal=named,
        timed_out=timed_out,
        duration_ms=duration_ms,
        source=source,
        contradiction=against,
    )

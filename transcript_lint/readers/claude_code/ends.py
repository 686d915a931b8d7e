"""How a call ended, told from its result: mostly from the result's own text, since there is no exit-code field."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Location, Termination
from transcript_lint.readers.claude_code.shapes import Result

DEFAULT_TIMEOUT_MS = 120_000
SIGNALS = {130: "SIGINT", 134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM"}
INTERRUPT = "[Request interrupted by user"

_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|\Z)")
_TIMED_OUT = re.compile(r"(?:^|\n)(?:Error: )?Command timed out after [^\n]{1,60}")
_BACKGROUND = re.compile(
    r"Command running in background with ID: (\S{1,64}?)(?:\.\s|\s|\Z)"
    r"|Command was manually backgrounded by user with ID: (\S{1,64}?)(?:\.\s|\s|\Z)"
    r"|Command did not complete within its [^\n]{1,40} timeout and was moved to the background \(ID: ([^\s)]{1,64})\)"
    r"|MCP tool \"[^\"\n]{1,200}\" is still running after [^\n]{1,40} It was moved to the background as task "
    r"([\w-]{1,64})"
)
_WRITTEN_TO = re.compile(r"written to: (\S{1,300}?)\.?(?=\s|$)")
_MOVED = ("Command ", "MCP tool ")
_DENIED_BY_PERSON = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "User rejected tool use",
)
_SAID = re.compile(r"[Tt]he user said:\n(.*)", re.DOTALL)
_DENIED_BY_RULE = re.compile(
    r"Permission to use [^\n]{1,4000}? has been (?:auto-)?denied"
    r"|Permission for this action (?:was|has been) denied"
    r"|Claude requested permissions? to [^\n]{1,4000}?haven't granted it yet"
    r"|Hook \S{1,80} denied this tool"
    r"|PreToolUse:\S{1,80} hook (?:error|blocked|denied)"
    r"|Permission for this tool use was denied"
)
_NOT_ANSWERED = "wants to clarify these questions"
_NEVER_STARTED = (
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
    "InputValidationError",
    "No such tool available",
    "Unknown skill",
)
_ABORTED = ("Command was aborted before completion", INTERRUPT)
_DEAD_AGENT = ("API Error", "Prompt is too long", "Request timed out", "You've hit your")


class Call(Struct, gc=False):
    """A call that waits for its end. `given` is kept of polls and stops alone; `cut`: a compaction came in between."""

    call_id: str
    tool: str
    at: Location
    time: float | None
    agent: str = "main"
    arguments_sha256: str | None = None
    command: str | None = None
    timeout_ms: int | None = None
    background: bool = False
    gate: str | None = None
    given: Any = None
    cut: bool = False


class Denial(Struct, frozen=True):
    """Why a call was not run: `by` human, policy or harness; `said` is what a person typed into the refusal."""

    by: str
    said: str | None = None
    answered: bool = True


class Ending(Struct, kw_only=True):
    """One result read: the end, the output, and what else it tells."""

    termination: Termination
    stdout: str = ""
    error: str | None = None
    note: str | None = None
    truncated: bool | None = None
    denial: Denial | None = None
    task: str | None = None
    output_file: str | None = None
    tool_uses: int | None = None


OK = Termination(kind=EndKind.OK, source=EndSource.INFERRED)
FAILED = Termination(kind=EndKind.NONZERO, source=EndSource.FIELD)
NOT_RUN = Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT)


def exit_status(code: int, words: str, source: EndSource = EndSource.TEXT) -> Termination:
    """The end an exit code tells. `words` are the command and the harness's text, where a time-out is named."""
    if code == 0:
        return Termination(kind=EndKind.OK, exit_code=0, source=source)
    if code == 124 and "time" in words and ("timeout" in words or "timed out" in words):
        return Termination(kind=EndKind.TIMEOUT, exit_code=code, timed_out=True, source=source)
    if signal := SIGNALS.get(code):
        return Termination(kind=EndKind.SIGNAL, exit_code=code, signal=signal, source=source)
    return Termination(kind=EndKind.NONZERO, exit_code=code, source=source)


def read_result(
    call: Call, text: str, is_error: bool | None, extra: Result | None, time: float | None, denial_kind: str | None
) -> Ending:
    """The end of `call` as its result tells it; `text` is the result without reminders, `time` its epoch seconds."""
    if is_error:
        if denial := _denial(text, denial_kind):
            return Ending(termination=NOT_RUN, error=text[:400], denial=denial)
        return _failed(call, text, extra)
    if extra is None:
        if text.startswith(_MOVED):
            return _background(call, text, Result(), time) or Ending(termination=OK, stdout=text)
        return Ending(termination=OK, stdout=text, truncated=_cut(text))
    if extra.agentId is not None or call.tool in ("Task", "Agent"):
        return _delegated(call, text, extra)
    moved = _background(call, text, extra, time)
    return moved or _finished(text, extra)


def _failed(call: Call, text: str, extra: Result | None) -> Ending:
    exit_code = _EXIT.match(text)
    body = text[exit_code.end() :] if exit_code else text
    code = int(exit_code[1]) if exit_code else None
    edges = body[:200] if len(body) <= 400 else f"{body[:200]}\n{body[-200:]}"
    if (exit_code or call.command is not None) and _TIMED_OUT.search(edges):
        end = Termination(kind=EndKind.TIMEOUT, exit_code=code, timed_out=True, source=EndSource.TEXT)
        return Ending(termination=end, stdout=body, truncated=_cut(body))
    if code is not None:
        end = exit_status(code, f"{call.command or ''}\n{edges}".lower())
        contradiction = "recorded as an error and with exit 0" if code == 0 else None
        if contradiction:
            end = Termination(kind=EndKind.UNKNOWN, exit_code=0, source=EndSource.TEXT, contradiction=contradiction)
        return Ending(termination=end, stdout=body, truncated=_cut(body))
    inner = text.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>").removeprefix("Error: ")
    if inner.startswith(_NEVER_STARTED):
        return Ending(termination=NOT_RUN, error=inner[:400])
    if any(mark in text for mark in _ABORTED) or (extra is not None and extra.interrupted):
        end = Termination(kind=EndKind.INTERRUPTED, source=EndSource.TEXT)
        return Ending(termination=end, stdout=text, error=inner[:400])
    return Ending(termination=FAILED, stdout=text, error=inner[:400], truncated=_cut(text))


def _background(call: Call, text: str, extra: Result, time: float | None) -> Ending | None:
    told = _BACKGROUND.match(text) if extra.backgroundTaskId or text.startswith(_MOVED) else None
    task = extra.backgroundTaskId or (next((g for g in told.groups() if g), None) if told else None)
    if task is None:
        return None
    by_hand = bool(extra.backgroundedByUser or extra.assistantAutoBackgrounded or (told and told[2]))
    timed_out: bool | None = False if call.background or by_hand else None
    if extra.timedOutAfterMs is not None or (told and (told[3] or told[4])):
        timed_out = True
    elif timed_out is None:
        timed_out = _deadline_passed(call, time)
    end = Termination(kind=EndKind.RUNNING, timed_out=timed_out, source=EndSource.FIELD)
    note = "moved to the background when its time was up" if timed_out else None
    if extra.interrupted or extra.signal:
        what = "interrupted" if extra.interrupted else f"killed by {extra.signal}"
        end = Termination(
            kind=EndKind.INTERRUPTED, timed_out=timed_out, contradiction=f"recorded as still running and as {what}"
        )
    file = _WRITTEN_TO.search(text) if told else None
    return Ending(
        termination=end, stdout="" if told else text, note=note, task=task, output_file=file[1] if file else None
    )


def _deadline_passed(call: Call, time: float | None) -> bool | None:
    """Nobody asked for the background: then only the deadline moves a call there, unless it went well before it."""
    if time is None or call.time is None or call.timeout_ms is None:
        return True
    return True if (time - call.time) * 1000 >= 0.9 * call.timeout_ms else None


def _finished(text: str, extra: Result) -> Ending:
    note = None
    if extra.returnCodeInterpretation:
        note = f"non-zero exit taken as harmless: {extra.returnCodeInterpretation}"[:200]
    cut = True if extra.persistedOutputPath else _cut(text)
    if not (extra.interrupted or extra.signal or extra.timedOutAfterMs or extra.timedOut or extra.exitCode):
        end = OK if extra.exitCode is None else Termination(kind=EndKind.OK, exit_code=0)
        return Ending(termination=end, stdout=text, note=note, truncated=cut)
    code = extra.exitCode
    beside = "as no error" if code is None else f"with exit {code}"
    if extra.timedOutAfterMs or extra.timedOut:
        kind, what, signal = EndKind.TIMEOUT, "as timed out", None
    elif extra.signal:
        kind, what, signal = EndKind.SIGNAL, f"as killed by {extra.signal}", str(extra.signal)
    elif extra.interrupted:
        kind, what, signal = EndKind.INTERRUPTED, "as interrupted", None
    else:
        end = exit_status(code or 0, "", EndSource.FIELD)
        return Ending(termination=end, stdout=text, note=note, truncated=cut)
    end = Termination(
        kind=kind,
        exit_code=code,
        signal=signal,
        timed_out=True if kind is EndKind.TIMEOUT else None,
        contradiction=None if code else f"recorded {beside} and {what}",
    )
    return Ending(termination=end, stdout=text, note=note, truncated=cut)


def _delegated(call: Call, text: str, extra: Result) -> Ending:
    if extra.isAsync or extra.status == "async_launched":
        end = Termination(kind=EndKind.RUNNING, timed_out=None if call.background else False)
        return Ending(termination=end, task=extra.agentId)
    end = agent_end(extra.status, text, extra.totalTokens)
    return Ending(termination=end, stdout=text, truncated=_cut(text), tool_uses=extra.totalToolUseCount)


def agent_end(status: str | None, text: str, tokens: int | None) -> Termination:
    """How a sub-agent ended: its status says completed even for those that died of a provider error."""
    if status in ("failed", "error"):
        return FAILED
    if status in ("killed", "cancelled", "stopped", "aborted"):
        return Termination(kind=EndKind.INTERRUPTED)
    dead = text.lstrip().startswith(_DEAD_AGENT) and len(text) < 2000
    if dead or tokens == 0:
        why = text.strip()[:80] if dead else "no tokens used"
        return Termination(kind=EndKind.NONZERO, contradiction=f"recorded as {status or 'completed'} and as '{why}'")
    return OK


def _denial(text: str, denial_kind: str | None) -> Denial | None:
    bare = text.removeprefix("Error: ")
    by_person = bare.startswith(_DENIED_BY_PERSON)
    if by_person or _DENIED_BY_RULE.match(bare):
        said = _SAID.search(text[:20_000])
        words = said[1].strip() if said else None
        if words and _NOT_ANSWERED in words[:200]:
            return Denial("human", _answers(words), answered=False)
        return Denial("human" if by_person or words else "policy", words)
    # The kind is also set where a program's permission callback refused: then the text is the program's.
    return Denial("policy") if denial_kind is not None else None


def _answers(words: str) -> str | None:
    given = [line.strip()[7:].strip() for line in words.splitlines() if line.strip().startswith("Answer:")]
    return "\n".join(given) or None


def _cut(text: str) -> bool | None:
    return True if text.startswith("<persisted-output>") or " truncated] ..." in text else None

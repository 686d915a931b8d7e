"""From a line, its recorded end and its output to a verdict for each of its commands."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.commandline import INERT, CommandLine, Kind, Part
from transcript_lint.commandline.programs import UNDECIDED_EXITS
from transcript_lint.events import EndKind, Step, Termination
from transcript_lint.ledger.output import Output, Said


class Verdict(StrEnum):
    """What the log says of one command of one run. FAILED, KILLED and EMPTY are contrary facts."""

    OK = "ok"
    FAILED = "failed"
    KILLED = "killed"
    EMPTY = "empty"
    UNREAD = "unread"
    NOT_RUN = "not run"
    UNKNOWN = "unknown"


CONTRARY = frozenset({Verdict.FAILED, Verdict.KILLED})


class Stage(Struct, kw_only=True):
    """One simple command of a run with what is known of its own end.

    `why` tells in words where the verdict comes from. `masked`: the line's status did not speak for it. `closed`: its
    own final result line was out, whatever became of the process. `cleared` is set when a later run of the same
    target ended ok, `perhaps` when one may have been. `passed` and `failed` are the counts its result line gave.
    """

    part: Part
    verdict: Verdict
    why: str = ""
    masked: bool = False
    closed: bool = False
    said: Said | None = None
    cleared: Step | None = None
    perhaps: bool = False

    @property
    def must_rerun(self) -> bool:
        """A contrary end is recorded and nothing has cleared it."""
        return self.verdict in CONTRARY and self.cleared is None and not self.part.expects_failure


def judge(line: CommandLine, end: Termination, output: Output) -> list[Stage]:
    """The verdict on each command of a line that says something; the inert ones (cd, echo, cat) are left out."""
    parts = [p for p in line.parts if p.kind not in INERT] or list(line.parts[-1:])
    masked_by_record = bool(end.masked)
    stages = [
        Stage(
            part=part,
            verdict=Verdict.UNKNOWN,
            masked=part.mask is not None or masked_by_record,
            said=output.about(part.kind),
        )
        for part in parts
    ]
    _in_band(stages, output)
    if stages and end.kind is EndKind.OK and "$?" not in line.text and "PIPESTATUS" not in line.text:
        _by_last_exit(stages[-1], output)
    settle = {
        EndKind.OK: _ended_ok,
        EndKind.NONZERO: _ended_nonzero,
        EndKind.TIMEOUT: _killed,
        EndKind.SIGNAL: _killed,
        EndKind.INTERRUPTED: _killed,
        EndKind.RUNNING: _running,
        EndKind.NOT_RUN: _not_run,
        EndKind.UNKNOWN: _unknown,
    }[end.kind]
    settle([s for s in stages if s.why == ""], stages, end, output)
    return stages


def _in_band(stages: list[Stage], output: Output) -> None:
    """A status the line itself printed for a command outranks everything else about that command."""
    echoing = [s for s in stages if s.part.echoes_status]
    if not echoing or len(echoing) > len(output.statuses):
        return
    for stage, status in zip(echoing, output.statuses[-len(echoing) :], strict=True):
        stage.why = f"its status was printed as {status}"
        stage.masked = False
        stage.verdict = Verdict.OK if status == 0 else Verdict.KILLED if status in (124, 137, 143) else Verdict.FAILED
        if status == 0 and stage.said is not None and stage.said.outcome == "empty":
            stage.verdict = Verdict.EMPTY


def _by_last_exit(stage: Stage, output: Output) -> None:
    """A script that swallows a failure may still print its status as the last thing it does."""
    if stage.why == "" and stage.part.kind not in INERT and (printed := output.last_exit):
        stage.verdict, stage.masked = Verdict.FAILED, True
        stage.why = f"the last thing it printed is the status {printed}"


def _by_own_line(stage: Stage, output: Output) -> None:
    """Let the command's own words decide, as far as they do."""
    said = stage.said
    if stage.part.looped and (said is None or said.outcome == "failure" or said.kind in output.failing):
        stage.why = "it ran in a loop, and the output does not tell the rounds apart"
    elif said is not None:
        stage.closed = said.outcome != "failure" or said.total
        stage.verdict = {"success": Verdict.OK, "failure": Verdict.FAILED, "empty": Verdict.EMPTY}[said.outcome]
        stage.why = f"its output says '{said.line}'"
    elif output.hint is not None and stage.masked:
        stage.verdict = Verdict.FAILED
        stage.why = f"its output says '{output.hint.line}'"


def _ended_ok(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    for stage in open_:
        said = stage.said
        if stage.masked and stage.part.mask != "&":
            _by_own_line(stage, output)
            if not stage.why:
                stage.why = (
                    f"its status is hidden by '{stage.part.mask or 'the shell'}' and no result line is in the output"
                )
        elif stage.part.mask == "&":
            stage.verdict, stage.why = Verdict.UNREAD, "it was sent to the background"
        elif said is not None and said.outcome == "empty" and stage.part.kind in _CAN_BE_EMPTY:
            stage.verdict, stage.why = Verdict.EMPTY, f"its output says '{said.line}'"
        elif said is not None and said.outcome == "failure" and said.failed and stage.part.kind is Kind.TEST:
            stage.verdict, stage.why, stage.masked = Verdict.FAILED, f"its output says '{said.line}'", True
        else:
            stage.verdict, stage.why = Verdict.OK, end.describe()


def _ended_nonzero(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    code = end.exit_code
    if code in (126, 127):
        for stage in open_:
            if not stage.masked:
                stage.verdict, stage.why = Verdict.FAILED, end.describe()
        return
    suspects: list[Stage] = []
    for stage in open_:
        if code is not None and UNDECIDED_EXITS.get(stage.part.words[0]) == code:
            stage.why = "what it asked about was still going on"
        elif stage.masked:
            _by_own_line(stage, output)
        elif stage.said is not None and stage.said.outcome == "success" and len(open_) > 1:
            stage.verdict, stage.why, stage.closed = Verdict.OK, f"its output says '{stage.said.line}'", True
        elif stage.said is not None and stage.said.outcome == "empty":
            stage.verdict, stage.why = Verdict.EMPTY, f"its output says '{stage.said.line}'"
        else:
            suspects.append(stage)
    told = [s for s in suspects if s.said is not None and s.said.outcome == "failure" and s.said.total]
    for stage in suspects:
        if len(suspects) == 1 or stage in told:
            stage.verdict = Verdict.UNKNOWN if stage.part.expects_failure else Verdict.FAILED
            stage.why = end.describe()
        elif told:
            before = suspects.index(stage) < suspects.index(told[0])
            stage.verdict = Verdict.OK if before else Verdict.NOT_RUN
            stage.why = "the line went on after it" if before else "the line stopped before it"
        else:
            stage.why = "another command of the line may have failed instead"


def _killed(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    for number, stage in enumerate(open_):
        last = number == len(open_) - 1
        if not last and stage.said is not None and stage.said.outcome == "success":
            stage.verdict, stage.why, stage.closed = Verdict.OK, f"its output says '{stage.said.line}'", True
            continue
        stage.verdict, stage.why = Verdict.KILLED, end.describe()
        stage.closed = stage.said is not None and stage.said.outcome == "success" and _closes(stage.said)


_CAN_BE_EMPTY = (Kind.TEST, Kind.CHECK, Kind.SCRIPT, Kind.OTHER)
_LAST_WORDS = re.compile(
    r"\bin [\d.]+ ?m?s\b|\btotal\b|^Ran \d+|^test result:|^BUILD|^Apply complete|^\*\* |^OK \(|^Done in "
)


def _closes(said: Said) -> bool:
    """Whether a success line is a tool's last word on the whole run (with its time or its total), not one of many."""
    return _LAST_WORDS.search(said.line) is not None


def _running(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    for stage in open_:
        stage.verdict, stage.why = Verdict.UNREAD, "it was still running"


def _not_run(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    for stage in open_:
        stage.verdict, stage.why = Verdict.NOT_RUN, "it was not run"


def _unknown(open_: list[Stage], stages: list[Stage], end: Termination, output: Output) -> None:
    for stage in open_:
        _by_own_line(stage, output)
        if not stage.why:
            stage.why = "no end is recorded"

"""Every command of the chain: what it was, how it ended, what its output showed, what cleared it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from transcript_lint.commandline import INERT, CommandLine, Kind, Part, Target, concludes, covers, parse, parse_argv
from transcript_lint.events import (
    AgentText,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    HumanMessage,
    Step,
    Termination,
    Verified,
)
from transcript_lint.ledger.counts import counted, wholly_seen
from transcript_lint.ledger.output import Output, read, value_hash
from transcript_lint.ledger.shown import GoodValues, Shown, Unread
from transcript_lint.ledger.verdicts import Stage, Verdict, judge
from transcript_lint.settings import Settings, any_phrase

__all__ = ["DELEGATE", "Run", "RunBook", "Stage", "Verdict"]

KEEP = 1_500
KEEP_OPEN = 3_000
KEEP_VALUES = 60_000
KEEP_FILES = 512
_LINE_NUMBER = re.compile(r"^ {0,8}\d{1,7}(?:\t|→)", re.M)
DELEGATE = re.compile(
    r"^(?:task|agent)$|sub-?agent|delegat|spawn|hand_?off|worker|reviewer|teammate|_agent$|^agent_", re.I
)
"""Names of tools that hand work to another agent."""
_UNKNOWN = Termination(kind=EndKind.UNKNOWN)
_PATH_KEYS = ("file_path", "path", "filename", "absolute_path", "target_file", "filePath")


class Run(Struct, kw_only=True):
    """One command with its end. Texts are not kept, only what was read from them.

    `index` counts runs; `boundary` the compactions before it; `turn` the human messages before it. `ended`,
    `termination` and `via` are of the latest record of its end. `read` is False while its output never came into the
    session to its end, `partly_read` True when a good result line of a part did. `shown` is what its output showed,
    for runs that did not end well. `counts` are the numbers on lines that tell of tests, of a run of tests that was
    wholly seen. `shows` is the call whose output file this one looks at. `contradiction` says which two records of its
    end disagree. `shell` is False for calls of other tools.
    """

    call_id: str
    index: int
    tool: str
    line: CommandLine
    stages: list[Stage]
    issued: Step
    agent: str = "main"
    cwd: str | None = None
    shell: bool = True
    turn: int = 0
    boundary: int = 0
    background: bool = False
    timeout_ms: int | None = None
    parent_command_id: str | None = None
    note: str | None = None
    ended: Step | None = None
    termination: Termination | None = None
    via: str = ""
    read: bool = False
    partly_read: bool = False
    blank: bool = False
    truncated: bool = False
    stated_must_rerun: bool | None = None
    hint: str = ""
    shown: Shown = field(default_factory=Shown)
    counts: tuple[int, ...] | None = None
    contradiction: str | None = None
    stopped_on_purpose: bool = False
    shows: str | None = None

    @property
    def success(self) -> tuple[str, ...]:
        """Excerpts of at most 80 characters, redacted by the reporter, of success-looking lines."""
        return self.shown.success

    @property
    def values(self) -> frozenset[int]:
        """Hashes of the numbers that its output held."""
        return self.shown.values

    @property
    def labels(self) -> frozenset[int]:
        """Hashes of the words that stood beside the numbers of its output."""
        return self.shown.labels

    @property
    def delegated(self) -> bool:
        """Whether somebody else may have run commands in it: a sub-agent, a server's tool."""
        return not self.shell and (self.tool.startswith("mcp") or DELEGATE.search(self.tool) is not None)

    @property
    def tests(self) -> bool:
        """Whether it ran tests, or printed a result of tests."""
        return any(s.part.kind is Kind.TEST or (s.said is not None and s.said.kind is Kind.TEST) for s in self.stages)

    @property
    def must_rerun(self) -> bool:
        """True when a contrary end is recorded and no later run of the same target cleared it."""
        return not self.stopped_on_purpose and any(stage.must_rerun for stage in self.stages)

    @property
    def chain(self) -> tuple[Step, ...]:
        """Issued, ended: the steps that prove how it ended."""
        return (self.issued,) if self.ended is None else (self.issued, self.ended)

    @property
    def name(self) -> str:
        """The command as people would call it, at most 80 characters."""
        text = " ".join(self.line.text.split()) or self.tool
        return text if len(text) <= 80 else text[:79] + "…"


class RunBook:
    """The runs of the chain by call id, in order; bounded, but an open must-rerun run is the last to go.

    A run whose output went to a file is read when a later command shows that file: `_files` joins the two.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._success = any_phrase(settings.success_phrases, re.M)
        self.count = 0
        self.forgotten = 0
        self.turn = 0
        self.boundary = 0
        self._runs: dict[str, Run] = {}
        self._failed: dict[str, Run] = {}
        self._open: dict[str, list[tuple[Run, Stage]]] = {}
        self._good = GoodValues(KEEP_VALUES)
        self._unread = Unread()
        self._files: dict[str, str] = {}
        self._moved_on = 0
        self._room = KEEP

    def on_agent_text(self, event: AgentText) -> None:
        self._moved_on = self.count

    def on_human_message(self, event: HumanMessage) -> None:
        self.turn += 1
        self._good.add(event.text, always=True)

    def on_compacted(self, event: Compacted) -> None:
        self.boundary += event.kind == "summary"

    def on_command_issued(self, event: CommandIssued) -> None:
        if event.call_id in self._runs:
            return
        shell = event.command is not None or event.argv is not None
        if event.command is not None:
            line = parse(event.command, self.settings.own)
        elif event.argv is not None:
            line = parse_argv(event.argv, self.settings.own)
        else:
            line = _tool_line(event)
        self.count += 1
        text = line.text if shell else event.tool
        run = Run(
            call_id=event.call_id,
            index=self.count,
            tool=event.tool,
            line=line,
            stages=[],
            issued=Step(event.at, f"{event.tool}: {_short(text)}" if shell else f"{event.tool} called", event.time),
            agent=event.agent,
            cwd=event.cwd,
            shell=shell,
            turn=self.turn,
            boundary=self.boundary,
            background=bool(event.background),
            timeout_ms=event.timeout_ms,
            parent_command_id=event.parent_command_id,
            note=event.note,
        )
        run.shows = self._shown_file(event, line)
        for name in line.files[:4]:
            self._keep_file(name, event.call_id)
        self._runs[event.call_id] = run
        if len(self._runs) > self._room:
            self._forget()

    def on_command_ended(self, event: CommandEnded) -> None:
        run = self._runs.get(event.call_id)
        if run is None:
            return
        end = event.termination
        if event.output_file:
            self._keep_file(event.output_file, event.call_id)
        text = f"{event.stdout}\n{event.stderr}" if event.stderr else event.stdout
        interesting = run.shell or end.must_rerun
        telling = interesting and not (end.succeeded and not end.masked and _only_shows(run.line))
        output = read(text, self._success) if telling else Output(blank=not text.strip())
        self._note_disagreement(run, end, output)
        if run.termination is not None and end.kind is EndKind.UNKNOWN and run.termination.kind is not EndKind.RUNNING:
            return
        run.termination, run.via = end, event.via
        run.ended = Step(event.at, _end_words(end, output, event), event.time)
        run.read = run.read or (event.via != "notification" and end.kind is not EndKind.RUNNING)
        run.partly_read = run.partly_read or (end.kind is EndKind.RUNNING and _shows_success(output, run.line))
        run.blank = output.blank and event.via != "notification"
        run.truncated = bool(event.truncated)
        run.stated_must_rerun = event.must_rerun
        run.hint = output.hint.line if output.hint is not None else ""
        run.contradiction = run.contradiction or end.contradiction
        run.stages = judge(run.line, end, output) if interesting else []
        if run.tests and not run.truncated and wholly_seen(text):
            run.counts = counted(text)
        if end.kind is EndKind.INTERRUPTED and (event.error or "").startswith("stopped on request"):
            run.stopped_on_purpose = True
        self._note_failure(run)
        if end.must_rerun or run.must_rerun or end.kind is EndKind.RUNNING:
            run.shown = Shown(text, event.observed_markers or output.marks)
            self._unread.add(run.shown)
        elif end.succeeded:
            self._good.add(text)
        if end.kind is EndKind.RUNNING:
            return
        self._clear(run, event)
        if run.shows is not None and (writer := self._runs.get(run.shows)) is not None:
            self._show(writer, text, event)

    def on_verified(self, event: Verified) -> None:
        run = self._runs.get(event.call_id)
        if run is not None and event.verdict == "passed":
            for stage in run.stages:
                stage.cleared = stage.cleared or Step(event.at, "verified by a later record", event.time)

    def get(self, call_id: str | None) -> Run | None:
        """The run of a call id."""
        return self._runs.get(call_id or "")

    def latest(self) -> Iterator[Run]:
        """All runs kept, the latest first."""
        return iter(reversed(self._runs.values()))

    def stages(self) -> Iterator[tuple[Run, Stage]]:
        """Every stage of every run that has an end, the latest first."""
        for run in self.latest():
            for stage in reversed(run.stages):
                yield run, stage

    def open_failures(self) -> Iterator[Run]:
        """Runs that are must-rerun now, the latest first."""
        self._failed = {call_id: run for call_id, run in self._failed.items() if run.must_rerun}
        return iter(sorted(self._failed.values(), key=lambda run: run.index, reverse=True))

    def unread(self) -> Iterator[Run]:
        """Shell runs known to be going on, or of which only a notification told the end, the latest first."""
        return (run for run in self.latest() if run.shell and run.ended is not None and not run.read)

    def in_flight(self) -> Iterator[Run]:
        """Runs without any record of an end, the latest first."""
        return (run for run in self.latest() if run.ended is None)

    def went_on_after(self, run: Run) -> bool:
        """Whether the session went on after this command: the agent spoke again, or a later command has an end."""
        later = (other for other in self.latest() if other.index > run.index)
        return self._moved_on >= run.index or any(other.ended is not None for other in later)

    def known_elsewhere(self, value: str) -> bool:
        """Whether a person, or the output of a run that ended ok, also held this number or id."""
        return value_hash(value) in self._good

    def _keep_file(self, name: str, call_id: str) -> None:
        self._files[_file_key(name)] = call_id
        if len(self._files) > KEEP_FILES:
            del self._files[next(iter(self._files))]

    def _shown_file(self, event: CommandIssued, line: CommandLine) -> str | None:
        """The run whose output file this command shows, if it shows one."""
        if not self._files:
            return None
        if isinstance(event.arguments, dict):
            names = [v for k, v in event.arguments.items() if k in _PATH_KEYS and isinstance(v, str)]
        else:
            names = [w for p in line.parts if p.kind in (Kind.READ, Kind.SEARCH) for w in p.words[1:]]
        return next((self._files[k] for name in names[:20] if (k := _file_key(name)) in self._files), None)

    def _show(self, writer: Run, text: str, event: CommandEnded) -> None:
        """What a run wrote to a file is seen now: that is its output, and its own words may decide how it ended."""
        if writer.termination is None or not event.termination.succeeded or not text.strip():
            return
        output = read(_LINE_NUMBER.sub("", text), self._success)
        writer.read = writer.read or writer.termination.kind is not EndKind.RUNNING
        writer.blank = False
        writer.shown.also(text)
        self._unread.add(writer.shown)
        echoed = [s.part.echoes_status for s in writer.stages]
        decided = output.closing or (any(echoed) and output.statuses)
        if writer.termination.must_rerun or not decided:
            return
        if writer.termination.kind is EndKind.RUNNING and not output.statuses:
            return
        # What the shell says of a command in the background is no end of it: the file alone tells one.
        open_ = writer.termination.kind is EndKind.RUNNING or any(s.part.mask == "&" for s in writer.stages)
        end = _UNKNOWN if open_ else writer.termination
        writer.stages = judge(writer.line, end, output)
        self._note_failure(writer)
        said = max(output.closing.values(), key=lambda s: s.at, default=None)
        words = f"; its output file says '{_short(said.line, 80)}'" if said is not None else ""
        writer.ended = Step(event.at, writer.termination.describe() + words, event.time)
        self._clear(writer, event)

    def _note_failure(self, run: Run) -> None:
        if run.must_rerun:
            self._failed[run.call_id] = run

    def _note_disagreement(self, run: Run, end: Termination, output: Output) -> None:
        before = run.termination
        if before is None or EndKind.UNKNOWN in (before.kind, end.kind):
            return
        if before.kind is EndKind.RUNNING or end.kind is EndKind.RUNNING:
            return
        if before.succeeded != end.succeeded:
            run.contradiction = f"one record says it {before.describe()}, another that it {end.describe()}"

    def _clear(self, run: Run, event: CommandEnded) -> None:
        """Let the ok commands of this run clear earlier failures of the same target, then open its own failures."""
        for stage in run.stages:
            if stage.verdict is Verdict.OK and not stage.part.expects_failure:
                for program in {stage.part.target.program, *concludes(stage.part)}:
                    self._clear_program(program, stage.part, run, event)
        for stage in run.stages:
            if stage.must_rerun and not run.stopped_on_purpose:
                self._open.setdefault(stage.part.target.program, []).append((run, stage))

    def _clear_program(self, program: str, part: Part, run: Run, event: CommandEnded) -> None:
        waiting = self._open.get(program)
        if not waiting:
            return
        left: list[tuple[Run, Stage]] = []
        for failed, stage in waiting:
            ends = program in concludes(part) or covers(part.target, stage.part.target)
            answer = ends if failed is not run else False
            if answer:
                stage.cleared = Step(event.at, f"ran again and ended ok: {run.name}", event.time)
            else:
                stage.perhaps = stage.perhaps or answer is None
                left.append((failed, stage))
        if left:
            self._open[program] = left
        else:
            del self._open[program]

    def _forget(self) -> None:
        """Drop the oldest runs: those with nothing open first, open failures only beyond `KEEP_OPEN`."""
        quarter = KEEP // 4
        oldest = list(self._runs.values())[: len(self._runs) - KEEP // 2]
        gone = [r for r in oldest if not r.must_rerun and r.ended is not None][:quarter]
        if len(self._runs) - len(gone) > KEEP_OPEN:
            settled = {r.call_id for r in gone}
            lost = [r for r in oldest if r.call_id not in settled][:quarter]
            self.forgotten += len(lost)
            gone += lost
        for run in gone:
            del self._runs[run.call_id]
            self._failed.pop(run.call_id, None)
        ids = {run.call_id for run in gone if run.must_rerun}
        for program in list(self._open) if ids else ():
            left = [(run, stage) for run, stage in self._open[program] if run.call_id not in ids]
            if left:
                self._open[program] = left
            else:
                del self._open[program]
        # Where nothing may be dropped it is not looked for again at every run.
        self._room = max(KEEP, len(self._runs) + quarter)


def _tool_line(event: CommandIssued) -> CommandLine:
    """A call that is no shell command, as a line of one command of unknown kind."""
    target = Target(event.tool, (event.arguments_sha256[:16],) if event.arguments_sha256 else ())
    return CommandLine(text="", parts=(Part(words=(event.tool,), kind=Kind.OTHER, target=target),))


def _only_shows(line: CommandLine) -> bool:
    """Whether a line that ended ok says nothing of a result by what it printed: it shows what others wrote."""
    last = line.parts[-1:]
    return all(part.kind in INERT and not part.echoes_status for part in line.parts) and not any(p.mask for p in last)


def _file_key(name: str) -> str:
    """A file by its base name: it may be written by a relative path and read by an absolute one."""
    return name.rstrip("/").rsplit("/", 1)[-1]


def _shows_success(output: Output, line: CommandLine) -> bool:
    kinds = {part.kind for part in line.parts}
    return any(said.outcome == "success" and kind in kinds for kind, said in output.closing.items())


def _short(text: str, limit: int = 160) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _end_words(end: Termination, output: Output, event: CommandEnded) -> str:
    words = end.describe()
    said = max(output.closing.values(), key=lambda s: s.at, default=output.hint)
    if said is not None:
        words += f"; its output says '{_short(said.line, 80)}'"
    elif output.blank and event.via == "result" and end.kind is not EndKind.RUNNING:
        words += "; no output"
    if event.via == "notification":
        words += " (by a notification)"
    return words

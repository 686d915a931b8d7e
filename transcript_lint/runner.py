"""From paths to a report: find, open, recognise, read, audit, sort."""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct, field

from transcript_lint import chains, fingerprint, inputs, recognise, registry, sources
from transcript_lint.engine import Engine
from transcript_lint.events import Event, RecordProblem
from transcript_lint.finding import Confidence, Finding, Level
from transcript_lint.readers.base import Reader
from transcript_lint.report import InputProblem, InputSummary, Report
from transcript_lint.rule import Rule
from transcript_lint.settings import Settings
from transcript_lint.timing import TimedEngine
from transcript_lint.wording import counted

# Below this a pool of processes costs more than it brings.
POOL_INPUTS = 8
POOL_BYTES = 32 << 20

Progress = Callable[[int, int], None]
"""Told how many inputs are done, of how many."""


class Job(Struct, frozen=True, kw_only=True):
    """What to audit and how.

    `levels` replaces the level of a rule's findings by rule id; `ignored` maps a path glob to the rule ids that say
    nothing there. `jobs` is a number of processes, 0 for as many as help. `stdin_name` stands for `-` in the report.
    `max_record` is in bytes. Globs are read as from `folder`, that of the configuration.
    """

    rules: Sequence[type[Rule]]
    settings: Settings
    min_confidence: Confidence = Confidence.MEDIUM
    levels: Mapping[str, Level] = field(default_factory=dict)
    ignored: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    folder: Path | None = None
    jobs: int = 1
    timings: bool = False
    stdin_name: str = "-"
    max_record: int = sources.RECORD_LIMIT


class Interrupted(KeyboardInterrupt):
    """The audit was interrupted. `report` holds what was found until then, and says how far it got."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


def audit_paths(paths: Sequence[str], job: Job, progress: Progress | None = None) -> Report:
    """Audit every input that `paths` name and put all of it into one report, sorted by path, line and rule.

    Nothing in it depends on the order of `paths` or the number of processes. Raises Interrupted.
    """
    report, found = Report(), inputs.Found()
    parts: dict[str, Report] = {}
    try:
        found = inputs.find(paths, job.exclude, job.force_exclude, job.folder)
        _audit(found.inputs, job, progress, parts)
    except KeyboardInterrupt:
        report.interrupted = _reached(parts, len(found.inputs))
    report.problems += [InputProblem(path=p, message="there is no such file or folder") for p in found.missing]
    report.problems += [
        InputProblem(path=p, message=f"cannot be searched: {why}") for p, why in sorted(found.closed.items())
    ]
    if found.excluded:
        report.notices.append(f"{found.excluded} of the inputs were left out by exclude patterns")
    for path in found.inputs:
        if path in parts:
            report.add(parts[path])
    report.problems = [p for p in report.problems if not _stray(p, found.searched)]
    place = {job.stdin_name if path == "-" else path: number for number, path in enumerate(found.inputs)}
    report.inputs.sort(key=lambda one: place.get(one.path, len(place)))
    report.findings.sort(key=lambda f: (f.at.path, f.input, f.at.line, f.rule, f.at.pointer, f.message))
    report.findings = fingerprint.stamp(report.findings)
    if report.interrupted:
        raise Interrupted(report)
    return report


def _audit(paths: Sequence[str], job: Job, progress: Progress | None, parts: dict[str, Report]) -> None:
    """Put one report a chain of inputs into `parts`, by its first input, however many processes work on them."""
    linked = chains.link(paths)
    workers = _workers(paths, job.jobs)
    done = 0

    def take(chain: Sequence[str], part: Report) -> None:
        nonlocal done
        parts[chain[0]] = part
        done += len(chain)
        if progress:
            progress(done, len(paths))

    if workers == 1 or len(linked) == 1:
        for chain in linked:
            take(chain, part := audit_chain(chain, job))
            if part.interrupted:
                raise KeyboardInterrupt
        return
    from transcript_lint.workers import Crew, Lost

    for name in recognise.COMMON:  # loaded once here, so that forked workers need not
        registry.load("readers", name)
    largest_first = sorted(linked, key=lambda chain: sum(map(_size, chain)), reverse=True)

    def hear(number: int, part: Report | Lost) -> None:
        chain = largest_first[number]
        take(chain, _unaudited(chain, part.why) if isinstance(part, Lost) else part)

    Crew(largest_first, partial(audit_chain, job=job), hear).run(workers)


def _unaudited(chain: Sequence[str], why: str) -> Report:
    message = f"was not audited: the process that worked on it {why}"
    return Report(problems=[InputProblem(path=path, message=message) for path in chain])


def _reached(parts: Mapping[str, Report], inputs: int) -> str:
    """How far an interrupted audit got, in words."""
    whole = sum(len(part.inputs) for part in parts.values() if not part.interrupted)
    begun = sum(len(part.inputs) for part in parts.values() if part.interrupted)
    return f"interrupted: this report is partial; {whole} of {counted(inputs, 'input')} in full, {begun} in part"


def _workers(paths: Sequence[str], jobs: int) -> int:
    if len(paths) < 2 or jobs == 1 or "-" in paths:
        return 1
    if jobs == 0:
        if len(paths) < POOL_INPUTS and sum(map(_size, paths)) < POOL_BYTES:
            return 1
        jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(jobs, len(paths)))


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def audit_one(path: str, job: Job) -> Report:
    """Audit one input."""
    return audit_chain((path,), job)


def audit_chain(paths: Sequence[str], job: Job) -> Report:
    """Audit inputs that continue one another, in this order, as one job: what one proves, the next ones know.

    An interrupt ends it with what was found until then; the report's `interrupted` says so.
    """
    report = Report()
    engine = (TimedEngine if job.timings else Engine)(job.rules, job.settings, _name(paths[0], job))
    history = chains.History() if len(paths) > 1 else None
    left = list(paths)
    try:
        while left:
            _feed(left[0], job, engine, report, history)
            del left[0]
        if report.inputs:
            finish(engine, report)
    except KeyboardInterrupt:
        report.interrupted = "interrupted before the end"
        report.problems += [InputProblem(path=_name(p, job), message=report.interrupted) for p in left or paths]
    if report.inputs:
        tell(engine, job, report)
    return report


def finish(engine: Engine, report: Report) -> None:
    try:
        engine.finish()
    except Exception as error:  # what one chain brings about must not take the findings of the others along
        report.problems.append(InputProblem(path=report.inputs[-1].path, message=fault(error)))


def tell(engine: Engine, job: Job, report: Report) -> None:
    """Put what the engine noted into the report."""
    audit = engine.audit
    by_path = {summary.path: summary for summary in report.inputs}
    report.findings += filter(None, (kept(finding, job, by_path) for finding in audit.findings))
    report.failures += audit.failures
    report.abstained.update(audit.abstentions)
    if isinstance(engine, TimedEngine):
        report.timings.update(engine.seconds)
    abstained: dict[str, int] = {}
    for (rule, _), count in audit.abstentions.items():
        abstained[rule] = abstained.get(rule, 0) + count
    report.inputs[0] = msgspec.structs.replace(report.inputs[0], abstained=abstained)


def _feed(path: str, job: Job, engine: Engine, report: Report, history: chains.History | None) -> None:
    """Let the engine see one input, and put into the report what was read of it, or why nothing could be."""
    name = _name(path, job)
    read: list[Reader] = []
    seen, problems = engine.audit.events, Counter[str]()
    if history is not None:
        history.next_input()
    try:
        for part in sources.with_older(path):
            with sources.open_stream(part) as stream:
                lines = sources.records(stream, job.max_record)
                reader, lines = recognise.choose_reader(name if part == path else part, lines)
                if reader is not None:
                    read.append(reader)
                    reader.limit = job.max_record
                    events = counting(reader.events(lines), problems)
                    engine.feed(events if history is None else history.fresh(events), name)
                elif part == path and not read:
                    report.problems.append(recognise.unrecognised(name, lines))
    except OSError as error:
        report.problems.append(InputProblem(path=name, message=f"cannot be read: {error.strerror or error}"))
    except Exception as error:  # what one input brings about must not take the findings of the others along
        report.problems.append(InputProblem(path=name, message=fault(error)))
    finally:
        if read:
            sum_up(name, read, problems, engine.audit.events - seen, report)


def sum_up(name: str, read: Sequence[Reader], problems: Counter[str], events: int, report: Report) -> None:
    """Put into the report how much of an input was read."""
    lost = problems["lost"]
    report.unreadable += lost
    if events == lost > 0:
        report.problems.append(InputProblem(path=name, message="nothing of it could be read"))
    for one in read:
        for kind, count in one.unknown.items():
            report.unknown[one.name, kind] += count
    summary = InputSummary(
        path=name,
        format=read[-1].name,
        records=sum(one.records for one in read),
        unreadable=lost,
        untold=problems["unfinished"] + sum(one.unknown.total() for one in read),
    )
    report.inputs.append(summary)


def _name(path: str, job: Job) -> str:
    return job.stdin_name if path == "-" else path


def fault(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"[:200]
    return f"could not be audited to its end; this is a fault of transcript-lint ({what}, {place.name}:{place.lineno})"


def _stray(problem: InputProblem, searched: set[str]) -> bool:
    """Whether it is only a JSON file in a searched folder that is no transcript, and need be none."""
    return problem.message == recognise.UNRECOGNISED and problem.path in searched and problem.path.endswith(".json")


def counting(events: Iterable[Event], problems: Counter[str]) -> Iterator[Event]:
    """The events; `problems` counts records by their problem, and those that are lost."""
    for event in events:
        if isinstance(event, RecordProblem):
            problems[event.problem] += 1
            problems["lost"] += event.lost
        yield event


def kept(finding: Finding, job: Job, by_path: Mapping[str, InputSummary]) -> Finding | None:
    """The finding as the job wants to see it, or None."""
    read = by_path.get(finding.input)
    if read is not None and read.format != "native" and finding.at.path in by_path:
        read = by_path[finding.at.path]  # told of an earlier file of the chain; a native log may name any file
    path, format = (read.path, read.format) if read is not None else (finding.input, "")
    if finding.confidence.rank < job.min_confidence.rank:
        return None
    if any(finding.rule in rules and inputs.matches(path, glob, job.folder) for glob, rules in job.ignored.items()):
        return None
    level = job.levels.get(finding.rule, finding.level)
    return msgspec.structs.replace(finding, level=level, format=format, input=path)

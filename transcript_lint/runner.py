"""From paths to a report: open, recognise, read, audit, sort."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import orjson
from msgspec import Struct

from transcript_lint import registry, sources
from transcript_lint.engine import Audit, Engine
from transcript_lint.events import Event, RecordProblem
from transcript_lint.finding import Confidence, Finding
from transcript_lint.readers.base import Reader, Sample
from transcript_lint.report import InputProblem, InputSummary, Report
from transcript_lint.rule import Rule
from transcript_lint.settings import Settings

SAMPLE_RECORDS = 40
SAMPLE_BYTES = 1 << 16


class Job(Struct, frozen=True, kw_only=True):
    """What to audit and how: the rules, the settings and the least confidence to keep."""

    rules: Sequence[type[Rule]]
    settings: Settings
    min_confidence: Confidence = Confidence.MEDIUM


def audit_paths(paths: Sequence[str], job: Job) -> Report:
    """Audit every input that `paths` name and put all of it into one report, sorted by path, line and rule."""
    report = Report()
    found, missing = sources.expand(paths)
    report.problems += [InputProblem(path=p, message="there is no such file or folder") for p in missing]
    for path in found:
        audit_one(path, job, report)
    report.findings.sort(key=lambda f: (f.at.path, f.at.line, f.rule, f.at.pointer, f.message))
    return report


def audit_one(path: str, job: Job, report: Report) -> None:
    """Audit one input and add what it brought to `report`."""
    engine = Engine(job.rules, job.settings)
    try:
        with sources.open_stream(path) as stream:
            lines = sources.records(stream)
            reader, lines = choose_reader(path, lines)
            if reader is None:
                report.problems.append(InputProblem(path=path, message="no reader knows this format"))
                return
            engine.feed(_counting(reader.events(lines), report))
    except OSError as error:
        report.problems.append(InputProblem(path=path, message=f"cannot be read: {error.strerror or error}"))
        return
    _add(report, engine.finish(), job, reader)
    report.inputs.append(InputSummary(path=path, format=reader.name, records=reader.records))
    for kind, count in reader.unknown.items():
        report.unknown[reader.name, kind] += count


def choose_reader(
    path: str, lines: Iterator[sources.Record]
) -> tuple[Reader | None, Iterator[sources.Record]]:
    """The reader that is surest of the first records, and all records, those looked at included."""
    head: list[sources.Record] = []
    size = 0
    for record in lines:
        head.append(record)
        size += len(record.data)
        if len(head) >= SAMPLE_RECORDS or size >= SAMPLE_BYTES:
            break
    documents = []
    for record in head:
        try:
            documents.append(orjson.loads(record.data))
        except orjson.JSONDecodeError:
            continue
    sample = Sample(path=path, head=b"\n".join(r.data for r in head)[:SAMPLE_BYTES], documents=documents)
    scores = [(reader.sniff(sample), name) for name, reader in registry.readers().items()]
    best, name = max(scores, default=(0, ""))
    chosen = registry.readers()[name](path) if best > 0 else None
    return chosen, itertools.chain(head, lines)


def _counting(events: Iterable[Event], report: Report) -> Iterator[Event]:
    for event in events:
        if isinstance(event, RecordProblem) and event.lost:
            report.unreadable += 1
        yield event


def _add(report: Report, audit: Audit, job: Job, reader: Reader) -> None:
    least = job.min_confidence.rank
    kept: Iterable[Finding] = (f for f in audit.findings if f.confidence.rank >= least)
    report.findings += kept
    report.abstained.update(audit.abstentions)
    report.failures += audit.failures

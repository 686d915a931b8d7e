"""Findings as plain data: what the JSON formats write, and their schema, from one set of types."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from transcript_lint.events import Location, Step
from transcript_lint.finding import Confidence, Finding, Level
from transcript_lint.report import Report


class StepRow(Struct, frozen=True, kw_only=True):
    """One record of the chain that shows the fault."""

    path: str
    line: Annotated[int, Meta(description="From 1, in the uncompressed text.", ge=0)]
    pointer: Annotated[str, Meta(description="JSON pointer of the field in that record, empty for all of it.")]
    inner: Annotated[str | None, Meta(description="Member of an archive.")]
    what: str
    time: Annotated[str | None, Meta(description="RFC 3339, UTC, if the log has it.")]


class FindingRow(Struct, frozen=True, kw_only=True):
    """One finding."""

    rule: str
    name: str
    level: Level
    confidence: Confidence
    path: str
    inner: Annotated[str | None, Meta(description="Member of an archive.")]
    line: Annotated[int, Meta(description="From 1, in the uncompressed text.", ge=0)]
    pointer: Annotated[str, Meta(description="JSON pointer of the field in that record, empty for all of it.")]
    input: Annotated[str, Meta(description="The file that was read; a converted log names another one as `path`.")]
    message: str
    because: Annotated[list[StepRow], Meta(description="The chain in the order of the story.")]
    fingerprint: Annotated[str, Meta(description="Of the content: no line, id, time or path changes it.")]
    format: str
    status: Annotated[
        Literal["new", "suppressed", "baselined"], Meta(description="The last two only with --show-suppressed.")
    ]


class Trouble(Struct, frozen=True, kw_only=True):
    """What kept the job from being done."""

    path: str
    message: str
    fatal: bool


class Abstained(Struct, frozen=True, kw_only=True):
    """Checks that could not be decided."""

    rule: str
    reason: str
    count: int


class Unknown(Struct, frozen=True, kw_only=True):
    """Records of a type that the reader does not know."""

    format: str
    type: str
    count: int


class Summary(Struct, frozen=True, kw_only=True):
    """The counts of a run, and what could not be checked."""

    version: str
    exit_code: int
    interrupted: Annotated[str, Meta(description="How far an interrupted audit got, in words; empty when it ended.")]
    files: int
    records: int
    findings: int
    suppressed: int
    baselined: int
    fixed: int
    unreadable: int
    unknown_types: int
    abstained: int
    problems: list[Trouble]
    not_checked: list[Abstained]
    unknown: list[Unknown]
    notices: list[str]


class SummaryLine(Struct, frozen=True, kw_only=True):
    """The last line."""

    summary: Summary


def findings(report: Report, show_suppressed: bool) -> Iterator[FindingRow]:
    """The findings, then on demand those set apart."""
    yield from (_row(f, "new") for f in report.findings)
    if show_suppressed:
        yield from (_row(f, "suppressed") for f in report.suppressed)
        yield from (_row(f, "baselined") for f in report.baselined)


def summary(report: Report, version: str) -> Summary:
    """The summary of a run."""
    problems = [Trouble(path=p.path, message=p.message, fatal=p.fatal) for p in report.problems]
    problems += [
        Trouble(path=f.at.path, message=f"rule {f.rule} crashed at line {f.at.line}: {f.error}", fatal=True)
        for f in report.failures
    ]
    return Summary(
        version=version,
        exit_code=report.exit_code,
        interrupted=report.interrupted,
        files=len(report.inputs),
        records=report.records,
        findings=len(report.findings),
        suppressed=len(report.suppressed),
        baselined=len(report.baselined),
        fixed=len(report.fixed),
        unreadable=report.unreadable,
        unknown_types=sum(report.unknown.values()),
        abstained=sum(report.abstained.values()),
        problems=problems,
        not_checked=[Abstained(rule=rule, reason=why, count=n) for (rule, why), n in sorted(report.abstained.items())],
        unknown=[Unknown(format=format, type=kind, count=n) for (format, kind), n in sorted(report.unknown.items())],
        notices=[*report.ratchet, *report.notices, *(f"fixed: {line}" for line in report.fixed)],
    )


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line of `--format jsonl`."""
    shapes, components = msgspec.json.schema_components((FindingRow, SummaryLine), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "transcript-lint findings, one line",
        "anyOf": list(shapes),
        "$defs": components,
    }


def _row(finding: Finding, status: Literal["new", "suppressed", "baselined"]) -> FindingRow:
    at: Location = finding.at
    return FindingRow(
        rule=finding.rule,
        name=finding.name,
        level=finding.level,
        confidence=finding.confidence,
        path=at.path,
        inner=at.inner,
        line=at.line,
        pointer=at.pointer,
        input=finding.input,
        message=finding.message,
        because=[_step(step) for step in finding.because],
        fingerprint=finding.fingerprint,
        format=finding.format,
        status=status,
    )


def _step(step: Step) -> StepRow:
    at = step.at
    return StepRow(path=at.path, line=at.line, pointer=at.pointer, inner=at.inner, what=step.what, time=utc(step.time))


def utc(time: float | None) -> str | None:
    """RFC 3339 of epoch seconds; None if there is none, or none that a calendar has."""
    if time is None:
        return None
    try:
        moment = datetime.datetime.fromtimestamp(time, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

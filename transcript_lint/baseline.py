"""Findings that are accepted as they stand, and how much could be checked when they were accepted.

A baseline knows findings by content, so that it holds when records come before, when the log is compressed, moved or
exported again. It is a ratchet too: a run that can read or decide less than the baseline's fails.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from transcript_lint.finding import Finding
from transcript_lint.inputs import COMPRESSED
from transcript_lint.report import InputSummary, Report
from transcript_lint.wording import counted

VERSION = 1


class BaselineError(Exception):
    """A baseline cannot be used; says which and why."""


class Entry(Struct, frozen=True, kw_only=True):
    """One accepted finding, or `count` equal ones; path and message are there for people alone."""

    rule: str
    fingerprint: str
    count: int = 1
    path: str = ""
    message: str = ""


class Checked(Struct, frozen=True, kw_only=True):
    """How much of one input could be checked: its format, records that were read and known, by rule checks that
    abstained.
    """

    format: str
    readable: int
    abstained: dict[str, int] = field(default_factory=dict)


class Baseline(Struct, frozen=True, kw_only=True):
    """The file: accepted findings sorted by rule and fingerprint, inputs by path relative to the file's folder."""

    version: Annotated[int, Meta(description="Of this file's format.")] = VERSION
    findings: list[Entry] = field(default_factory=list)
    inputs: dict[str, Checked] = field(default_factory=dict)


def read(file: Path) -> Baseline:
    """The baseline in a file. Raises BaselineError."""
    try:
        baseline = msgspec.json.decode(file.read_bytes(), type=Baseline)
    except OSError as error:
        hint = "; `transcript-lint baseline create` makes one" if isinstance(error, FileNotFoundError) else ""
        raise BaselineError(f"baseline {file} cannot be read: {error.strerror}{hint}") from error
    except msgspec.MsgspecError as error:
        raise BaselineError(f"baseline {file} is damaged: {error}") from error
    if baseline.version != VERSION:
        raise BaselineError(f"baseline {file} has version {baseline.version}; this release reads {VERSION}")
    return baseline


def make(report: Report, folder: Path) -> Baseline:
    """A baseline that accepts the report's findings, for a file in `folder`. The report must be fit to be shown."""
    equal: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.findings:
        equal.setdefault((finding.rule, content(finding)), []).append(finding)
    entries = [
        Entry(rule=rule, fingerprint=digest, count=len(same), path=_key(same[0].input, folder), message=same[0].message)
        for (rule, digest), same in sorted(equal.items())
    ]
    checked = {_key(i.path, folder): _checked(i) for i in sorted(report.inputs, key=lambda i: i.path)}
    return Baseline(findings=entries, inputs=checked)


def write(baseline: Baseline, file: Path) -> None:
    """Write a baseline so that a change of it reads well in a diff. Raises BaselineError."""
    try:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(baseline), indent=2) + b"\n")
    except OSError as error:
        raise BaselineError(f"baseline {file} cannot be written: {error.strerror}") from error


def apply(baseline: Baseline, report: Report, folder: Path) -> None:
    """Set the accepted findings of a report apart; tell what is fixed, and where less could be checked."""
    left: Counter[tuple[str, str]] = Counter()
    for entry in baseline.findings:
        left[entry.rule, entry.fingerprint] += entry.count
    fresh: list[Finding] = []
    for finding in report.findings:
        key = (finding.rule, content(finding))
        if left[key] > 0:
            left[key] -= 1
            report.baselined.append(finding)
        else:
            fresh.append(finding)
    report.findings = fresh
    places = _places(baseline, report, folder)
    seen = set(places.values())
    for entry in baseline.findings:
        # An input that this run did not look at says nothing about its findings.
        if left[entry.rule, entry.fingerprint] > 0 and entry.path in seen:
            report.fixed.append(f"{entry.rule} {entry.path}: {entry.message}")
    for summary in report.inputs:
        if before := baseline.inputs.get(places[summary.path]):
            now = _checked(summary)
            report.ratchet += _less(summary.path, before, now)
            if now.format != before.format:
                report.notices.append(
                    f"warning: {summary.path}: it is read as {now.format}, in the baseline it was {before.format}; "
                    "the number of records is not compared until `baseline update`"
                )


def _places(baseline: Baseline, report: Report, folder: Path) -> dict[str, str]:
    """Inputs to their keys in the baseline; one that was moved is known by its name, if no other bears it."""
    found = {i.path: _key(i.path, folder) for i in report.inputs}
    gone = [key for key in baseline.inputs if key not in found.values()]
    for path, key in found.items():
        named = [old for old in gone if PurePosixPath(old).name == PurePosixPath(key).name]
        if key not in baseline.inputs and len(named) == 1 and not Path(folder, named[0]).exists():
            found[path] = named[0]
    return found


def content(finding: Finding) -> str:
    """The fingerprint without the number that counts equal ones."""
    return finding.fingerprint.partition(":")[0]


def schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Baseline)}


def _less(path: str, before: Checked, now: Checked) -> list[str]:
    lines = []
    if now.format == before.format and now.readable < before.readable:
        lines.append(f"error: {path}: {now.readable} records are readable, {before.readable} were in the baseline")
    for rule, count in sorted(now.abstained.items()):
        was = before.abstained.get(rule, 0)
        # A log that has grown may bring more of what was undecided before, but nothing that was decided.
        if count > was and (was == 0 or now.readable <= before.readable):
            lines.append(f"error: {path}: {rule} could not decide {counted(count, 'time')}, {was} in the baseline")
    return lines


def _checked(summary: InputSummary) -> Checked:
    readable = max(0, summary.records - summary.unreadable - summary.untold)
    return Checked(format=summary.format, readable=readable, abstained=dict(sorted(summary.abstained.items())))


def _key(path: str, folder: Path) -> str:
    for suffix in COMPRESSED:
        path = path.removesuffix(suffix)
    return Path(os.path.relpath(path, folder)).as_posix() if path != "-" else path

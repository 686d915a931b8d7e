"""Logs that hold faults on purpose: the findings expected of each stand in `<log>.expected.json` beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
from msgspec import Struct

from transcript_lint.report import Report
from transcript_lint.wording import counted

SUFFIX = ".expected.json"


class ExpectError(Exception):
    """An expectation file cannot be used; says which and why."""


class Expected(Struct, frozen=True, order=True):
    """One finding: on which line, of which rule, at which level."""

    line: int
    rule: str
    level: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule} ({self.level})"


class Expectation(Struct, frozen=True, kw_only=True):
    """The file: all findings expected of one log, sorted by line and rule."""

    findings: list[Expected]


def expected_file(path: str) -> Path:
    """Where the expectation of a log stands."""
    return Path(path + SUFFIX)


def compare(report: Report) -> list[str]:
    """What is missing and what is surplus in every input, a line each. Raises ExpectError."""
    lines: list[str] = []
    for path, got in _by_input(report).items():
        file = expected_file(path)
        want = Counter(_read(file)) if file.exists() else Counter[Expected]()
        lines += [f"{path}: missing: {item}" for item in sorted((want - got).elements())]
        lines += [f"{path}: surplus: {item}" for item in sorted((got - want).elements())]
    return lines


def update(report: Report) -> list[str]:
    """Write what was found as what is expected; an input without findings needs no file. Returns what was changed.

    Raises ExpectError.
    """
    changed: list[str] = []
    for path, got in _by_input(report).items():
        file = expected_file(path)
        body = msgspec.json.encode(Expectation(findings=sorted(got.elements())))
        text = msgspec.json.format(body, indent=2) + b"\n"
        try:
            if not got:
                if file.exists():
                    file.unlink()
                    changed.append(f"{file}: removed, nothing is found in the log any more")
            elif not file.exists() or file.read_bytes() != text:
                file.write_bytes(text)
                changed.append(f"{file}: {counted(got.total(), 'finding')} expected")
        except OSError as error:
            raise ExpectError(f"{file} cannot be written: {error.strerror}") from error
    return changed


def _read(file: Path) -> list[Expected]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Expectation).findings
    except (OSError, msgspec.MsgspecError) as error:
        raise ExpectError(f"{file} cannot be read: {error}; --update-expected writes it anew") from error


def _by_input(report: Report) -> dict[str, Counter[Expected]]:
    found: dict[str, Counter[Expected]] = {i.path: Counter() for i in report.inputs}
    for f in report.findings:
        found[f.input][Expected(f.at.line, f.rule, str(f.level))] += 1
    return found

"""Folders of labelled logs: which findings are expected in each log, in the forms that such folders come in.

- `LOG.expected.json` beside a log: every finding of it, as `check --update-expected` writes it;
- `expect.json` beside `input.*`: the faults of the log, none for an innocent one;
- `labels.jsonl`: a log a line, `file`, `expect` and `twin` (innocent), judged within the lines `mutated` alone.

In the last two, notes that are not expected are near-misses and do not count; `also` and `also_ok` name rules that may
speak as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from transcript_lint.expect import SUFFIX, Expectation, ExpectError
from transcript_lint.finding import Finding

T = TypeVar("T")


class Fault(Struct, frozen=True):
    """One finding expected: its rule and line; rules in `also` tell it as well, and on `alt_lines` it may stand too."""

    rule: str
    line: int
    also: tuple[str, ...] = ()
    alt_lines: tuple[int, ...] = ()

    def is_told_by(self, finding: Finding) -> bool:
        """Whether a finding tells this fault."""
        return finding.rule in (self.rule, *self.also) and finding.at.line in (self.line, *self.alt_lines)


class Labelled(Struct, frozen=True, kw_only=True):
    """One log and its faults; `full` when they are all that may be found, otherwise `may` and notes speak freely."""

    log: str
    faults: tuple[Fault, ...]
    may: frozenset[str] = frozenset()
    within: tuple[int, int] | None = None
    full: bool = False

    def wrongs(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings that the label speaks against."""
        told: set[Fault] = set()
        for finding in findings:
            fault = next((f for f in self.faults if f.is_told_by(finding) and not (self.full and f in told)), None)
            if fault is not None:
                told.add(fault)
            elif self.full or (finding.level.rank > 0 and finding.rule not in self.may and self._holds(finding)):
                yield finding

    def _holds(self, finding: Finding) -> bool:
        return self.within is None or self.within[0] <= finding.at.line <= self.within[1]


class _Case(Struct, frozen=True):
    findings: list[Fault]


class _Row(Struct, frozen=True):
    file: str
    expect: list[Fault] | None = None
    twin: bool = False
    mutated: tuple[int, int] | None = None
    also_ok: list[str] = []


def labelled_logs(folder: str) -> Iterator[Labelled]:
    """The labelled logs of a folder and those below it. Raises ExpectError."""
    for file in sorted(Path(folder).rglob(f"*{SUFFIX}")):
        faults = [Fault(item.rule, item.line) for item in _read(file, file.read_bytes(), Expectation).findings]
        yield Labelled(log=str(file).removesuffix(SUFFIX), faults=tuple(faults), full=True)
    for file in sorted(Path(folder).rglob("expect.json")):
        case = _read(file, file.read_bytes(), _Case)
        for log in sorted(file.parent.glob("input.*"))[:1]:
            yield _of(str(log), case.findings, frozenset(), None)
    for file in sorted(Path(folder).rglob("labels.jsonl")):
        for line in file.read_bytes().splitlines():
            row = _read(file, line, _Row)
            if row.expect is not None and file.parent.joinpath(row.file).is_file():
                expected = [] if row.twin else row.expect
                yield _of(str(file.parent / row.file), expected, frozenset(row.also_ok), row.mutated)


def _of(log: str, faults: list[Fault], may: frozenset[str], within: tuple[int, int] | None) -> Labelled:
    return Labelled(log=log, faults=tuple(faults), may=may.union(*(fault.also for fault in faults)), within=within)


def _read(file: Path, body: bytes, form: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=form)
    except msgspec.MsgspecError as error:
        raise ExpectError(f"{file} cannot be read: {error}") from error

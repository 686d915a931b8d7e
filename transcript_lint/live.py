"""Audit a log while it is written: what a record proves is told when the record comes."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from transcript_lint import recognise, runner, sources
from transcript_lint.compressed import unpack
from transcript_lint.engine import Engine
from transcript_lint.events import Event
from transcript_lint.finding import Finding
from transcript_lint.readers.base import Reader
from transcript_lint.report import InputProblem, InputSummary, Report

PAUSE = 0.25
"""Seconds between two looks at a file that did not grow."""


class Growing:
    """A plain file, read as it grows. It ends when `stop` is set, after `idle` seconds without a new byte, or where it
    is cut short or another file takes its place; then `ended` says so in words.
    """

    def __init__(self, path: str, stop: threading.Event, idle: float | None = None) -> None:
        self._path = Path(path)
        self._file = self._path.open("rb")
        self._stop = stop
        self._idle = idle
        self.ended = ""

    def __enter__(self) -> Growing:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def read1(self, size: int = -1) -> bytes:
        """The next bytes, waited for; none at the end."""
        waited = 0.0
        while not (data := self._file.read(size)):
            self.ended = self._gone()
            if self.ended or self._stop.is_set() or (self._idle is not None and waited >= self._idle):
                return b""
            self._stop.wait(PAUSE)
            waited += PAUSE
        return data

    read = read1

    def _gone(self) -> str:
        try:
            there, here = self._path.stat(), os.fstat(self._file.fileno())
        except OSError:
            return "the file is gone"
        if (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev):
            return "another file took its place"
        return "the file was cut short" if there.st_size < self._file.tell() else ""


def watch(
    path: str, job: runner.Job, hear: Callable[[Finding], None], stop: threading.Event, idle: float | None = None
) -> Report:
    """Audit a file from its first byte, and go on as it grows until `stop` is set or nothing came for `idle` seconds.

    `hear` gets each finding as soon as it is certain; those that wait for later records, at the end. The report holds
    all of them. Raises OSError when the file cannot be opened.
    """
    report, problems = Report(), Counter[str]()
    if _packed(path):
        message = "is compressed, and a compressed log does not grow: `check` reads it"
        report.problems.append(InputProblem(path=path, message=message))
        return report
    with Growing(path, stop, idle) as stream:
        reader = _recognised(path, stop, idle)
        if reader is None:
            with sources.open_stream(path) as there:
                report.problems.append(recognise.unrecognised(path, sources.records(there)))
            return report
        reader.limit = job.max_record
        engine = _Telling(job, hear, InputSummary(path=path, format=reader.name, records=0))
        try:
            lines = sources.records(cast("BinaryIO", stream), job.max_record)
            engine.feed(runner.counting(reader.events(lines), problems))
        except Exception as error:  # as in any audit: what was found so far is reported
            report.problems.append(InputProblem(path=path, message=runner.fault(error)))
        if stream.ended:
            report.notices.append(f"{path}: {stream.ended}; what was read of it until then was audited")
    runner.sum_up(path, [reader], problems, engine.audit.events, report)
    runner.finish(engine, report)
    engine.tell()
    runner.tell(engine, job, report)
    return report


class _Telling(Engine):
    """An engine that tells each finding when it is made."""

    def __init__(self, job: runner.Job, hear: Callable[[Finding], None], read: InputSummary) -> None:
        super().__init__(job.rules, job.settings, read.path)
        self._job = job
        self._hear = hear
        self._read = {read.path: read}
        self._told = 0

    def see(self, event: Event) -> None:
        super().see(event)
        self.tell()

    def tell(self) -> None:
        """Tell what was found since the last time."""
        found = self.audit.findings
        for finding in found[self._told :] if len(found) > self._told else ():
            if (kept := runner.kept(finding, self._job, self._read)) is not None:
                self._hear(kept)
        self._told = len(found)


def _packed(path: str) -> bool:
    with Path(path).open("rb") as file:
        return unpack(file) is not None


def _recognised(path: str, stop: threading.Event, idle: float | None) -> Reader | None:
    """The reader of what is there; where that is too little to tell, more is waited for."""
    waited = 0.0
    while True:
        with sources.open_stream(path) as stream:
            reader, _ = recognise.choose_reader(path, sources.records(stream))
        if reader is not None or stop.is_set() or (idle is not None and waited >= idle):
            return reader
        stop.wait(PAUSE)
        waited += PAUSE

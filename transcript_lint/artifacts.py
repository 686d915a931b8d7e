"""Inputs as bytes, for formats that name them so: hashes, lengths, and how wide the lines are that findings name."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path

from transcript_lint import sources
from transcript_lint.report import Artifact, Report

CHUNK = 1 << 20


def describe(report: Report) -> None:
    """Fill `report.artifacts` for every input that a finding or one of its steps lies in.

    Standard input cannot be read again and is left out, and so is a file that has gone since, or that was no input: a
    log may name any file as its origin.
    """
    named = {summary.path for summary in report.inputs}
    lines: dict[str, set[int]] = defaultdict(set)
    for finding in (*report.findings, *report.suppressed, *report.baselined):
        for at in (finding.at, *(step.at for step in finding.because)):
            lines[at.path].add(at.line)
    for path, wanted in lines.items():
        try:
            if path in named and Path(path).is_file():
                report.artifacts[path] = _artifact(path, wanted)
        except OSError:
            continue


def _artifact(path: str, wanted: set[int]) -> Artifact:
    outer = hashlib.sha256()
    length = 0
    head = b""
    with Path(path).open("rb") as file:
        while chunk := file.read(CHUNK):
            head = head or chunk[:4]
            outer.update(chunk)
            length += len(chunk)
    compression = "zst" if head == b"\x28\xb5\x2f\xfd" else "gz" if head[:2] == b"\x1f\x8b" else None
    inner, inner_length = hashlib.sha256(), 0
    columns: dict[int, int] = {}
    with sources.open_stream(path) as stream:
        for record in sources.records(stream):
            if compression:
                text = record.data + b"\n" if record.terminated else record.data
                inner.update(text)
                inner_length += len(text)
            if record.line in wanted:
                columns[record.line] = len(record.data.decode("utf-8", "replace"))
    return Artifact(
        sha256=outer.hexdigest(),
        length=length,
        compression=compression,
        inner_sha256=inner.hexdigest() if compression else None,
        inner_length=inner_length if compression else None,
        columns=columns,
    )

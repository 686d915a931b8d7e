"""Which format a log is in: the reader that is surest of its first records."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from transcript_lint import registry, sources
from transcript_lint.readers.base import MISSHAPEN, Reader, Sample
from transcript_lint.readers.recover import recover
from transcript_lint.report import InputProblem

COMMON = ("claude-code", "codex", "native", "qwen-code")
"""Readers that are asked first, with those of plugins; the others are loaded only where none of them is sure."""
SURE = 95
SAMPLE_RECORDS = 40
SAMPLE_BYTES = 1 << 16
# As far as is looked when the first records are broken.
SEARCH_RECORDS = 2000
SEARCH_BYTES = 32 << 20

UNRECOGNISED = "is in no format that `transcript-lint formats` lists"


def choose_reader(path: str, lines: Iterator[sources.Record]) -> tuple[Reader | None, Iterator[sources.Record]]:
    """The reader that is surest of the first records, and all records, those looked at included."""
    head: list[sources.Record] = []
    documents: list[Any] = []
    size = 0
    for record in lines:
        head.append(record)
        size += len(record.data) + 1
        documents += _documents(record)
        # A line that only opens a bracket begins a document over many lines: a stretch of its text is sample enough.
        enough = any(isinstance(d, dict) for d in documents) or head[0].data.strip() in (b"{", b"[")
        if len(documents) >= SAMPLE_RECORDS or (enough and size >= SAMPLE_BYTES):
            break
        if len(head) >= SEARCH_RECORDS or size >= SEARCH_BYTES:
            break
    sample = _sample(path, head, documents)
    readers = registry.names("readers")
    first = [name for name, point in readers.items() if name in COMMON or not registry.ours(point)]
    best, foreign, name = _surest(first, sample)
    if best < SURE:
        best, foreign, name = max((best, foreign, name), _surest([n for n in readers if n not in first], sample))
    chosen: Reader | None = registry.load("readers", name)(path) if best > 0 else None
    return chosen, itertools.chain(head, lines)


def _surest(names: Iterable[str], sample: Sample) -> tuple[int, bool, str]:
    """The highest score, whether a plugin gave it, and the reader; of equally sure ones the plugin was asked for."""
    readers = registry.names("readers")
    scores = ((_score(registry.load("readers", n), sample), not registry.ours(readers[n]), n) for n in names)
    return max(scores, default=(0, False, ""))


def _sample(path: str, head: Sequence[sources.Record], documents: Sequence[Any]) -> Sample:
    return Sample(path=path, head=b"\n".join(r.data for r in head)[:SAMPLE_BYTES], documents=documents)


def _documents(record: sources.Record) -> list[Any]:
    """The documents of a record; none where it is a line of a pretty-printed document."""
    try:
        return [orjson.loads(record.data)]
    except orjson.JSONDecodeError:
        line = record.data.strip()
        whole = line.startswith(b"{") and line.endswith(b"}") and len(line) < SEARCH_BYTES
        return recover(record).documents if whole else []


def _score(reader: type[Reader], sample: Sample) -> int:
    # What looks odd to one reader may be another's format.
    try:
        return reader.sniff(sample)
    except MISSHAPEN:
        return 0


def unrecognised(path: str, lines: Iterator[sources.Record]) -> InputProblem:
    head = list(itertools.islice(lines, SAMPLE_RECORDS))
    if damage := next((record.problem for record in head if record.problem), None):
        return InputProblem(path=path, message=f"cannot be read: {damage}")
    if not any(record.data.strip() for record in head):
        return InputProblem(path=path, message="is empty", fatal=False)
    sample = _sample(path, head, [document for record in head for document in _documents(record)])
    for reader in registry.readers().values():
        if told := reader.beside(sample):
            return InputProblem(path=path, message=f"is {told}, not a session log: it was passed over", fatal=False)
    return InputProblem(path=path, message=UNRECOGNISED)

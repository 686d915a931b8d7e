"""What a reader is, and what all readers share: decoding, recovery, times, counting what they do not know."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import orjson
from msgspec import Struct

from transcript_lint.capabilities import Decides
from transcript_lint.events import Event, Location, RecordProblem
from transcript_lint.readers.recover import recover
from transcript_lint.sources import RECORD_LIMIT, Record

MISSHAPEN = (KeyError, TypeError, AttributeError, ValueError, IndexError, RecursionError, ArithmeticError)
"""What a wrong shape raises in a reader."""


class Sample(Struct, frozen=True, kw_only=True):
    """What a reader may look at to recognise its format: the file's first bytes and its first decoded documents.

    `documents` is empty when the file is one JSON document over many lines; then `head` (up to 64 KiB) decides.
    """

    path: str
    head: bytes
    documents: Sequence[Any]

    def objects(self) -> Iterator[Mapping[str, Any]]:
        """The documents that are JSON objects."""
        return (d for d in self.documents if isinstance(d, dict))


class Reader:
    """Base of every reader of line records. One instance reads one input.

    A subclass sets `name` (the format's id), `title`, recognises its files in `sniff` and turns one decoded record
    into events in `record`. What no event needs may be refused by a look at its bytes in `skips`. Wrong shapes raise
    (KeyError, TypeError, …) and become a `RecordProblem`; they stop nothing else.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    decides: ClassVar[Decides] = {}
    """What the format lets be decided: to every capability `yes`, `partly` or `no`, with a reason after a colon."""
    limit: int = RECORD_LIMIT
    """Bytes of a record, or of a document over many lines, that are held at most."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.records = 0
        self.unknown: Counter[str] = Counter()

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        """How sure this is the file's format: 0 not at all, 100 certain."""
        raise NotImplementedError

    @classmethod
    def beside(cls, sample: Sample) -> str | None:
        """What a file is that the agent writes beside its session logs and that holds no session; None if no such."""
        return None

    def skips(self, data: bytes) -> bool:
        """Whether no event and no check needs this record, told from its bytes alone."""
        return False

    def decode(self, data: bytes) -> Any:
        """The one document of a record, as `record` wants it; ValueError when it is not one whole JSON document."""
        return orjson.loads(data)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        """The events of one decoded record."""
        raise NotImplementedError

    def finish(self) -> Iterable[Event]:
        """Events that are only known when the input has ended."""
        return ()

    def events(self, records: Iterable[Record]) -> Iterator[Event]:
        """The events of a whole input, in order; broken records become `RecordProblem` and hide nothing."""
        for record in records:
            self.records += 1
            if self.skips(record.data):
                continue
            at = Location(path=self.path, line=record.line, offset=record.offset, length=len(record.data))
            try:
                document = self.decode(record.data)
            except (ValueError, RecursionError):
                yield from self._recovered(record, at)
                continue
            try:
                yield from self.record(document, at)
            except MISSHAPEN as error:
                yield misshapen(error, at)
        yield from self._closing()

    def _closing(self) -> Iterator[Event]:
        try:
            yield from self.finish()
        except MISSHAPEN as error:
            yield misshapen(error, Location(path=self.path, line=max(1, self.records)))

    def _recovered(self, record: Record, at: Location) -> Iterator[Event]:
        if record.problem is not None:
            yield RecordProblem(at=at, problem=record.cause, message=record.problem)
            return
        found = recover(record)
        if found.problem is not None:
            yield RecordProblem(at=at, problem=found.problem, message=found.message, lost=found.lost)
        for document in found.documents:
            yield from self._guarded(document, at)

    def _guarded(self, document: Any, at: Location) -> Iterator[Event]:
        try:
            yield from self.record(document, at)
        except MISSHAPEN as error:
            yield misshapen(error, at)


def misshapen(error: Exception, at: Location) -> RecordProblem:
    """The problem of a record that is JSON, but not of the shape its reader knows."""
    what = f"{type(error).__name__}: {error}"[:120]
    message = f"The record is JSON but not of the format's shape ({what})."
    return RecordProblem(at=at, problem="wrong_shape", message=message)


def parse_time(value: Any) -> float | None:
    """Epoch seconds of an RFC 3339 string or an epoch number (seconds or milliseconds); None if it is neither."""
    if isinstance(value, str):
        if len(value) == 24 and value[23] == "Z" and value[17:23].replace(".", "0").isdecimal():
            # The usual stamp, to the millisecond: records of one minute share its start.
            start = _minute(value[:17])
            return None if start is None else start + float(value[17:23])
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15:
        return value / 1000 if value > 1e11 else float(value)
    return None


@lru_cache(maxsize=64)
def _minute(stamp: str) -> float | None:
    """Epoch seconds of a minute such as `2026-11-30T20:04:`, in UTC."""
    try:
        return datetime.datetime.fromisoformat(stamp + "00+00:00").timestamp()
    except ValueError:
        return None


def text_of(content: Any) -> str:
    """The text of a message body: a string, or a list of blocks of which those with a `text` string count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            block if isinstance(block, str) else block["text"]
            for block in content
            if isinstance(block, str) or (isinstance(block, dict) and isinstance(block.get("text"), str))
        )
    return ""

"""Logs that are whole JSON documents: one pretty-printed file, one document a line, or the members of an archive.

Memory: a document is held as bytes and as text, plus one decoded element at a time; a document on one line is decoded
whole (some six times its size). Documents over the reader's `limit` are refused with a `RecordProblem`, so that it
never holds more than a few hundred megabytes. Logs of more than that belong in line formats.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

import orjson

from transcript_lint.events import Event, Location, RecordProblem
from transcript_lint.readers.base import MISSHAPEN, Reader, Sample, misshapen
from transcript_lint.readers.recover import decode as _decode
from transcript_lint.readers.recover import recover, whole_characters
from transcript_lint.sources import Record

_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\r\n"
_MAX_DEPTH = 12
_OUTLINE_DEPTH = 8


class Document:
    """One JSON document and the places of its parts.

    `value` is the decoded document; where it was read piece by piece the arrays named by the reader are empty in it
    and their elements come from `items`. `at` is the place of the whole document.
    """

    def __init__(
        self, value: Any, at: Location, spans: Mapping[str, list[Span]] | None = None, data: bytes = b""
    ) -> None:
        self.value = value
        self.at = at
        self._spans = spans
        self._data = data

    def items(self, pointer: str) -> Iterator[tuple[Any, Location]]:
        """The elements of the array at a JSON pointer, decoded one by one, each with its place; none if no array."""
        if self._spans is not None and pointer in self._spans:
            for index, (start, end, _) in enumerate(self._spans[pointer]):
                yield _loads(self._data[start:end]), self.place(f"{pointer}/{index}")
            return
        found = self.get(pointer)
        if isinstance(found, list):
            for index, value in enumerate(found):
                yield value, self.place(f"{pointer}/{index}")

    def get(self, pointer: str) -> Any:
        """What stands at a JSON pointer of `value`; None if nothing does."""
        found = self.value
        for key in pointer.split("/")[1:]:
            if isinstance(found, dict):
                found = found.get(key)
            elif isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return found

    def place(self, pointer: str) -> Location:
        """Where a part stands: the line and bytes of the nearest array element around it, and its own pointer."""
        if self._spans:
            parent = pointer
            while parent:
                parent, _, key = parent.rpartition("/")
                spans = self._spans.get(parent)
                if spans is not None and key.isdecimal() and int(key) < len(spans):
                    start, end, line = spans[int(key)]
                    return Location(
                        path=self.at.path,
                        line=line,
                        offset=start,
                        length=end - start,
                        pointer=pointer,
                        inner=self.at.inner,
                    )
        return self.at.field(pointer)


Span = tuple[int, int, int]
"""First byte, byte after the last, and line of an element."""


class DocumentReader(Reader):
    """Base of the readers of whole documents.

    A subclass names in `arrays` the pointers of the arrays whose elements are its records (`/messages`; the empty
    pointer is a root array; `*` stands for any index or key), and turns elements into events in `record`. `head` and
    `tail` give the events of what stands around them. Each element has its own line, bytes and pointer; in a file of
    one document a line, elements have their document's line and bytes and their own pointer.
    """

    arrays: ClassVar[tuple[str, ...]] = ()

    def head(self, document: Document) -> Iterable[Event]:
        """Events that come before the elements."""
        return ()

    def tail(self, document: Document) -> Iterable[Event]:
        """Events that come after the elements."""
        return ()

    def document(self, document: Document) -> Iterable[Event]:
        """The events of one document."""
        yield from self.head(document)
        for pointer in self.arrays:
            for value, at in document.items(pointer):
                yield from self._guarded(value, at)
        yield from self.tail(document)

    def events(self, records: Iterable[Record]) -> Iterator[Event]:
        lines = iter(records)
        first = next((r for r in lines if r.problem or r.data.strip()), None)
        if first is not None and first.inner is None and _opens(first.data):
            yield from self._whole(first, lines)
        elif first is not None:
            for record in itertools.chain((first,), lines):
                yield from self._line(record)
        yield from self._closing()

    def _line(self, record: Record) -> Iterator[Event]:
        at = Location(
            path=self.path, line=record.line, offset=record.offset, length=len(record.data), inner=record.inner
        )
        if record.problem is not None:
            yield RecordProblem(at=at, problem=record.cause, message=record.problem)
            return
        self.records += 1
        if record.inner is not None and b"\n" in record.data:
            yield from self._parse(record.data, at)
        elif not self.skips(record.data):
            try:
                value = orjson.loads(record.data)
            except orjson.JSONDecodeError:
                yield from self._recovered(record, at)
            else:
                yield from self._taken(Document(value, at))

    def _recovered(self, record: Record, at: Location) -> Iterator[Event]:
        found = recover(record)
        if found.problem is not None:
            yield RecordProblem(at=at, problem=found.problem, message=found.message, lost=found.lost)
        for value in found.documents:
            yield from self._taken(Document(value, at))

    def _whole(self, first: Record, lines: Iterator[Record]) -> Iterator[Event]:
        ahead = list(itertools.islice(lines, 5))
        lines = itertools.chain(ahead, lines)
        if _documents_a_line(ahead):
            for record in itertools.chain((first,), lines):
                yield from self._line(record)
            return
        at = Location(path=self.path, line=first.line, offset=first.offset, length=len(first.data))
        parts, size = [first], len(first.data)
        damage = None
        for record in lines:
            if record.problem is not None:
                damage = record
                continue
            size += len(record.data) + 1
            if size > self.limit:
                yield self._too_large(at)
                return
            parts.append(record)
        # Blank lines before the first are part of the file: positions count from its start.
        padding = b" " * (first.offset - first.line + 1) + b"\n" * (first.line - 1)
        yield from self._parse(padding + b"\n".join(r.data for r in parts), at)
        if damage is not None:
            yield from self._line(damage)

    def _parse(self, data: bytes, at: Location) -> Iterator[Event]:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("utf-8", "replace")
            data = text.encode()
            yield RecordProblem(
                at=at,
                problem="not_utf8",
                message="The document holds bytes that are not UTF-8: read with replacement characters.",
                lost=False,
            )
        walk = _Walk(whole_characters(text), data, self.arrays)
        while walk.more():
            value = walk.document()
            if value is not None:
                start, end = walk.bounds
                here = Location(path=at.path, line=walk.line, offset=start, length=end - start, inner=at.inner)
                self.records += max(1, sum(map(len, walk.spans.values())))
                yield from self._taken(Document(value, here, walk.spans, data))
            if walk.torn is not None:
                line = data.count(b"\n", 0, walk.torn) + 1
                yield RecordProblem(
                    at=Location(path=at.path, line=line, offset=walk.torn, inner=at.inner),
                    problem="torn",
                    message=f"The document breaks off or is not JSON from line {line} on: what stands before was read.",
                )
                return

    def _taken(self, document: Document) -> Iterator[Event]:
        try:
            yield from self.document(document)
        except MISSHAPEN as error:
            yield misshapen(error, document.at)

    def _too_large(self, at: Location) -> RecordProblem:
        message = f"The document has more than the {self.limit} bytes that are read of one (--max-record-size)."
        return RecordProblem(at=at, problem="too_large", message=message)


class _Walk:
    """Walks the documents of a text, noting where the elements of the named arrays stand.

    Only what leads to a named array is walked step by step; all else is decoded at once by the C decoder. A document
    that breaks off keeps what was read before; `torn` is then the byte where it stopped making sense.
    """

    def __init__(self, text: str, data: bytes, arrays: tuple[str, ...] | None) -> None:
        self.text = text
        self.patterns = None if arrays is None else [tuple(p.split("/")[1:]) for p in arrays]
        self.position = 1 if text.startswith("\ufeff") else 0
        self.spans: dict[str, list[Span]] = {}
        self.torn: int | None = None
        self.bounds = (0, 0)
        self.line = 1
        self._data = data
        self._ascii = len(text) == len(data)
        self._mark = (0, 0, 1)

    def more(self) -> bool:
        """Whether another document follows; skips the space before it."""
        self._space()
        return self.torn is None and self.position < len(self.text)

    def document(self) -> Any:
        """The next document; None if it is no object or array or could not be read at all."""
        self.spans = {}
        start, self.line = self._byte(self.position)
        self._partial: Any = None
        try:
            value = self._value((), 0)
        except (json.JSONDecodeError, RecursionError, IndexError):
            self.torn, _ = self._byte(self.position)
            value = self._partial
        self.bounds = (start, self._byte(self.position)[0])
        return value if isinstance(value, dict | list) else None

    def _value(self, path: tuple[str, ...], depth: int) -> Any:
        opening = self.text[self.position]
        if opening in "{[" and self._descends(path, depth):
            return self._object(path, depth) if opening == "{" else self._array(path, depth)
        value, self.position = _decode(self.text, self.position)
        return value

    def _object(self, path: tuple[str, ...], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._hold(found, depth)
        self.position += 1
        self._space()
        while self.text[self.position] != "}":
            key, self.position = _decode(self.text, self.position)
            self._expect(":")
            found[str(key)] = None
            found[str(key)] = self._child(found, str(key), path, depth)
            self._separator("}")
        self.position += 1
        return found

    def _array(self, path: tuple[str, ...], depth: int) -> list[Any]:
        found: list[Any] = []
        self._hold(found, depth)
        noted = self._matches(path)
        spans = self.spans.setdefault("".join("/" + p for p in path), []) if noted else None
        keep = not noted or self._descends((*path, "0"), depth + 1)
        self.position += 1
        self._space()
        index = 0
        while self.text[self.position] != "]":
            begin = self.position
            # Asked before the element is walked: positions are cheap in rising order only.
            start, line = self._byte(begin) if spans is not None else (0, 0)
            if keep:
                found.append(None)
                found[-1] = self._child(found, str(index), path, depth)
            else:
                _, self.position = _decode(self.text, begin)
            if spans is not None:
                end, _ = self._byte(self.position)
                spans.append((start, end, line))
            index += 1
            self._separator("]")
        self.position += 1
        return found

    def _child(self, parent: Any, key: str, path: tuple[str, ...], depth: int) -> Any:
        self._parent = (parent, key)
        return self._value((*path, key), depth + 1)

    def _hold(self, container: Any, depth: int) -> None:
        # What is being filled hangs in its parent at once, so that a document that breaks off keeps its parts.
        if depth == 0:
            self._partial = container
            return
        parent, key = self._parent
        if isinstance(parent, dict):
            parent[key] = container
        else:
            parent[-1] = container

    def _descends(self, path: tuple[str, ...], depth: int) -> bool:
        if self.patterns is None:
            return depth < _OUTLINE_DEPTH
        return depth < _MAX_DEPTH and any(_leads(path, p) for p in self.patterns)

    def _matches(self, path: tuple[str, ...]) -> bool:
        return self.patterns is not None and any(len(p) == len(path) and _leads(path, p) for p in self.patterns)

    def _separator(self, closing: str) -> None:
        self._space()
        if self.text[self.position] == ",":
            self.position += 1
            self._space()
        elif self.text[self.position] != closing:
            raise json.JSONDecodeError("expected a comma", "", self.position)

    def _expect(self, mark: str) -> None:
        self._space()
        if self.text[self.position] != mark:
            raise json.JSONDecodeError(f"expected {mark}", "", self.position)
        self.position += 1
        self._space()

    def _space(self) -> None:
        text, position = self.text, self.position
        while position < len(text) and text[position] in _SPACE:
            position += 1
        self.position = position

    def _byte(self, position: int) -> tuple[int, int]:
        """Byte offset and line of a character; cheap when asked in rising order."""
        characters, offset, line = self._mark if self._mark[0] <= position else (0, 0, 1)
        step = position - characters
        to = offset + (step if self._ascii else len(self.text[characters:position].encode()))
        line += self._data.count(b"\n", offset, to)
        self._mark = (position, to, line)
        return to, line


def _leads(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    return len(path) <= len(pattern) and all(p in ("*", key) for key, p in zip(path, pattern, strict=False))


def _opens(data: bytes) -> bool:
    """Whether a file's first line begins a document that goes on over further lines."""
    start = data.removeprefix(_BOM).strip()
    if start[:1] not in (b"{", b"["):
        return False
    try:
        orjson.loads(start)
    except orjson.JSONDecodeError:
        return True
    return False


def _documents_a_line(rest: list[Record]) -> bool:
    """Whether the lines after a broken first one are documents of their own: then the file is torn, not one document.

    An array with an element a line is told apart by the commas its lines end in.
    """
    sample = [r.data for r in rest if r.data.strip()]
    return bool(sample) and all(_is_document(data) for data in sample)


def _is_document(data: bytes) -> bool:
    if data.strip()[:1] != b"{":
        return False
    try:
        return isinstance(orjson.loads(data), dict)
    except orjson.JSONDecodeError:
        return False


def _loads(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _decode(whole_characters(data.decode()), 0)[0]  # NaN, control characters: read what Python writes


def opening(sample: Sample) -> Any:
    """What the first document begins with, as far as the sample reaches; for `sniff`. None if it is no JSON."""
    if b"\n" not in sample.head.strip() and sample.documents:
        return sample.documents[0]  # one line, perhaps longer than the sample's text
    return _outline(sample.head)


@lru_cache(maxsize=4)
def _outline(head: bytes) -> Any:
    first, _, _ = head.removeprefix(_BOM).lstrip().partition(b"\n")
    try:
        return orjson.loads(first)
    except orjson.JSONDecodeError:
        text = head.decode("utf-8", "replace")
        walk = _Walk(text, head, None)
        return walk.document() if walk.more() else None

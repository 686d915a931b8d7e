"""Inputs and their records: unzip, split on `\\n` only, keep line number and byte offset."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from transcript_lint.compressed import unpack

CHUNK = 1 << 18
RECORD_LIMIT = 64 << 20
SUFFIXES = (".jsonl", ".ndjson", ".json", ".traj", ".eval")
ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Record(Struct, frozen=True, gc=False):
    """One line of an input: its number from 1, its byte offset in the uncompressed text, its bytes without `\\n`.

    `terminated` is False for a last line that no newline ends. A member of an archive is one record: `inner` is its
    name. `problem` says in words why bytes are not there, `cause` as `RecordProblem.problem` does.
    """

    line: int
    offset: int
    data: bytes
    terminated: bool = True
    inner: str | None = None
    problem: str | None = None
    cause: str = "truncated_stream"


def open_stream(path: str) -> BinaryIO:
    """The uncompressed bytes of one input; `-` is standard input. Raises OSError when it cannot be opened."""
    if path == "-":
        raw: BinaryIO = sys.stdin.buffer
    else:
        raw = Path(path).open("rb")  # noqa: SIM115 - the caller reads it to the end
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    return cast("BinaryIO", unpack(buffered) or buffered)


def records(stream: BinaryIO, limit: int = RECORD_LIMIT) -> Iterator[Record]:
    """The lines of a stream as records; never splits on anything but `\\n`, since JSON strings may hold U+2028.

    A line of more than `limit` bytes is a record without bytes, with a `problem`: no more than that is ever held. A
    stream that breaks off ends with such a record too; OSError is raised only where nothing at all could be read. A
    byte order mark is no part of the first line. A zip archive gives its JSON members, each as one record.
    """
    if isinstance(stream, io.BufferedReader) and stream.peek(4)[:4] == ZIP:
        from transcript_lint.archive import members

        yield from members(stream)
        return
    line, offset = 0, 0
    damage: str | None = None
    try:
        for line, (data, size, terminated) in enumerate(_lines(stream, limit), 1):
            start = offset
            offset += size + terminated
            if size > limit:
                yield Record(line, start, b"", terminated, problem=_too_large(size, limit), cause="too_large")
            elif line > 1:
                yield Record(line, start, data, terminated)
            elif data[:2] in _UTF16 and b"\0" in data[:400]:
                problem = "The text is UTF-16, which no agent writes: convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)."
                yield Record(line, start, b"", problem=problem, cause="not_utf8")
                return
            else:
                mark = len(_BOM) if data.startswith(_BOM) else 0
                yield Record(line, mark, data[mark:], terminated)
    except OSError as error:
        if line == 0:
            raise
        damage = f"The input cannot be read any further ({error.strerror or error})."
    if damage := damage or getattr(stream, "damage", None):
        yield Record(max(1, line), offset, b"", problem=damage)


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[bytes, int, bool]]:
    """Each line, how many bytes it has, and whether a newline ends it; one beyond the limit without its bytes."""
    # read1, since a read that fails half way would lose the half it had.
    read = getattr(stream, "read1", stream.read)
    parts: list[bytes] = []
    size = 0
    failure: OSError | None = None
    while failure is None:
        try:
            chunk: bytes = read(CHUNK)
        except OSError as error:
            failure = error
            break
        if not chunk:
            break
        pieces = chunk.split(b"\n")
        last = pieces.pop()
        for piece in pieces:
            if size:
                size += len(piece)
                data = b"".join((*parts, piece)) if size <= limit else b""
                yield data, size, True
                parts.clear()
                size = 0
            else:
                yield piece, len(piece), True
        size += len(last)
        if size > limit:
            parts.clear()
        elif last:
            parts.append(last)
    if size:
        yield b"".join(parts), size, False
    if failure is not None:
        raise failure


def _too_large(size: int, limit: int) -> str:
    return (
        f"The record has {size} bytes, more than the {limit} that are read of one (--max-record-size): it was skipped."
    )


def with_older(path: str) -> list[str]:
    """A log and the parts that rotation set aside before it (`x.jsonl.5` … `x.jsonl.1`), the oldest first."""
    if not path.endswith(".jsonl"):
        return [path]
    older = (f"{path}.{number}" for number in range(9, 0, -1))
    return [*(part for part in older if Path(part).is_file()), path]

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
SUFFIXES = (".jsonl", ".jsonl.zst", ".jsonl.zstd", ".jsonl.gz", ".ndjson", ".json", ".traj", ".eval")
ZIP = b"PK\x03\x04"


class Record(Struct, frozen=True, gc=False):
    """One line of an input: its number from 1, its byte offset in the uncompressed text, its bytes without `\\n`.

    `terminated` is False for a last line that no newline ends. A member of an archive is one record: `inner` is its
    name. `problem` says why bytes are not there: a member that is too large, a compressed stream that is cut short.
    """

    line: int
    offset: int
    data: bytes
    terminated: bool = True
    inner: str | None = None
    problem: str | None = None


def open_stream(path: str) -> BinaryIO:
    """The uncompressed bytes of one input; `-` is standard input. Raises OSError when it cannot be opened."""
    if path == "-":
        raw: BinaryIO = sys.stdin.buffer
    else:
        raw = Path(path).open("rb")  # noqa: SIM115 - the caller reads it to the end
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    return cast("BinaryIO", unpack(buffered) or buffered)


def records(stream: BinaryIO) -> Iterator[Record]:
    """The lines of a stream as records; never splits on anything but `\\n`, since JSON strings may hold U+2028.

    A zip archive gives its JSON members instead, each as one record.
    """
    if isinstance(stream, io.BufferedReader) and stream.peek(4)[:4] == ZIP:
        from transcript_lint.archive import members

        yield from members(stream)
        return
    line, offset = 1, 0
    parts: list[bytes] = []
    while chunk := stream.read(CHUNK):
        pieces = chunk.split(b"\n")
        if len(pieces) == 1:
            parts.append(chunk)
            continue
        parts.append(pieces[0])
        pieces[0] = b"".join(parts)
        parts = [pieces.pop()]
        for data in pieces:
            yield Record(line, offset, data)
            line += 1
            offset += len(data) + 1
    data = b"".join(parts)
    if data:
        yield Record(line, offset, data, False)
    if damage := getattr(stream, "damage", None):
        yield Record(line if data else max(1, line - 1), offset + len(data), b"", problem=damage)

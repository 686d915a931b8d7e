"""Compressed streams that tell when they are cut short or damaged, and lose nothing that stands before."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import IO, Any, BinaryIO, cast

ZSTD = b"\x28\xb5\x2f\xfd"
SKIPPABLE = b"\x2a\x4d\x18"
GZIP = b"\x1f\x8b"
WINDOW = 128 << 20
"""Bytes of a window that any stream may ask for; beyond it only one that does not swell as if made to."""
SWELL = 2000


class Unpacked:
    """The uncompressed bytes of a stream. `damage` says why they end too early, None while nothing is wrong."""

    def __init__(self, raw: BinaryIO, inner: Any, frames: Frames | None, broken: tuple[type[Exception], ...]) -> None:
        self.damage: str | None = None
        self._raw = raw
        self._inner = inner
        self._frames = frames
        self._broken = broken
        self._given = 0

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; empty at the end, or where the damage begins."""
        if self.damage:
            return b""
        try:
            # read1, since a read that fails half way would lose the half it had.
            data: bytes = self._inner.read1(size)
        except self._broken as error:
            self.damage = f"The compressed data is damaged from here on ({error})."
            return b""
        self._given += len(data)
        if self._frames is not None:
            if not data and not self._frames.complete:
                self.damage = "The compressed data ends in the middle of a frame; what came after is lost."
            elif self._frames.window > WINDOW < self._given > SWELL * self._frames.seen:
                self.damage = (
                    f"The compressed data asks for {self._frames.window >> 20} MiB of memory and unpacks to more than "
                    f"{SWELL} times its size: it was not read any further."
                )
        return data

    def __enter__(self) -> BinaryIO:
        return cast(BinaryIO, self)

    def __exit__(self, *_: object) -> None:
        self._raw.close()


def unpack(buffered: io.BufferedReader[Any]) -> Unpacked | None:
    """The stream unpacked if its first bytes say that it is zstd or gzip, else None."""
    magic = buffered.peek(4)[:4]
    if magic == ZSTD or magic[1:] == SKIPPABLE:
        import zstandard

        watched = _Watched(buffered)
        context = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        inner = context.stream_reader(cast("IO[bytes]", watched), read_across_frames=True)
        return Unpacked(buffered, inner, watched.frames, (zstandard.ZstdError, OSError))
    if magic[:2] == GZIP:
        return Unpacked(buffered, gzip.GzipFile(fileobj=buffered), None, (EOFError, zlib.error, OSError))
    return None


class _Watched:
    """Hands bytes on and lets the frame walker see them."""

    def __init__(self, raw: BinaryIO) -> None:
        self.frames = Frames()
        self._raw = raw

    def read(self, size: int = -1) -> bytes:
        data = self._raw.read(size)
        self.frames.feed(data)
        return data


class Frames:
    """Follows the frames of a zstd stream from header to header, without unpacking: is its end the end of a frame?

    The library gives what it can of a truncated stream and says nothing of the rest. `seen` counts the bytes so far;
    `window` is the largest window that a frame has asked for, in bytes.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.window = 0
        self._skip = 0
        self._head = b""
        self._need, self._next = 4, self._magic
        self._checksum = self._content = 0
        self._single = False

    @property
    def complete(self) -> bool:
        """Whether the bytes so far end where a frame ends."""
        return not self._skip and not self._head and self._need == 4 and self._next == self._magic

    def feed(self, data: bytes) -> None:
        """See the next bytes."""
        self.seen += len(data)
        position = 0
        while position < len(data):
            if self._skip:
                step = min(self._skip, len(data) - position)
                self._skip -= step
            else:
                step = min(self._need - len(self._head), len(data) - position)
                self._head += data[position : position + step]
                if len(self._head) == self._need:
                    head, self._head = self._head, b""
                    self._next(head)
            position += step

    def _magic(self, head: bytes) -> None:
        if head == ZSTD:
            self._need, self._next = 1, self._descriptor
        else:
            self._need, self._next = 4, self._skippable

    def _skippable(self, head: bytes) -> None:
        self._skip = int.from_bytes(head, "little")
        self._need, self._next = 4, self._magic

    def _descriptor(self, head: bytes) -> None:
        byte = head[0]
        self._single = bool(byte >> 5 & 1)
        self._checksum = 4 * (byte >> 2 & 1)
        self._content = (1 if self._single else 0, 2, 4, 8)[byte >> 6]
        self._need = (0 if self._single else 1) + self._content + (0, 1, 2, 4)[byte & 3]
        self._next = self._header

    def _header(self, head: bytes) -> None:
        if self._single:
            window = int.from_bytes(head[-self._content :], "little")
        else:
            window = (8 + (head[0] & 7)) << (7 + (head[0] >> 3))
        self.window = max(self.window, window)
        self._need, self._next = 3, self._block

    def _block(self, head: bytes) -> None:
        value = int.from_bytes(head, "little")
        self._skip = 1 if value >> 1 & 3 == 1 else value >> 3
        if value & 1:
            self._skip += self._checksum
            self._need, self._next = 4, self._magic

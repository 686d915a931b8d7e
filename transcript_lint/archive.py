"""Zip archives of JSON documents: their members one by one, in memory, never unpacked to disk."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from transcript_lint.sources import Record

MEMBER_LIMIT = 64 << 20
MEMBERS_LIMIT = 20_000
RATIO_LIMIT = 1000
_ZSTD = 93
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# What the standard library raises on members whose headers lie; ValueError where one stands before the archive's start.
_BROKEN = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    struct.error,
)


def members(stream: BinaryIO) -> Iterator[Record]:
    """The `.json` members, those at the top first, each as one record; a refused one as a record with a `problem`.

    Raises OSError when the archive itself cannot be read. At most `MEMBER_LIMIT` bytes are held at a time.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise OSError(f"the zip archive is damaged ({error})") from error
    with archive:
        listed = [i for i in archive.infolist() if i.filename.endswith(".json")]
        listed.sort(key=lambda i: (i.filename.count("/"), i.filename))
        for info in listed[:MEMBERS_LIMIT]:
            name = _label(info.filename)
            problem = _refusal(info)
            data = b""
            if problem is None:
                try:
                    data = _read(archive, info)
                except _BROKEN as error:
                    problem = f"The archive's member {name} cannot be read ({error})."
            yield Record(line=1, offset=0, data=data, inner=name, problem=problem, cause="too_large")
        if len(listed) > MEMBERS_LIMIT:
            more = f"The archive has {len(listed)} members: only the first {MEMBERS_LIMIT} were read."
            yield Record(line=1, offset=0, data=b"", inner="", problem=more, cause="too_large")


def _label(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)[:300]


def _refusal(info: zipfile.ZipInfo) -> str | None:
    name = _label(info.filename)
    parts = info.filename.replace("\\", "/").split("/")
    if info.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        return f"The archive's member {name} has a path that leads out of the archive: it was not read."
    if info.flag_bits & 1:
        return f"The archive's member {name} is encrypted."
    if info.file_size > MEMBER_LIMIT:
        return f"The archive's member {name} is larger than {MEMBER_LIMIT >> 20} MiB."
    if info.file_size > 1 << 20 and info.file_size > RATIO_LIMIT * max(1, info.compress_size):
        return f"The archive's member {name} unpacks to more than {RATIO_LIMIT} times its size: it was not read."
    return None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type == _ZSTD:
        return _read_zstd(archive, info)
    with archive.open(info) as member:
        data = member.read(MEMBER_LIMIT + 1)
    if len(data) > MEMBER_LIMIT:
        raise zipfile.BadZipFile("it unpacks to more than its stated size")
    return data


def _read_zstd(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    # The standard library knows this method from Python 3.14 on only.
    import zstandard

    stream = archive.fp
    if stream is None:
        raise zipfile.BadZipFile("the archive is closed")
    stream.seek(info.header_offset)
    header = stream.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size:
        raise zipfile.BadZipFile("its header is cut off")
    fields = _LOCAL_HEADER.unpack(header)
    stream.seek(fields[-2] + fields[-1], 1)
    packed = stream.read(info.compress_size)
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed) as reader:
            data = reader.read(MEMBER_LIMIT + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("its bytes do not match its checksum")
    return data

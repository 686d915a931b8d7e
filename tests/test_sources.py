"""Where bytes come from: containers of every kind, whole, cut short and damaged."""

from __future__ import annotations

import gzip
import io

import pytest
import zstandard

from transcript_lint import sources
from transcript_lint.compressed import Frames

LINES = b"".join(b'{"n": %d, "text": "%s"}\n' % (n, b"word %d " % (n * 7919) * 9) for n in range(3000))


def pack(data: bytes, **options) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(data)


def read(tmp_path, data: bytes) -> list[sources.Record]:
    file = tmp_path / "log"
    file.write_bytes(data)
    with sources.open_stream(str(file)) as stream:
        return list(sources.records(stream))


def streamed(data: bytes) -> bytes:
    out = io.BytesIO()
    with zstandard.ZstdCompressor(write_checksum=False).stream_writer(out, closefd=False) as writer:
        writer.write(data)
    return out.getvalue()


SKIPPABLE = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
PACKED = {
    "plain": LINES,
    "gzip": gzip.compress(LINES),
    "zstd": pack(LINES),
    "no checksum": streamed(LINES),
    "long window": pack(LINES, level=19, compression_params=None),
    "many frames": pack(LINES[:9000]) + streamed(LINES[9000:70000]) + pack(LINES[70000:]),
    "skippable frames": SKIPPABLE + pack(LINES) + SKIPPABLE,
    "empty frame": pack(b"") + pack(LINES),
}


@pytest.mark.parametrize("name", PACKED)
def test_every_container_gives_the_same_records(tmp_path, name):
    found = read(tmp_path, PACKED[name])
    assert b"".join(r.data + b"\n" for r in found) == LINES
    assert [r.line for r in found] == list(range(1, 3001))
    assert all(LINES[r.offset : r.offset + len(r.data)] == r.data for r in found)
    assert not any(r.problem for r in found)


@pytest.mark.parametrize("name", ["gzip", "zstd", "no checksum", "many frames"])
def test_a_stream_cut_short_gives_what_it_has_and_says_so(tmp_path, name):
    whole = PACKED[name]
    for end in (len(whole) - 1, len(whole) * 2 // 3):
        found = read(tmp_path, whole[:end])
        assert found[-1].problem and not found[-1].data
        text = b"".join(r.data + (b"\n" if r.terminated else b"") for r in found[:-1])
        assert LINES.startswith(text)
        assert len(text) > len(LINES) // 3


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_damaged_stream_gives_what_stands_before(tmp_path, name):
    found = read(tmp_path, PACKED[name] + pack(LINES)[:20] + b"no frame at all" * 9)
    assert found[-1].problem
    assert [r.data for r in found[:3000]] == LINES.splitlines()


def test_frames_are_followed_however_the_bytes_come():
    data = PACKED["many frames"] + SKIPPABLE
    for size in (1, 3, 1000):
        frames = Frames()
        for start in range(0, len(data), size):
            frames.feed(data[start : start + size])
        assert frames.complete
    frames.feed(pack(LINES)[:-1])
    assert not frames.complete


def test_lines_end_at_newlines_only(tmp_path):
    text = '{"a": "x\u2028y\u2029z\x85"}\r\n\n{"b": 1}'.encode()
    found = read(tmp_path, text)
    assert [(r.line, r.offset, r.terminated) for r in found] == [(1, 0, True), (2, 22, True), (3, 23, False)]


def test_an_absent_file_is_an_oserror():
    with pytest.raises(OSError):
        sources.open_stream("no/such/file")


def test_every_cut_of_a_small_stream_is_noticed(tmp_path):
    text = LINES[:3000]
    for whole in (pack(text), streamed(text[:900]) + SKIPPABLE + pack(text[900:]), gzip.compress(text)):
        ends = {len(pack(text)), len(streamed(text[:900])), len(streamed(text[:900]) + SKIPPABLE)}
        for end in range(18, len(whole)):
            if end not in ends or whole[:2] == b"\x1f\x8b":
                found = read(tmp_path, whole[:end])
                assert found[-1].problem and text.startswith(b"\n".join(r.data for r in found[:-1])), end


def test_a_bomb_with_a_large_window_is_left_and_a_plain_one_read_in_flat_memory(tmp_path):
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=True)
    out = io.BytesIO()
    with zstandard.ZstdCompressor(compression_params=parameters).stream_writer(out, closefd=False) as writer:
        for _ in range(160):
            writer.write(b"\n" + bytes((1 << 20) - 1))
    found = read(tmp_path, out.getvalue())
    assert "256 MiB of memory" in (found[-1].problem or "")
    bomb = zstandard.ZstdCompressor(level=3).compress(bytes(160 << 20))
    assert [(r.data, r.cause) for r in read(tmp_path, bomb)] == [(b"", "too_large")]


def test_a_line_beyond_the_limit_is_skipped_and_counted():
    text = b"one\n" + b"x" * 600_000 + b"\nthree\n" + b"y" * 40
    found = list(sources.records(io.BytesIO(text), 30))
    assert [(r.line, r.offset, r.data, r.cause) for r in found] == [
        (1, 0, b"one", "truncated_stream"),
        (2, 4, b"", "too_large"),
        (3, 600_005, b"three", "truncated_stream"),
        (4, 600_011, b"", "too_large"),
    ]
    assert "600000 bytes" in (found[1].problem or "") and found[0].problem is None
    assert len(list(sources.records(io.BytesIO(text), 600_000))[1].data) == 600_000


def test_marks_at_the_beginning():
    assert [(r.offset, r.data) for r in sources.records(io.BytesIO(b"\xef\xbb\xbf{}\n{}\n"))] == [
        (3, b"{}"),
        (6, b"{}"),
    ]
    for text in ('{"a": 1}\n'.encode("utf-16"), "{}".encode("utf-16")):
        (only,) = sources.records(io.BytesIO(text))
        assert "UTF-16" in (only.problem or "")


class Failing(io.BytesIO):
    """Gives what it has and then fails like a disk that is pulled out."""

    def read1(self, size: int | None = -1, /) -> bytes:
        data = super().read1(10)
        if not data:
            raise OSError(5, "Input/output error")
        return data


def test_what_was_read_before_a_read_fails_is_kept():
    found = list(sources.records(Failing(b'{"a": 1}\n{"b": 2}\n{"c"')))
    assert [r.data for r in found] == [b'{"a": 1}', b'{"b": 2}', b'{"c"', b""]
    assert "Input/output error" in (found[-1].problem or "")
    with pytest.raises(OSError):
        list(sources.records(Failing(b"")))


def test_a_member_whose_header_lies_is_refused_in_words(tmp_path):
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.json", "{}")
        archive.writestr("b.json", "[]")
    data = bytearray(out.getvalue())
    # The first entry of the directory at the end: its member shall begin far before the file does.
    entry = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    data[end + 16 : end + 20] = (entry + 500).to_bytes(4, "little")
    found = read(tmp_path, bytes(data))
    assert [bool(r.problem) for r in found] == [True, True]

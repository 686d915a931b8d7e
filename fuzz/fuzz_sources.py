"""Any bytes, plain or packed, come out as records whose places are right, or as one that says what is wrong."""

from __future__ import annotations

import io
import sys

import atheris

with atheris.instrument_imports(include=["transcript_lint"]):
    from transcript_lint import sources
    from transcript_lint.compressed import unpack
    from transcript_lint.readers.recover import recover

LIMIT = 1 << 16


def one(data: bytes) -> None:
    """One input: unpack, split, recover what is broken."""
    buffered = io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type]
    packed = unpack(buffered)
    line, size = 0, 0
    try:
        for record in sources.records(packed or buffered, LIMIT):  # type: ignore[arg-type]
            assert len(record.data) <= LIMIT
            if record.inner is None and record.problem is None:
                assert record.line > line
                line = record.line
                if packed is None:
                    assert data[record.offset : record.offset + len(record.data)] == record.data
            found = recover(record)
            assert (found.problem is None) == (not found.message)
            size += len(record.data)
            if size > LIMIT * 64:
                return
    except OSError:
        return  # said in words by whoever opened it


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()

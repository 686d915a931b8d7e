"""The feedback record on disk: one JSON line a run, appended under a lock, rotated without forgetting a failure.

`feedback_record.jsonl` is the newest file, `.1` … `.5` are older. What would become `.6` is dropped; the runs in it
that must still be re-run are written first, as one `carried` record, into the file that becomes the newest.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

Record = dict[str, Any]

DEFAULT_FILE = "feedback_record.jsonl"
MAX_BYTES = 1 << 20
KEPT = 5

Carry = Callable[[Sequence[Path]], list[Record]]
"""Given the whole set, oldest file first: the command records of the oldest file that must still be re-run."""


def append(
    path: str | Path, record: Mapping[str, Any], *, max_bytes: int = MAX_BYTES, carry: Carry | None = None
) -> None:
    """Append one record as one line; rotate first if the file would grow beyond `max_bytes`.

    Safe under parallel writers and against a writer killed at any moment. Raises OSError when nothing can be written.
    """
    place = Path(path)
    line = orjson.dumps(record) + b"\n"
    place.parent.mkdir(parents=True, exist_ok=True)
    with locked(place):
        _resume(place)
        _drop_torn_end(place)
        own = place.stat().st_size - _carried_size(place) if place.exists() else 0
        if own and own + len(line) > max_bytes:
            _rotate(place, carry or open_runs)
        # Owner only: what a command printed is not everybody's business.
        target = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            _write(target, line)
        finally:
            os.close(target)


def files(path: str | Path) -> list[Path]:
    """The files of a record that exist, oldest first, the newest last."""
    place = Path(path)
    older = [_older(place, number) for number in range(KEPT, 0, -1)]
    return [file for file in (*older, place) if file.exists()]


def load_records(path: str | Path, *, rotated: bool = False) -> Iterator[Record]:
    """The records of the newest file, or with `rotated` of the whole set in order; what is no record is passed over."""
    for file in files(path) if rotated else [Path(path)]:
        if not file.exists():
            continue
        with file.open("rb") as lines:
            for line in lines:
                try:
                    record = orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue
                if isinstance(record, dict):
                    yield record


def last(path: str | Path, *, argv: Sequence[str] | None = None) -> Record | None:
    """The latest command record of the newest file (of this very `argv`, if one is given), else of older ones."""
    for file in reversed(files(path)):
        found = None
        for record in load_records(file):
            if record.get("event") == "command" and (argv is None or record.get("argv") == list(argv)):
                found = record
        if found is not None:
            return found
    return None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a record; it stands beside the record, since the record itself is renamed."""
    handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def open_runs(paths: Sequence[Path]) -> list[Record]:
    """The command records of the oldest file that must be re-run and that nothing later in the set cleared."""
    from transcript_lint.harness.standing import standing
    from transcript_lint.ledger import Ledger
    from transcript_lint.readers.native import NativeReader
    from transcript_lint.sources import records

    ledger = Ledger()
    try:
        for path in paths:
            with path.open("rb") as stream:
                for event in NativeReader(str(path)).events(records(stream)):
                    ledger.update(event)
        closed = {s.command_id for s in standing(ledger) if not s.open}
    except Exception:  # a record is written whatever happens: what cannot be judged counts as open
        closed = set()
    return [run for run in _must_rerun(paths[0]) if run.get("command_id") not in closed]


def _must_rerun(path: Path) -> list[Record]:
    """The must-rerun runs of one file, without what they printed."""
    return [
        {key: value for key, value in record.items() if key not in _DROPPED_OUTPUT}
        for record in _commands(path)
        if record.get("must_rerun")
    ]


_DROPPED_OUTPUT = frozenset(("stdout_tail", "stderr_tail", "truncated", "redacted", "replaced"))


def _commands(path: Path) -> Iterator[Record]:
    for record in load_records(path):
        if record.get("event") == "command":
            yield record
        elif record.get("event") == "carried":
            yield from (run for run in record.get("runs") or () if isinstance(run, dict))


def _carried_size(path: Path) -> int:
    """The bytes of the carried record at the head of a file; they do not count against its size, or a long one would
    make every append rotate.
    """
    with path.open("rb") as file:
        if file.read(len(_CARRIED_HEAD)) != _CARRIED_HEAD:
            return 0
        file.seek(0)
        return len(file.readline())


_CARRIED_HEAD = b'{"v":1,"event":"carried"'


def _older(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _next(path: Path) -> Path:
    return path.with_name(path.name + ".next")


def _rotate(path: Path, carry: Carry) -> None:
    """Prepare the new newest file completely, then rename; a rotation cut short anywhere is finished by `_resume`."""
    runs = carry(files(path)) if _older(path, KEPT).exists() else []
    fresh = path.with_name(path.name + ".tmp")
    fresh.touch(0o600)
    fresh.write_bytes(orjson.dumps({"v": 1, "event": "carried", "runs": runs}) + b"\n" if runs else b"")
    fresh.replace(_next(path))
    _resume(path)


def _resume(path: Path) -> None:
    """Finish a rotation that was begun: make room from the first gap on, then move every file up by one."""
    if not _next(path).exists():
        return
    if path.exists():
        gap = next((n for n in range(1, KEPT + 1) if not _older(path, n).exists()), KEPT)
        for number in range(gap - 1, 0, -1):
            _older(path, number).replace(_older(path, number + 1))
        path.replace(_older(path, 1))
    _next(path).replace(path)


def _drop_torn_end(path: Path) -> None:
    """Take off what a writer left that was killed in the middle of its line; that run never finished its record."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return
        end = size
        while end > 0:
            start = max(0, end - 65_536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]

"""What the readers' tests share: events of a fixture, and the ends of its commands in short."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import orjson

from transcript_lint import recognise, sources
from transcript_lint.events import CommandEnded, Event
from transcript_lint.readers.base import Reader

FIXTURES = Path(__file__).parents[2] / "fixtures"


def opened(name: str) -> tuple[Reader, list[Event]]:
    """The reader that recognises a fixture, and all its events."""
    with (FIXTURES / name).open("rb") as stream:
        reader, lines = recognise.choose_reader(name, sources.records(stream))
        assert reader is not None
        return reader, list(reader.events(lines))


def read(name: str, kind: type[Event] = Event) -> list[Any]:
    """The events of one type in a fixture."""
    return [event for event in opened(name)[1] if isinstance(event, kind)]


def parse(reader: type[Reader], *documents: Any) -> list[Any]:
    """The events of a few records, given as documents or as bytes."""
    data = b"\n".join(d if isinstance(d, bytes) else orjson.dumps(d) for d in documents)
    return list(reader("log").events(sources.records(io.BytesIO(data))))


def ends(name: str) -> dict[str, list[str]]:
    """Per call, each told end in order: kind, its exit code or signal, and how it was told unless by the result."""
    found: dict[str, list[str]] = {}
    for end in read(name, CommandEnded):
        told = end.termination
        words = [told.kind.value, *(str(x) for x in (told.signal or told.exit_code,) if x is not None)]
        found.setdefault(end.call_id, []).append(" ".join(words + [end.via] * (end.via != "result")))
    return found

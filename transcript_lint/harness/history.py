"""From records or logs of any format to a ledger: what gate, facts, guard and stats rest on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from transcript_lint.events import Event, Location
from transcript_lint.ledger import Ledger
from transcript_lint.settings import Settings


class UnreadableLog(Exception):  # noqa: N818 - the public name
    """An input that no reader knows, or that cannot be opened."""


def ledger_of(records: Iterable[Mapping[str, Any]], settings: Settings | None = None) -> Ledger:
    """A ledger that has seen these native records, in order."""
    ledger = Ledger(settings)
    for event in events_of(records):
        ledger.update(event)
    return ledger


def events_of(records: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """The events of native records that are in memory; their place is their number."""
    from transcript_lint.readers.native import NativeReader

    reader = NativeReader("records")
    for number, record in enumerate(records, 1):
        document = {"v": 1, "event": "command", "tool": "run", **record}
        with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError):  # no record of ours
            yield from reader.record(document, Location(path="records", line=number))


def read_log(path: str) -> Iterator[Event]:
    """The events of one log, the parts that rotation set aside first. Raises UnreadableLog."""
    from transcript_lint import sources

    for part in sources.with_older(path):
        yield from _read_one(part)


def _read_one(path: str) -> Iterator[Event]:
    from transcript_lint import sources
    from transcript_lint.recognise import choose_reader

    try:
        with sources.open_stream(path) as stream:
            reader, lines = choose_reader(path, sources.records(stream))
            if reader is None:
                if all(not record.data.strip() for record in lines):
                    return
                raise UnreadableLog(f"{path}: no reader knows this format")
            yield from reader.events(lines)
    except OSError as error:
        raise UnreadableLog(f"{path}: {error.strerror or error}") from error

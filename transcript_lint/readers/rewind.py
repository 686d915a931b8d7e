"""Hold records back for a while, so that a later rewind or replacement can take back what it undoes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from transcript_lint.events import Event, Location
from transcript_lint.readers.base import MISSHAPEN, misshapen

LIMIT = 4 << 20
_BASE = 256

Tell = Callable[[Any, Location], Iterable[Event]]


class Held:
    """The latest records of an input, some `LIMIT` bytes of them; their events are told when they are let go.

    What was let go cannot be taken back: it stays history, told once. Records without an id are held under one of
    their own.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._records: OrderedDict[object, tuple[Any, Location]] = OrderedDict()
        self._size = 0

    def __contains__(self, id: object) -> bool:
        return id in self._records

    def add(self, id: str | None, document: Any, at: Location) -> Iterator[Event]:
        """Hold a record; gives the events of those let go to make room. An id that is held already is replaced."""
        key: object = object() if id is None else id
        if key in self._records:
            self._size -= self._records[key][1].length + _BASE
        self._records[key] = (document, at)
        self._size += at.length + _BASE
        while self._size > LIMIT:
            _, (oldest, place) = self._records.popitem(last=False)
            self._size -= place.length + _BASE
            yield from self._told(oldest, place)

    def rewind(self, id: str) -> None:
        """Take back the record of this id and all after it; nothing if it is not held."""
        while id in self._records:
            _, (_, at) = self._records.popitem()
            self._size -= at.length + _BASE

    def drop(self, undone: Callable[[str], bool]) -> None:
        """Take back the records whose ids are undone."""
        for key in [k for k in self._records if isinstance(k, str) and undone(k)]:
            self._size -= self._records.pop(key)[1].length + _BASE

    def release(self) -> Iterator[Event]:
        """The events of everything still held, in order."""
        while self._records:
            _, (document, at) = self._records.popitem(last=False)
            yield from self._told(document, at)
        self._size = 0

    def _told(self, document: Any, at: Location) -> Iterator[Event]:
        try:
            yield from self._tell(document, at)
        except MISSHAPEN as error:
            yield misshapen(error, at)


class Tree:
    """Which record hangs on which; a branch is left when the session goes on from an earlier record."""

    def __init__(self, limit: int = 1 << 16) -> None:
        self._parents: dict[str, str | None] = {}
        self._limit = limit

    def add(self, id: str, parent: str | None) -> None:
        """Note a record; over the limit the oldest is forgotten, and with it its place on any way."""
        if len(self._parents) >= self._limit:
            del self._parents[next(iter(self._parents))]
        self._parents[id] = parent

    def __contains__(self, id: object) -> bool:
        return id in self._parents

    def left(self, end: str | None) -> Callable[[str], bool]:
        """Whether a record is not on the way from the root to `end`, as far as the way is known; None is the root."""
        way: set[str] = set()
        step = end
        while step is not None and step not in way:
            way.add(step)
            step = self._parents.get(step)
        return lambda id: id in self._parents and id not in way

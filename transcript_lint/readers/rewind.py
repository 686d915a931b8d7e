"""Hold events back for a while, so that a later rewind can take back what it undoes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from transcript_lint.events import Event

LIMIT = 8 << 20
_BASE = 256


class Held:
    """The events of an input's latest records, some `LIMIT` bytes of them, by the id of their record.

    What had to be let go cannot be taken back: it stays history, told once.
    """

    def __init__(self) -> None:
        self._groups: deque[tuple[str | None, list[Event], int]] = deque()
        self._size = 0

    def add(self, key: str | None, events: Iterable[Event], size: int) -> Iterator[Event]:
        """Hold the events of a record of `size` bytes; gives what is let go to make room."""
        group: list[Event] = []
        self._groups.append((key, group, size + _BASE))
        self._size += size + _BASE
        for event in events:
            group.append(event)  # noqa: PERF402 - what was read before a wrong shape is kept
        while self._size > LIMIT and self._groups:
            _, oldest, room = self._groups.popleft()
            self._size -= room
            yield from oldest

    def rewind(self, key: str, *, inclusive: bool) -> None:
        """Take back all records after the one of this id, it too if `inclusive`; nothing if it is not held."""
        groups = self._groups
        place = next((i for i in range(len(groups) - 1, -1, -1) if groups[i][0] == key), None)
        if place is not None:
            keep = place if inclusive else place + 1
            self._keep(list(groups)[:keep])

    def drop(self, undone: Callable[[str], bool]) -> None:
        """Take back the records whose ids are undone."""
        self._keep([group for group in self._groups if group[0] is None or not undone(group[0])])

    def release(self) -> Iterator[Event]:
        """Everything still held, in order."""
        for _, events, _ in self._groups:
            yield from events
        self._keep([])

    def _keep(self, groups: list[tuple[str | None, list[Event], int]]) -> None:
        self._groups = deque(groups)
        self._size = sum(size for _, _, size in groups)

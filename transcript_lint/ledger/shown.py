"""What outputs showed: figures, labels, success-looking lines; read from the text only when somebody asks."""

from __future__ import annotations

from collections import deque

from transcript_lint.ledger.output import labels, values, window
from transcript_lint.successes import success_words

TAIL = 20_000
"""Characters of an output's end in which success-looking lines are looked for."""
MAX_UNREAD = 2_000_000
"""Characters of outputs that wait to be asked for at most."""
MAX_WAITING = 4_000_000
"""Characters of good outputs that wait to be read at most."""


class Shown:
    """What one output showed. `success` are lines that its record names itself."""

    def __init__(self, text: str = "", success: tuple[str, ...] = ()) -> None:
        self._waiting = (window(text), text[-TAIL:]) if text else None
        self._further: list[str] = []
        self._values: frozenset[int] = frozenset()
        self._labels: frozenset[int] = frozenset()
        self._success = success

    @property
    def size(self) -> int:
        """Characters that it keeps until it is read."""
        start_and_end, end = self._waiting or ("", "")
        return len(start_and_end) + (len(end) if end is not start_and_end else 0)

    def also(self, text: str) -> None:
        """Further output: its values count too."""
        self._further.append(window(text))

    def settle(self) -> Shown:
        """Read what waits, and let go of the text."""
        if self._waiting is not None:
            (start_and_end, end), self._waiting = self._waiting, None
            self._values, self._labels = values(start_and_end), labels(start_and_end)
            self._success = self._success or success_words(end)
        while self._further:
            self._values |= values(self._further.pop())
        return self

    @property
    def success(self) -> tuple[str, ...]:
        """Excerpts of at most 80 characters of lines that look like success."""
        return self.settle()._success

    @property
    def values(self) -> frozenset[int]:
        """Hashes of its numbers."""
        return self.settle()._values

    @property
    def labels(self) -> frozenset[int]:
        """Hashes of the words beside its numbers."""
        return self.settle()._labels


class Unread:
    """The latest outputs that wait to be asked for; when they are too long, the oldest is read, to free its text."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Shown, int]] = deque()
        self._size = 0

    def add(self, shown: Shown) -> None:
        """One more that waits."""
        self._waiting.append((shown, shown.size))
        self._size += shown.size
        while self._size > MAX_UNREAD:
            oldest, size = self._waiting.popleft()
            self._size -= size
            oldest.settle()


class GoodValues:
    """Hashes of the numbers that persons and good runs named, at most some more than `limit`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._found: set[int] = set()
        self._waiting: deque[tuple[str, bool]] = deque()
        self._size = 0

    def add(self, text: str, always: bool = False) -> None:
        """A text whose numbers count; beyond the limit only if `always`."""
        if text and (always or len(self._found) < self.limit):
            self._waiting.append((window(text), always))
            self._size += len(self._waiting[-1][0])
            if self._size > MAX_WAITING:
                self._settle()

    def __contains__(self, value: int) -> bool:
        self._settle()
        return value in self._found

    def _settle(self) -> None:
        while self._waiting:
            text, always = self._waiting.popleft()
            if always or len(self._found) < self.limit:
                self._found |= values(text)
        self._size = 0

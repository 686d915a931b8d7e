"""Keep the head and the tail of a stream of any length, in flat memory, and always the same for the same bytes."""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from transcript_lint.redact import MARGIN, Redactor


class Budget(Struct, frozen=True, kw_only=True):
    """How much of one stream a record keeps: lines and bytes of its head and of its tail."""

    head_lines: int = 40
    tail_lines: int = 160
    head_bytes: int = 4_096
    tail_bytes: int = 12_288


class Excerpt(Struct, frozen=True, kw_only=True):
    """What is kept of a stream, redacted. `replaced`: it held bytes that are not UTF-8."""

    text: str
    truncated: bool
    replaced: bool


class Keeper:
    """Takes a stream in pieces; holds its first and last bytes, with a margin for credentials across the cut."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.size = 0
        self.lines = 0
        self._open_line = False
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        if not data:
            return
        self.size += len(data)
        self.lines += data.count(b"\n")
        self._open_line = not data.endswith(b"\n")
        room = self.budget.head_bytes + MARGIN - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(bytes(data))
            self._tail_size += len(data)
            while self._tail_size - len(self._tail[0]) >= self.budget.tail_bytes + MARGIN:
                self._tail_size -= len(self._tail.popleft())

    def excerpt(self, redactor: Redactor) -> Excerpt:
        """The kept text: all of it if it fits the budget, else head, `...truncated N lines...` and tail."""
        tail = b"".join(self._tail)
        whole = len(self._head) + len(tail) == self.size
        total = self.lines + self._open_line
        budget = self.budget
        if whole:
            text, bad = _decode(bytes(self._head) + tail)
            head_end, tail_start = _head_end(text, budget), _tail_start(text, budget)
            fits = self.size <= budget.head_bytes + budget.tail_bytes and total <= budget.head_lines + budget.tail_lines
            if fits or tail_start <= head_end:
                return Excerpt(text=redactor.text(text), truncated=False, replaced=bad)
            head_text = tail_text = text
        else:
            # Exactly so many last bytes, however the pieces fell.
            head_text, bad_head = _decode(bytes(self._head))
            tail_text, bad_tail = _decode(tail[-(budget.tail_bytes + MARGIN) :].lstrip(_CONTINUATION))
            head_end, tail_start, bad = (
                _head_end(head_text, budget),
                _tail_start(tail_text, budget),
                bad_head or bad_tail,
            )
        hidden = total - head_text.count("\n", 0, head_end) - _whole_lines(tail_text, tail_start)
        first = _fit(redactor.text(head_text, 0, head_end), budget.head_bytes, last=False)
        last = _fit(redactor.text(tail_text, tail_start), budget.tail_bytes, last=True)
        gap = "" if first.endswith("\n") or not first else "\n"
        return Excerpt(text=f"{first}{gap}...truncated {hidden} lines...\n{last}", truncated=True, replaced=bad)


_CONTINUATION = bytes(range(0x80, 0xC0))


def _decode(data: bytes) -> tuple[str, bool]:
    """UTF-8 with replacement characters, and whether any were needed before the last three bytes (a cut letter)."""
    text = data.decode("utf-8", "replace")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return text, error.start < len(data) - 3
    return text, False


def _head_end(text: str, budget: Budget) -> int:
    """Where the head ends: behind a line's end, unless the first line alone is longer than the budget."""
    end = 0
    for _ in range(budget.head_lines):
        newline = text.find("\n", end, budget.head_bytes)
        if newline < 0:
            break
        end = newline + 1
    return end or min(len(text), budget.head_bytes)


def _tail_start(text: str, budget: Budget) -> int:
    """Where the tail starts: at a line's start, unless the last line alone is longer than the budget."""
    least = max(0, len(text) - budget.tail_bytes)
    start = len(text)
    for _ in range(budget.tail_lines):
        newline = text.rfind("\n", least, max(least, start - 1))
        if newline < 0:
            return least if start == len(text) or least == 0 else start
        start = newline + 1
    return start


def _whole_lines(text: str, start: int) -> int:
    """Lines that stand whole behind `start`."""
    lines = text.count("\n", start) + (not text.endswith("\n"))
    return lines if start == 0 or text[start - 1] == "\n" else max(0, lines - 1)


def _fit(text: str, size: int, *, last: bool) -> str:
    """At most `size` bytes of UTF-8, the first or the last."""
    data = text.encode("utf-8", "replace")
    if len(data) <= size:
        return text
    return (data[-size:] if last else data[:size]).decode("utf-8", "ignore")

"""What was typed while the agent worked: queue lines, of which some are the only trace of a person's words."""

from __future__ import annotations

from collections import deque
from typing import Any

from msgspec import Struct


class Waiting(Struct, frozen=True):
    """One entry of the queue and the fields its event will carry, its own place among them."""

    text: str
    common: dict[str, Any]


class Queue:
    """Follows `queue-operation` records.

    `remove` put an entry into the running turn and is written nowhere else in most versions; `dequeue` sends it as a
    user record of its own; `popAll` took all back into the editor, unsent.
    """

    def __init__(self) -> None:
        self._waiting: deque[Waiting] = deque(maxlen=1000)
        self._said: deque[str] = deque(maxlen=50)

    def take(
        self, operation: str | None, text: str | None, common: dict[str, Any]
    ) -> tuple[str, dict[str, Any]] | None:
        """Follow one operation; the text that reached the model by it, with the fields of its entry."""
        if operation == "enqueue":
            self._waiting.append(Waiting(text or "", common))
        elif operation == "dequeue" and self._waiting:
            self._waiting.popleft()
        elif operation == "popAll":
            self._waiting.clear()
        elif operation == "remove" and self._waiting:
            entry = self._removed(text)
            # Task starts are queued as JSON bodies; nobody wrote them.
            if entry.text and not entry.text.startswith('{"task_id"'):
                self._said.append(entry.text)
                return entry.text, entry.common
        return None

    def already_said(self, text: str) -> bool:
        """Whether a queued text was taken from its queue lines before (newer versions write it twice)."""
        if text in self._said:
            self._said.remove(text)
            return True
        return False

    def _removed(self, text: str | None) -> Waiting:
        # Slash commands wait for the end of the turn; a `remove` within it is of the first other entry.
        entry = next((w for w in self._waiting if text and w.text == text), None)
        entry = entry or next((w for w in self._waiting if not w.text.startswith("/")), self._waiting[0])
        self._waiting.remove(entry)
        return entry

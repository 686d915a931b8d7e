"""What persons wrote, and what only wears their role."""

from __future__ import annotations

from collections import deque

from transcript_lint.events import HumanMessage, InjectedMessage


class PeopleBook:
    """The last messages of persons (`said`) and of programs in their role (`injected`), oldest first, bounded."""

    def __init__(self) -> None:
        self.said: deque[HumanMessage] = deque(maxlen=400)
        self.injected: deque[InjectedMessage] = deque(maxlen=100)
        self.first: HumanMessage | None = None
        self.count = 0

    def on_human_message(self, event: HumanMessage) -> None:
        self.first = self.first or event
        self.count += 1
        self.said.append(event)

    def on_injected_message(self, event: InjectedMessage) -> None:
        self.injected.append(event)

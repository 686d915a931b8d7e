"""What is known at a moment of a session: small books, one a subject, filled by the engine before a rule looks.

The ledger reads events and nothing else. It knows no rule and raises no evidence level by itself.
"""

from __future__ import annotations

from transcript_lint.dispatch import handlers
from transcript_lint.events import Event
from transcript_lint.ledger.asks import AskBook
from transcript_lint.ledger.people import PeopleBook
from transcript_lint.ledger.provider import ProviderBook
from transcript_lint.ledger.runs import Run, RunBook
from transcript_lint.ledger.session import SessionBook
from transcript_lint.ledger.summaries import SummaryBook
from transcript_lint.settings import Settings

__all__ = ["Ledger", "Run"]


class Ledger:
    """All books of one chain of sessions.

    `session`: policies and where we are; `runs`: every command and how it ended; `people`: what persons wrote and
    what only looked like it; `asks`: gates and their answers; `provider`: requests, meters, errors;
    `summaries`: compaction boundaries and what was open at them.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.session = SessionBook()
        self.runs = RunBook(self.settings)
        self.people = PeopleBook()
        self.asks = AskBook(self.runs, self.session, self.people)
        self.provider = ProviderBook(self.settings)
        self.summaries = SummaryBook(self.runs, self.asks, self.settings)
        books = (self.session, self.runs, self.people, self.asks, self.provider, self.summaries)
        self._handlers = handlers(books)

    def update(self, event: Event) -> None:
        """Let every book that cares take note of one event."""
        for handle in self._handlers[type(event)]:
            handle(event)

"""Whether a claimed yes could have been given at all when no gate stands in the log."""

from __future__ import annotations

from transcript_lint.claims.approval import Kind, Reply, Saying, read_reply
from transcript_lint.claims.concepts import meant
from transcript_lint.events import Step
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import cut


def said_by_nobody(saying: Saying, ledger: Ledger) -> bool:
    """True only where the whole history is in sight and nothing in it could be the yes.

    An allowed prompt leaves no trace in most formats, so an act of the claimed kind that was already done rules it out,
    like every message of a person that is neither the task, nor a question, nor a no.
    """
    session, people, book = ledger.session, ledger.people, ledger.asks
    if saying.kind is not Kind.YES or saying.strength != "strong" or people.first is None:
        return False
    in_sight = session.complete and not session.boundaries and not people.injected and people.count == len(people.said)
    asked_for = session.approval_policy not in ("auto", "never") and session.interactive is not False
    if not in_sight or not asked_for or book.recent:
        return False
    claimed = meant((saying.text,))
    if not claimed or claimed & book.done or claimed & meant((people.first.text,)):
        return False
    later = list(people.said)[1:]
    return all(read_reply(message.text) in (Reply.QUESTION, Reply.NO) for message in later)


def first_words(ledger: Ledger) -> Step:
    """The person's first message, as a link of a chain."""
    first = ledger.people.first
    assert first is not None
    return Step(first.at, f"a person writes: {cut(first.text)}", first.time)

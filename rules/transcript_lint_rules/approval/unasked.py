"""Whether a claimed yes could have been given at all when no gate stands in the log."""

from __future__ import annotations

from transcript_lint.claims.approval import Kind, Reply, Saying, read_reply
from transcript_lint.claims.concepts import meant
from transcript_lint.claims.proposals import topic
from transcript_lint.events import Step
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import Standing, cut


def said_by_nobody(saying: Saying, ledger: Ledger) -> bool:
    """True only where the whole history is in sight and nothing in it could be the yes.

    An allowed prompt leaves no trace in most formats, so an act of the claimed kind that was already done rules it out,
    like every message of a person that is neither the task, nor a question, nor a no. Where a person kept the decision
    for themselves in so many words, the task that named the act is no yes either.
    """
    if saying.kind is not Kind.YES or saying.strength != "strong":
        return False
    if ledger.session.boundaries or ledger.asks.recent or not no_yes_yet(ledger):
        return False
    claimed = meant((saying.text,))
    kept = " ".join(ledger.people.reserved)
    if kept and (claimed & meant((kept,)) or topic(saying.text) & topic(kept)):
        return True
    first = ledger.people.first
    return bool(claimed) and first is not None and not claimed & (ledger.asks.done | meant((first.text,)))


def no_yes_yet(ledger: Ledger) -> bool:
    """Whether no person has written anything that could be a yes, with the whole history in sight."""
    session, people = ledger.session, ledger.people
    in_sight = session.complete and session.boundaries <= 1 and people.count == len(people.said)
    asked_for = session.approval_policy not in ("auto", "never") and session.interactive is not False
    if not in_sight or not asked_for or people.first is None or people.standing is not None:
        return False
    if any(message.why in ("summary", "handoff", "copied_context") for message in people.injected):
        return False
    if any(ask.standing is Standing.CONSENT for ask in ledger.asks.recent):
        return False
    return all(read_reply(m.text) in (Reply.QUESTION, Reply.NO) for m in list(people.said)[1:])


def first_words(ledger: Ledger) -> Step:
    """The person's first message, as a link of a chain."""
    first = ledger.people.first
    assert first is not None
    return Step(first.at, f"a person writes: {cut(first.text)}", first.time)

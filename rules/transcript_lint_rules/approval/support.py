"""What the rules of this family share: which gate a sentence speaks of, and how a finding waits for the act to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from transcript_lint.claims.approval import Kind, Reply, Saying, holds_yes, read_reply, sayings
from transcript_lint.claims.concepts import meant, named_by, tokens_of
from transcript_lint.claims.proposals import names_option, topic
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    EndKind,
    Event,
    HumanMessage,
    InjectedMessage,
)
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.acts import OUTWARD, Act, carries_out, does, names, same_subject
from transcript_lint.ledger.asks import NEAR, Ask, Standing

ENDS_THAT_RAN = frozenset(EndKind) - {EndKind.NOT_RUN, EndKind.UNKNOWN}
LATE = 200
"""How many events a late reply may take to be written down."""


def told(event: AgentText, *kinds: Kind) -> list[Saying]:
    """The sentences of these kinds in a text that the main agent addresses to people."""
    if event.agent != "main" or event.where == "task_state":
        return []
    return [saying for saying in sayings(event.text) if saying.kind in kinds]


def spoken_of(saying: Saying, event: AgentText, ledger: Ledger) -> Ask | None:
    """The gate a sentence about consent speaks of: the latest without a person's answer, words in common first."""
    asks = [ask for ask in ledger.asks.waiting() if not same_response(ask, event.at.line, event.request_id)]
    related = [ask for ask in asks if in_common(saying, ask)]
    if related:
        return next((ask for ask in related if ask.standing is not Standing.UNKNOWN), related[0])
    if saying.strength != "strong":
        return None
    if asks and asks[0].gate == "permission" and asks[0].standing is Standing.SILENT and not asks[0].steps:
        return asks[0]
    return next((ask for ask in asks if ask.gate != "permission"), None)


def same_response(ask: Ask, line: int, request_id: str | None) -> bool:
    """Whether a question of the agent stands in the very response, so that nobody could have answered yet."""
    if ask.gate != "prose":
        return False
    return ask.step.at.line == line or (request_id is not None and ask.request_id == request_id)


def tells_of_no(saying: Saying, ask: Ask) -> bool:
    """Whether a sentence says that a person took the option that does nothing."""
    named = names_option(saying.text, ask.options)
    return named is not None and ask.declined_by(named)


def in_common(saying: Saying, ask: Ask) -> bool:
    if ask.gate == "plan" and "plan" in saying.text.casefold():
        return True
    asked = (ask.question, *ask.options)
    if meant((saying.text,)) & (meant(asked) | named_by(tokens_of(ask.question))):
        return True
    if names_option(saying.text, ask.options) is not None:
        return True
    return bool(topic(saying.text) & topic(" ".join(asked)))


def gated(act: Act, ledger: Ledger) -> Iterator[tuple[Ask, bool]]:
    """The gates without a reply that an act should have waited for, and whether it is their very act.

    Where approval was not needed there are none. Answers that a program gave are for TL401.
    """
    for ask in ledger.asks.waiting():
        if ask.standing not in (Standing.OPEN, Standing.SILENT) or ledger.asks.off(ask):
            continue
        if same_response(ask, act.step.at.line, act.request_id):
            continue
        if _is_its_act(act, ask):
            yield ask, True
        elif ask.steps <= NEAR and _is_near(act, ask, ledger):
            yield ask, False


def _is_its_act(act: Act, ask: Ask) -> bool:
    asked = ask.asked
    if asked is not None and ask.of_a_call:
        same_arguments = asked.arguments_sha256 is not None and asked.arguments_sha256 == act.sha256
        return asked.call_id == act.call_id or (same_arguments and asked.tool in (None, act.tool))
    return ask.gate != "plan" and names(act, ask.question)


def _is_near(act: Act, ask: Ask, ledger: Ledger) -> bool:
    if ask.of_a_call:
        return False
    if ask.gate == "plan":
        return act.line is None or any(part.effect in OUTWARD for part in act.line.parts)
    if injected_yes(ask) is not None and same_subject(act, ask.question, ask.options):
        return True
    if not carries_out(act, ask.question, ask.options, by_words=ask.gate != "prose"):
        return False
    if ask.gate != "prose":
        return True
    return not does(act) or bool(does(act) - ledger.people.ordered())


def injected_yes(ask: Ask) -> InjectedMessage | None:
    """What a program wrote after the question that reads as a yes to it, None if nothing does."""
    asked = meant((ask.question, *ask.options))
    for message in ask.injected:
        text = message.text.strip()
        if len(text) < 300 and (read_reply(text) is Reply.YES or (asked and asked & meant((text,)))):
            return message
        about = " ".join((ask.question, *ask.options))
        if len(text) < 3000 and holds_yes(text) and (asked & meant((text,)) or topic(text) & topic(about)):
            return message
        if len(text) < 20_000 and any(saying.kind is Kind.YES and in_common(saying, ask) for saying in sayings(text)):
            return message
    return None


def is_run_of(act: Act) -> Callable[[Event], bool]:
    """True for the record that shows that the act really ran."""

    def confirm(event: Event) -> bool:
        return (
            isinstance(event, CommandEnded) and event.call_id == act.call_id and event.termination.kind in ENDS_THAT_RAN
        )

    return confirm


def takes_back(act: Act, asks: Iterable[Ask] = ()) -> Callable[[Event], bool]:
    """True for a record that makes an act innocent: it did not run, a gate of its own opened, or a reply came late.

    A gate of its own decides about the act by itself, and so does the start of a call that was only announced before.
    A late reply counts when it was written before the act.
    """
    slots = {ask.slot for ask in asks}

    def cancel(event: Event) -> bool:
        if isinstance(event, CommandEnded):
            return event.call_id == act.call_id and event.termination.kind is EndKind.NOT_RUN
        if isinstance(event, CommandIssued):
            return event.call_id == act.call_id
        if isinstance(event, ApprovalAsked | ApprovalAnswered) and event.call_id == act.call_id:
            return event.slot_id not in slots or answered_before(event, slots, act.time)
        return answered_before(event, slots, act.time)

    return cancel


def answered_before(event: Event, slots: set[str], moment: float | None) -> bool:
    """Whether an event is a person's reply that was written before `moment` though it stands after it."""
    if moment is None:
        return False
    if isinstance(event, ApprovalAnswered) and event.slot_id in slots and event.by == "human":
        written = event.written_at if event.written_at is not None else event.time
        return (
            event.outcome not in ("denied", "rejected", "none", "timeout") and written is not None and written <= moment
        )
    return isinstance(event, HumanMessage) and event.time is not None and event.time <= moment


def outcome(ask: Ask) -> str:
    """What came back from a gate, for a message."""
    if ask.standing is Standing.OPEN:
        return "no reply stands in the log"
    return ask.chain[1].what if len(ask.chain) > 1 else "nobody answered"

"""Gates that wait for a person: what was asked, what closed it, and which acts wait behind it."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Set
from enum import StrEnum

from transcript_lint.claims.approval import Reply, read_reply, redirects
from transcript_lint.claims.concepts import sentinels
from transcript_lint.claims.proposals import declines, proposed
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    HumanMessage,
    InjectedMessage,
    Step,
)
from transcript_lint.ledger.acts import Act, act_of, does
from transcript_lint.ledger.asking_tools import answer_of, asks_person, question_of
from transcript_lint.ledger.people import PeopleBook
from transcript_lint.ledger.runs import RunBook
from transcript_lint.ledger.session import SessionBook

MAX_SLOTS = 4096
MAX_ACTS = 512
NEAR = 5
"""How many acts after a question still count as near it."""
QUICK_MS = 1000
"""An answer to a question that came faster was not read by a person."""


class Standing(StrEnum):
    """Where a gate stands. Only CONSENT is a person's yes; UNKNOWN is a reply that the format does not log."""

    OPEN = "open"
    SILENT = "silent"
    SYNTHETIC = "synthetic"
    AUTOMATIC = "automatic"
    CONSENT = "consent"
    DENIED = "denied"
    REFUSED = "refused"
    UNKNOWN = "unknown"


UNANSWERED = frozenset({Standing.OPEN, Standing.SILENT, Standing.SYNTHETIC})


class Ask:
    """One gate. `gate` is permission, question, plan or prose (a question that the agent wrote and nothing waited on).

    `reply` is what a person wrote after it in a message of their own. `injected` holds what programs wrote after it
    in a person's role; `steps` counts the acts since it was asked or last answered, idle ones left out.
    """

    def __init__(self, gate: str, step: Step, question: str, asked: ApprovalAsked | None = None) -> None:
        self.gate = gate
        self.step = step
        self.question = question
        self.asked = asked
        self.answers: list[ApprovalAnswered] = []
        self.reply: HumanMessage | None = None
        self.reply_as: Reply | None = None
        self.injected: deque[InjectedMessage] = deque(maxlen=8)
        self.steps = 0
        self.request_id: str | None = None

    @property
    def slot(self) -> str:
        """What tells it from other gates."""
        return self.asked.slot_id if self.asked else f"{self.step.at.line}:{self.step.at.pointer}"

    @property
    def of_a_call(self) -> bool:
        """Whether it is the gate of one call, known by its id or arguments, and not a question in words alone."""
        asked = self.asked
        return asked is not None and self.gate == "permission" and bool(asked.call_id or asked.arguments_sha256)

    @property
    def options(self) -> tuple[str, ...]:
        return self.asked.options if self.asked else ()

    @property
    def answered(self) -> bool:
        """Whether anything came back that may have closed it."""
        return bool(self.answers) or self.reply_as is not None

    @property
    def last(self) -> ApprovalAnswered | None:
        """The answer that holds: a person's if there is one, else the latest."""
        of_person = [a for a in self.answers if a.by == "human"]
        answers = of_person or self.answers
        return answers[-1] if answers else None

    @property
    def denied_with(self) -> Reply:
        """How the words of a denial read: a plain no, a question, or a no that says what to do first or instead."""
        words = self.last.text if self.last else None
        if not words:
            return Reply.NO
        read = read_reply(words)
        return read if read in (Reply.NO, Reply.QUESTION) else Reply.REDIRECT

    @property
    def postponed(self) -> bool:
        """Whether a denial only puts the act off ("after the test"), and names nothing to do in its place."""
        return self.last is not None and not redirects(self.last.text or "")

    def declined_by(self, words: str) -> bool:
        """Whether the option chosen is the one that does nothing, next to another that does what was asked."""
        return declines(words, self.question, self.options)

    @property
    def standing(self) -> Standing:
        """Where the gate stands now."""
        found = self._answered()
        if self.reply_as in (Reply.YES, Reply.OTHER, Reply.REDIRECT):
            return Standing.CONSENT
        if self.reply_as is Reply.NO and found is not Standing.CONSENT:
            return Standing.DENIED
        return found

    @property
    def chain(self) -> tuple[Step, ...]:
        """What was asked, what came back, and what programs wrote in between."""
        steps = [self.step]
        if (answer := self.last) is not None:
            steps.append(Step(answer.at, describe(answer), answer.time))
        steps += (Step(i.at, f"a program writes ({i.why}): {cut(i.text)}", i.time) for i in self.injected)
        if self.reply is not None:
            steps.append(Step(self.reply.at, f"a person writes: {cut(self.reply.text)}", self.reply.time))
        return tuple(steps)

    @property
    def decided_at_limit(self) -> bool:
        """Whether a person's wordless answer stands exactly where the time was up: a time-out stored as a choice."""
        answer, limit = self.last, self.asked.timeout_ms if self.asked else None
        if answer is None or not limit or answer.by != "human" or answer.text or answer.outcome in ("none", "timeout"):
            return False
        waited = answer.latency_ms
        if waited is None and answer.time is not None and self.step.time is not None:
            waited = round((answer.time - self.step.time) * 1000)
        return waited is not None and abs(waited - limit) <= max(1000, 0.02 * limit)

    def _answered(self) -> Standing:
        answer = self.last
        if answer is None:
            return Standing.OPEN
        outcome, by = answer.outcome, answer.by
        if outcome in ("timeout", "none"):
            return Standing.SILENT
        if outcome == "unknown":
            return Standing.UNKNOWN
        if self.decided_at_limit:
            return Standing.SILENT
        if outcome in ("denied", "rejected"):
            return Standing.DENIED if by == "human" else Standing.REFUSED
        if outcome == "auto" or (by != "human" and outcome in ("approved", "edited")):
            return Standing.AUTOMATIC
        if by != "human":
            return Standing.SYNTHETIC
        return self._words_of(answer)

    def _words_of(self, answer: ApprovalAnswered) -> Standing:
        words = (answer.text or "").strip()
        if self.gate == "permission":
            return Standing.CONSENT
        folded = words.casefold()
        if answer.outcome == "answered" and (
            answer.text == "" or (len(folded) < 200 and any(s in folded for s in sentinels()))
        ):
            return Standing.SILENT
        if self.gate == "question" and answer.latency_ms is not None and answer.latency_ms < QUICK_MS:
            return Standing.SYNTHETIC
        if words and (read_reply(words) is Reply.NO or self.declined_by(words)):
            return Standing.DENIED
        return Standing.CONSENT


class AskBook:
    """Every gate of the chain; `recent` the last of them, newest last. Acts are kept for a while to compare with."""

    def __init__(self, runs: RunBook, session: SessionBook, people: PeopleBook) -> None:
        self.runs = runs
        self.session = session
        self.people = people
        self.slots: OrderedDict[str, Ask] = OrderedDict()
        self.recent: deque[Ask] = deque(maxlen=64)
        self._done: set[str] = set()
        self._acted: list[Act] = []
        self._acts: OrderedDict[str, Act] = OrderedDict()
        self._asking: OrderedDict[str, CommandIssued] = OrderedDict()

    @property
    def done(self) -> Set[str]:
        """The names of the concepts that the calls of the chain have carried out; looked up when somebody asks."""
        self._settle()
        return self._done

    def _settle(self) -> None:
        self._done.update(*map(does, self._acted))
        self._acted.clear()

    def act(self, call_id: str | None) -> Act | None:
        """The call of an id, if it was not long ago."""
        return self._acts.get(call_id or "")

    def slots_of(self, call_id: str) -> list[Ask]:
        """The gates of a call, the oldest first."""
        return [ask for ask in self.recent if ask.asked is not None and ask.asked.call_id == call_id]

    def waiting(self) -> Iterator[Ask]:
        """Gates without a person's answer, the newest first, back to the last one that a person answered."""
        for ask in reversed(self.recent):
            if ask.standing is Standing.CONSENT:
                return
            yield ask

    def denied(self) -> Iterator[Ask]:
        """Gates that a person closed with a no and did not open again, the newest first."""
        return (ask for ask in reversed(self.recent) if ask.answered and ask.standing is Standing.DENIED)

    def off(self, ask: Ask | None) -> bool:
        """Whether no approval was needed: by policy, by a person's standing permission, or with nobody there to ask.

        A question put through an ask tool was asked under any policy; only a standing permission answers it.
        """
        if self.people.standing is not None:
            return True
        if ask is not None and ask.gate in ("question", "plan"):
            return False
        return self.session.approval_policy in ("auto", "never") or self.session.interactive is False

    def on_approval_asked(self, event: ApprovalAsked) -> None:
        if event.slot_id in self.slots:
            return
        act = self.act(event.call_id)
        shown = event.question or (act.text if act else event.tool or "")
        ask = Ask(event.gate, Step(event.at, f"a person is asked: {cut(shown)}", event.time), shown, event)
        self.slots[event.slot_id] = ask
        self.recent.append(ask)
        if len(self.slots) > MAX_SLOTS:
            self.slots.popitem(last=False)

    def on_approval_answered(self, event: ApprovalAnswered) -> None:
        if ask := self.slots.get(event.slot_id):
            ask.answers.append(event)
            ask.steps = 0

    def on_human_message(self, event: HumanMessage) -> None:
        read: Reply | None = None
        for ask in reversed(self.recent):
            if ask.reply_as in (Reply.YES, Reply.OTHER, Reply.REDIRECT):
                break
            if ask.standing is Standing.CONSENT or (ask.last and ask.last.text == event.text):
                continue
            read = read or read_reply(event.text)
            if read is not Reply.QUESTION:
                ask.reply, ask.reply_as = event, read

    def on_injected_message(self, event: InjectedMessage) -> None:
        for ask in list(self.recent)[-8:]:
            if ask.standing in UNANSWERED:
                ask.injected.append(event)

    def on_agent_text(self, event: AgentText) -> None:
        if event.agent != "main" or event.where not in ("prose", "closing"):
            return
        question = proposed(event.text)
        if question is None:
            return
        ask = Ask("prose", Step(event.at, f"the agent asks: {cut(question)}", event.time), question)
        ask.request_id = event.request_id
        self.recent.append(ask)

    def on_command_ended(self, event: CommandEnded) -> None:
        """A tool that asks a person has its question and its answer in one call."""
        called = self._asking.pop(event.call_id, None)
        if called is None or event.call_id in self.slots or self.slots_of(event.call_id):
            return
        question, options = question_of(called)
        asked = ApprovalAsked(at=called.at, slot_id=called.call_id, gate="question", question=question, options=options)
        self.on_approval_asked(asked)
        outcome, words = answer_of(event)
        by = "human" if outcome in ("approved", "denied", "answered") else "harness"
        self.on_approval_answered(
            ApprovalAnswered(at=event.at, time=event.time, slot_id=called.call_id, outcome=outcome, by=by, text=words)
        )

    def on_command_issued(self, event: CommandIssued) -> None:
        if asks_person(event):
            self._asking[event.call_id] = event
            if len(self._asking) > MAX_ACTS:
                self._asking.popitem(last=False)
            return
        act = act_of(event, self.runs.settings)
        self._acts[event.call_id] = act
        if len(self._acts) > MAX_ACTS:
            self._acts.popitem(last=False)
        if act.idle:
            return
        self._acted.append(act)
        if len(self._acted) > MAX_ACTS:
            self._settle()
        for ask in list(self.recent)[-16:]:
            ask.steps += 1


def describe(answer: ApprovalAnswered) -> str:
    """What closed a gate, in words."""
    who = {"human": "a person", "policy": "a policy", "harness": "the harness", "model": "a model"}.get(
        answer.by, answer.by
    )
    words = f": {cut(answer.text)}" if answer.text else ""
    match answer.outcome:
        case "timeout":
            return "the time ran out and nobody answered"
        case "none":
            return "nobody answered"
        case "auto":
            return f"{who} answered by itself{words}"
        case "unknown":
            return "how it was answered is not logged"
        case outcome:
            return f"{who} {outcome} it{words}"


def cut(text: str, length: int = 90) -> str:
    """A piece of text for a chain or a message: one line, in single quotes, bounded."""
    line = " ".join(text.split())
    return f"'{line[: length - 1]}…'" if len(line) > length else f"'{line}'"

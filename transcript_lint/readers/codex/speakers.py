"""Who said a text: the same words stand twice in a rollout, and the user's role is often worn by a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from transcript_lint.events import AgentText, HumanMessage, InjectedMessage
from transcript_lint.readers.base import text_of
from transcript_lint.readers.shapes import objects, room

KEPT_TEXTS = 64
SUMMARY_PREFIX = "Another language model started to solve this problem"
_REQUEST = "## My request for Codex:"
_INJECTED = (
    ("<environment_context>", "reminder"),
    ("# AGENTS.md instructions", "reminder"),
    ("<user_instructions>", "reminder"),
    ("<INSTRUCTIONS>", "reminder"),
    ("<turn_aborted>", "notification"),
    ("<subagent_notification>", "notification"),
    ("<skill>", "reminder"),
    ("<recommended_plugins>", "reminder"),
    ("<permissions instructions>", "reminder"),
    ("<user_shell_command>", "tool_result"),
    ("<hook_prompt", "hook"),
    ("<hook_context", "hook"),
    ("<inter_agent", "teammate"),
    (SUMMARY_PREFIX, "summary"),
)


def injected_as(text: str) -> str | None:
    """Why a user text was written by a program, told from the openings that Codex documents; None if it was not."""
    head = text.lstrip()[:60]
    return next((why for prefix, why in _INJECTED if head.startswith(prefix)), None)


def why_injected(kinds: list[Any]) -> str:
    """Why a user text was written by a program, from the kinds that newer versions write beside it."""
    words = " ".join(map(str, kinds))
    for hint, why in (
        ("compaction", "summary"),
        ("hook", "hook"),
        ("agent", "teammate"),
        ("notification", "notification"),
    ):
        if hint in words:
            return why
    return "reminder"


def own_words(text: str) -> str:
    """What a person typed, without the preamble that an editor puts before it."""
    if text.startswith("# Context from my IDE setup") and _REQUEST in text:
        return text.split(_REQUEST, 1)[1].strip()
    return text


def summary_of(message: Any) -> str | None:
    """A compaction's summary without the sentence that introduces it; None where it is empty or absent."""
    if not isinstance(message, str):
        return None
    if message.startswith(SUMMARY_PREFIX) and "\n" in message:
        message = message.split("\n", 1)[1]
    return message if message.strip() else None


def summary_in(history: Any) -> str | None:
    """The summary among the messages that replace the history, where the boundary itself does not repeat it."""
    texts = [text_of(item.get("content")) for item in objects(history) if item.get("role") == "user"]
    return next((summary_of(text) for text in reversed(texts) if text.startswith(SUMMARY_PREFIX)), None)


class Agent:
    """The model's texts, each told once: where its response item stands, or its event if that is all there is."""

    def __init__(self) -> None:
        self._told: dict[str, int] = {}
        self.held: AgentText | None = None

    def item(self, event: AgentText) -> Iterator[AgentText]:
        """The text of a response item."""
        echo = self.held is not None and self.held.text == event.text
        if echo:
            self.held = None
        else:
            yield from self.flush()
        room(self._told, KEPT_TEXTS)[event.text] = self._told.get(event.text, 0) + (0 if echo else 1)
        yield event

    def echo(self, event: AgentText) -> Iterator[AgentText]:
        """The same text as an event."""
        if self._told.get(event.text):
            self._told[event.text] -= 1
            return
        yield from self.flush()
        self.held = event

    def last(self, event: AgentText) -> Iterator[AgentText]:
        """The last text of a turn, repeated at its end."""
        yield from self.flush()
        if event.text not in self._told:
            yield event

    def flush(self) -> Iterator[AgentText]:
        """An event whose response item did not come."""
        if self.held is not None:
            held, self.held = self.held, None
            room(self._told, KEPT_TEXTS)[held.text] = 0
            yield held

    def new_turn(self) -> None:
        """Forget the texts of the turn before."""
        self._told.clear()


class Person:
    """User texts: a person's where the log says so by an event or a mark, else a program's.

    A log that has no such event at all leaves it to the documented openings.
    """

    def __init__(self) -> None:
        self._confirms = False
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        self._announced: tuple[str, dict[str, Any]] | None = None
        self._told: str | None = None

    @property
    def undecided(self) -> bool:
        """Whether a text waits for its other record."""
        return bool(self._waiting) or self._announced is not None

    def item(self, text: str, common: dict[str, Any]) -> Iterator[HumanMessage]:
        """A user text of a response item that no documented opening gives away."""
        if self._announced is not None and _same(text, self._announced[0]):
            self._announced = None
            yield HumanMessage(**common, text=own_words(text))
        else:
            self._waiting.append((text, common))

    def marked(self, text: str, common: dict[str, Any]) -> Iterator[HumanMessage]:
        """A user text that its own record marks as a person's."""
        self._told, self._confirms = text, True
        if self._announced is not None and _same(text, self._announced[0]):
            self._announced = self._told = None
        yield HumanMessage(**common, text=own_words(text))

    def announced(self, text: str, common: dict[str, Any]) -> Iterator[HumanMessage | InjectedMessage]:
        """The event that says a person wrote this."""
        self._confirms = True
        if self._told is not None and _same(self._told, text):
            self._told = None
            return
        found = next((w for w in self._waiting if _same(w[0], text)), None)
        if found is None:
            yield from self.flush()
            self._announced = (text, common)
            return
        self._waiting.remove(found)
        yield from self.flush()
        yield HumanMessage(**found[1], text=own_words(found[0]))

    def flush(self) -> Iterator[HumanMessage | InjectedMessage]:
        """Decide what still waits for the other record of its text."""
        for text, common in self._waiting:
            if self._confirms:
                yield InjectedMessage(**common, text=text, why="reminder")
            else:
                yield HumanMessage(**common, text=own_words(text))
        self._waiting.clear()
        if self._announced is not None:
            text, common = self._announced
            self._announced = None
            yield HumanMessage(**common, text=own_words(text))


def _same(item: str, event: str) -> bool:
    item, event = item.strip(), event.strip()
    return item == event or not event or event in item

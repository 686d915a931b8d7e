"""What a log format may let be decided, in one vocabulary: readers answer to it, rules say what they need of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct

Capability = Literal[
    "command ends",
    "background ends",
    "compaction summary",
    "human vs injected",
    "approvals asked",
    "approvals answered",
    "usage",
    "window",
    "meters",
    "errors",
]
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)
"""Every capability, in the order of tables."""

Word = Literal["yes", "partly", "no"]
WORDS: tuple[Word, ...] = get_args(Word)
"""The answers, the best one first."""

Decides = Mapping[Capability, str]
"""A format's answer to each capability: a word, with a reason after a colon."""

Needs = tuple[Capability | tuple[Capability, ...], ...]
"""What a rule cannot do without. All of it is needed; of an inner tuple one is enough."""


class Answer(Struct, frozen=True):
    """One answer taken apart; `why` may be empty."""

    word: Word
    why: str


def answer(decides: Decides, capability: Capability) -> Answer:
    """A format's answer to one capability; ValueError where it is none of the words."""
    stated, _, why = decides.get(capability, "no: the reader does not say").partition(":")
    for word in WORDS:
        if stated == word:
            return Answer(word, why.strip())
    raise ValueError(f"{stated!r} is no answer to {capability!r}: {', '.join(WORDS)}")


def decidable(needs: Needs, decides: Decides) -> Word:
    """Whether a rule of these needs can decide in a format: as well as its worst served need is served."""
    served = [min(map(WORDS.index, _words(need, decides))) for need in needs]
    return WORDS[max(served, default=0)]


def _words(need: Capability | tuple[Capability, ...], decides: Decides) -> list[Word]:
    return [answer(decides, one).word for one in (need if isinstance(need, tuple) else (need,))]

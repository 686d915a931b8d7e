"""What an act is called: joins the words of people (in nine languages) to those of commands and tools."""

from __future__ import annotations

from functools import cache, lru_cache

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint import tables

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a name in camel case may be cut."""
_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)*")


class Concept(Struct, frozen=True, kw_only=True):
    """One thing that can be done: the effects of a command line, tool words and words of people that mean it."""

    name: str
    effects: frozenset[str]
    tools: frozenset[str]
    starts: tuple[str, ...]
    parts: tuple[str, ...]


AT_HOME = frozenset({"commit", "install", "close", "scale"})
"""Concepts that change little outside, or that people say of much else too."""


@cache
def _data() -> dict[str, object]:
    return tables.lexicon("approval/acts.toml")


@cache
def sentinels() -> tuple[str, ...]:
    """What tools write in the place of an answer that nobody gave."""
    found = _data()["sentinels"]
    return tuple(str(s) for s in found) if isinstance(found, list) else ()


@cache
def common_words() -> frozenset[str]:
    """Words, and pairs of characters, that stand in any talk of consent and tell nothing of what it is about."""
    found = _data()["common"]
    return frozenset(str(words).casefold() for words in found) if isinstance(found, list) else frozenset()


@cache
def concepts() -> tuple[Concept, ...]:
    """The concepts of `acts.toml`: `starts` begin a word, `parts` may stand anywhere in a text."""
    found: list[Concept] = []
    for name, table in _data().items():
        if not isinstance(table, dict):
            continue
        words = [str(w).casefold() for w in table["words"]]
        found.append(
            Concept(
                name=name,
                effects=frozenset(table["effects"]),
                tools=frozenset(table.get("tools", ())),
                starts=tuple(w for w in words if w.isascii() and w.isalnum()),
                parts=tuple(w for w in words if not (w.isascii() and w.isalnum())),
            )
        )
    return tuple(found)


@lru_cache(maxsize=128)
def meant(texts: tuple[str, ...]) -> frozenset[str]:
    """The names of the concepts that people's words mean."""
    folded = " ".join(texts).casefold()
    words = _TOKEN.findall(folded)
    return frozenset(
        c.name
        for c in concepts()
        if any(part in folded for part in c.parts) or any(word.startswith(c.starts) for word in words)
    )


@lru_cache(maxsize=512)
def named_by(tokens: frozenset[str]) -> frozenset[str]:
    """The names of the concepts that the words of a command or a tool's name carry out."""
    return frozenset(c.name for c in concepts() if tokens & c.tools or any(t.startswith(c.starts) for t in tokens))


def tokens_of(text: str) -> frozenset[str]:
    """The words of a command or a name, lower case, camel case cut."""
    parted = text if text.islower() else CAMEL.sub(" ", text)
    return frozenset(token.casefold() for token in _TOKEN.findall(parted))

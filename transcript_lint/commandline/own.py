"""Commands of the user's own: what their first words do, beside what is known of the world's tools."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from transcript_lint.commandline import programs
from transcript_lint.commandline.classify import interpret, unwrap
from transcript_lint.commandline.model import Kind

Meaning = TypeVar("Meaning")

EFFECTS = frozenset((*programs.EFFECTS.values(), "apply", "pull_request"))
"""Every effect that a command line is known to have."""

_KIND_OF_EFFECT = {effect: kind for kind, effect in programs.EFFECTS.items()} | {"apply": Kind.DEPLOY}


class OwnCommands(Struct, frozen=True):
    """First words, wrappers and paths gone, to a kind and to an effect; of several that fit the longest counts."""

    kinds: tuple[tuple[tuple[str, ...], Kind], ...] = ()
    effects: tuple[tuple[tuple[str, ...], str], ...] = ()

    def kind(self, words: Sequence[str]) -> Kind | None:
        """The kind of a command; what has an effect is also of the kind of command that has it."""
        kind = _longest(self.kinds, words)
        return kind or _KIND_OF_EFFECT.get(self.effect(words) or "")

    def effect(self, words: Sequence[str]) -> str | None:
        """What a command changes outside the session."""
        return _longest(self.effects, words)


def own_commands(verifiers: Mapping[str, str], effects: Mapping[str, str]) -> OwnCommands:
    """`{"just verify": "test"}` and `{"make ship": "deploy"}` as one catalogue. Raises ValueError for no kind."""
    kinds = ((_words(first), Kind(kind)) for first, kind in verifiers.items())
    named = ((_words(first), effect) for first, effect in effects.items())
    return OwnCommands(
        tuple(sorted(kinds, key=lambda row: -len(row[0]))), tuple(sorted(named, key=lambda row: -len(row[0])))
    )


def _words(first: str) -> tuple[str, ...]:
    try:
        words = shlex.split(first)
    except ValueError:  # an open quote
        words = first.split()
    return tuple(interpret(unwrap(words)))


def _longest(rows: Sequence[tuple[tuple[str, ...], Meaning]], words: Sequence[str]) -> Meaning | None:
    return next((meaning for first, meaning in rows if first and tuple(words[: len(first)]) == first), None)

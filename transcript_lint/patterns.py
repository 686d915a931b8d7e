"""Regular expressions that cost nothing until they are used: the part of `re` that the project's tables need.

Modules and lexicons hold hundreds of patterns, a log meets few of them, and compiling them all takes longer than
auditing a small file. Import it in the place of `re`: `from transcript_lint import patterns as re`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    A,
    I,
    M,
    Match,
    Pattern,
    RegexFlag,
    S,
    escape,
    findall,
    fullmatch,
    match,
    search,
    sub,
)
from typing import Any, cast

from transcript_lint.literals import required

__all__ = ["ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "A", "I", "M", "Match", "Pattern", "S", "compile", "escape"]
__all__ += ["Gate", "any_of", "findall", "fullmatch", "match", "search", "sub"]

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a pattern; it is compiled when one of its methods or fields is first asked for."""

    def __init__(self, source: str, flags: RegexFlag | int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source, self._flags)
        # From now on a method is found in the instance itself, as fast as that of the pattern.
        self.__dict__.update({method: getattr(pattern, method) for method in _METHODS})
        self.__dict__.update(pattern=pattern.pattern, flags=pattern.flags, groupindex=pattern.groupindex)
        return getattr(pattern, name)


def compile(pattern: str, flags: RegexFlag | int = 0) -> Pattern[str]:
    """The pattern, compiled at its first use; `re.error` is raised only then."""
    return cast("Pattern[str]", _Lazy(pattern, flags))


_Entries = list[tuple[str, tuple[int, ...]]]
_FEW = 24
"""Literals that are looked for one by one; more are looked up by three of their letters."""
_RARITY = {letter: rank for rank, letter in enumerate(" etaoinsrhldcumfpgwybvkxjqz")}


@lru_cache(maxsize=8)
def _folded(text: str) -> str:
    return text.casefold()


@lru_cache(maxsize=8)
def _triples(folded: str) -> frozenset[str]:
    """Every three letters in a row."""
    return frozenset(map("".join, zip(folded, folded[1:], folded[2:], strict=False)))


class Gate:
    """Tells of many patterns which may match somewhere in a text, by the literals they need, whatever their case."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources
        self._always: set[int] = set()
        self._short: _Entries | None = None
        self._by_triple: dict[str, _Entries] = {}

    def open(self, text: str) -> Sequence[int]:
        """The numbers of the patterns that may match, in order."""
        short = self._short if self._short is not None else self._read()
        folded = _folded(text)
        hits = [numbers for literal, numbers in short if literal in folded]
        if self._by_triple:
            for triple in self._by_triple.keys() & _triples(folded):
                hits += [numbers for literal, numbers in self._by_triple[triple] if literal in folded]
        return sorted(self._always.union(*hits)) if hits or self._always else ()

    def _read(self) -> _Entries:
        found: dict[str, list[int]] = {}
        for number, source in enumerate(self._sources):
            literals = required(source)
            if literals is None:
                self._always.add(number)
            for literal in literals or ():
                found.setdefault(literal, []).append(number)
        self._short = []
        for literal, numbers in found.items():
            entries = self._short
            if len(found) > _FEW and len(literal) > 2:
                entries = self._by_triple.setdefault(_rarest(literal), [])
            entries.append((literal, tuple(numbers)))
        return self._short


def _rarest(literal: str) -> str:
    """The three letters in a row of a literal that other texts hold least often."""
    triples = [literal[i : i + 3] for i in range(len(literal) - 2)]
    return max(triples, key=lambda triple: sum(_RARITY.get(letter, len(_RARITY)) for letter in triple))


def any_of(rows: Iterable[str], flags: RegexFlag | int = 0) -> Pattern[str]:
    """The alternation of some patterns; `search`, `finditer` and `sub` try only those that the text may match.

    A match knows the groups of its own row alone. No row may begin with a flag of its own.
    """
    return cast("Pattern[str]", _AnyOf(tuple(rows), flags))


class _AnyOf:
    """Finds what `(?:row)|(?:row)|…` finds: the leftmost match, of several at one place that of the first row."""

    def __init__(self, rows: tuple[str, ...], flags: RegexFlag | int) -> None:
        self._rows = rows
        self._flags = flags
        self._patterns = [compile(row, flags) for row in rows]
        self._gate = Gate(rows)

    def __getattr__(self, name: str) -> Any:
        whole = compile("|".join(f"(?:{row})" for row in self._rows) or "(?!)", self._flags)
        value = self.__dict__[name] = getattr(whole, name)
        return value

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> Match[str] | None:
        return self._first(self._gate.open(text), text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Match[str]]:
        rows = self._gate.open(text)
        while rows and start <= min(end, len(text)):
            match = self._first(rows, text, start, end)
            if match is None:
                return
            yield match
            start = match.end() + (match.end() == match.start())

    def sub(self, new: str | Callable[[Match[str]], str], text: str) -> str:
        kept: list[str] = []
        at = 0
        for found in self.finditer(text):
            kept += (text[at : found.start()], new if isinstance(new, str) else new(found))
            at = found.end()
        return "".join((*kept, text[at:])) if kept else text

    def _first(self, rows: Sequence[int], text: str, start: int, end: int) -> Match[str] | None:
        best: Match[str] | None = None
        for row in rows:
            match = self._patterns[row].search(text, start, end)
            if match is not None and (best is None or match.start() < best.start()):
                best = match
        return best

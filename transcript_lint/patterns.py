"""Regular expressions that cost nothing until they are used: the part of `re` that the project's tables need.

Modules and lexicons hold hundreds of patterns, a log meets few of them, and compiling them all takes longer than
auditing a small file. Import it in the place of `re`: `from transcript_lint import patterns as re`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from typing import Any, Generic, TypeVar, cast

from ahocorasick_rs import AhoCorasick

from transcript_lint.literals import everywhere, needed

__all__ = ["ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "A", "I", "M", "Match", "Pattern", "S", "compile", "escape"]
__all__ += ["AnyOf", "Gate", "Named", "Words", "any_of", "findall", "fullmatch", "match", "search", "sub"]

N = TypeVar("N")
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


_PROSE = 1_500
"""Characters of a text that many gates are asked about; of a longer one, an output or a file, few of them are."""


@lru_cache(maxsize=512)
def _literals_in(text: str) -> frozenset[str]:
    """All literals of the project's tables that stand in a text, whatever their case: one pass for all gates."""
    return frozenset(everywhere(text.isascii()).find_matches_as_strings(text.casefold(), overlapping=True))


class Gate:
    """Tells of many patterns which may match somewhere in a text, by the literals they need, whatever their case."""

    def __init__(self, sources: Sequence[str]) -> None:
        self.sources = sources
        self._always: tuple[int, ...] = ()
        self._rows: dict[str, list[int]] = {}
        self._literals: frozenset[str] | None = None
        self._alone = False
        self._finder: AhoCorasick | None = None

    def open(self, text: str) -> Sequence[int]:
        """The numbers of the patterns that may match, in order."""
        literals = self._literals if self._literals is not None else self._read()
        if self._alone or len(text) > _PROSE:
            found = self._find(text)
        else:
            found = _literals_in(text)
            if literals.isdisjoint(found):
                return self._always
        rows = set(self._always)
        for literal in literals & found:
            rows.update(self._rows[literal])
        return sorted(rows)

    def _read(self) -> frozenset[str]:
        always: list[int] = []
        for number, source in enumerate(self.sources):
            literals, known = needed(source)
            if literals is None:
                always.append(number)
                continue
            self._alone |= not known
            for literal in literals:
                self._rows.setdefault(literal, []).append(number)
        self._always = tuple(always)
        self._literals = frozenset(self._rows)
        return self._literals

    def _find(self, text: str) -> frozenset[str]:
        if self._finder is None:
            self._finder = AhoCorasick(self._rows)
        return frozenset(self._finder.find_matches_as_strings(text.casefold(), overlapping=True))


class Words(Generic[N]):
    """Tells which of some groups have a literal that stands in a text, in one pass; case counts."""

    def __init__(self, groups: Mapping[N, Iterable[str]]) -> None:
        self._groups: dict[str, list[N]] = {}
        for name, words in groups.items():
            for word in words:
                self._groups.setdefault(word, []).append(name)
        self._finder = AhoCorasick(list(self._groups))

    def groups_in(self, text: str) -> set[N]:
        """The names of the groups."""
        found = set(self._finder.find_matches_as_strings(text, overlapping=True))
        return {name for word in found for name in self._groups[word]}


class Named(Generic[N]):
    """Alternations with names, in order; `possible` asks the literals of all of them in one look."""

    def __init__(self, table: Iterable[tuple[N, AnyOf]]) -> None:
        self._table = tuple(table)
        self._owners = [owner for owner, (_, pattern) in enumerate(self._table) for _ in pattern.rows]
        self._gate = Gate([row for _, pattern in self._table for row in pattern.rows])

    def __iter__(self) -> Iterator[tuple[N, AnyOf]]:
        return iter(self._table)

    def possible(self, text: str) -> Sequence[tuple[N, AnyOf]]:
        """Those that may match somewhere in a text."""
        rows = self._gate.open(text)
        return [self._table[owner] for owner in dict.fromkeys(map(self._owners.__getitem__, rows))] if rows else ()

    def holding(self, text: str) -> Iterator[N]:
        """The names of those that match somewhere in a text."""
        return (name for name, pattern in self.possible(text) if pattern.holds(text))


def any_of(rows: Iterable[str], flags: RegexFlag | int = 0) -> AnyOf:
    """The alternation of some patterns; `search`, `finditer` and `sub` try only those that the text may match.

    A match knows the groups of its own row alone. No row may begin with a flag of its own.
    """
    return AnyOf(tuple(rows), flags)


class AnyOf:
    """Finds what `(?:row)|(?:row)|…` finds: the leftmost match, of several at one place that of the first row."""

    def __init__(self, rows: tuple[str, ...], flags: RegexFlag | int) -> None:
        self.rows = rows
        self._flags = flags
        self._patterns = [compile(row, flags) for row in rows]
        self._gate = Gate(rows)

    def __getattr__(self, name: str) -> Any:
        whole = compile("|".join(f"(?:{row})" for row in self.rows) or "(?!)", self._flags)
        value = self.__dict__[name] = getattr(whole, name)
        return value

    def may_hold(self, text: str) -> bool:
        """Whether a match is possible: False is certain, True is not."""
        return bool(self._gate.open(text))

    def holds(self, text: str) -> bool:
        """Whether any row matches somewhere: cheaper than `search`, which tells the leftmost match."""
        return any(self._patterns[row].search(text) for row in self._gate.open(text))

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

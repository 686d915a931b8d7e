"""Which literals a regular expression cannot match without: a look at its source that errs on the side of none.

It reads the part of the syntax that tables of words are written in; what it does not know requires nothing. Looking
costs more than auditing a small file, so it is done when the package is built, for every pattern of the project's own.
"""

from __future__ import annotations

from functools import cache

from ahocorasick_rs import AhoCorasick, Implementation

from transcript_lint import tables

Strings = frozenset[str]

_MAX_EXACT = 24
"""Strings that a stretch of a pattern may be spelled out to."""
_LONG = 10
"""Letters beyond which a longer literal is no rarer."""
_EMPTY: Strings = frozenset({""})
_ZERO_WIDTH = "bBAZ"
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


def needed(source: str) -> tuple[Strings | None, bool]:
    """What a pattern requires, see `required`, and whether `everywhere` looks for it."""
    known = tables.built().literals
    key = tables.key_of(source)
    if key in known:
        literals = known[key]
        return (None if literals is None else frozenset(literals)), True
    return required(source), False


@cache
def everywhere(plain: bool) -> AhoCorasick:
    """Finds, in one pass over a case-folded text, what any pattern known when the package was built requires.

    In a `plain` text, of ASCII alone, only half of it can stand; most sessions never need the rest.
    """
    known = {literal for literals in tables.built().literals.values() for literal in literals or ()}
    return AhoCorasick(filter(str.isascii, known) if plain else known, implementation=Implementation.ContiguousNFA)


def required(source: str) -> Strings | None:
    """Strings, case folded, of which at least one stands in every case-folded text that matches; None if unknown."""
    try:
        parser = _Parser(source)
        exact, needed = parser.alternation()
        if parser.at < len(source):
            return None
    except (IndexError, ValueError):
        return None
    found = _better(needed, exact)
    # A single letter stands in almost every text: to look for it tells nothing.
    if found is None or any(len(s) == 1 and s.isascii() and s.isalnum() for s in found):
        return None
    return frozenset(s for s in found if not any(o != s and o in s for o in found))


class _Parser:
    """Recursive descent. Each part gives the exact strings it can match (None: too many) and what it requires."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def alternation(self) -> tuple[Strings | None, Strings | None]:
        """Branches up to a closing parenthesis or the end."""
        exact, needed = self.sequence()
        needed = _better(needed, exact)
        while self.source.startswith("|", self.at):
            self.at += 1
            other, more = self.sequence()
            more = _better(more, other)
            needed = needed | more if needed is not None and more is not None else None
            exact = _bounded(exact | other) if exact is not None and other is not None else None
        return exact, needed

    def sequence(self) -> tuple[Strings | None, Strings | None]:
        """One branch."""
        run, whole = _EMPTY, True
        needed: Strings | None = None
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            item, more = self.item()
            low, high = self.quantifier()
            if low > 0:
                needed = _better(needed, more)
            if item is not None and low == 0:
                item = item | _EMPTY if high == 1 else None
            joined = None if item is None else _bounded(frozenset(a + b for a in run for b in item))
            if joined is None or high > 1:
                needed = _better(needed, joined if joined is not None else run)
                run = item if joined is None and item is not None and high == 1 else _EMPTY
                whole = False
            else:
                run = joined
        needed = _better(needed, run)
        return (run if whole else None), needed

    def item(self) -> tuple[Strings | None, Strings | None]:
        """One atom; a look around has no width and requires nothing."""
        char = self.source[self.at]
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return self.characters(), None
        if char == "\\":
            return self.escape(), None
        if char == ".":
            return None, None
        return (_EMPTY if char in "^$" else frozenset({char.casefold()})), None

    def group(self) -> tuple[Strings | None, Strings | None]:
        """What stands in parentheses."""
        width = True
        if self.source.startswith("?", self.at):
            kind = self.source[self.at + 1]
            if kind == "P":
                if self.source[self.at + 2] == "=":
                    self.at = self.source.index(")", self.at) + 1
                    return None, None
                self.at = self.source.index(">", self.at) + 1
            elif kind in ":>":
                self.at += 2
            elif kind in "=!":
                self.at, width = self.at + 2, False
            elif kind == "<" and self.source[self.at + 2] in "=!":
                self.at, width = self.at + 3, False
            elif kind == "i" and self.source[self.at + 2] in ":)":
                self.at += 3
                if self.source[self.at - 1] == ")":
                    return _EMPTY, None
            else:
                raise ValueError(kind)
        exact, needed = self.alternation()
        if self.source[self.at] != ")":
            raise ValueError("unbalanced")
        self.at += 1
        return (exact, needed) if width else (_EMPTY, None)

    def characters(self) -> Strings | None:
        """A set of characters, spelled out where it is a small one."""
        start = self.at
        self.at += self.source[self.at] == "^"
        self.at += self.source[self.at] == "]"
        while self.source[self.at] != "]":
            self.at += 2 if self.source[self.at] == "\\" else 1
        inside = self.source[start : self.at]
        self.at += 1
        plain = inside[:1] != "^" and "\\" not in inside and "-" not in inside[1:-1]
        return _bounded(frozenset(c.casefold() for c in inside)) if plain else None

    def escape(self) -> Strings | None:
        """What follows a backslash."""
        char = self.source[self.at]
        self.at += 1
        if char in _ZERO_WIDTH:
            return _EMPTY
        if char in "ux":
            digits = 4 if char == "u" else 2
            self.at += digits
            return frozenset({chr(int(self.source[self.at - digits : self.at], 16)).casefold()})
        if char.isalnum():
            return frozenset({_CONTROL[char]}) if char in _CONTROL else None
        return frozenset({char})

    def quantifier(self) -> tuple[int, int]:
        """How often the atom before may stand: at least, at most (2 for more than once)."""
        char = self.source[self.at : self.at + 1]
        low, high = 1, 1
        if char == "{" and self.source[self.at + 1 : self.at + 2] in ",0123456789":
            end = self.source.index("}", self.at)
            least, _, most = self.source[self.at + 1 : end].partition(",")
            low, high = int(least or 0), 1 if most == "1" or (least == "1" and end == self.at + 2) else 2
            self.at = end + 1
        elif char and char in "?*+":
            low, high = int(char == "+"), 1 if char == "?" else 2
            self.at += 1
        else:
            return low, high
        self.at += self.source[self.at : self.at + 1] in ("?", "+")
        return min(low, 1), high


def _bounded(strings: Strings) -> Strings | None:
    return strings if len(strings) <= _MAX_EXACT else None


def _better(one: Strings | None, other: Strings | None) -> Strings | None:
    """The set whose shortest string is the longest; of two such, the smaller one. A set with "" requires nothing."""
    if other is None or "" in other:
        return one
    if one is None:
        return other
    return max(one, other, key=lambda s: (min(_LONG, *map(len, s)), -len(s)))

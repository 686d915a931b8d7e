"""Which open run or gate a sentence of a summary speaks of: by its full name, its command, or words in common."""

from __future__ import annotations

from functools import lru_cache

from transcript_lint import patterns as re
from transcript_lint.claims import Subject
from transcript_lint.claims.recount import Statement, words
from transcript_lint.claims.subjects import KIND_SUBJECT
from transcript_lint.commandline import INERT, Part, covers, parse
from transcript_lint.ledger.asks import Ask
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.summaries import Boundary

_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{2,}")
_WORDLIKE = re.compile(r"\w")
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.)$")
_HELD = "`"
"""What stands in a text where words have found their owner."""


class Names:
    """The names of what was open at one boundary: a sentence that holds one in full is of its owner and of no other."""

    def __init__(self, boundary: Boundary) -> None:
        self.runs = (*boundary.failures, *boundary.unread, *boundary.in_flight)
        self.asks = tuple(fact.about for fact in boundary.facts if isinstance(fact.about, Ask))
        everything: tuple[Run | Ask, ...] = (*self.runs, *self.asks)
        self._of = {id(about): _names_of(about) for about in everything}
        self._names = sorted({name for found in self._of.values() for name in found}, key=len, reverse=True)
        self._held: dict[int, frozenset[str]] = {}
        self._named: dict[int, frozenset[int]] = {}

    def run(self, statement: Statement, run: Run) -> bool:
        """Whether a statement names a run: its line as it was, in code marks or plain, or its command in code marks."""
        return id(run) in self._runs_in(statement) if id(run) in self._of else self._calls(statement, run)

    def in_full(self, statement: Statement, run: Run) -> bool:
        """Whether a statement holds the whole line of a run, or how it is called in short."""
        return not self._in_full(statement).isdisjoint(self._of.get(id(run)) or _names_of(run))

    def other_run(self, statement: Statement, run: Run) -> bool:
        """Whether a statement names another open run."""
        return bool(self._runs_in(statement) - {id(run)})

    def any_run(self, statement: Statement) -> bool:
        """Whether a statement names any open run."""
        return bool(self._runs_in(statement))

    def ask(self, statement: Statement, ask: Ask) -> bool:
        """Whether a statement holds what was asked in full."""
        return not self._in_full(statement).isdisjoint(self._of.get(id(ask)) or _names_of(ask))

    def any_ask(self, statement: Statement) -> bool:
        """Whether a statement holds any open question in full."""
        return any(self.ask(statement, ask) for ask in self.asks)

    def other_ask(self, statement: Statement, ask: Ask) -> bool:
        """Whether a statement holds another open question in full, or has more of its telling words."""
        mine = len(shared_with_ask(statement, ask))
        others = (other for other in self.asks if other is not ask)
        return any(self.ask(statement, o) or len(shared_with_ask(statement, o)) > mine for o in others)

    def _runs_in(self, statement: Statement) -> frozenset[int]:
        if (known := self._named.get(id(statement))) is None:
            known = frozenset(id(run) for run in self.runs if self._calls(statement, run))
            self._named[id(statement)] = known
        return known

    def _calls(self, statement: Statement, run: Run) -> bool:
        if self.in_full(statement, run) or (id(run) not in self._of and _plainly(statement, run)):
            return True
        for code in statement.codes:
            parts = [part for part in _parts(code) if part.kind not in INERT]
            if _flat(code) in self._in_full(statement):
                own = {part.target for part in run.line.parts if part.kind not in INERT}
                if own and own == {part.target for part in parts}:
                    return True
            elif any(_same_command(part, own) for part in parts for own in run.line.parts):
                return True
        return False

    def _in_full(self, statement: Statement) -> frozenset[str]:
        """The names a statement holds, each in its place: what stands inside a longer one is not met there."""
        if (known := self._held.get(id(statement))) is not None:
            return known
        codes, plain = {_flat(code) for code in statement.codes}, _plain(statement)
        held: set[str] = set()
        for name in self._names:
            if name in codes:
                held.add(name)
            elif name in plain and (cut := _taken(plain, name)) != plain:
                held.add(name)
                plain = cut
        self._held[id(statement)] = found = frozenset(held)
        return found


@lru_cache(maxsize=2)
def names(boundary: Boundary) -> Names:
    """The names at one boundary, gathered once."""
    return Names(boundary)


def is_command(code: str) -> bool:
    """Whether what stands in code marks is a command line with arguments that does something."""
    return " " in code and any(part.kind not in INERT for part in _parts(code))


def shared(text: str, run: Run) -> frozenset[str]:
    """Telling words that a text has in common with a command and with what its output called good or bad."""
    return _stems(text) & _stems(f"{run.line.text} {' '.join(run.success)} {run.hint}")


def shared_with_ask(statement: Statement, ask: Ask) -> frozenset[str]:
    """Telling words that a statement has in common with what was asked."""
    return _stems(f"{statement.text} {' '.join(statement.codes)}") & _stems(ask.question)


def common_words(one: str, other: str) -> int:
    """How many telling words two texts have in common."""
    return len(_stems(one) & _stems(other))


def speaks_of(statement: Statement, run: Run, *, named: bool) -> bool:
    """Whether an admission that names no run is about this one: a telling word, its subject, or only "it was cut".

    Beside a claim that names its command (`named`), sharing a subject alone is not enough.
    """
    common = bool(shared(f"{statement.text} {' '.join(statement.codes)}", run))
    subjects = {KIND_SUBJECT[p.kind] for p in run.line.parts if p.kind in KIND_SUBJECT} - {Subject.SCRIPT}
    akin = bool(subjects & statement.subjects)
    if statement.section == "history" or named:
        return common and (akin or statement.cut)
    return akin or common or (statement.cut and not statement.subjects)


def _names_of(about: Run | Ask) -> frozenset[str]:
    """What a run or a gate may be called in full: its line or question, shortened as people do, or its first line."""
    if isinstance(about, Ask):
        return frozenset((_flat(about.question),)) - {""}
    lines = [line for line in about.line.text.splitlines() if line.strip()]
    first = {_flat(lines[0])} if len(lines) > 1 and is_command(lines[0]) else set[str]()
    return frozenset({_flat(about.line.text), _flat(about.name), *first}) - {""}


def _flat(text: str) -> str:
    """Text with single spaces, without the dots that stand for what was left out."""
    return _ELLIPSIS.sub("", " ".join(text.split()))


def _plain(statement: Statement) -> str:
    """A statement as written, without what stands in code marks."""
    text = _flat(statement.raw)
    for code in sorted(map(_flat, statement.codes), key=len, reverse=True):
        text = text.replace(code, _HELD)
    return text


def _plainly(statement: Statement, run: Run) -> bool:
    """Whether a line of some length stands in a sentence without code marks."""
    line = _flat(run.line.text)
    text = _plain(statement)
    return len(line) > 5 and line in text and _taken(text, line) != text


def _taken(text: str, name: str) -> str:
    """The text with a name taken out wherever it stands by itself, not as a piece of something longer."""
    at, kept = 0, 0
    out: list[str] = []
    while (at := text.find(name, at)) >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        joined = after in ("-", "/", ":", ".") and _WORDLIKE.match(text[end + 1 : end + 2])
        if not joined and not (_WORDLIKE.match(before) and _WORDLIKE.match(name)) and not _WORDLIKE.match(after):
            out += (text[kept:at], _HELD)
            kept = end
        at = end
    return "".join((*out, text[kept:]))


def _same_command(part: Part, own: Part) -> bool:
    if part.kind in INERT or not part.target.program or part.target.program != own.target.program:
        return False
    if len(part.words) < 2 and len(own.words) > 1:
        return False
    return covers(part.target, own.target) is True


@lru_cache(maxsize=256)
def _parts(code: str) -> tuple[Part, ...]:
    return parse(code).parts if 3 < len(code) < 300 else ()


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    found = {w.casefold()[:5] for w in _WORD.findall(text) if len(w) > 3 and w.casefold() not in words().idle}
    for chunk in _WIDE.findall(text):
        found.update(chunk[i : i + 2] for i in range(len(chunk) - 1))
    return frozenset(found)

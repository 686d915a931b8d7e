"""Whether a claim and a command share words: by name, by job, by a quoted command line."""

from __future__ import annotations

from functools import lru_cache

from transcript_lint import patterns as re
from transcript_lint.claims import Claim
from transcript_lint.claims.lexicon import lexicon
from transcript_lint.commandline import INERT, OwnCommands, Part, covers, parse
from transcript_lint.ledger.runs import Stage

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}|[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

_COMMON_WORDS = """
the and all for with run runs test tests build check checks lint are was were now has have been this that from
into out python node bash npm yarn pnpm make sh src passed pass passes green full suite new done script
scripts ci fix fixed job jobs app main index file files data work works everything tool tools
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SAID = frozenset(["verified", "confirmed", "validated", "checked", "tested"])
"""Verbs that say how one came to know: "I verified that x works" is of x, and names no run of its own."""


def quoted(claim: Claim, stage: Stage, own: OwnCommands) -> bool:
    """Whether a command in code marks is this one; one quoted with its arguments is not its sibling with others."""
    for code in claim.codes:
        for part in _parts(code, own):
            meant, run = part.target, stage.part.target
            if part.kind in INERT or not meant.program or meant.program != run.program:
                continue
            if meant.scope == run.scope or len(part.words) <= len(meant.program.split()):
                return True
            options = [w for w in stage.part.words if w.startswith("-")]
            if all(w in part.words for w in options) and True in (covers(meant, run), covers(run, meant)):
                return True
    return False


@lru_cache(maxsize=256)
def _parts(code: str, own: OwnCommands) -> tuple[Part, ...]:
    return parse(code, own).parts if len(code) < 300 else ()


def calls(claim: Claim, stage: Stage) -> bool:
    """Whether the claim calls a command by its program ("tox comes out green")."""
    program = _program(stage.part.target.program)
    if _heads(claim.words).isdisjoint(_heads(program)):
        return False
    return any(_same(a, b) for a in claim.words - _SAID for b in program)


@lru_cache(maxsize=2048)
def _program(name: str) -> frozenset[str]:
    """The telling words of a program's name."""
    return frozenset(w.lower() for w in _TOKEN.findall(name)) - _COMMON


def named(claim: Claim, stage: Stage) -> bool:
    """Whether the claim names this very command: its program, its job, or two of its telling words."""
    words, concepts = _words(_telling(stage.part))
    jobs = claim.concepts - {"reconcile"} if claim.words & _SAID else claim.concepts
    if jobs & concepts or calls(claim, stage):
        return True
    if _heads(claim.words).isdisjoint(_heads(words)):
        return False
    return sum(any(_same(a, b) for b in words) for a in claim.words - _COMMON) > 1


def shared(claim: Claim, stage: Stage) -> bool:
    words, concepts = _words(_telling(stage.part))
    if not claim.concepts.isdisjoint(concepts):
        return True
    if _heads(claim.words).isdisjoint(_heads(words)):
        return False
    return any(_same(a, b) for a in claim.words - _COMMON for b in words)


@lru_cache(maxsize=2048)
def _heads(words: frozenset[str]) -> frozenset[str]:
    """The first four letters of each word: words that are the same share them."""
    return frozenset(word[:4] for word in words)


def _same(a: str, b: str) -> bool:
    """Equal, or equal in their first five letters at least (batches, batch; imported, import)."""
    if a == b:
        return True
    stem = min(len(a), len(b))
    return stem >= 4 and a[: max(4, stem - 1)] == b[: max(4, stem - 1)]


@lru_cache(maxsize=2048)
def _telling(part: Part) -> str:
    """The words of a command that name what it does; a program written on the line itself names nothing."""
    if "-c" in part.words[:3] or "-e" in part.words[:3]:
        return part.words[0]
    return " ".join(word for word in part.words if not word.startswith("-"))


@lru_cache(maxsize=2048)
def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The telling words of a command line and the jobs it names."""
    flat = _CAMEL.sub(" ", text)
    words = frozenset(w.lower() for w in _TOKEN.findall(flat) if len(w) > 2) - _COMMON
    return words, lexicon("en").concepts_in(" ".join(words))

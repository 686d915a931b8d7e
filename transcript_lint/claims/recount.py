"""How a compaction summary retells what happened: its statements, what each admits, and the results it claims."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec
from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.extract import extract_text
from transcript_lint.claims.lexicon import Lexicon, lexicon, spoken
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.claims.prose import Sentence, sentences
from transcript_lint.events import AgentText
from transcript_lint.settings import Settings

MAX_STATEMENTS = 1_500
"""Statements of one summary that are looked at."""

# Every entry of a list stands for itself: what one admits does not excuse its neighbour.
_ENTRY = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])")
_HEADED = re.compile(r"^[\s#*]*(?:\d{1,2}[.)]\s*)?\**([^:*：`\n]{2,48}?)\**\s*(?:[:：]|$)")
_NUMBER = re.compile(r"(\d{1,2})[.)]\s")
_AND = re.compile(r"\s+(?:and|und|et|y|e|и)\s+|;\s*|,\s+|[、，；]")

_DEEDS = frozenset({Subject.DEPLOY, Subject.MIGRATION, Subject.INSTALL, Subject.PUBLISH, Subject.PUSH, Subject.MERGE})


class Words(Struct, frozen=True):
    """The words of `recount.toml`, compiled; `sections` in the order they are tried, `idle` words tell nothing."""

    ran: re.AnyOf
    bare: re.AnyOf
    counted: re.AnyOf
    pending: re.AnyOf
    mended: re.AnyOf
    unmended: re.AnyOf
    cut: re.AnyOf
    going: re.AnyOf
    refused: re.AnyOf
    sections: tuple[tuple[str, re.Pattern[str]], ...]
    idle: frozenset[str]


@cache
def words() -> Words:
    """Read and compile the words of summaries once."""
    data = tables.lexicon("recount.toml")
    sections, idle = data.pop("sections"), data.pop("idle")
    return Words(
        idle=frozenset(" ".join(idle).split()),
        **{name: _any(rows) for name, rows in data.items()},
        sections=tuple((name, re.compile(rf"^(?:{'|'.join(rows)})", re.I)) for name, rows in sections.items()),
    )


class Statement(Struct, frozen=True, kw_only=True):
    """One sentence of a summary. `text` has code and quotations blanked, `raw` is as written; `entry` numbers the list
    entry or paragraph it stands in; `section` is people, pending, history, code, state or "".

    `admits`: it, or its entry, owns up to a failure, a time-out or a missing check, and does not call it mended.
    `counted`: it says how many faults a check found.
    `cut`: it says of a run that it never came to its end. `ran`: a command was run. `pending`: something is still to be
    done. `going`: a command goes on. `refused`: a person said no. `subjects` are what an admission speaks of.
    """

    text: str
    raw: str
    kind: str
    entry: int
    section: str
    codes: tuple[str, ...] = ()
    admits: bool = False
    counted: bool = False
    cut: bool = False
    ran: bool = False
    pending: bool = False
    going: bool = False
    refused: bool = False
    subjects: frozenset[Subject] = frozenset()


class Recount(Struct, frozen=True, kw_only=True):
    """A summary taken apart: its statements in order and the successes it claims (admissions judged entry by entry)."""

    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()


def recount(event: AgentText, settings: Settings) -> Recount:
    """Take the prose of a summary apart; `event` carries its text and stands where it was written."""
    text = _ENTRY.sub("\n\n", event.text)
    languages = [lexicon(lang) for lang in spoken(text)]
    found = sentences(text)[:MAX_STATEMENTS]
    admitting = {s.paragraph for s in found if s.kind != "heading" and _admits(_unlabelled(s), languages)}
    statements: list[Statement] = []
    section, numbered = "", 0
    for sentence in found:
        section, numbered = _section(sentence, section, numbered, text[sentence.start : sentence.start + 4])
        if sentence.kind != "heading":
            statements.append(_statement(sentence, section, sentence.paragraph in admitting, languages))
    owned = {s.raw: s.admits for s in statements}
    claims = (
        msgspec.structs.replace(c, admits=owned.get(c.text, c.admits), admits_later=False)
        for whole in extract_text(text, event, settings)
        for c in _apart(whole, event, settings, languages)
        if not _only_ran(c, event, settings)
    )
    return Recount(statements=tuple(statements), claims=tuple(claims))


def _apart(claim: Claim, event: AgentText, settings: Settings, languages: list[Lexicon]) -> Iterator[Claim]:
    """A claim, and what the parts of its sentence claim of other things: "55 tests pass and the linter is silent"."""
    yield claim
    if len(claim.subjects) + len(claim.codes) < 2 or any(lex.condition.holds(claim.text) for lex in languages):
        return
    parts = _AND.split(claim.text)
    for part in parts if len(parts) > 1 else ():
        for said in extract_text(part, event, settings):
            if said.strength == "strong" and (said.subject, said.codes) != (claim.subject, claim.codes):
                yield msgspec.structs.replace(said, text=claim.text, paragraph=claim.paragraph)


def _only_ran(claim: Claim, event: AgentText, settings: Settings) -> bool:
    """Whether a claim says no more than that a command was run: without those words nothing is claimed.

    To carry out a migration or a deployment is to have done it; to carry out a check tells nothing of its result.
    """
    if claim.subject in _DEEDS or not words().bare.holds(claim.text):
        return False
    return next(extract_text(words().bare.sub("", claim.text), event, settings), None) is None


def admits(text: str) -> bool:
    """Whether words of any kind own up to a failure or a missing end."""
    return any(lexicon(lang).admit.holds(text) for lang in spoken(text))


def _admits(text: str, languages: list[Lexicon]) -> bool:
    return any(lex.admit.holds(text) for lex in languages) and _open(text)


def _open(text: str) -> bool:
    """Whether a fault that a text names was not mended since, as far as it says."""
    return not words().mended.holds(text) or words().unmended.holds(text)


def _unlabelled(sentence: Sentence) -> str:
    """A sentence without the name of the section it opens ("Done so far: …")."""
    head = _HEADED.match(sentence.text)
    return sentence.text[head.end() :] if head is not None and _named(head[1]) is not None else sentence.text


def _statement(sentence: Sentence, section: str, admits: bool, languages: list[Lexicon]) -> Statement:
    subjects: set[Subject] = set()
    if admits:
        for lex in languages:
            subjects.update(lex.subjects.holding(sentence.text))
    return Statement(
        text=sentence.text,
        raw=sentence.raw,
        kind=sentence.kind,
        entry=sentence.paragraph,
        section=section,
        codes=sentence.codes,
        admits=admits,
        counted=words().counted.holds(sentence.text) and _open(sentence.text),
        cut=admits and words().cut.holds(sentence.text),
        ran=words().ran.holds(sentence.text),
        pending=words().pending.holds(sentence.text),
        going=words().going.holds(sentence.text),
        refused=words().refused.holds(sentence.text),
        subjects=frozenset(subjects),
    )


def _section(sentence: Sentence, before: str, opened: int, line: str) -> tuple[str, int]:
    """The section a sentence opens, or the one it stands in, and the number in front of what opened it (0: none).

    A part of another name closes it when it is a heading or the next of a numbered row.
    """
    head = _HEADED.match(sentence.raw)
    if head is None:
        return before, opened
    number = int(at[1]) if (at := _NUMBER.match(line)) is not None else 0
    found = _named(head[1])
    if found is not None:
        return found, number
    return ("", 0) if sentence.kind == "heading" or (opened and number == opened + 1) else (before, opened)


def _named(label: str) -> str | None:
    label = label.strip()
    return next((section for section, pattern in words().sections if pattern.match(label)), None)


def _any(rows: list[str]) -> re.AnyOf:
    return re.any_of(rows, re.I)

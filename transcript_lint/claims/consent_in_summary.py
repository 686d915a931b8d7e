"""What a compaction summary says of a person's consent: words it quotes as theirs, and decisions it calls made."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.approval import Kind, Reply, read_reply, sayings
from transcript_lint.claims.concepts import AT_HOME, meant
from transcript_lint.claims.prose import MAX_TEXT

_QUOTE = re.compile(
    r'"([^"\n]{3,400})"|“([^”\n]{2,400})”|„([^“”\n]{2,400})[“”]|«([^»\n]{2,400})»|「([^」\n]{2,400})」|『([^』\n]{2,400})』'
)
_SECTION = re.compile(r"^\s*(?:#{1,6}\s|\d{1,2}[.)]\s|\*\*[^*]{1,60}\*\*)")
_SENTENCE = re.compile(r"(?<=[.!:;。！：])\s*|,\s+")
_ITEM = re.compile(r"^\s*[-*•]\s")


class Patterns(Struct, frozen=True):
    """The words of `summary.toml`, compiled: a person, who is quoted, lists, decisions, open points, reserves."""

    person: re.AnyOf
    attributed: re.Pattern[str]
    messages: re.AnyOf
    decision: re.AnyOf
    open: re.AnyOf
    reserve: re.AnyOf


@cache
def patterns() -> Patterns:
    """Read and compile the words of summaries once."""
    data = tables.lexicon("approval/summary.toml")
    person, spoke = "|".join(data["person"]), "|".join(data["spoke"])
    gap = r"[^\n\"“„«「『]"
    return Patterns(
        person=re.any_of(data["person"], re.IGNORECASE),
        attributed=re.compile(rf"(?:{person}){gap}{{0,60}}?(?:{spoke}){gap}{{0,40}}$", re.IGNORECASE),
        messages=re.any_of(data["messages"], re.IGNORECASE),
        decision=re.any_of(data["decision"], re.IGNORECASE),
        open=re.any_of(data["open"], re.IGNORECASE),
        reserve=re.any_of(data["reserve"], re.IGNORECASE),
    )


class QuotedConsent(Struct, frozen=True):
    """Words that a summary puts into a person's mouth, and the line they stand in.

    `plain` when they name what is allowed or their line calls it approved; else only an act can tell that they matter.
    """

    words: str
    line: str
    plain: bool = True


def quoted_consent(summary: str) -> Iterator[QuotedConsent]:
    """Quotations in a summary that are attributed to a person and read as consent."""
    listed = False
    for line in summary[:MAX_TEXT].split("\n"):
        if patterns().messages.holds(line):
            listed = True
        elif listed and _SECTION.match(line) and not _ITEM.match(line):
            listed = False
        for match in _QUOTE.finditer(line):
            words = next(group for group in match.groups() if group is not None)
            attributed = patterns().attributed.search(line[: match.start()]) is not None
            alone = listed and _ITEM.match(line) is not None and match.start() < 12
            if not (attributed or alone) or not _consents(words):
                continue
            plain = bool(meant((words,)) - AT_HOME) or patterns().decision.holds(line.replace(words, ""))
            if plain or alone:
                yield QuotedConsent(words, line.strip(), plain)


def decisions(summary: str) -> Iterator[str]:
    """The sentences of a summary that call something decided or approved, without those that keep it open."""
    lines = summary[:MAX_TEXT].split("\n")
    said = {saying.text for saying in sayings(summary[:MAX_TEXT]) if saying.kind in (Kind.YES, Kind.NO)}
    for before, line in pairwise(["", *lines]):
        told = any(text in line for text in said)
        decided = told or patterns().decision.holds(line)
        if decided and not patterns().open.holds(line) and not before.rstrip().endswith("?"):
            yield line.strip()


def approvals(summary: str) -> Iterator[str]:
    """The sentences of a summary that say a person approved something."""
    for saying in sayings(summary[:MAX_TEXT]):
        if saying.kind is Kind.YES and saying.strength == "strong" and patterns().person.holds(saying.text):
            yield saying.text


def leaves_open(text: str) -> bool:
    """Whether a sentence of a summary says that an answer is still missing."""
    return patterns().open.holds(text)


def tells_of_consent(text: str) -> bool:
    """Whether a sentence of a summary says that a person approved something, and keeps nothing open."""
    said = {saying.kind for saying in sayings(text) if saying.strength == "strong"}
    return Kind.YES in said and not said & {Kind.NO, Kind.WAITS} and not leaves_open(text)


def _consents(words: str) -> bool:
    """Whether quoted words hold a yes with nothing held back.

    Logs lose words of persons, and summaries quote many: only a yes with nothing held back is worth a look-up.
    """
    if len(words) > 160 or patterns().reserve.holds(words):
        return False
    return any(read_reply(s) is Reply.YES for s in _SENTENCE.split(words))

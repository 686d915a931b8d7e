"""Split what an agent wrote into paragraphs and sentences, with everything blanked that it does not assert itself.

Fenced code, block quotes, unticked items and harness tags are left out; inline code becomes `CODE` and a quotation
`QUOTED` (one private-use character each), so that a pattern never matches inside them; what stood there is kept in
`codes` and `quotes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from transcript_lint import patterns as re

CODE = "\ue000"
QUOTED = "\ue001"
MAX_TEXT = 200_000
"""Characters of one text that are looked at; what lies beyond is a dump, not prose."""

_FENCE = re.compile(r"^\s{0,8}(```+|~~~+)")
_UNTICKED = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[ \]")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[xX]\]\s*)?")
_FENCING = frozenset("`~")
_LISTING = frozenset("-*+•")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_BOLD_HEADING = re.compile(r"^\s*\*\*[^*]{1,80}\*\*:?\s*$")
_TAG_BLOCK = re.compile(r"<(system-reminder|task-notification|thinking|analysis|env|context)\b[^>]{0,200}>", re.I)
_INLINE_CODE = re.compile(r"``([^\n]{1,400}?)``|`([^`\n]{1,400})`")
_QUOTE = re.compile(
    r'"([^"\n]{2,400})"|“([^”\n]{1,400})”|„([^“”\n]{1,400})[“”]|«([^»\n]{1,400})»|「([^」\n]{1,400})」|『([^』\n]{1,400})』'
)
_OPENING = frozenset('"“„«「『')
_LATE_QUOTE = re.compile(r"(:\s+)>\s.*$")
_MARKUP = re.compile(r"\*\*|__|~~")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[^\s])|(?<=[。！？])[」』）)]*\s*(?=\S)")
_ENDING = frozenset(".!?…。！？")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|no|z\.B|d\.h|bzw|ca|p\. ?ej|p\. ?ex|т\.е|т\.к|др)|\b[A-Z])\.$", re.I
)


class Sentence(Struct, frozen=True, kw_only=True):
    """One sentence: `text` with code and quotations blanked, `raw` as written, `kind` text, item, heading or table.

    `paragraph` numbers the paragraph it stands in; `start` is the offset of its line in the whole text.
    """

    text: str
    raw: str
    kind: str
    paragraph: int
    start: int
    codes: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


def sentences(text: str) -> list[Sentence]:
    """The sentences an agent asserts in a text, in order; linear in its length."""
    return list(_sentences(text))


@lru_cache(maxsize=8)
def _sentences(text: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for kind, paragraph, start, line in _lines(text[:MAX_TEXT]):
        codes: list[str] = []
        quotes: list[str] = []
        blanked = blank(line, codes, quotes)
        parts = _split(blanked)
        raw_parts = parts if line == blanked else _split(line)
        for number, part in enumerate(parts):
            body = part.strip()
            if not body:
                continue
            used_codes = tuple(codes[: part.count(CODE)])
            del codes[: part.count(CODE)]
            used_quotes = tuple(quotes[: part.count(QUOTED)])
            del quotes[: part.count(QUOTED)]
            raw = raw_parts[number] if len(raw_parts) == len(parts) else unblank(body, used_codes, used_quotes)
            found.append(
                Sentence(
                    text=body,
                    raw=_unmarked(raw).strip(),
                    kind=kind,
                    paragraph=paragraph,
                    start=start,
                    codes=used_codes,
                    quotes=used_quotes,
                )
            )
    return tuple(found)


def blank(line: str, codes: list[str], quotes: list[str]) -> str:
    """The line with inline code and quotations replaced; what they held is appended to `codes` and `quotes`."""

    def code(match: re.Match[str]) -> str:
        codes.append(match[1] or match[2])
        return CODE

    def quote(match: re.Match[str]) -> str:
        quotes.append(next(g for g in match.groups() if g is not None))
        return QUOTED

    if "`" in line:
        line = _INLINE_CODE.sub(code, line)
    if not _OPENING.isdisjoint(line):
        line = _QUOTE.sub(quote, line)
    line = _unmarked(line)
    return _LATE_QUOTE.sub(lambda m: m[1], line) if "> " in line else line


def _unmarked(line: str) -> str:
    return _MARKUP.sub("", line) if "**" in line or "__" in line or "~~" in line else line


def unblank(text: str, codes: tuple[str, ...], quotes: tuple[str, ...]) -> str:
    """The opposite of `blank`, for showing a sentence."""
    for value in codes:
        text = text.replace(CODE, f"`{value}`", 1)
    for value in quotes:
        text = text.replace(QUOTED, f'"{value}"', 1)
    return text


def _lines(text: str) -> Iterator[tuple[str, int, int, str]]:
    """(kind, paragraph, offset, line) of what may assert something; wrapped lines of a paragraph are joined."""
    if "<" in text:
        text = _without_tags(text)
    paragraph, offset, fence = 0, 0, ""
    held: tuple[str, int, int, str] | None = None
    for line in text.split("\n"):
        start, offset = offset, offset + len(line) + 1
        stripped = line.strip()
        first = stripped[:1]
        # Most lines are plain: their first character tells which patterns are worth a try.
        marker = _FENCE.match(line) if first in _FENCING else None
        if fence:
            if marker and marker[1].startswith(fence):
                fence = ""
            continue
        listed = first in _LISTING or first.isdigit()
        if marker or not stripped or first == ">" or (listed and _UNTICKED.match(line)):
            if marker:
                fence = marker[1]
            if held:
                yield held
                held = None
            paragraph += not stripped
            continue
        kind = "text"
        if (first == "#" and _HEADING.match(line)) or (first == "*" and _BOLD_HEADING.match(line)):
            kind = "heading"
        elif first == "|":
            kind = "table"
        elif listed and (item := _ITEM.match(line)):
            kind, line = "item", line[item.end() :]
        if held and kind == "text" and held[0] in ("text", "item") and _continues(held[3], stripped):
            held = (held[0], held[1], held[2], held[3] + " " + stripped)
            continue
        if held:
            yield held
        held = (kind, paragraph, start, line)
    if held:
        yield held


def _continues(before: str, line: str) -> bool:
    """Whether a line is the wrapped rest of the one before: no sentence ended there, and it is long or goes on so."""
    last = before.rstrip()[-1:]
    return last not in ".!?:。！？：" and (line[:1].islower() or len(before) > 55)


def _without_tags(text: str) -> str:
    kept: list[str] = []
    position = 0
    while opening := _TAG_BLOCK.search(text, position):
        closing = text.find(f"</{opening[1]}>", opening.end())
        kept.append(text[position : opening.start()])
        position = len(text) if closing < 0 else closing + len(opening[1]) + 3
    kept.append(text[position:])
    return "\n".join(kept)


def _split(line: str) -> list[str]:
    """Cut a line at sentence ends, not after abbreviations."""
    if _ENDING.isdisjoint(line):
        return [line]
    parts: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if _ABBREVIATION.search(line[max(start, match.start() - 8) : match.start()]):
            continue
        parts.append(line[start : match.start()])
        start = match.end()
    parts.append(line[start:])
    return parts

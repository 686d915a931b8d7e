"""What prose says of a person's consent, in nine languages: a yes, silence taken for a yes, a no, or the honest forms.

The words live in `lexicons/approval/<language>.toml`; a language is loaded when its letters first occur, and its
patterns are tried only on texts that hold one of its literal hints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.prose import Sentence, sentences

LATIN = ("en", "de", "fr", "es", "pt")
_LETTERS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
LETTERED = tuple(lang for lang, _ in _LETTERS)
_QUESTION = re.compile(r"[?？]\W*$|(?:吗|么|か|까|나요)[。.]?\W*$")
_SPACE = re.compile(r"\s{2,}|[^\S ]")
_FURTHER_SENTENCE = re.compile(r"[.!。！]\s*\S")
_TAG = re.compile(r"<[^<>\n]{1,200}>")
_SENDER = re.compile(r"^\s*[\[(【][^\])】\n]{1,60}[\])】]\s*")
_CLAUSE = re.compile(r"(?<=[.!:;。！：；])\s*")
_NO_BEFORE = re.compile(
    r"(?:\b(?:not|n't|never|need to|nicht|ne|no|não|не|without|ohne|sans|sin|sem"
    r"|без)\b[^.,;!?]{0,12}|[不别勿甭免]用?)$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|n't|never|nothing|nicht|nie|kein\w*|ne|pas|jamais|nunca|não|не|никогда)\b[^.;!?]{0,40}$", re.IGNORECASE
)


_TELLING = ("automatic", "waits", "no", "silence", "asks", "requests")
"""The fields of a lexicon that tell something by themselves, besides `yes`."""


class Kind(StrEnum):
    """What a sentence says of a person: consent given, silence as consent, refusal, waiting, chosen by a machine."""

    YES = "yes"
    SILENCE = "silence"
    NO = "no"
    WAITS = "waits"
    AUTOMATIC = "automatic"
    ASKS = "asks"


class Saying(Struct, frozen=True, kw_only=True):
    """One sentence about consent. `strength` of a yes: strong (names the person), passive, or weak ("as you asked")."""

    kind: Kind
    text: str
    lang: str
    strength: str = "strong"
    paragraph: int = 0


class Reply(StrEnum):
    """How a person's words answer a request for consent; a redirect is a no that says what to do instead or first."""

    YES = "yes"
    NO = "no"
    REDIRECT = "redirect"
    QUESTION = "question"
    OTHER = "other"


class Lexicon(Struct, kw_only=True):
    """The patterns of one language; each list is one alternation, None when it is empty."""

    lang: str
    hints: tuple[str, ...]
    yes: Mapping[str, re.AnyOf | None]
    yes_unless: re.AnyOf | None
    yes_after: re.AnyOf | None
    yes_within: re.AnyOf | None
    silence: re.AnyOf | None
    silence_unless: re.AnyOf | None
    no: re.AnyOf | None
    no_unless: re.AnyOf | None
    waits: re.AnyOf | None
    automatic: re.AnyOf | None
    asks: re.AnyOf | None
    requests: re.AnyOf | None
    reply_yes: re.AnyOf | None
    reply_no: re.AnyOf | None
    reply_first: re.AnyOf | None
    reply_instead: re.AnyOf | None
    standing: re.AnyOf | None
    revoked: re.AnyOf | None
    labels: tuple[str, ...]
    asked_labels: tuple[str, ...]

    def narrowed(self, text: str) -> Lexicon | None:
        """The lexicon without the patterns of sayings that cannot stand in a text; None if no saying can."""
        fields = {name: _possible(getattr(self, name), text) for name in _TELLING}
        yes = {strength: _possible(pattern, text) for strength, pattern in self.yes.items()}
        return replace(self, yes=yes, **fields) if any((*fields.values(), *yes.values())) else None


def _possible(pattern: re.AnyOf | None, text: str) -> re.AnyOf | None:
    return pattern if pattern is not None and pattern.may_hold(text) else None


@cache
def lexicon(lang: str) -> Lexicon:
    """The lexicon of one language, read and compiled once."""
    data: dict[str, Any] = tables.lexicon(f"approval/{lang}.toml")
    words: dict[str, str] = data["words"]

    def patterns(table: str, key: str = "patterns") -> re.AnyOf | None:
        found: Sequence[str] = data.get(table, {}).get(key, ())
        return re.any_of((_expand(p, words) for p in found), re.IGNORECASE) if found else None

    return Lexicon(
        lang=lang,
        hints=tuple(data["hints"]),
        yes={strength: patterns("yes", strength) for strength in ("strong", "passive", "weak")},
        yes_unless=patterns("yes", "unless"),
        yes_after=patterns("yes", "after"),
        yes_within=patterns("yes", "within"),
        silence=patterns("silence"),
        silence_unless=patterns("silence", "unless"),
        no=patterns("no"),
        no_unless=patterns("no", "unless"),
        waits=patterns("waits"),
        automatic=patterns("automatic"),
        asks=patterns("asks"),
        requests=patterns("requests"),
        reply_yes=patterns("reply", "yes"),
        reply_no=patterns("reply", "no"),
        reply_first=patterns("reply", "first"),
        reply_instead=patterns("reply", "instead"),
        standing=patterns("standing"),
        revoked=patterns("standing", "revoked"),
        labels=tuple(data["labels"]["person"]),
        asked_labels=tuple(data["labels"]["asked"]),
    )


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    """Put a lexicon's words in for `{name}`; words may hold words."""
    for _ in range(3):
        for name, value in words.items():
            pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def lexicons(text: str, *, hinted: bool = True) -> Iterator[Lexicon]:
    """The lexicons a text may be read with: by its letters, and for Latin letters by the hints that stand in it.

    Words of a person are too few for hints: `hinted=False` reads them in every Latin language.
    """
    folded = text.casefold()
    if not folded.isascii():
        for lang, letters in _LETTERS:
            if letters.search(folded):
                yield lexicon(lang)
                if lang != "ru":
                    break
    latin = _hints().groups_in(f" {folded} ") if hinted else LATIN
    for lang in LATIN:
        if lang in latin:
            yield lexicon(lang)


@cache
def _hints() -> re.Words[str]:
    return re.Words({lang: lexicon(lang).hints for lang in LATIN})


def plain(text: str) -> str:
    """Text as the patterns want it: straight apostrophes, single spaces."""
    text = text.replace("’", "'").replace("`", "")
    # Of all spaces only the plain one is printable.
    return text if text.isprintable() and "  " not in text else _SPACE.sub(" ", text)


@lru_cache(maxsize=16)
def sayings(text: str) -> tuple[Saying, ...]:
    """What an agent's text says of a person's consent, sentence by sentence; questions only when they ask for it."""
    known = list(lexicons(text))
    if not known:
        return ()
    said = sentences(text)
    whole = plain("\n".join(sentence.text for sentence in said))
    known = [lex for wide in known if (lex := wide.narrowed(whole)) is not None]
    return tuple(saying for sentence in said for saying in _of_sentence(sentence, known)) if known else ()


def _of_sentence(sentence: Sentence, known: Sequence[Lexicon]) -> Iterator[Saying]:
    text = plain(sentence.text)
    if sentence.kind == "heading" or len(text) > 1200:
        return
    asked = is_question(text)
    for lex in known:
        kinds = _asked(text, lex) if asked else _told(text, lex)
        for kind, strength in kinds:
            yield Saying(kind=kind, text=sentence.raw, lang=lex.lang, strength=strength, paragraph=sentence.paragraph)


def _asked(text: str, lex: Lexicon) -> Iterator[tuple[Kind, str]]:
    if lex.asks is not None and lex.asks.holds(text):
        yield Kind.ASKS, "strong"


def _told(text: str, lex: Lexicon) -> Iterator[tuple[Kind, str]]:
    if lex.automatic is not None and lex.automatic.holds(text):
        yield Kind.AUTOMATIC, "strong"
    waits = lex.waits is not None and lex.waits.holds(text)
    if waits:
        yield Kind.WAITS, "strong"
    if lex.requests is not None and lex.requests.holds(text):
        yield Kind.ASKS, "strong"
    if _matches(text, lex.no, lex.no_unless):
        yield Kind.NO, "strong"
    if lex.silence is not None and lex.silence.holds(text):
        if not (lex.silence_unless and lex.silence_unless.holds(text)):
            yield Kind.SILENCE, "strong"
        return
    if lex.yes_within is not None and lex.yes_within.holds(text):
        return
    for strength, pattern in lex.yes.items():
        if _matches(text, pattern, lex.yes_unless, lex.yes_after):
            yield Kind.YES, strength
            return


def _matches(
    text: str,
    pattern: re.AnyOf | None,
    unless: re.AnyOf | None,
    after: re.AnyOf | None = None,
) -> bool:
    """Whether the pattern stands somewhere with no denying words right before it (or, for `after`, right behind)."""
    if pattern is None:
        return False
    return any(
        not (unless and unless.holds(text[max(0, match.start() - 60) : match.start()]))
        and not (after and after.holds(text[match.end() : match.end() + 16]))
        for match in pattern.finditer(text)
    )


def is_question(text: str) -> bool:
    """Whether a sentence is a question by its mark or its last syllable."""
    return (not text.isascii() or "?" in text) and _QUESTION.search(text) is not None


def asks_consent(text: str) -> str | None:
    """The last sentence of a text that asks a person to allow or choose something, or None."""
    found = None
    for saying in sayings(text):
        if saying.kind is Kind.ASKS:
            found = saying.text
    return found


def read_reply(text: str) -> Reply:
    """How a person's words read as an answer to a request for consent."""
    words = plain(text).strip()
    head = words[:300]
    yes = no = first = False
    for lex in lexicons(head, hinted=False):
        no = no or bool(lex.reply_no and lex.reply_no.holds(head))
        yes = yes or bool(lex.reply_yes and lex.reply_yes.holds(head))
        first = first or bool(lex.reply_first and lex.reply_first.holds(head))
    if no:
        return Reply.REDIRECT if first else Reply.NO
    if yes:
        return Reply.YES
    if is_question(words) and len(words) < 400 and not _FURTHER_SENTENCE.search(words):
        return Reply.QUESTION
    return Reply.REDIRECT if first and len(words) < 300 else Reply.OTHER


def holds_yes(text: str) -> bool:
    """Whether a text that a program wrote holds a yes: one of its sentences or clauses reads as a reply that consents.

    Tags, and the bracketed name of what wrote it, are left out.
    """
    bare = _TAG.sub("\n", text[:4000])
    clauses = (clause.strip() for line in bare.split("\n") for clause in _CLAUSE.split(_SENDER.sub("", line)))
    return any(clause and read_reply(clause) is Reply.YES for clause in clauses)


def redirects(text: str) -> bool:
    """Whether a no names another thing to do in place of the denied one, so that it is no mere "not yet"."""
    words = plain(text)[:300]
    return any(
        lex.reply_instead is not None and lex.reply_instead.holds(words) for lex in lexicons(words, hinted=False)
    )


def reserved(text: str) -> tuple[str, ...]:
    """The sentences in which a person keeps a decision for themselves: "ask me first", "not before I have seen it"."""
    known = [lex.revoked for lex in lexicons(text[:6000], hinted=False) if lex.revoked is not None]
    return tuple(s.raw for s in sentences(text[:6000]) if any(_keeps(plain(s.text), words) for words in known))


def _keeps(sentence: str, words: re.AnyOf) -> bool:
    """Whether the words stand in a sentence without a no right before them ("do not ask me")."""
    return any(not _NO_BEFORE.search(sentence[max(0, m.start() - 20) : m.start()]) for m in words.finditer(sentence))


def grants_standing(text: str) -> bool | None:
    """True when a person allows things ahead ("no need to ask"), False when they want to be asked, else None."""
    words = plain(text[:6000])
    found: bool | None = None
    for lex in lexicons(words, hinted=False):
        for match in lex.standing.finditer(words) if lex.standing is not None else ():
            if not _NEGATED.search(words[max(0, match.start() - 60) : match.start()]):
                return True
            found = False
        if lex.revoked is not None and lex.revoked.holds(words):
            found = False
    return found

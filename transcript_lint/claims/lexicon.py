"""A language's patterns, read from its file the first time its letters occur."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.model import Subject

LANGUAGES = ("en", "zh", "ja", "ko", "ru", "de", "fr", "es", "pt")
LATIN = ("de", "fr", "es", "pt")
"""Languages that words of plain letters may be of, besides English."""
_CHUNK = re.compile(r"[\w'’¿¡]+")
"""What stands in a row of the characters that the marks of a language are made of."""
SPACELESS = frozenset({"zh", "ja", "ko"})
"""Languages that negate and condition behind the verb or without word boundaries: the whole clause is looked at."""


class Lexicon(Struct, frozen=True, kw_only=True):
    """The compiled patterns of one language; every field is one alternation."""

    lang: str
    splitter: re.Pattern[str]
    subjects: re.Named[Subject]
    verbs: re.Named[Subject]
    success: re.AnyOf
    strong: re.AnyOf
    weak: re.AnyOf
    absence: re.AnyOf
    linked: re.AnyOf
    closing: re.AnyOf
    loose: re.AnyOf
    before: re.AnyOf
    condition: re.AnyOf
    after: re.AnyOf
    anywhere: re.AnyOf
    admit: re.AnyOf
    benign: re.AnyOf
    ongoing: re.AnyOf
    sentence: re.AnyOf
    carry: re.AnyOf
    all_of: re.AnyOf
    some_of: re.AnyOf
    attribution: re.Named[str]
    concepts: re.Named[str]
    trigger: re.AnyOf

    def concepts_in(self, text: str) -> frozenset[str]:
        """The jobs (import, training, backup …) a text speaks of, by their language-free names."""
        return frozenset(self.concepts.holding(text))


@cache
def lexicon(lang: str) -> Lexicon:
    """The lexicon of a language code."""
    data = _filled(_read(lang))
    predicates, whole, deny = data["predicates"], data["whole"], data["deny"]
    verbs = re.Named((Subject.of(name), _any(rows)) for name, rows in data.get("verbs", {}).items())
    absence, linked = predicates.get("absence", []), predicates.get("linked", [])
    triggers = [*predicates["success"], *whole["strong"], *whole["weak"], *absence, *linked]
    triggers += [row for rows in data.get("verbs", {}).values() for row in rows]
    triggers += _loose_words()[lang]
    return Lexicon(
        lang=lang,
        splitter=re.compile(data["splitter"], re.I),
        subjects=re.Named((Subject.of(name), _any(rows + _tools(name))) for name, rows in data["subjects"].items()),
        verbs=verbs,
        success=_any(predicates["success"]),
        strong=_any(whole["strong"]),
        weak=_any(whole["weak"]),
        absence=_any(absence),
        linked=_any(linked),
        closing=_any(predicates.get("closing", [])),
        loose=_any(_loose_words().get(lang, [])),
        before=_any(deny["before"]),
        condition=_any(deny["condition"]),
        after=_any(deny["after"]),
        anywhere=_any(deny["anywhere"]),
        admit=_any(data["admit"]["words"]),
        benign=_any(data["admit"].get("benign", [])),
        sentence=_any(deny.get("sentence", [])),
        ongoing=_any(data["admit"].get("ongoing", [])),
        carry=_any(deny.get("carry", [])),
        all_of=_any(data["scope"]["all"]),
        some_of=_any(data["scope"]["some"]),
        attribution=re.Named((who, _any(rows)) for who, rows in data["attribution"].items()),
        concepts=re.Named((name, re.any_of([row], re.I)) for name, row in data["concepts"].items()),
        trigger=_any([_unnamed(row) for row in triggers], re.I | re.M),
    )


@cache
def _loose_words() -> dict[str, list[str]]:
    return tables.lexicon("loose.toml")


def _tools(subject: str) -> list[str]:
    """The names of tools that tell a subject, the same in every language."""
    return _tool_names().get(subject, [])


@cache
def _tool_names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = tables.lexicon("success/tools.toml")["subjects"]
    return names


@cache
def _letters(lang: str) -> re.Pattern[str]:
    return re.compile(_read(lang)["letters"])


def _read(lang: str) -> dict[str, Any]:
    return tables.lexicon(f"success/{lang}.toml")


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """The rows with every `{name}` of [fragments] written out, and every letter of [spelled] in all its spellings."""
    names = [(f"{{{name}}}", part) for name, part in reversed(data.pop("fragments", {}).items())]
    names += data.pop("spelled", {}).items()

    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [fill(inner) for inner in value]
        for name, part in names:
            value = value.replace(name, part)
        return value

    return {key: fill(value) for key, value in data.items()}


def spoken(text: str) -> list[str]:
    """The languages whose letters or small words occur in a text; English always among them, and last."""
    return list(_spoken(text))


@lru_cache(maxsize=1 << 14)
def _marks(word: str) -> tuple[tuple[str, int], ...]:
    """The languages whose letters or small words are in a word, and how many of them."""
    languages = LATIN if word.isascii() else LANGUAGES[1:]
    found = ((lang, len(_letters(lang).findall(word))) for lang in languages)
    return tuple((lang, count) for lang, count in found if count)


@lru_cache(maxsize=8)
def _spoken(text: str) -> tuple[str, ...]:
    sample = text if len(text) < 4000 else text[:2000] + text[-2000:]
    # Texts share their words: each is looked at once, not once a text.
    marks: Counter[str] = Counter()
    for lang, count in chain.from_iterable(filter(None, map(_marks, _CHUNK.findall(sample)))):
        marks[lang] += count
    others = [lang for lang in LANGUAGES[1:] if marks[lang]]
    if "ja" in others and "zh" in others:
        others.remove("zh")
    close: list[str] = [lang for lang in ("fr", "es", "pt") if lang in others]
    if len(close) > 1:
        # Close languages: each would read past the others' negations, so those with fewer marks go.
        most = max(marks[lang] for lang in close)
        others = [lang for lang in others if lang not in close or marks[lang] == most]
    return (*others, "en")


def _any(rows: list[str], flags: int = re.I) -> re.AnyOf:
    # Spaces and figures are bounded: where rows leave runs of them open, every way to share them out would be tried.
    bounded = (
        row.replace(r"\s*", r"\s{0,4}").replace(r"[\d,]*", r"[\d,]{0,12}").replace(r"\d*", r"\d{0,12}") for row in rows
    )
    return re.any_of(bounded, flags)


def _unnamed(row: str) -> str:
    """A row as it occurs in a whole text: a clause may begin at any of its words, and any two counts will do.

    `(?P<n>\\d+)/(?P=n)` cannot stand twice in one pattern.
    """
    row = rf"(?<!\w){row[1:]}" if row.startswith("^") else row
    return row.replace("(?P<n>", "(?:").replace("(?P=n)", r"\d{1,6}")

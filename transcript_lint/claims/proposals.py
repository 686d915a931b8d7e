"""Questions that offer an act ("Drop it now?", "Den Zweig mergen?"), and what texts and options are about."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from transcript_lint import patterns as re
from transcript_lint.claims.approval import Reply, asks_consent, is_question, plain, read_reply
from transcript_lint.claims.concepts import common_words, meant, tokens_of
from transcript_lint.claims.prose import sentences

MAX_WORDS = 14
"""Words of a question that is nothing but the act it offers."""
_LEADS = frozenset(
    [
        "now",
        "so",
        "then",
        "and",
        "or",
        "ok",
        "okay",
        "just",
        "jetzt",
        "dann",
        "und",
        "oder",
        "also",
        "gleich",
        "alors",
        "maintenant",
        "donc",
        "et",
        "ou",
        "ahora",
        "entonces",
        "y",
        "o",
        "ya",
        "agora",
        "então",
        "e",
        "ou",
        "já",
        "теперь",
        "тогда",
        "и",
        "или",
        "сразу",
        "уже",
    ]
)
_ASKS_BACK = re.compile(
    r"\W*(?:wh(?:at|y|ich|o|en|ere|ose)|how|did|was|were|is|are|wer|was|wie|warum|wieso|welche\w*|wann|wo|hat|haben|ist"
    r"|qu(?:el\w*|oi|i|and)|pourquoi|comment|où|qué|quién|cuál\w*|cuándo|por|cómo|dónde|quem|qual|quais|quando|como|onde"
    r"|что|кто|как\w*|почему|зачем|когда|где)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[.!:;。！：])\s*")
_RUN = re.compile(r"[\u30a0-\u30ff\u4e00-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")
_PLAIN_OPTION = re.compile(r"\s*[(（\[][^)）\]]{0,40}[)）\]]\s*$")
_LAST_NO = re.compile(
    r"(?<!問題)(?<!構わ)(?<!差し支え)(?:ない|ません)[。!]*$|(?:않음|않기|않는다|말기|안\s?함)[.!]*$"
    r"|^\W*(?:do not|don't|without|no|not|keep|leave|skip|wait|cancel|never|nicht|kein\w*|ohne|nein"
    r"|warten|lassen|ne |non|sans"
    r"|pas|attendre|garder|laisser|sin|esperar|dejar|mantener|conservar|não|sem|aguardar|manter|deixar|не|нет|без|оставить"
    r"|подождать|ждать)\b|^(?:不|别|暂不|先不|保留|等|いいえ|そのまま|残す|待つ|아니|그대로|유지|보류|대기)",
    re.IGNORECASE,
)


def proposes(question: str) -> bool:
    """Whether a question offers an act: it asks for consent, or it is short and its first or last word is the act."""
    return asks_consent(question) is not None or _is_bare_act(question)


def proposed(text: str) -> str | None:
    """The last question of a text that asks a person to allow or choose something, or that offers an act, or None."""
    asked = asks_consent(text)
    if asked is not None or ("?" not in text and "？" not in text):
        return asked
    questions = [s.raw for s in sentences(text) if s.kind != "heading" and is_question(plain(s.text))]
    return next((question for question in reversed(questions) if _is_bare_act(question)), None)


def _is_bare_act(question: str) -> bool:
    last = _CLAUSE.split(question.strip("*_ "))[-1]
    words = [w.strip("¿¡,;.?!？*_") for w in last.split()]
    words = [w for w in words if w]
    while words and words[0].casefold() in _LEADS:
        words = words[1:]
    if not words or len(words) > MAX_WORDS or _ASKS_BACK.match(last):
        return False
    return bool(meant((words[0],)) or meant((words[-1],)))


@lru_cache(maxsize=512)
def topic(text: str) -> frozenset[str]:
    """What a text is about, to compare with others in its language: stems of its rarer words, accents folded.

    Latin and Cyrillic words of four letters or more count by their first five; of Chinese characters, katakana and
    hangul every pair counts.
    """
    found = {stem(w) for w in tokens_of(text) if len(w) > 3 and w not in common_words()}
    for run in _RUN.findall(text):
        found |= {run[i : i + 2] for i in range(len(run) - 1)}
    return frozenset(found) - common_words()


def stem(word: str) -> str:
    """The first five letters of a word without its accents."""
    if word.isascii():
        return word[:5]
    folded = unicodedata.normalize("NFKD", word)
    return "".join(c for c in folded if not unicodedata.combining(c))[:5]


def names_option(text: str, options: tuple[str, ...]) -> str | None:
    """The option that a text names word for word, the longest first, None if it names none."""
    folded = text.casefold()
    for option in sorted(options, key=len, reverse=True):
        words = _PLAIN_OPTION.sub("", option).strip().casefold()
        if len(words) < 2 or words in common_words():
            continue
        place = folded.find(words)
        if place < 0:
            continue
        around = folded[max(0, place - 1) : place] + folded[place + len(words) : place + len(words) + 1]
        if not words.isascii() or not any(c.isalnum() for c in around):
            return option
    return None


def declines(option: str, question: str, options: tuple[str, ...]) -> bool:
    """Whether an option is the one that does nothing, beside another that does what was asked."""
    if len(options) < 2 or option not in options:
        return False
    asked = meant((question,))
    others = [other for other in options if other != option]
    if any(asked & meant((other,)) for other in others) and not asked & meant((option,)):
        return True
    says_no = read_reply(option) is Reply.NO or _LAST_NO.search(option) is not None
    return says_no and not all(_LAST_NO.search(other) for other in others)

"""What a text speaks of when it asserts nothing by itself: an item of a list, a sentence with figures."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.claims.lexicon import lexicon, spoken
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.claims.prose import CODE, blank
from transcript_lint.events import AgentText

_WORD = re.compile(r"[a-z][a-z0-9]{2,}")
_ASIDE = re.compile(r"\s*[(（][^()（）]{0,200}[)）]\s*$")
_BROAD = (Subject.CHECK, Subject.SCRIPT)
_NUMBERED = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*•])\s+")


def mention(text: str, event: AgentText, polarity: str = "success") -> Claim:
    """`text` as a claim of its own good (or bad) end, so that evidence can join it to runs.

    Its subjects are those of its words in their order, broad ones last; `Subject.WORK` when it names none. A text that
    may be a command line itself, as a whole or after its first word, counts as a command in code marks.
    """
    inline: list[str] = []
    blanked = blank(_NUMBERED.sub("", text), inline, [])
    bare = _ASIDE.sub("", _NUMBERED.sub("", text)).strip()
    spaced = blanked.replace(CODE, " ")
    languages = [lexicon(lang) for lang in spoken(text)]
    found = [
        (match.start(), subject)
        for lex in languages
        for subject, pattern in lex.subjects.possible(spaced)
        for match in pattern.finditer(spaced)
    ]
    subjects = tuple(dict.fromkeys(subject for _, subject in sorted(found, key=lambda f: (f[1] in _BROAD, f[0]))))
    commands = () if inline else (bare, bare.partition(" ")[2])
    return Claim(
        text=text,
        subjects=subjects or (Subject.WORK,),
        at=event.at,
        event=event,
        polarity=polarity,
        codes=tuple(code for code in (*inline, *commands) if code),
        words=frozenset(_WORD.findall(text.lower())),
        concepts=frozenset(name for lex in languages for name in lex.concepts_in(blanked)),
        admits=any(lex.admit.holds(blanked) for lex in languages),
    )

"""Which sentences tell that a run failed: the opposite of a claim of success, in nine languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from msgspec.structs import replace

from transcript_lint import tables
from transcript_lint.claims.lexicon import Lexicon, lexicon, spoken
from transcript_lint.claims.mention import mention
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.claims.prose import Sentence, sentences
from transcript_lint.events import AgentText


def failures(event: AgentText) -> Iterator[Claim]:
    """The sentences of a text that state a failure of something that is run, as claims of polarity `failure`."""
    if event.where == "task_state":
        return
    for sentence in _failing(event.text):
        claim = mention(sentence.raw, event, polarity="failure")
        if claim.subject is not Subject.WORK:
            yield replace(claim, admits=False, codes=sentence.codes)


@lru_cache(maxsize=8)
def states_failure(text: str) -> bool:
    """Whether any sentence of a text states a failure as fact."""
    return next(_failing(text), None) is not None


def _failing(text: str) -> Iterator[Sentence]:
    languages = [lexicon(lang) for lang in spoken(text)]
    told = [lex for lex in languages if _pattern(lex.lang, "failed").search(text)]
    if not told:
        return
    for sentence in sentences(text):
        if sentence.kind not in ("heading", "table") and any(_states(sentence.text, lex) for lex in told):
            yield sentence


def _states(text: str, lex: Lexicon) -> bool:
    """Whether a clause of a sentence states a failure in one language, as the speaker's own finding."""
    if "person" in lex.attribution.holding(text):
        return False
    for clause in lex.splitter.split(text):
        if lex.condition.search(clause):
            return False
        if _pattern(lex.lang, "failed").search(clause) and not _pattern(lex.lang, "deny").search(clause):
            return True
    return False


@cache
def _pattern(lang: str, name: str) -> re.Pattern[str]:
    data = tables.lexicon("failures.toml")
    return re.compile(data[lang][name], re.I)

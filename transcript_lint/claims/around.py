"""What the other sentences of a text say about a claim in it: faults they own up to, work that is going on."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct
from msgspec.structs import replace

from transcript_lint.claims.lexicon import Lexicon
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.claims.prose import Sentence
from transcript_lint.claims.subjects import subjects_in
from transcript_lint.commandline import OwnCommands


class Around:
    """What the sentences of a text say about a claim that stands among them."""

    def __init__(self, said: list[Sentence], languages: list[Lexicon], own: OwnCommands) -> None:
        self._said = said
        self._languages = languages
        self._admissions = _admissions(said, languages, own)
        self._paragraphs: dict[int, list[Sentence]] = defaultdict(list)
        for sentence in said:
            self._paragraphs[sentence.paragraph].append(sentence)
        self._ongoing: dict[int, bool] = {}

    def qualified(self, claim: Claim, number: int) -> Claim:
        """The claim of a sentence, by its number, with what its paragraph and the whole text admit."""
        here = self._said[number]
        near = [
            a for a in self._admissions if self._said[a.number].paragraph == here.paragraph and here.kind != "table"
        ]
        return replace(
            claim,
            admits=claim.admits or any(a.speaks_of(claim) or abs(a.number - number) == 1 for a in near),
            ongoing=self._goes_on(here.paragraph),
            admits_later=any(a.speaks_of(claim) for a in self._admissions),
            paragraph=" ".join(sentence.raw for sentence in self._paragraphs[here.paragraph])[:600],
        )

    def _goes_on(self, paragraph: int) -> bool:
        if (known := self._ongoing.get(paragraph)) is None:
            texts = [sentence.text for sentence in self._paragraphs[paragraph]]
            known = any(lex.ongoing.holds(text) for text in texts for lex in self._languages)
            self._ongoing[paragraph] = known
        return known


class _Admission(Struct, frozen=True):
    """A sentence that owns up to a failure, and what it speaks of; `run` alone may be any run."""

    number: int
    subjects: frozenset[Subject]
    any_run: bool

    def speaks_of(self, claim: Claim) -> bool:
        return self.any_run or not self.subjects.isdisjoint(claim.subjects)


def _admissions(said: list[Sentence], languages: list[Lexicon], own: OwnCommands) -> list[_Admission]:
    found: list[_Admission] = []
    for number, sentence in enumerate(said):
        if not any(lex.admit.holds(sentence.text) for lex in languages):
            continue
        bare = sentence.text
        for lex in languages:
            # "the timeout is gone", whatever the language: English reads the loan word and not its verb.
            bare = lex.benign.sub(" ", bare)
        if not any(lex.admit.holds(bare) for lex in languages):
            continue
        subjects: set[Subject] = set()
        for lex in languages:
            subjects.update(subjects_in(lex, sentence.text, len(sentence.text), sentence.codes, own))
        jobs = any(lex.concepts_in(sentence.text) for lex in languages)
        found.append(_Admission(number, frozenset(subjects), subjects == {Subject.SCRIPT} and not jobs))
    return found


def owns_up(lex: Lexicon, text: str) -> bool:
    """Whether a sentence owns up to a failure; failures that it says there were none of do not count."""
    return lex.admit.holds(text) and lex.admit.holds(lex.benign.sub(" ", text))

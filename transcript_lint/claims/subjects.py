"""What a clause speaks of: by its words, and by the commands that stand in it in code marks."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.claims.lexicon import Lexicon
from transcript_lint.claims.model import Subject
from transcript_lint.commandline import Kind, OwnCommands, parse

KIND_SUBJECT = {
    Kind.TEST: Subject.TESTS,
    Kind.BUILD: Subject.BUILD,
    Kind.LINT: Subject.LINT,
    Kind.TYPES: Subject.TYPES,
    Kind.CHECK: Subject.CHECK,
    Kind.PLAN: Subject.CHECK,
    Kind.DEPLOY: Subject.DEPLOY,
    Kind.MIGRATE: Subject.MIGRATION,
    Kind.INSTALL: Subject.INSTALL,
    Kind.PUBLISH: Subject.PUBLISH,
    Kind.PUSH: Subject.PUSH,
    Kind.MERGE: Subject.MERGE,
    Kind.BACKUP: Subject.SCRIPT,
    Kind.SCRIPT: Subject.SCRIPT,
}


def with_verbs(lex: Lexicon, clause: str, predicate: re.Match[str], nouns: tuple[Subject, ...]) -> tuple[Subject, ...]:
    """With what the verbs of a clause tell by themselves: "deployed", "merged".

    Where such a verb is the predicate, it comes first: tests that are merged into another file are not said to pass.
    """
    verbs = tuple(lex.verbs.holding(clause))
    acting = (verb for subject, verb in lex.verbs.possible(clause) if subject is not Subject.SCRIPT)
    if any(match.span() == predicate.span() for verb in acting for match in verb.finditer(clause)):
        return tuple(dict.fromkeys((*verbs, *(noun for noun in nouns if noun not in _VERIFIED))))
    return tuple(dict.fromkeys((*nouns, *verbs)))


_VERIFIED = (Subject.TESTS, Subject.LINT, Subject.TYPES, Subject.FORMAT, Subject.CHECK)


def subjects_in(
    lex: Lexicon, clause: str, predicate: int, codes: tuple[str, ...], own: OwnCommands
) -> tuple[Subject, ...]:
    """What a clause speaks of, the nearest before its predicate first; a command in code marks names its own kind."""
    found: list[tuple[int, Subject]] = []
    for subject, pattern in lex.subjects.possible(clause):
        for match in pattern.finditer(clause):
            distance = predicate - match.end() if match.end() <= predicate else 20 + match.start() - predicate
            found.append((distance, subject))
    for number, code in enumerate(codes):
        if (kind_subject := code_subject(code, own)) is not None:
            found.append((number, kind_subject))
    # "lint checks" are lint and "the test run" is tests: the general words come last.
    ordered = sorted(found, key=lambda f: (f[1] in _GENERAL, f[1] is Subject.SCRIPT, f[0]))
    return tuple(dict.fromkeys(subject for _, subject in ordered))


_AND = re.compile(
    r"\s{0,3}(?:[,/+&、和与及と및]|以及|,? ?\b(?:and|und|et|y|e|и)\b)\s{0,3}"
    r"(?:(?:the|all|both|our|die|der|das|les?|la|los|las|os?|as?) )?(?:[\w-]{1,30} )?",
    re.I,
)
"""What joins two subjects of one predicate: "types and lint", "the build and all unit tests"."""


def joined_by_and(lex: Lexicon, clause: str, subject: Subject) -> tuple[Subject, ...]:
    """The other subjects that a clause says the same of as of this one: "types and lint are clean" speaks of both."""
    spans = sorted(
        (match.start(), match.end(), found)
        for found, pattern in lex.subjects.possible(clause)
        if found not in _GENERAL
        for match in pattern.finditer(clause)
    )
    row: list[Subject] = []
    for number, (start, _, found) in enumerate(spans):
        if number and not _AND.fullmatch(clause, spans[number - 1][1], max(start, spans[number - 1][1])):
            if subject in row:
                break
            row = []
        row.append(found)
    return tuple(dict.fromkeys(other for other in row if other is not subject)) if subject in row else ()


_NAME_OF_TEST = re.compile(
    r"test_(?!(?:data|clients?|config|env|db|utils?|dirs?|files?|helpers?|mode|server|users?|image|set|results?)\b)\w+"
    r"|Test[A-Z]\w+|[A-Z]\w*Tests?(?:[.#]\w+)?"
)
_GENERAL = (Subject.CHECK, Subject.SCRIPT)


def code_subject(code: str, own: OwnCommands) -> Subject | None:
    """The subject of a command in code marks; a bare word such as a name of a function is none."""
    if _NAME_OF_TEST.fullmatch(code):
        return Subject.TESTS
    if len(code) > 200 or not re.search(r"[ /.:-]", code):
        return KIND_SUBJECT.get(parse(code, own).parts[0].kind) if code in _BARE or own.kind([code]) else None
    parts = [p for p in parse(code, own).parts if p.kind in KIND_SUBJECT]
    return KIND_SUBJECT[parts[-1].kind] if parts else None


_BARE = frozenset(
    [
        "pytest",
        "jest",
        "vitest",
        "tox",
        "nox",
        "mypy",
        "pyright",
        "tsc",
        "ruff",
        "eslint",
        "make",
        "ctest",
        "mocha",
        "rspec",
        "phpunit",
        "clippy",
    ]
)

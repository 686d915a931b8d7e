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


def verb_subjects(lex: Lexicon, clause: str) -> tuple[Subject, ...]:
    """What the verbs of a clause tell by themselves, without a noun: "deployed", "merged"."""
    return tuple(lex.verbs.holding(clause))


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


_GENERAL = (Subject.CHECK, Subject.SCRIPT)


def code_subject(code: str, own: OwnCommands) -> Subject | None:
    """The subject of a command in code marks; a bare word such as a name of a function is none."""
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

"""Which commands of the ledger a claim speaks of."""

from __future__ import annotations

from itertools import islice

from transcript_lint import patterns as re
from transcript_lint.claims import Claim, Subject
from transcript_lint.commandline import INERT, Kind
from transcript_lint.evidence.model import Pair
from transcript_lint.evidence.words import named, quoted, shared
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Verdict

MAX_STAGES = 400
"""Stages a claim is compared with, the latest first."""

_KINDS: dict[Subject, tuple[frozenset[Kind], ...]] = {
    Subject.TESTS: (frozenset({Kind.TEST}), frozenset({Kind.CHECK})),
    Subject.BUILD: (frozenset({Kind.BUILD}),),
    Subject.LINT: (frozenset({Kind.LINT}), frozenset({Kind.CHECK})),
    Subject.TYPES: (frozenset({Kind.TYPES}), frozenset({Kind.CHECK})),
    Subject.CHECK: (frozenset({Kind.CHECK, Kind.PLAN}), frozenset({Kind.TEST, Kind.LINT, Kind.TYPES, Kind.BUILD})),
    Subject.DEPLOY: (frozenset({Kind.DEPLOY}),),
    Subject.MIGRATION: (frozenset({Kind.MIGRATE}),),
    Subject.INSTALL: (frozenset({Kind.INSTALL}),),
    Subject.PUBLISH: (frozenset({Kind.PUBLISH}), frozenset({Kind.DEPLOY})),
    Subject.PUSH: (frozenset({Kind.PUSH}), frozenset({Kind.PUBLISH})),
    Subject.MERGE: (frozenset({Kind.MERGE}),),
    Subject.SCRIPT: (frozenset({Kind.SCRIPT, Kind.BACKUP, Kind.OTHER, Kind.CHECK, Kind.MIGRATE, Kind.SEND, Kind.PAY}),),
}
"""Subject → the kinds of command it speaks of, the likeliest group first."""

_FORMATTERS = re.compile(r"\b(?:fmt|format|prettier|black|gofmt|rustfmt|isort)\b")
_PATH = re.compile(r"[\w@.-]*(?:/[\w@.-]*)+|\w+(?:(?:\.|::)\w+){2,}")
_JOBS = (Kind.SCRIPT, Kind.OTHER)
_WATCHED = (*_JOBS, Kind.CHECK)
"""What tells of a deployment that another command, or nobody here, set off: `kubectl rollout status`."""


def candidates(claim: Claim, ledger: Ledger) -> list[Pair]:
    """The commands a claim speaks of, the latest first; empty when none can be told."""
    stages = [
        (run, stage)
        for run, stage in islice(ledger.runs.stages(), MAX_STAGES)
        if stage.verdict is not Verdict.NOT_RUN
        and not run.stopped_on_purpose
        and run.shell
        and not stage.part.expects_failure
        and stage.part.kind is not Kind.SERVE
    ]
    own = [p for p in stages if p[0].agent == claim.event.agent]
    others = [p for p in stages if p[0].agent != claim.event.agent]
    return _speaking(claim, own, ledger) or _speaking(claim, others, ledger)


def _speaking(claim: Claim, stages: list[Pair], ledger: Ledger) -> list[Pair]:
    if claim.codes and (exact := [p for p in stages if quoted(claim, p[1], ledger.settings.own)]):
        return exact
    if claim.subject is Subject.WORK:
        called = [p for p in stages if p[1].part.kind not in INERT and named(claim, p[1])]
        return called or ([] if claim.strength == "loose" else _just_done(stages, ledger))
    paths = [code for code in claim.codes if _PATH.fullmatch(code)]
    acting = [p for p in stages if p[1].part.kind not in INERT] if paths else []
    if mentioned := [p for p in acting if any(path in p[1].part.text for path in paths)]:
        stages = mentioned
    elif paths:
        # It names files that no command names: only a run of everything can speak of them.
        stages = [p for p in stages if not p[1].part.target.scope]
    for subject in claim.subjects:
        if subject is Subject.FORMAT:
            found = [p for p in stages if _FORMATTERS.search(p[1].part.text)]
            return _narrowed(claim, found)
        for kinds in _KINDS[subject]:
            found = [p for p in stages if p[1].part.kind in kinds]
            if subject is Subject.SCRIPT:
                found = _about(claim, found) or _about(claim, stages) or _only_job(found, ledger)
            if found:
                return _narrowed(claim, found)
        if found := _about(
            claim, [p for p in stages if p[1].part.kind in (_WATCHED if subject is Subject.DEPLOY else _JOBS)]
        ):
            return found
    return []


def _just_done(stages: list[Pair], ledger: Ledger) -> list[Pair]:
    """For a bare "Done.": the last command of this turn that does anything."""
    last = next((p for p in stages if p[1].part.kind not in INERT), None)
    return [last] if last is not None and last[0].turn == ledger.session.turn else []


def _only_job(found: list[Pair], ledger: Ledger) -> list[Pair]:
    """A job named by nothing but its nearness: the last one of this turn, if the turn has no other."""
    here = [p for p in found if p[0].turn == ledger.session.turn and p[0].shell and p[1].part.kind in _JOBS]
    return here if len({p[1].part.target.program for p in here}) == 1 else []


def _about(claim: Claim, found: list[Pair]) -> list[Pair]:
    """The commands that share a word or a job with the claim."""
    return [p for p in found if shared(claim, p[1])]


def _narrowed(claim: Claim, found: list[Pair]) -> list[Pair]:
    """If words of the claim single out some of the commands and not others, only those."""
    if len({p[1].part.target for p in found}) < 2:
        return found
    return [p for p in found if shared(claim, p[1])] or found

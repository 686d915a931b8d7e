"""Suppressions: findings a person has looked at and accepts, with a reason, in a file of their own.

They never stand in a log: the audited agent could have written it.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, field

from transcript_lint import inputs, selection
from transcript_lint.baseline import content
from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.rule import Rule
from transcript_lint.selection import suggestion


class SuppressionError(Exception):
    """A suppressions file cannot be used; says which entry and why."""


class Suppression(Struct, frozen=True, kw_only=True):
    """One entry: which findings (all that is given must fit), why, and until which day it holds (that day included)."""

    reason: str
    rule: str | None = None
    fingerprint: str | None = None
    path: str | None = None
    expires: datetime.date | None = None

    def __str__(self) -> str:
        told = (("rule", self.rule), ("fingerprint", self.fingerprint), ("path", self.path))
        return ", ".join(f"{name} {value}" for name, value in told if value)


class Suppressions(Struct, kw_only=True):
    """The entries of one file, each with the ids of the rules it means (None for all)."""

    file: str
    entries: list[tuple[Suppression, frozenset[str] | None]]
    notices: list[str] = field(default_factory=list)


def read(file: Path, rules: Sequence[type[Rule]]) -> Suppressions:
    """The suppressions in a TOML file of `[[suppress]]` tables. Raises SuppressionError."""
    import tomllib  # late: most audits need none of it

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SuppressionError(f"suppressions {file} cannot be read: {error}") from error
    if unknown := [key for key in data if key != "suppress"]:
        raise SuppressionError(f"{file}: unknown key {unknown[0]!r}; entries are [[suppress]] tables")
    found = Suppressions(file=str(file), entries=[])
    for number, table in enumerate(data.get("suppress", ()), 1):
        entry = _entry(table, f"{file}: entry {number}")
        ids = None
        if entry.rule is not None:
            try:
                ids = frozenset(r.id for r in selection.meant(rules, [entry.rule], found.notices))
            except selection.UnknownSelectorError as error:
                raise SuppressionError(f"{file}: entry {number}: {error}") from error
        found.entries.append((entry, ids))
    return found


def apply(suppressions: Suppressions, report: Report, today: datetime.date) -> None:
    """Set the suppressed findings of a report apart; tell which entries have expired or fit nothing."""
    report.notices += suppressions.notices
    used: set[int] = set()
    folder = Path(suppressions.file).parent
    fresh: list[Finding] = []
    for finding in report.findings:
        by = [n for n, (entry, ids) in enumerate(suppressions.entries) if _fits(entry, ids, finding, folder)]
        used.update(by)
        holding = any(not _expired(suppressions.entries[n][0], today) for n in by)
        (report.suppressed if holding else fresh).append(finding)
    report.findings = fresh
    for number, (entry, _) in enumerate(suppressions.entries):
        where = f"{suppressions.file}: entry {number + 1} ({entry})"
        if _expired(entry, today):
            report.notices.append(f"warning: {where} expired on {entry.expires}; reason was: {entry.reason}")
        elif number not in used:
            report.notices.append(f"warning: {where} suppresses nothing here; remove it if that stays so")


def _entry(table: object, where: str) -> Suppression:
    if isinstance(table, dict):
        known = Suppression.__struct_fields__
        for key in table:
            if key not in known:
                raise SuppressionError(f"{where}: unknown key {key!r}{suggestion(key, known)}")
    try:
        entry = msgspec.convert(table, Suppression)
    except msgspec.ValidationError as error:
        raise SuppressionError(f"{where}: {error}") from error
    if not entry.reason.strip():
        raise SuppressionError(f"{where}: `reason` must say why these findings are accepted")
    if entry.rule is entry.fingerprint is entry.path is None:
        raise SuppressionError(f"{where}: name a `rule`, a `fingerprint` or a `path`")
    return entry


def _fits(entry: Suppression, ids: frozenset[str] | None, finding: Finding, folder: Path) -> bool:
    return (
        (ids is None or finding.rule in ids)
        and (entry.fingerprint is None or entry.fingerprint in (finding.fingerprint, content(finding)))
        and (entry.path is None or inputs.matches(finding.input, entry.path, folder))
    )


def _expired(entry: Suppression, today: datetime.date) -> bool:
    return entry.expires is not None and today > entry.expires

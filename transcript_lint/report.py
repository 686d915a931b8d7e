"""The finished result of a run, as every reporter gets it."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from transcript_lint.engine import RuleFailure
from transcript_lint.finding import Finding


class InputProblem(Struct, frozen=True, kw_only=True):
    """An input that could not be read at all, or not to its end. `fatal` problems make the run's exit status 2."""

    path: str
    message: str
    fatal: bool = True


class InputSummary(Struct, frozen=True, kw_only=True):
    """One input that was read: its format, how many records, how many uncompressed bytes, which container."""

    path: str
    format: str
    records: int
    size: int = 0
    compressed: str | None = None
    sha256: str | None = None


class Report(Struct, kw_only=True):
    """Everything a reporter may show. `findings` are sorted and final; suppressed and baselined ones stand apart.

    `abstained` counts (rule, reason); `unknown` counts (format, record type) that no reader knows.
    """

    findings: list[Finding] = field(default_factory=list)
    suppressed: list[Finding] = field(default_factory=list)
    baselined: list[Finding] = field(default_factory=list)
    inputs: list[InputSummary] = field(default_factory=list)
    problems: list[InputProblem] = field(default_factory=list)
    failures: list[RuleFailure] = field(default_factory=list)
    abstained: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    unreadable: int = 0
    interrupted: bool = False

    @property
    def records(self) -> int:
        """Records seen over all inputs."""
        return sum(i.records for i in self.inputs)

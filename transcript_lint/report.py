"""The finished result of a run, as every reporter gets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from transcript_lint.engine import RuleFailure
from transcript_lint.finding import Confidence, Finding, Level


class RuleInfo(Struct, frozen=True, kw_only=True):
    """What a reporter may say about a rule: its one sentence, what it does in full, its whole page in Markdown.

    `package` is empty for ours, else names the package that brought it.
    """

    id: str
    name: str
    family: str
    level: Level
    confidence: Confidence
    summary: str
    description: str
    documentation: str
    package: str = ""


class InputProblem(Struct, frozen=True, kw_only=True):
    """An input that could not be read at all, or not to its end. `fatal` problems make the run's exit status 2."""

    path: str
    message: str
    fatal: bool = True


class InputSummary(Struct, frozen=True, kw_only=True):
    """One input that was read: its format, its records, how many of these nobody could read, how many records or parts
    of them told nothing (of a type that the reader does not know, or not finished yet), its abstained checks.

    `abstained` counts by rule; in a chain of inputs that are one job, the first input of the chain carries them.
    """

    path: str
    format: str
    records: int
    unreadable: int = 0
    untold: int = 0
    abstained: Mapping[str, int] = field(default_factory=dict)


class Artifact(Struct, frozen=True, kw_only=True):
    """An input as bytes: SHA-256 and length of the file, and of what is inside when it is compressed (`zst`, `gz`).

    `columns` holds, for lines that findings speak of, how many Unicode code points they have.
    """

    sha256: str
    length: int
    compression: str | None = None
    inner_sha256: str | None = None
    inner_length: int | None = None
    columns: Mapping[int, int] = field(default_factory=dict)


class Report(Struct, kw_only=True):
    """Everything a reporter may show. `findings` are sorted and final; suppressed and baselined ones stand apart.

    `fixed` are baseline entries that no longer occur, in words; `ratchet` says where less could be checked than when
    the baseline was made; `notices` are things the user should know and that fail nothing. `abstained` counts
    (rule, reason); `unknown` counts (format, record type) that no reader knows. `timings` are seconds by rule id,
    empty unless they were asked for; `artifacts` are there only for formats that need them. `interrupted` says how far
    the audit got when it was interrupted, empty when it was not.
    """

    findings: list[Finding] = field(default_factory=list)
    suppressed: list[Finding] = field(default_factory=list)
    baselined: list[Finding] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    ratchet: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    inputs: list[InputSummary] = field(default_factory=list)
    problems: list[InputProblem] = field(default_factory=list)
    failures: list[RuleFailure] = field(default_factory=list)
    abstained: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    unreadable: int = 0
    rules: tuple[RuleInfo, ...] = ()
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    interrupted: str = ""
    exit_code: int = 0

    @property
    def records(self) -> int:
        """Records seen over all inputs."""
        return sum(i.records for i in self.inputs)

    @property
    def failed(self) -> bool:
        """Whether the job was not done: an input nobody could read, a rule that crashed, an interrupt."""
        return bool(self.failures or self.interrupted) or any(p.fatal for p in self.problems)

    def add(self, other: Report) -> None:
        """Take over what the audit of further inputs brought."""
        self.findings += other.findings
        self.inputs += other.inputs
        self.problems += other.problems
        self.failures += other.failures
        self.abstained.update(other.abstained)
        self.unknown.update(other.unknown)
        for rule, seconds in other.timings.items():
            self.timings[rule] = self.timings.get(rule, 0.0) + seconds
        self.unreadable += other.unreadable

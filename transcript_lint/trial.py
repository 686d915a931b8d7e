"""Rules on trial: every rule against its own examples, and against folders of labelled logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from transcript_lint import recognise, runner, samples, sources
from transcript_lint.engine import Engine
from transcript_lint.expect import ExpectError
from transcript_lint.finding import Confidence, Finding
from transcript_lint.labels import labelled_logs
from transcript_lint.rule import Example, Rule
from transcript_lint.settings import Settings


class Tally(Struct, kw_only=True):
    """Findings of one rule: told rightly, told wrongly, not told."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float | None:
        """Right of all told; None when nothing was told."""
        return self.right / told if (told := self.right + self.wrong) else None

    @property
    def recall(self) -> float | None:
        """Right of all there was to tell; None when there was nothing."""
        return self.right / there if (there := self.right + self.missed) else None


def findings(example: Example, rules: Sequence[type[Rule]]) -> list[Finding]:
    """What the rules find in an example's log, sorted by line. Raises RuntimeError when one of them crashes."""
    lines = samples.write(example.records).split(b"\n")[:-1]
    offsets = accumulate((len(line) + 1 for line in lines), initial=0)
    records = (sources.Record(n, offset, line) for n, (line, offset) in enumerate(zip(lines, offsets, strict=False), 1))
    reader, chained = recognise.choose_reader("example.jsonl", records)
    if reader is None:
        raise RuntimeError(f"no reader knows the example {example.title!r}")
    engine = Engine(rules, Settings())
    engine.feed(reader.events(chained))
    audit = engine.finish()
    if audit.failures:
        raise RuntimeError(f"{audit.failures[0].rule} crashed on {example.title!r}: {audit.failures[0].error}")
    return sorted(audit.findings, key=lambda f: f.at.line)


def faults(rule: type[Rule], rules: Sequence[type[Rule]]) -> Iterator[str]:
    """What is wrong with a rule's examples, in words: a kind lacks, lines, levels, another loud rule on an innocent."""
    for kind, there in (("reporting", any), ("innocent", lambda told: not all(told))):
        if not there(bool(example.reports) for example in rule.examples):
            yield f"{rule.id} has no {kind} example"
    for example in rule.examples:
        for chosen, how in (((rule,), "alone"), (rules, "among all rules")):
            found = findings(example, chosen)
            own = [f for f in found if f.rule == rule.id]
            lines = tuple(f.at.line for f in own)
            if lines != tuple(sorted(example.reports)):
                yield f"{rule.id} {example.title!r} {how}: reports lines {lines}, expected {example.reports}"
            if example.level is not None and any(f.level != example.level for f in own):
                yield f"{rule.id} {example.title!r} {how}: level {own[0].level}, expected {example.level}"
            if how == "among all rules" and not example.reports and (others := _loud(found)):
                told = ", ".join(f"{f.rule}@{f.at.line}" for f in others)
                yield f"{rule.id} {example.title!r} is innocent, but {told} speaks"


def _loud(found: Iterable[Finding]) -> list[Finding]:
    return [f for f in found if f.level.rank > 0 and f.confidence.rank >= Confidence.MEDIUM.rank]


def examples(rules: Sequence[type[Rule]]) -> dict[str, Tally]:
    """Tallies by rule id over the rules' own examples."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for rule in rules:
        for example in rule.examples:
            got = Counter(f.at.line for f in findings(example, rules) if f.rule == rule.id)
            _count(tallies[rule.id], got, Counter(example.reports))
    return tallies


def labelled(folders: Sequence[str], job: runner.Job) -> dict[str, Tally]:
    """Tallies by rule id over the labelled logs of folders. Raises ExpectError, also where there are none."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for folder in folders:
        logs = list(labelled_logs(folder))
        if not logs:
            raise ExpectError(f"{folder} holds no labelled logs")
        for log in logs:
            findings = runner.audit_one(log.log, job).findings
            for fault in log.faults:
                told = any(map(fault.is_told_by, findings))
                tallies[fault.rule].right += told
                tallies[fault.rule].missed += not told
            for finding in log.wrongs(findings):
                tallies[finding.rule].wrong += 1
    return tallies


def _count(tally: Tally, got: Counter[int], want: Counter[int]) -> None:
    tally.right += (got & want).total()
    tally.wrong += (got - want).total()
    tally.missed += (want - got).total()

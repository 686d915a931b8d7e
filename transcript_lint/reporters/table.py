"""A table a file for people: line, rule, what is wrong, and the chain of records that shows it."""

from __future__ import annotations

import itertools
import shlex
import unicodedata
from collections.abc import Iterator
from typing import TextIO

from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Reporter

_COLORS = {"error": 31, "warning": 33, "note": 36}
LEAST_WIDTH = 30
MAX_STEPS = 10


class TableReporter(Reporter):
    """Writes for a terminal or a pipe; the findings of a file together, in order."""

    name = "table"

    def write(self, report: Report, out: TextIO) -> None:
        for (path, read), group in itertools.groupby(report.findings, lambda f: (f.at.path, f.input)):
            title = path if read == path else f"{path} (read from {read})"
            out.write(self._paint(title, 1) + "\n" + self._table(list(group)) + "\n\n")
        if self.look.show_suppressed:
            for title, findings in (("Suppressed", report.suppressed), ("In the baseline", report.baselined)):
                if findings:
                    out.write(f"{title}:\n{self._table(findings, with_path=True)}\n\n")
        if self.look.statistics:
            out.write(statistics_table(report) + "\n\n")
        if report.findings:
            first = max(report.findings, key=lambda f: f.level.rank)
            out.write("Look closer: " + self._closer(first) + "\n")
        for line in footer.footer(report):
            out.write(line + "\n")

    def _table(self, findings: list[Finding], with_path: bool = False) -> str:
        from tabulate import tabulate

        places = [f"{f.at.path}:{f.at.line}" if with_path else str(f.at.line) for f in findings]
        taken = max(map(len, places)) + max(len(f.rule) for f in findings) + len("warning") + 6
        width = max(LEAST_WIDTH, self.look.width - taken)
        rows = [
            (place, self._paint(f.level, _COLORS[f.level]), f.rule, "\n".join(self._cell(f, width)))
            for place, f in zip(places, findings, strict=True)
        ]
        table = tabulate(
            rows,
            headers=("line", "level", "rule", "finding"),
            tablefmt="simple",
            disable_numparse=True,
            colalign=("left" if with_path else "right", "left", "left", "left"),
        )
        return "\n".join(line.rstrip() for line in table.splitlines())

    def _cell(self, finding: Finding, width: int) -> Iterator[str]:
        yield from wrap(finding.message, width)
        steps = finding.because
        digits = max((len(_step_place(finding, s.at.path, s.at.line)) for s in steps), default=0)
        for step in steps[:MAX_STEPS]:
            head = f"  {_step_place(finding, step.at.path, step.at.line):>{digits}}  "
            lines = wrap(step.what, max(LEAST_WIDTH // 2, width - len(head)))
            yield from (self._paint((head if n == 0 else " " * len(head)) + line, 2) for n, line in enumerate(lines))
        if len(steps) > MAX_STEPS:
            yield f"  … and {len(steps) - MAX_STEPS} more records"

    def _closer(self, finding: Finding) -> str:
        path = finding.at.path if not finding.at.path.startswith("-") else f"./{finding.at.path}"
        place = shlex.quote(f"{path}:{finding.at.line}")
        return f"transcript-lint show {place}, transcript-lint explain {finding.rule}"

    def _paint(self, text: str, code: int) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.look.color else str(text)


def _step_place(finding: Finding, path: str, line: int) -> str:
    return f"line {line}" if path == finding.at.path else f"{path}:{line}"


def statistics_table(report: Report) -> str:
    """Findings by rule, then checks that abstained by reason."""
    from tabulate import tabulate

    rows = [(n, rule, name, level) for rule, name, level, n in footer.statistics(report)]
    parts = [tabulate(rows, headers=("findings", "rule", "name", "level"), tablefmt="simple")]
    if report.abstained:
        rest = [(n, rule, why) for rule, why, n in footer.abstentions(report)]
        parts.append(tabulate(rest, headers=("abstained", "rule", "why"), tablefmt="simple"))
    return "\n\n".join(parts)


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns, East Asian letters counted as two; long words are broken."""
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        size = columns(word)
        if line and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            lines.append(line)
        line, used = word, size
        while used > width:
            head = prefix(line, width)
            lines.append(head)
            line = line[len(head) :]
            used = columns(line)
    return [*lines, line]


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(c) for c in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def prefix(text: str, width: int) -> str:
    """As much of the text as fits into the columns, one character at least."""
    used = 0
    for position, character in enumerate(text):
        used += _columns(character)
        if used > width:
            return text[: max(1, position)]
    return text

"""JSON lines: a finding a line, then one summary line. Tools build on it; `schema findings` prints its schema."""

from __future__ import annotations

from typing import TextIO

import msgspec

from transcript_lint.report import Report
from transcript_lint.reporters import rows
from transcript_lint.reporters.base import Reporter


class JsonLinesReporter(Reporter):
    """Writes `{"rule", "level", "path", "line", …}` a finding and `{"summary": …}` at the end."""

    name = "jsonl"

    def write(self, report: Report, out: TextIO) -> None:
        for row in rows.findings(report, self.look.show_suppressed):
            out.write(msgspec.json.encode(row).decode() + "\n")
        last = rows.SummaryLine(summary=rows.summary(report, self.look.version))
        out.write(msgspec.json.encode(last).decode() + "\n")

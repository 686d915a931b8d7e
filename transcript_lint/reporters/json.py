"""One JSON document: the same findings and summary as the JSON lines."""

from __future__ import annotations

from typing import TextIO

import msgspec

from transcript_lint.report import Report
from transcript_lint.reporters import rows
from transcript_lint.reporters.base import Reporter


class JsonReporter(Reporter):
    """Writes `{"findings": […], "summary": {…}}`."""

    name = "json"

    def write(self, report: Report, out: TextIO) -> None:
        document = {
            "findings": list(rows.findings(report, self.look.show_suppressed)),
            "summary": rows.summary(report, self.look.version),
        }
        out.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")

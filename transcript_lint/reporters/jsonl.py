"""JSON lines: a finding a line, then one summary line. Tools build on it."""

from __future__ import annotations

from typing import TextIO

import orjson

from transcript_lint.report import Report
from transcript_lint.reporters.base import Reporter


class JsonLinesReporter(Reporter):
    """Writes `{"rule", "level", "path", "line", …}` a finding and `{"summary": …}` at the end."""

    name = "jsonl"

    def write(self, report: Report, out: TextIO) -> None:
        for f in report.findings:
            row = {
                "rule": f.rule,
                "name": f.name,
                "level": f.level,
                "confidence": f.confidence,
                "path": f.at.path,
                "line": f.at.line,
                "pointer": f.at.pointer,
                "message": f.message,
                "because": [{"path": s.at.path, "line": s.at.line, "what": s.what} for s in f.because],
                "fingerprint": f.fingerprint,
            }
            out.write(orjson.dumps(row).decode() + "\n")
        summary = {
            "files": len(report.inputs),
            "records": report.records,
            "findings": len(report.findings),
            "unreadable": report.unreadable,
            "unknown_types": sum(report.unknown.values()),
            "abstained": sum(report.abstained.values()),
        }
        out.write(orjson.dumps({"summary": summary}).decode() + "\n")

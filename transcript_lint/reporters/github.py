"""GitHub workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from typing import TextIO

from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Reporter

COMMAND = {"error": "error", "warning": "warning", "note": "notice"}


class GithubReporter(Reporter):
    """Writes the worst first, since GitHub shows ten of a kind a step; the last line says how many there are."""

    name = "github"

    def write(self, report: Report, out: TextIO) -> None:
        for finding in sorted(report.findings, key=lambda f: -f.level.rank):
            where = f"file={_property(finding.at.path)},line={finding.at.line},endLine={finding.at.line}"
            chain = "".join(f"\n{step.at.path}:{step.at.line} {step.what}" for step in finding.because)
            title = _property(f"{finding.rule} {finding.name}")
            out.write(f"::{COMMAND[finding.level]} title={title},{where}::{_data(finding.message + chain)}\n")
        for line in (*footer.trouble(report), *report.ratchet):
            out.write(f"::error title=transcript-lint::{_data(line)}\n")
        for line in report.notices:
            out.write(f"::warning title=transcript-lint::{_data(line)}\n")
        out.write(_plain(footer.counts(report)) + "\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _plain(text: str) -> str:
    return text.replace("::", ": :")

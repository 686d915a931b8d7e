"""Markdown for a job summary or a comment: a table, then each chain folded away."""

from __future__ import annotations

import html
from typing import TextIO

from transcript_lint import patterns as re
from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Reporter

MAX_FINDINGS = 200
"""A job summary holds 1 MiB, a comment 65,536 characters; past this many the rest is only counted."""

_SPECIAL = re.compile(r"([\\`*_\[\]#!|~>@$&])")


class MarkdownReporter(Reporter):
    """Writes the worst first; nothing from a log can become markup, a link or a mention."""

    name = "markdown"

    def write(self, report: Report, out: TextIO) -> None:
        out.write("## transcript-lint\n\n")
        out.write(escape(footer.counts(report)) + "\n")
        for line in (*footer.trouble(report), *report.ratchet, *report.notices):
            out.write(f"\n- {escape(line)}")
        if report.findings:
            worst = sorted(report.findings, key=lambda f: -f.level.rank)
            out.write("\n\n| level | rule | place | finding |\n|---|---|---|---|\n")
            for finding in worst[:MAX_FINDINGS]:
                out.write(_row(finding))
            if len(worst) > MAX_FINDINGS:
                out.write(f"\n… and {len(worst) - MAX_FINDINGS} more.\n")
            for finding in worst[:MAX_FINDINGS]:
                out.write(_chain(finding))
        else:
            out.write("\n")


def _row(finding: Finding) -> str:
    place = escape(f"{finding.at.path}:{finding.at.line}")
    return f"| {finding.level} | {finding.rule} {escape(finding.name)} | {place} | {escape(finding.message)} |\n"


def _chain(finding: Finding) -> str:
    if not finding.because:
        return ""
    steps = "\n".join(f"1. {escape(f'{s.at.path}:{s.at.line}')} {escape(s.what)}" for s in finding.because)
    head = html.escape(f"{finding.rule} {finding.at.path}:{finding.at.line}")
    return f"\n<details><summary>{head}</summary>\n\n{steps}\n\n</details>\n"


def escape(text: str) -> str:
    """The text as text: HTML as entities, Markdown's own marks with a backslash, bare addresses unlinked."""
    plain = _SPECIAL.sub(r"\\\1", text).replace("<", "&lt;").replace("\n", " ")
    return plain.replace("://", ":&#8203;//").replace("www.", "www&#46;")

"""One page of HTML without scripts, for people who do not use a terminal."""

from __future__ import annotations

import itertools
from html import escape
from typing import TextIO

from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Reporter

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem }
tr { border-top: 1px solid #ddd } .error { color: #b00020 } .warning { color: #8a5a00 } .note { color: #2a5d84 }
ol { color: #555; margin: .3rem 0; padding-left: 1.2rem } h2 { font-size: 1.05rem; overflow-wrap: anywhere }
"""


class HtmlReporter(Reporter):
    """Writes a page of its own; everything from a log is escaped, and a policy in the page forbids all fetching."""

    name = "html"

    def write(self, report: Report, out: TextIO) -> None:
        out.write(
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            f"<title>transcript-lint</title><style>{STYLE}</style></head><body>\n<h1>transcript-lint</h1>\n"
        )
        for line in footer.footer(report):
            out.write(f"<p>{escape(line)}</p>\n")
        for path, group in itertools.groupby(report.findings, lambda f: f.at.path):
            out.write(f"<h2>{escape(path)}</h2>\n<table><tr><th>line<th>level<th>rule<th>finding</tr>\n")
            out.write("".join(map(_row, group)) + "</table>\n")
        out.write("</body></html>\n")


def _row(finding: Finding) -> str:
    steps = "".join(f"<li>{escape(f'{s.at.path}:{s.at.line}')} {escape(s.what)}" for s in finding.because)
    chain = f"<ol>{steps}</ol>" if steps else ""
    rule = f'<span title="{escape(finding.name)}">{escape(finding.rule)}</span>'
    return (
        f'<tr><td>{finding.at.line}<td class="{finding.level}">{finding.level}<td>{rule}'
        f"<td>{escape(finding.message)}{chain}</tr>\n"
    )

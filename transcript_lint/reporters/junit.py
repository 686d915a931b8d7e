"""JUnit XML: a suite an input, a case a finding, and one passing case for an input without any."""

from __future__ import annotations

from collections import defaultdict
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from transcript_lint import patterns as re
from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.reporters.base import Reporter

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JUnitReporter(Reporter):
    """Writes errors and warnings as failures, notes as passing cases with their text in `system-out`."""

    name = "junit"

    def write(self, report: Report, out: TextIO) -> None:
        by_path: dict[str, list[Finding]] = defaultdict(list)
        for finding in report.findings:
            by_path[finding.input].append(finding)
        broken = {p.path: p.message for p in report.problems if p.fatal}
        for failure in report.failures:
            broken.setdefault(failure.at.path, f"rule {failure.rule} crashed: {failure.error}")
        if report.interrupted:
            broken["transcript-lint"] = report.interrupted
        paths = list(dict.fromkeys([*(i.path for i in report.inputs), *by_path, *broken]))
        cases = {path: [*map(_case, by_path.get(path, ())), *_error(path, broken)] or [_clean()] for path in paths}
        failures = {path: sum(f.level.rank > 0 for f in by_path.get(path, ())) for path in paths}
        total = f'tests="{sum(map(len, cases.values()))}" failures="{sum(failures.values())}" errors="{len(broken)}"'
        out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="transcript-lint" {total}>\n')
        for path in paths:
            counts = (
                f'tests="{len(cases[path])}" failures="{failures[path]}" errors="{int(path in broken)}" skipped="0"'
            )
            out.write(f"  <testsuite name={_attribute(path)} {counts}>\n")
            out.write("".join(f"    {case}\n" for case in cases[path]))
            out.write("  </testsuite>\n")
        out.write("</testsuites>\n")


def _case(finding: Finding) -> str:
    place = f"{finding.at.path}:{finding.at.line}"
    chain = [f"{step.at.path}:{step.at.line} {step.what}" for step in finding.because]
    text = _text("\n".join([f"{place} {finding.message}", *chain]))
    name = _attribute(f"{finding.rule} {finding.name} line {finding.at.line} {finding.fingerprint}")
    head = f"<testcase classname={_attribute(finding.at.path)} name={name}>"
    if finding.level.rank == 0:
        return f"{head}<system-out>{text}</system-out></testcase>"
    told = f"type={_attribute(finding.rule)} message={_attribute(finding.message)}"
    return f"{head}<failure {told}>{text}</failure></testcase>"


def _error(path: str, broken: dict[str, str]) -> list[str]:
    if path not in broken:
        return []
    head = f"<testcase classname={_attribute(path)} name={_attribute('the job could not be done')}>"
    return [f'{head}<error type="unreadable" message={_attribute(broken[path])}/></testcase>']


def _clean() -> str:
    return '<testcase classname="transcript-lint" name="no findings"/>'


def _text(text: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("\ufffd", text))

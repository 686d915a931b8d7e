"""GitLab Code Quality."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import orjson

from transcript_lint.report import Report
from transcript_lint.reporters.base import Reporter

SEVERITY = {"error": "critical", "warning": "major", "note": "info"}


class GitlabReporter(Reporter):
    """Writes an array of issues, each with its own fingerprint; paths relative to the repository."""

    name = "gitlab"

    def write(self, report: Report, out: TextIO) -> None:
        issues = [
            {
                "description": f"{f.message} ({f.rule} {f.name})",
                "check_name": f.name,
                "fingerprint": f"{f.rule}:{f.fingerprint}",
                "severity": SEVERITY[f.level],
                "location": {"path": self._path(f.at.path), "lines": {"begin": f.at.line}},
            }
            for f in report.findings
        ]
        out.write(orjson.dumps(issues, option=orjson.OPT_INDENT_2).decode() + "\n")

    def _path(self, path: str) -> str:
        try:
            return Path(path).resolve().relative_to(Path(self.look.root or ".").resolve()).as_posix()
        except ValueError:
            return path.removeprefix("./")

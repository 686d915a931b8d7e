"""Make a report fit to be shown: every string that comes from a log redacted, bounded and without control characters.

It is done once, before any reporter gets the report, so that no reporter can forget it.
"""

from __future__ import annotations

import msgspec

from transcript_lint import patterns as re
from transcript_lint.events import Location, Step
from transcript_lint.finding import Finding
from transcript_lint.redact import Redactor
from transcript_lint.report import Report

MESSAGE_CHARACTERS = 600
STEP_CHARACTERS = 240

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)?|[PX^_][^\x1b]{0,400}\x1b\\|.?)"
)
# Controls, zero-width and direction marks, line separators, lone surrogates, tags: what a reader cannot see.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def present(report: Report, redactor: Redactor) -> Report:
    """A copy of the report that may be shown to anyone."""
    show = Presenter(redactor)
    copy = msgspec.structs.replace
    return copy(
        report,
        findings=[show.finding(f) for f in report.findings],
        suppressed=[show.finding(f) for f in report.suppressed],
        baselined=[show.finding(f) for f in report.baselined],
        fixed=[show.text(line, MESSAGE_CHARACTERS) for line in report.fixed],
        ratchet=[show.text(line, MESSAGE_CHARACTERS) for line in report.ratchet],
        notices=[show.text(line, MESSAGE_CHARACTERS) for line in report.notices],
        inputs=[copy(i, path=visible(i.path)) for i in report.inputs],
        problems=[copy(p, path=visible(p.path), message=show.text(p.message)) for p in report.problems],
        failures=[copy(f, at=show.place(f.at), error=show.text(f.error)) for f in report.failures],
        artifacts={visible(path): artifact for path, artifact in report.artifacts.items()},
    )


class Presenter:
    """Cleans single values; see `present`."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor

    def text(self, text: str, limit: int = STEP_CHARACTERS) -> str:
        """One line of text: redacted before it is cut, so that no cut hides a credential from the redactor."""
        line = " ".join(visible(self.redactor.text(text)).split())
        return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"

    def place(self, at: Location) -> Location:
        """The place with a path and a pointer that can be printed."""
        pointer = self.text(at.pointer) if at.pointer else ""
        inner = None if at.inner is None else visible(at.inner)
        return msgspec.structs.replace(at, path=visible(at.path), pointer=pointer, inner=inner)

    def finding(self, finding: Finding) -> Finding:
        """The finding, cleaned; `about` has served its purpose and is dropped."""
        return msgspec.structs.replace(
            finding,
            message=self.text(finding.message, MESSAGE_CHARACTERS),
            at=self.place(finding.at),
            input=visible(finding.input),
            because=tuple(Step(self.place(s.at), self.text(s.what), s.time) for s in finding.because),
            about="",
        )


def visible(text: str) -> str:
    """The text without terminal escapes; other unseen characters become U+FFFD."""
    return _UNSEEN.sub("\ufffd", _ESCAPES.sub("", text))

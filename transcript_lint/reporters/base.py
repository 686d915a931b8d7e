"""What a reporter is."""

from __future__ import annotations

from typing import ClassVar, TextIO

from msgspec import Struct

from transcript_lint.report import Report


class Look(Struct, frozen=True, kw_only=True):
    """How the output is seen: colour or not, columns of the terminal, and options of single formats."""

    color: bool = False
    width: int = 100
    version: str = ""
    root: str | None = None
    show_suppressed: bool = False
    options: dict[str, object] = {}


class Reporter:
    """Base of every reporter: writes one report to one stream."""

    name: ClassVar[str]

    def __init__(self, look: Look) -> None:
        self.look = look

    def write(self, report: Report, out: TextIO) -> None:
        """Write the whole report."""
        raise NotImplementedError

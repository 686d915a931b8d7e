"""What a reporter is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TextIO

from msgspec import Struct, field

from transcript_lint.report import Report


class Look(Struct, frozen=True, kw_only=True):
    """How the output is seen: colour or not, columns of the terminal, and options of single formats.

    `root` is the folder that uris are relative to. `statistics` and `timings` ask for these tables where a format
    has room for them.
    """

    color: bool = False
    width: int = 100
    version: str = ""
    root: str | None = None
    show_suppressed: bool = False
    statistics: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


class Reporter:
    """Base of every reporter: writes one report to one stream.

    The report's strings are already redacted, bounded and free of control characters; what the format itself gives
    a meaning to (`<`, `|`, `%` …) is the reporter's to escape.
    """

    name: ClassVar[str]

    def __init__(self, look: Look) -> None:
        self.look = look

    def write(self, report: Report, out: TextIO) -> None:
        """Write the whole report."""
        raise NotImplementedError

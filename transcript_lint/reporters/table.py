"""table."""

from __future__ import annotations

from transcript_lint.reporters.jsonl import JsonLinesReporter


class TableReporter(JsonLinesReporter):
    """To come."""

    name = "table"

"""sarif."""

from __future__ import annotations

from transcript_lint.reporters.jsonl import JsonLinesReporter


class SarifReporter(JsonLinesReporter):
    """To come."""

    name = "sarif"

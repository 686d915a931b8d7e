"""Any log, audited with all rules, gives a report or an error in words. FORMAT=codex fuzzes that reader alone."""

from __future__ import annotations

import io
import os
import sys

import atheris

with atheris.instrument_imports(include=["transcript_lint", "transcript_lint_rules"]):
    from transcript_lint import recognise, registry, sources
    from transcript_lint.engine import Engine

    RULES = registry.rules()
    READERS = registry.readers()
FORMAT = os.environ.get("FORMAT", "")


def one(data: bytes) -> None:
    """One input."""
    records = sources.records(io.BytesIO(data))
    reader = READERS[FORMAT]("log") if FORMAT else None
    if reader is None:
        try:
            reader, records = recognise.choose_reader("log", records)
        except OSError:
            return
    if reader is None:
        return
    engine = Engine(RULES)
    engine.feed(reader.events(records))
    audit = engine.finish()
    assert not audit.failures, audit.failures


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()

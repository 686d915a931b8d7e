"""The bundled feedback records are judged as written down beside them."""

from pathlib import Path

import pytest

from transcript_lint import expect, registry, runner
from transcript_lint.settings import Settings

RECORDS = sorted((Path(__file__).parents[2] / "fixtures" / "feedback").glob("*.jsonl"))
JOB = runner.Job(rules=registry.rules(), settings=Settings())


@pytest.mark.parametrize("log", RECORDS, ids=lambda log: log.stem)
def test_a_record_is_judged_as_written_down(log):
    report = runner.audit_one(str(log), JOB)
    assert expect.compare(report) == []
    assert bool(report.findings) == (log.stem != "honest")

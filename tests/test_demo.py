"""The bundled demo: every session but the honest one holds a fault that is found, and what is found is written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from transcript_lint import expect, registry, runner
from transcript_lint.settings import Settings

DEMO = Path(__file__).parent.parent / "fixtures" / "demo"
LOGS = sorted(DEMO.glob("*.jsonl"))
JOB = runner.Job(rules=registry.rules(), settings=Settings())


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_session_is_judged_as_written_down(log):
    report = runner.audit_one(str(log), JOB)
    assert expect.compare(report) == []
    loud = [finding for finding in report.findings if finding.level.rank > 0]
    assert bool(loud) == (log.stem != "honest")
    assert all(finding.because for finding in loud)


def test_there_is_a_demo():
    assert len(LOGS) >= 5

"""A job is killed in one session, the next one's summary makes a result of it, and a third one passes it on."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from transcript_lint import registry
from transcript_lint.runner import Job, audit_paths
from transcript_lint.settings import Settings

CHAINS = Path(__file__).parent.parent / "fixtures" / "chains"


@pytest.mark.parametrize("agent", sorted(path.name for path in CHAINS.iterdir()))
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_third_session_is_told_where_its_result_comes_from(agent, order):
    killed, told, trusted = sorted(str(path) for path in (CHAINS / agent).iterdir())
    given = [(killed, told, trusted)[number] for number in order]
    report = audit_paths(given, Job(rules=registry.rules(), settings=Settings()))
    assert report.failures == []
    (found,) = [f for f in report.findings if f.rule == "TL206"]
    assert (found.at.path, found.level.value) == (trusted, "error")
    places = [step.at.path for step in found.because]
    assert places[:2] == [killed, killed] and places[2] == told
    assert "timed out" in found.because[1].what or "killed" in found.because[1].what
    assert "the summary says" in found.because[2].what
    promoted = [f.at.path for f in report.findings if f.rule == "TL203"]
    assert promoted[0] == told and killed not in promoted
    assert {f.rule for f in report.findings} <= {"TL101", "TL203", "TL206"}


@pytest.mark.parametrize("agent", sorted(path.name for path in CHAINS.iterdir()))
def test_alone_the_third_session_is_only_warned(agent):
    trusted = max(str(path) for path in (CHAINS / agent).iterdir())
    report = audit_paths([trusted], Job(rules=registry.rules(), settings=Settings()))
    assert "error" not in {f.level.value for f in report.findings}

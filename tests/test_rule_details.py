"""Rules at their edges, where their own examples do not reach."""

import pytest

from transcript_lint import registry, runner
from transcript_lint.samples import (
    asks,
    block,
    command,
    compaction,
    human,
    request,
    says,
    session,
    started,
    tool_call,
    write,
)
from transcript_lint.settings import Settings
from transcript_lint_rules.blocked.cut import breaks_off

CUT = "The remaining rows of the table are built by"
WHOLE = "The remaining rows of the table are built."


@pytest.fixture
def found(tmp_path):
    """The lines that one rule reports in a log, and how surely: `found("TL304", record, …)`."""

    def audit(rule, *records):
        path = tmp_path / "log.jsonl"
        path.write_bytes(write((session(), *records)))
        rules = [one for one in registry.rules() if one.id == rule]
        report = runner.audit_one(str(path), runner.Job(rules=rules, settings=Settings()))
        assert not report.failures
        return [(f.at.line, f.confidence.value) for f in report.findings]

    return audit


def answer(finish, output, cap=512, **fields):
    usage = {"input_tokens": 9, "output_tokens": output}
    return request(finish_reason=finish, max_output_tokens=cap, usage=usage, context_window=200_000, **fields)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (CUT, True),
        (WHOLE, False),
        ("", False),
        ("Only three words", False),
        ('{"a": [1, 2', True),
        ('{"a": [1, 2]}', False),
        ('{"a": [1, 2]', True),
        ("Run it:\n```\nmake", True),
        ("Run it:\n```\nmake\n```", False),
        ("Fertig 🎉", False),
    ],
)
def test_a_text_that_breaks_off(text, cut):
    assert breaks_off(text) is cut


def test_an_answer_on_its_cap_is_judged_by_how_its_text_ends(found):
    assert found("TL304", answer("stop", 512), says(CUT)) == [(2, "medium")]
    assert found("TL304", answer("stop", 512), says(WHOLE)) == []
    assert found("TL304", answer("stop", 511), says(CUT)) == []
    assert found("TL304", answer("stop", 512)) == []


def test_a_call_on_the_cap_is_cut_unless_it_arrived_whole(found):
    called = answer("tool_calls", 512, tool_call_ids=["c1"])
    assert found("TL304", called, says("The work goes on without that call.")) == [(2, "medium")]
    assert found("TL304", called, started("make", id="c1")) == []
    assert found("TL304", called, started("make", id="c2"), human("And?")) == [(2, "medium")]


def test_a_cap_is_hit_from_half_of_it_or_in_a_full_window(found):
    assert found("TL304", answer("length", 255)) == [(2, "high")]
    assert found("TL304", answer("length", 256)) == []
    assert found("TL304", answer("length", 100, cap=None)) == []
    full = request(
        finish_reason="length",
        max_output_tokens=512,
        usage={"input_tokens": 900, "output_tokens": 1},
        context_window=1000,
    )
    assert found("TL304", full) == []


def test_an_agent_that_calls_its_cap_reached(found):
    claim = block("output_cap", request_id="r1")
    assert found("TL304", answer("stop", 60, request_id="r1"), claim) == [(3, "high")]
    assert found("TL304", answer("length", 512, request_id="r1"), claim) == []
    assert found("TL304", answer("stop", 400, request_id="r1"), claim) == []


NO_ONE = 'State: the user answered "yes, go ahead and drop the old index"; approved.'


def test_a_quotation_in_a_summary_that_nobody_wrote(found):
    quoted = compaction(NO_ONE)
    assert found("TL406", human("Look into it."), quoted) == [(3, "high")]
    assert found("TL406", human("Look into it."), quoted, compaction(NO_ONE)) == [(3, "high")]
    assert found("TL406", human("yes, go ahead and drop the old index"), quoted) == []


def test_an_open_question_that_a_summary_calls_decided_counts_when_the_act_follows(found):
    told = (
        asks("s1", gate="question", question="Should I force-push the branch?"),
        compaction("Decided to force-push."),
    )
    push = command("git push --force")
    assert found("TL406", *told, push) == [(3, "high")]
    assert found("TL406", *told, command("git log"), push) == [(3, "high")]
    assert found("TL406", *told, human("Fine."), push) == []
    assert found("TL406", *told, command("git log")) == []
    assert found("TL406", *told, tool_call("read_file", {"path": "a"}, id="r")) == []
    assert found("TL406", told[0], compaction("The force-push is still open."), push) == []

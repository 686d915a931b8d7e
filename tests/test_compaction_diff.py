"""`diff`: what became of every fact between two files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.reporters.test_goldens import sarif_errors
from tests.test_compaction import FIXTURES, RULE_OF, Writer, events_of, named, one_session
from transcript_lint import compare, registry
from transcript_lint.cli import main
from transcript_lint.compare import Fate
from transcript_lint.harness.promotion import compact_observation
from transcript_lint.ledger.runs import Run
from transcript_lint.samples import asks, command, compaction, ended, reply, says, session, write
from transcript_lint.settings import Settings

PRE = (
    session(),
    command("pytest", "3 failed, 9 passed in 2s", exit=1, id="c1", must_rerun=True),
    command("./census --all", "scanned 3143 repos", kind="timeout", id="c2"),
    command("make docs", "done", id="c3"),
    command("make lint", "2 problems", exit=1, id="c4"),
    command("make lint", "clean", id="c5"),
    asks("s1", question="May I push to main?"),
    reply("s1", "denied", text="no, not yet"),
    asks("s2", question="Which region?", gate="question"),
)
OK = {"kind": "ok", "exit_code": 0}


@pytest.fixture
def diff(tmp_path, monkeypatch):
    """Compare PRE with what stands in a file of a name: (exit code, fates by fact, rules)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pre.jsonl").write_bytes(write(PRE))

    def run(name, content, pre="pre.jsonl", *options):
        data = content if isinstance(content, bytes) else str(content).encode()
        (tmp_path / name).write_bytes(data)
        result = CliRunner().invoke(main, ["diff", pre, name, "--format", "json", *options], catch_exceptions=False)
        if result.exit_code == 2:
            return 2, result.output, []
        document = json.loads(result.stdout)
        fates = {(fact["what"], fact["before"]): fact["fate"] for fact in document["facts"]}
        return result.exit_code, fates, [(f["rule"], f["path"]) for f in document["findings"]]

    return run


def test_faithful_prose_keeps_everything(diff):
    text = (
        "- `pytest` failed (3 of 12) and must be run again.\n- `./census --all` was cut off by its time limit.\n"
        "- `make docs` went through.\n- The person refused a push to main for now.\n"
        "- Pending: which region? Nobody answered."
    )
    code, fates, rules = diff("post.md", text)
    assert (code, rules) == (0, [])
    assert set(fates.values()) == {"in words", "cleared before"} | {fates["make lint", "ended with exit 0"]}
    assert fates["make lint", "ended with exit 1"] == "cleared before"


def test_prose_that_promotes(diff):
    code, fates, rules = diff("post.md", "All tests pass with `pytest`.\n\nCensus: 3143 repositories scanned.\n")
    assert code == 1
    assert rules == [("TL203", "post.md"), ("TL204", "post.md")]
    assert fates["pytest", "ended with exit 1"] == fates["./census --all", "timed out"] == "promoted"
    assert fates["'May I push to main?'", "a person said no"] == "not mentioned"


def test_compacted_tools(diff):
    tools = [
        {"command_id": "c1", "status": "succeeded", "termination": OK, "must_rerun": False},
        {"command_id": "c2", "tool": "bash", "status": None, "notes": "[bash] ran ./census --all"},
        {"command_id": "c3", "status": "succeeded", "termination": OK, "must_rerun": False},
    ]
    code, fates, rules = diff("post.json", json.dumps(tools))
    assert code == 1
    assert sorted(rule for rule, _ in rules) == ["TL201", "TL202"]
    assert fates["pytest", "ended with exit 1"] == "changed"
    assert fates["./census --all", "timed out"] == "lost"
    assert fates["make docs", "ended with exit 0"] == "kept"


def test_the_safe_form_of_the_harness_loses_nothing(diff):
    records = [record for record in PRE if record["event"] == "command"]
    lines = b"\n".join(json.dumps(compact_observation(record)).encode() for record in records)
    code, fates, rules = diff("post.jsonl", lines)
    assert (code, rules) == (0, [])
    assert set(fates.values()) == {"kept", "cannot be checked"}


def test_the_safe_form_without_ids_is_joined_by_its_tool(diff):
    records = [compact_observation(record) for record in PRE if record["event"] == "command"]
    for record in records:
        del record["command_id"]
    records[0]["must_rerun"] = False
    code, _, rules = diff("post.json", json.dumps({"tools": records}))
    assert (code, rules) == (1, [("TL205", "post.json")])


def test_a_log_after_the_boundary(diff):
    log = write([session(continued_from="s1"), compaction("All tests pass."), says("All tests pass, so I publish.")])
    code, fates, rules = diff("post.jsonl", log)
    assert code == 1
    assert rules == [("TL203", "post.jsonl"), ("TL206", "post.jsonl")]
    assert fates["pytest", "ended with exit 1"] == "promoted"


def test_a_log_that_stores_another_end_of_a_call(diff):
    log = write([session(), command("pytest", "", id="c1")])
    code, fates, rules = diff("post.jsonl", log)
    assert (code, rules) == (1, [("TL202", "post.jsonl")])
    assert fates["pytest", "ended with exit 1"] == "changed"


def test_payloads_on_both_sides(diff, tmp_path):
    before = {
        "tool": "bash",
        "command_id": "x",
        "termination": {"kind": "timeout", "timed_out": True},
        "must_rerun": True,
    }
    (tmp_path / "before.json").write_text(json.dumps(before))
    code, fates, rules = diff("post.json", json.dumps({**before, "must_rerun": False}), "before.json")
    assert (code, rules) == (1, [("TL205", "post.json")])
    assert list(fates.values()) == ["changed"]


@pytest.mark.parametrize(
    "content", [b"", b"   \n", b"\xff\xfe\x00", b"{", b"[]", b"[[[[", b'{"summary": 5, "tools": [null, 1]}']
)
def test_broken_payloads_are_no_crash(diff, content):
    code, fates, _ = diff("post.json", content)
    assert code in (0, 1)
    assert fates["pytest", "ended with exit 1"] in ("cannot be checked", "not mentioned")


def test_what_cannot_be_done_is_said(diff, tmp_path):
    (tmp_path / "empty.json").write_text("{}")
    assert diff("post.md", "All tests pass.", "empty.json")[0] == 2
    result = CliRunner().invoke(main, ["diff", "pre.jsonl", "no-such-file"])
    assert result.exit_code == 2 and "no-such-file" in result.output


def test_the_table_names_fates_and_findings(diff, tmp_path):
    (tmp_path / "post.md").write_text("All tests pass with `pytest`.")
    result = CliRunner().invoke(main, ["diff", "pre.jsonl", "post.md"])
    assert result.exit_code == 1
    assert "promoted" in result.stdout and "TL203" in result.stdout
    assert CliRunner().invoke(main, ["diff", "pre.jsonl", "post.md", "--exit-zero"]).exit_code == 0
    sarif = json.loads(CliRunner().invoke(main, ["diff", "pre.jsonl", "post.md", "--format", "sarif"]).stdout)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["TL203"]


CARRIED = [
    {"command_id": "c1", "termination": {"kind": "nonzero_exit", "exit_code": 1}, "must_rerun": True},
    {"command_id": "c2", "termination": {"kind": "timeout", "timed_out": True}, "must_rerun": True},
]
DENIED = {"slot_id": "s1", "outcome": "denied"}
OPEN = [{"slot_id": "s2", "question": "Which region?", "outcome": "none"}]


@pytest.mark.parametrize(
    ("slots", "denial", "question", "rules"),
    [
        ([DENIED, *OPEN], "kept", "kept", []),
        ([{"slot_id": "s1", "outcome": "approved"}, *OPEN], "promoted", "kept", ["TL406"]),
        (
            [{"slot_id": "s1", "outcome": "denied"}, {"slot_id": "s2", "user_consent": True}],
            "kept",
            "promoted",
            ["TL406"],
        ),
        (OPEN, "not mentioned", "kept", []),
        ([], "cannot be checked", "cannot be checked", []),
    ],
)
def test_gates_of_the_contract(diff, slots, denial, question, rules):
    code, fates, found = diff(
        "post.json", json.dumps({"summary": "", "carried_terminations": CARRIED, "open_slots": slots})
    )
    assert (code, [rule for rule, _ in found]) == (int(bool(rules)), rules)
    assert fates["'May I push to main?'", "a person said no"] == denial
    assert fates["'Which region?'", "nobody had answered"] == question
    assert fates["pytest", "ended with exit 1"] == "kept"


def test_an_approval_that_became_a_denial_is_changed(diff, tmp_path):
    records = [session(), asks("s9", question="Send it?"), reply("s9", "approved")]
    (tmp_path / "yes.jsonl").write_bytes(write(records))
    _, fates, _ = diff("post.json", json.dumps({"open_slots": [{"slot_id": "s9", "outcome": "denied"}]}), "yes.jsonl")
    assert fates == {("'Send it?'", "a person said yes"): "changed"}


def test_facts_stand_on_either_side(diff, tmp_path):
    facts = CliRunner().invoke(main, ["facts", "pre.jsonl"]).stdout
    code, fates, rules = diff("post.json", facts)
    assert (code, rules) == (0, [])
    assert set(fates.values()) == {"kept", "cleared before"}
    (tmp_path / "facts.json").write_text(facts)
    code, fates, rules = diff(
        "post.md", "All tests pass with `pytest`. The user approved the push to main.", "facts.json"
    )
    assert (code, rules) == (1, [("TL203", "post.md"), ("TL406", "post.md")])
    assert fates["'May I push to main?'", "a person said no"] == "promoted"


def test_what_a_structure_leaves_out_is_a_note(diff):
    code, fates, rules = diff("post.json", json.dumps(CARRIED[:1]), "pre.jsonl", "--min-confidence", "low")
    assert (code, rules) == (0, [("TL201", "post.json")])
    assert fates["./census --all", "timed out"] == "not mentioned"


@pytest.mark.parametrize("post", ["All tests pass with `pytest`.", json.dumps(CARRIED), "[]"])
def test_sarif_keeps_to_the_official_schema(diff, tmp_path, post):
    (tmp_path / "post").write_text(post)
    text = CliRunner().invoke(main, ["diff", "pre.jsonl", "post", "--format", "sarif"]).stdout
    assert sarif_errors(text) == []


@pytest.mark.parametrize("format", sorted(registry.names("reporters")))
def test_the_exit_code_is_the_same_in_every_format(diff, tmp_path, format):
    (tmp_path / "post.md").write_text("All tests pass with `pytest`.")
    assert CliRunner().invoke(main, ["diff", "pre.jsonl", "post.md", "--format", format]).exit_code == 1
    assert CliRunner().invoke(main, ["diff", "pre.jsonl", "gone.md", "--format", format]).exit_code == 2
    (tmp_path / "post.md").write_text("`pytest` fails and `./census --all` was cut off: both must be run again.")
    assert CliRunner().invoke(main, ["diff", "pre.jsonl", "post.md", "--format", format]).exit_code == 0


def test_what_a_later_log_says_of_a_run_that_went_on_is_news(diff, tmp_path):
    (tmp_path / "going.jsonl").write_bytes(write([session(), command("make soak", "round 1", kind="running", id="c1")]))
    code, fates, rules = diff("post.jsonl", write([session(), ended("c1", "done", exit=0)]), "going.jsonl")
    assert (code, rules) == (0, [])
    carried = [{"command_id": "c1", "status": "succeeded", "termination": OK, "must_rerun": False}]
    code, fates, rules = diff("post.json", json.dumps(carried), "going.jsonl")
    assert (code, rules) == (1, [("TL202", "post.json")])
    assert fates["make soak", "was still running"] == "changed"


SINGLE = [path for path in FIXTURES if len(one_session(events_of(path))) == len(events_of(path)) > 0]


@pytest.mark.parametrize("path", SINGLE, ids=lambda path: "/".join(Path(path).parts[-2:]))
def test_every_format_stands_before_a_summary(tmp_path, path):
    """What a faithful writer keeps is told in words, and what another turns is promoted, fact by fact."""
    writer = Writer(events_of(path))
    post = tmp_path / "post.md"
    for turned in (None, *(fact for fact in writer.facts if fact.sort in RULE_OF)):
        line = named(writer.words.turned[turned.sort], turned) if turned is not None else None
        post.write_text(writer.prose(other=turned, line=line).summary or "", "utf-8")
        found = compare.compare(path, str(post), registry.rules(), Settings())
        assert [f.rule for f in found.audit.findings] == ([RULE_OF[turned.sort]] if turned is not None else [])
        fates = {(fact.at, fact.kind == "end"): fact.fate for fact in found.facts}
        for fact in writer.facts:
            fate = fates[fact.chain[0].at, isinstance(fact.about, Run)]
            assert fate is (Fate.PROMOTED if fact is turned else Fate.WORDS)

"""Rules about rules, and every rule on its own examples."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests import toy
from transcript_lint import page, registry, samples, trial
from transcript_lint.rule import Example

RULES = registry.rules()
DOCS = Path(__file__).parents[1] / "docs" / "rules"
FAMILIES = ("record", "termination", "compaction", "blocked", "approval", "feedback", "effect")
RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def test_ids_and_names_are_each_ones_own():
    words = Counter(word for rule in RULES for word in (rule.id, rule.name, *rule.former))
    assert [word for word, count in words.items() if count > 1] == []


@RULE
def test_a_rule_is_well_named(rule):
    assert re.fullmatch(r"TL[0-6]\d\d", rule.id)
    # `allow missing-outcome` must read well, so a name says the fault and holds no verb of checking.
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert not re.search(r"^(no|check|detect|forbid|disallow|avoid|must(?!-rerun)|require)-", rule.name)
    assert rule.family == FAMILIES[int(rule.id[2])]
    assert rule.__module__.split(".")[1] == rule.family
    assert rule.since


@RULE
def test_a_rule_has_a_page(rule):
    found = page.sections(rule)
    assert list(found) == ["", *page.HEADINGS]
    assert all(found.values())
    assert rule.summary().endswith(".") and len(rule.summary()) <= 200
    assert len(found["What it does"]) <= 1000


@RULE
def test_a_rule_has_reporting_and_innocent_examples(rule):
    assert any(example.reports for example in rule.examples)
    assert any(not example.reports for example in rule.examples)
    titles = [example.title for example in rule.examples]
    assert len(set(titles)) == len(titles)


@RULE
def test_examples_are_judged_as_they_say(rule):
    assert list(trial.faults(rule, RULES)) == []


@RULE
def test_the_page_in_the_docs_shows_what_the_examples_are_told(rule):
    """The reviewed messages and chains of all examples; `make docs` writes them anew."""
    assert (DOCS / f"{rule.id}.md").read_text("utf-8").endswith(page.page(rule))


@RULE
def test_every_finding_can_be_told_apart_and_followed(rule):
    for example in rule.examples:
        for finding in trial.findings(example, (rule,)):
            assert finding.message.strip()
            assert finding.at.line >= 1
            assert finding.about, f"{rule.id} says nothing of what {example.title!r} is about"


def test_a_rule_that_judges_an_example_wrongly_is_caught():
    class Wrong(toy.SaysFault):
        examples = (Example("said", (samples.session(), samples.says("FAULT"))),)

    assert any("reports lines (2,), expected ()" in line for line in trial.faults(Wrong, (Wrong,)))


def test_a_rule_without_examples_of_both_kinds_is_refused():
    class Silent(toy.SaysFault):
        examples = ()

    class Loud(toy.SaysFault):
        examples = toy.SaysFault.examples[:1]

    assert [line.split(" has ")[1] for line in trial.faults(Silent, (Silent,))] == [
        "no reporting example",
        "no innocent example",
    ]
    assert len([line for line in trial.faults(Loud, (Loud,)) if " has no " in line]) == 1


def test_the_command_prints_precision_and_recall(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT"), samples.says("FAULT again"))
    (tmp_path / "a.jsonl.expected.json").write_text(
        '{"findings": [{"line": 2, "rule": "XX101", "level": "error"}, {"line": 9, "rule": "XX101", "level": "error"}]}'
    )
    result = lint("test-rules", ".", "--select", "XX101")
    assert result.exit_code == 0
    assert re.search(r"examples +XX101 +1 +0 +0 +100.0% +100.0%", result.stdout)
    assert re.search(r"labelled logs +XX101 +1 +1 +1 +50.0% +50.0%", result.stdout)


def test_labels_of_other_forms_are_read(lint, tmp_path):
    for name, faults in (("one", '[{"rule": "XX101", "line": 2}]'), ("other", "[]")):
        folder = tmp_path / "cases" / name
        folder.mkdir(parents=True)
        toy.log(folder, "input.jsonl", samples.says("FAULT"))
        (folder / "expect.json").write_text(f'{{"findings": {faults}}}')
    planted = tmp_path / "planted"
    planted.mkdir()
    toy.log(planted, "a.jsonl", samples.says("FAULT"), samples.says("FAULT"))
    rows = (
        '{"file": "a.jsonl", "expect": [{"rule": "XX101", "line": 2}], "mutated": [2, 2]}',
        '{"file": "a.jsonl", "expect": [], "twin": true, "mutated": [3, 3]}',
        '{"file": "a.jsonl", "expect": [{"rule": "XX900", "line": 3, "also": ["XX101"]}], "mutated": [3, 3]}',
        '{"file": "gone.jsonl", "expect": []}',
    )
    (planted / "labels.jsonl").write_text("\n".join(rows))
    assert re.search(r"labelled logs +XX101 +1 +1 +0 ", lint("test-rules", "cases", "--select", "XX101").stdout)
    assert re.search(r"labelled logs +XX101 +1 +1 +0 ", lint("test-rules", "planted", "--select", "XX101").stdout)
    (tmp_path / "empty").mkdir()
    assert "holds no labelled logs" in lint("test-rules", "empty").output


def test_explain_knows_a_rule_by_id_name_and_former_name(lint):
    for word in ("XX101", "fault-said", "xx009"):
        assert "# fault-said (XX101)" in lint("explain", word).stdout
    assert "```jsonl" in lint("explain", "XX101", "--examples").stdout
    result = lint("explain", "XX1O1")
    assert result.exit_code == 2 and "did you mean 'XX101'" in result.output


def test_rules_are_listed_as_table_and_as_json(lint):
    import json

    assert "fault-said" in lint("rules").stdout
    assert [row["id"] for row in json.loads(lint("rules", "--format", "json").stdout)] == ["XX101", "XX102", "XX201"]

"""What formats let be decided: every reader answers, every rule declares, and the tables follow from both."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from transcript_lint import registry
from transcript_lint.capabilities import CAPABILITIES, Decides, answer, decidable
from transcript_lint.cli import main

RULES = {rule.id: rule for rule in registry.rules()}


@pytest.mark.parametrize("name", sorted(registry.readers()))
def test_every_reader_answers_to_every_capability(name):
    decides = registry.readers()[name].decides
    assert list(decides) == list(CAPABILITIES)
    for what in CAPABILITIES:
        told = answer(decides, what)
        assert told.why or told.word == "yes", f"{what}: a reason is wanted"


@pytest.mark.parametrize("id", RULES)
def test_every_rule_declares_what_it_needs(id):
    needs = RULES[id].needs
    assert needs is not None
    for need in needs:
        assert set(need if isinstance(need, tuple) else (need,)) <= set(CAPABILITIES)


def test_a_rule_decides_as_well_as_its_worst_served_need():
    decides: Decides = {"usage": "yes", "window": "partly: sometimes", "meters": "no: never"}
    assert decidable((), decides) == "yes"
    assert decidable(("usage",), decides) == "yes"
    assert decidable(("usage", "window"), decides) == "partly"
    assert decidable(("usage", "meters"), decides) == "no"
    assert decidable((("meters", "window"), "usage"), decides) == "partly"
    assert decidable(("errors",), decides) == "no"
    with pytest.raises(ValueError, match="perhaps"):
        answer({"usage": "perhaps"}, "usage")


def test_the_command_lists_explains_and_refuses():
    listed = CliRunner().invoke(main, ["formats"])
    assert listed.exit_code == 0
    assert all(any(line.startswith(name + " ") for line in listed.output.splitlines()) for name in registry.readers())
    told = CliRunner().invoke(main, ["formats", "gemini-cli"])
    assert (
        "that the context was compressed is written" in told.output
        and "TL201" in told.output
        and "copilot" not in told.output
    )
    rows = json.loads(CliRunner().invoke(main, ["formats", "--format", "json"]).output)
    assert {row["name"] for row in rows} == set(registry.readers())
    assert all(set(row["rules"]) == set(RULES) and list(row["decides"]) == list(CAPABILITIES) for row in rows)
    assert CliRunner().invoke(main, ["formats", "nothing"]).exit_code == 2

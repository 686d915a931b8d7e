"""Configuration and selection."""

from __future__ import annotations

import json

import orjson
import pytest

from tests import toy
from transcript_lint import samples, selection

FAULT = samples.says("FAULT here")


def rules(lint, *arguments):
    result = lint("check", "a.jsonl", "--format", "jsonl", *arguments)
    assert result.exit_code in (0, 1), result.output
    return [(row["rule"], row["level"]) for row in map(json.loads, result.stdout.splitlines()) if "rule" in row]


@pytest.fixture
def log(tmp_path):
    return toy.log(tmp_path, "a.jsonl", FAULT, samples.says("I mutter"))


def configure(tmp_path, text):
    (tmp_path / "transcript-lint.toml").write_text(text)


def test_the_nearest_file_wins(lint, tmp_path, log, monkeypatch):
    configure(tmp_path, 'ignore = ["XX101"]')
    assert rules(lint) == []
    inner = tmp_path / "inner"
    inner.mkdir()
    toy.log(inner, "a.jsonl", FAULT)
    monkeypatch.chdir(inner)
    assert rules(lint) == []
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert rules(lint) == []
    (inner / "pyproject.toml").write_text("[tool.transcript-lint]\n")
    assert rules(lint) == [("XX101", "error")]
    (inner / "pyproject.toml").write_text("[tool.transcript-lint]\nignore = ['toy']\n")
    assert rules(lint) == []
    assert rules(lint, "--isolated") == [("XX101", "error")]
    assert rules(lint, "--config", "../transcript-lint.toml") == []


def test_levels_options_paths_and_confidence(lint, tmp_path, log):
    configure(tmp_path, '[rules.XX101]\nlevel = "note"\n')
    assert rules(lint) == [("XX101", "note")]
    configure(tmp_path, '[rules.fault-said]\nlevel = "off"\n')
    assert rules(lint) == []
    assert rules(lint, "--select", "XX101") == [("XX101", "error")]
    configure(tmp_path, '[rules.XX101]\nword = "mutter"\n')
    assert rules(lint) == [("XX101", "error")]
    configure(tmp_path, 'min-confidence = "low"\n[per-path-ignores]\n"*.jsonl" = ["XX101"]\n')
    assert rules(lint) == [("XX102", "note")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('selct = ["XX1"]', "unknown key 'selct'; did you mean 'select'?"),
        ('select = "XX1"', "select: expected `array`"),
        ('select = ["YY1"]', "no rule is meant by 'YY1'"),
        ("[rules.XX999]", "there is no rule 'XX999'"),
        ('[rules.XX101]\nwrod = "x"', "did you mean 'word'"),
        ("[rules.XX101]\nword = 1", "must be of type str"),
        ('[rules.XX101]\nlevel = "fatal"', "must be one of error, warning, note, off"),
        ('[per-path-ignores]\n"*" = ["ZZ"]', "per-path-ignores: no rule is meant"),
        ('[phrases]\nsucces = ["x"]', "did you mean 'success'"),
        ('[phrases]\nsuccess = ["("]', "no regular expression"),
        ('redact = ["["]', "no regular expression"),
        ('[verifiers]\n"just verify" = "tset"', "there is no kind 'tset'; did you mean 'test'?"),
        ('[effects]\n"make vega" = "deplyo"', "effects: neither known nor named in [guards] is 'deplyo'; did you mean"),
        ('[phrases]\nblocked = ["contxt=voll"]', "phrases.blocked: there is no kind 'contxt'; did you mean 'context'?"),
        ('[guards]\ndeploy = ["tests"]', "did you mean 'test'?"),
        ("a = = 1", "not valid TOML"),
    ],
)
def test_mistakes_are_told_with_file_and_way_out(lint, tmp_path, log, text, says):
    configure(tmp_path, text)
    for command in (("check", "a.jsonl"), ("config",)):
        result = lint(*command)
        assert result.exit_code == 2
        assert (says in result.output and "transcript-lint.toml" in result.output) or says.startswith("no rule")


def test_redaction_patterns_of_ones_own(lint, tmp_path):
    configure(tmp_path, 'redact = ["PROJ-[0-9]+"]')
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT in PROJ-1234"))
    assert "PROJ-1234" not in lint("check", "a.jsonl").stdout


def test_baseline_and_suppressions_from_the_file(lint, tmp_path, log):
    configure(tmp_path, 'suppressions = "s.toml"\nbaseline = "b.json"\n')
    (tmp_path / "s.toml").write_text("")
    assert lint("baseline", "create", "a.jsonl").exit_code == 0
    assert (tmp_path / "b.json").exists()
    assert lint("check", "a.jsonl").exit_code == 0
    assert lint("check", "a.jsonl", "--no-baseline").exit_code == 1


def test_config_show_and_schema(lint, tmp_path):
    from jsonschema import Draft202012Validator

    configure(tmp_path, 'ignore = ["XX101"]\n[verifiers]\n"just verify" = "test"\n')
    result = lint("config", "--show")
    shown = orjson.loads(result.stdout)
    assert shown["ignore"] == ["XX101"] and "transcript-lint.toml" in result.stderr
    schema = orjson.loads(lint("config", "--schema").stdout)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(shown)
    assert not Draft202012Validator(schema).is_valid({"selct": []})


def ids(**choice):
    return [rule.id for rule in selection.select(toy.RULES, **choice).rules]


def test_selection_by_id_name_family_and_prefix():
    assert ids() == ["XX101", "XX102"]
    assert ids(select=["xx101"]) == ids(select=["fault-said"]) == ["XX101"]
    assert ids(select=["toy"]) == ids(select=["XX1"]) == ["XX101", "XX102"]
    assert ids(ignore=["XX1"]) == []
    assert ids(select=["XX102"], extend=["XX101"]) == ["XX101", "XX102"]


def test_preview_runs_on_demand_or_by_its_own_name():
    assert ids(preview=True) == ["XX101", "XX102", "XX201"]
    assert ids(select=["XX2"]) == []
    assert ids(select=["XX201"]) == ids(select=["draft"]) == ["XX201"]


def test_former_names_lead_on_with_a_notice():
    found = selection.select(toy.RULES, select=["XX009"])
    assert [rule.id for rule in found.rules] == ["XX101"]
    assert found.notices == ["XX009 is now XX101 (fault-said)"]
    assert selection.one(toy.RULES, "fault-spoken") is toy.SaysFault

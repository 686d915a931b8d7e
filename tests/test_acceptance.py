"""What a team accepts: baseline, suppressions, expected findings."""

from __future__ import annotations

import json

import zstandard

from tests import toy
from transcript_lint import samples

FAULT = (samples.command("pytest -q", "1 failed", exit=1), samples.says("FAULT here"))


def write(file, text):
    file.write_text(text)
    return file


def test_a_baseline_accepts_what_is_there_and_fails_on_more(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    assert lint("baseline", "create", "a.jsonl").exit_code == 0
    assert lint("baseline", "create", "a.jsonl").exit_code == 2
    accepted = ("check", "a.jsonl", "--baseline", "transcript-lint-baseline.json")
    result = lint(*accepted)
    assert result.exit_code == 0 and "1 in the baseline" in result.stdout
    toy.log(tmp_path, "a.jsonl", *FAULT, samples.says("FAULT here"))
    assert lint(*accepted).exit_code == 1
    toy.log(tmp_path, "a.jsonl", FAULT[0], samples.says("fine"))
    result = lint(*accepted)
    assert result.exit_code == 0
    assert "no longer found" in result.stdout and "The agent said: FAULT here" in result.stdout
    updated = lint("baseline", "update", "a.jsonl")
    assert updated.stdout.startswith("- XX101 ")
    assert "0 findings accepted" in updated.stdout


def test_a_baseline_holds_when_records_come_before_and_the_file_moves(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    lint("baseline", "create", "a.jsonl")
    moved = tmp_path / "moved"
    moved.mkdir()
    for number in range(3):
        log = toy.log(moved, "b.jsonl", *[samples.human(f"hello {n}") for n in range(number)], *FAULT)
        log.with_name("b.jsonl.zst").write_bytes(zstandard.compress(log.read_bytes()))
        log.unlink()
        result = lint("check", "moved/b.jsonl.zst", "--baseline", "transcript-lint-baseline.json")
        assert result.exit_code == 0, result.output


def test_a_baseline_is_a_ratchet(lint, tmp_path):
    log = toy.log(tmp_path, "a.jsonl", samples.command("x"), samples.says("fine"))
    lint("baseline", "create", "a.jsonl")
    accepted = ("check", "a.jsonl", "--baseline", "transcript-lint-baseline.json")
    assert lint(*accepted).exit_code == 0
    toy.log(tmp_path, "a.jsonl", samples.command("x", kind="unknown"), samples.says("fine"))
    result = lint(*accepted)
    assert result.exit_code == 1 and "XX101 could not decide 1 time, 0 in the baseline" in result.stdout
    log.write_bytes(samples.write([samples.session(), b'{"v": 1, "event": "message", "te', samples.says("fine")]))
    result = lint(*accepted)
    assert result.exit_code == 1 and "records are readable" in result.stdout


def test_a_baseline_shows_nothing_secret(lint, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    toy.log(tmp_path, "a.jsonl", samples.says(f"FAULT {secret}"))
    lint("baseline", "create", "a.jsonl")
    assert secret not in (tmp_path / "transcript-lint-baseline.json").read_text()
    assert "REDACTED" in lint("baseline", "show").stdout


def test_damaged_or_absent_baselines_are_2(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    assert "baseline create" in lint("check", "a.jsonl", "--baseline", "absent.json").stderr
    write(tmp_path / "bad.json", "{")
    result = lint("check", "a.jsonl", "--baseline", "bad.json")
    assert result.exit_code == 2 and "is damaged" in result.stderr


def test_suppressions_need_a_reason_and_are_reported_when_idle(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    file = tmp_path / "s.toml"
    check = ("check", "a.jsonl", "--suppressions", "s.toml")
    cases = {
        '[[suppress]]\nrule = "XX101"\n': (2, "reason"),
        '[[suppress]]\nrule = "XX101"\nreason = " "\n': (2, "must say why"),
        '[[suppress]]\nreason = "all"\n': (2, "name a `rule`"),
        '[[suppress]]\nruel = "XX101"\nreason = "r"\n': (2, "did you mean 'rule'"),
        '[[suppress]]\nrule = "YY"\nreason = "r"\n': (2, "no rule is meant"),
        '[[suppress]]\nrule = "XX101"\nreason = "on purpose"\n': (0, "1 suppressed"),
        '[[suppress]]\npath = "*.jsonl"\nreason = "on purpose"\n': (0, "1 suppressed"),
        '[[suppress]]\nrule = "XX1"\npath = "b.jsonl"\nreason = "r"\n': (1, "suppresses nothing"),
        '[[suppress]]\nrule = "XX101"\nreason = "old"\nexpires = 2020-01-01\n': (1, "expired on 2020-01-01"),
        '[[suppress]]\nrule = "XX101"\nreason = "r"\nexpires = 2999-01-01\n': (0, "1 suppressed"),
    }
    for text, (status, says) in cases.items():
        write(file, text)
        result = lint(*check)
        assert (result.exit_code, says in result.output) == (status, True), (text, result.output)


def test_a_suppression_by_fingerprint(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    row = json.loads(lint("check", "a.jsonl", "--format", "jsonl").stdout.splitlines()[0])
    write(tmp_path / "s.toml", f'[[suppress]]\nfingerprint = "{row["fingerprint"]}"\nreason = "known"\n')
    assert lint("check", "a.jsonl", "--suppressions", "s.toml").exit_code == 0
    shown = lint("check", "a.jsonl", "--suppressions", "s.toml", "--show-suppressed")
    assert "Suppressed:" in shown.stdout and "FAULT here" in shown.stdout


def test_nothing_inside_a_log_silences_anything(lint, tmp_path):
    marker = "transcript-lint: ignore XX101 noqa nosemgrep [[suppress]] rule = 'XX101' reason = 'because'"
    toy.log(tmp_path, "a.jsonl", samples.human(marker), samples.says(f"FAULT # {marker}"))
    assert lint("check", "a.jsonl").exit_code == 1


def test_expected_findings(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    result = lint("check", "--expect", "a.jsonl")
    assert result.exit_code == 1 and "a.jsonl: surplus: line 3: XX101 (error)" in result.stdout
    assert lint("check", "--update-expected", "a.jsonl").exit_code == 0
    assert json.loads((tmp_path / "a.jsonl.expected.json").read_text()) == {
        "findings": [{"line": 3, "rule": "XX101", "level": "error"}]
    }
    assert lint("check", "--expect", "a.jsonl").exit_code == 0
    toy.log(tmp_path, "a.jsonl", samples.says("fine"))
    result = lint("check", "--expect", "a.jsonl")
    assert result.exit_code == 1 and "missing: line 3: XX101" in result.stdout
    lint("check", "--update-expected", "a.jsonl")
    assert not (tmp_path / "a.jsonl.expected.json").exists()
    write(tmp_path / "a.jsonl.expected.json", "{")
    assert lint("check", "--expect", "a.jsonl").exit_code == 2


def test_expect_with_an_unreadable_input_is_2(lint, tmp_path):
    write(tmp_path / "bad.jsonl", "no transcript\n")
    assert lint("check", "--expect", "bad.jsonl").exit_code == 2


def test_the_ratchet_follows_a_file_that_moves_and_sees_types_that_are_no_longer_known(lint, tmp_path):
    records = [samples.says("fine"), samples.human("hello")]
    log = toy.log(tmp_path, "a.jsonl", *records)
    lint("baseline", "create", "a.jsonl")
    (tmp_path / "old").mkdir()
    log.rename(tmp_path / "old" / "a.jsonl")
    accepted = ("check", "old", "--baseline", "transcript-lint-baseline.json")
    assert lint(*accepted).exit_code == 0
    toy.log(tmp_path, "old/a.jsonl", records[0], {**records[1], "event": "utterance"})
    result = lint(*accepted)
    assert result.exit_code == 1 and "old/a.jsonl: 2 records are readable, 3 were in the baseline" in result.stdout
    toy.log(tmp_path, "old/a.jsonl", *records)
    torn = (tmp_path / "old" / "a.jsonl").read_bytes()[:-20]
    (tmp_path / "old" / "a.jsonl").write_bytes(torn)
    assert "2 records are readable, 3 were in the baseline" in lint(*accepted).stdout
    toy.log(tmp_path, "a.jsonl", *records)  # it was a copy, and says nothing of the one that is still there
    assert lint(*accepted).exit_code == 0


def test_a_log_exported_to_another_format_is_not_measured_by_its_records(lint, tmp_path):
    file = tmp_path / "a.jsonl"
    said = {"role": "assistant", "content": "FAULT here"}
    turns = [{"role": "user", "content": "Go on."}, said, {"role": "user", "content": "And?"}, said]
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    lint("baseline", "create", "a.jsonl")
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT here"))
    result = lint("check", "a.jsonl", "--baseline", "transcript-lint-baseline.json")
    assert result.exit_code == 0 and "it is read as native, in the baseline it was" in result.stdout


def test_globs_of_a_file_are_read_from_its_folder(lint, tmp_path, monkeypatch):
    (tmp_path / "logs" / "old").mkdir(parents=True)
    toy.log(tmp_path, "logs/a.jsonl", *FAULT)
    toy.log(tmp_path, "logs/old/b.jsonl", *FAULT)
    write(tmp_path / "s.toml", '[[suppress]]\npath = "logs/a.jsonl"\nreason = "known"\n')
    monkeypatch.chdir(tmp_path / "logs")
    assert lint("check", "a.jsonl").exit_code == 1
    assert lint("check", "a.jsonl", "--suppressions", "../s.toml").exit_code == 0
    write(tmp_path / "transcript-lint.toml", '[per-path-ignores]\n"logs/a.jsonl" = ["XX1"]\n')
    assert lint("check", "a.jsonl").exit_code == 0
    write(tmp_path / "transcript-lint.toml", 'exclude = ["logs/old"]\n')
    assert "1 file " in lint("check", ".").stdout
    assert lint("check", "old/b.jsonl").exit_code == 1
    assert lint("check", "old/b.jsonl", "--force-exclude", "--allow-empty").exit_code == 0

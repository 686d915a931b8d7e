"""`check` as a user meets it: what it reads, what it says, how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import orjson
import pytest
import zstandard

from tests import toy
from transcript_lint import samples

FAULT = (samples.command("pytest -q", "1 failed", exit=1), samples.says("FAULT here"))


def rows(result):
    return [row for row in map(json.loads, result.stdout.splitlines()) if "rule" in row]


def summary(result):
    return json.loads(result.stdout.splitlines()[-1])["summary"]


def test_clean_is_0_findings_are_1_and_exit_zero_says_0(lint, tmp_path):
    toy.log(tmp_path, "good.jsonl", samples.says("fine"))
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    assert lint("check", "good.jsonl").exit_code == 0
    assert lint("check", "bad.jsonl").exit_code == 1
    assert lint("check", "bad.jsonl", "--exit-zero").exit_code == 0


def test_a_table_shows_message_place_chain_and_the_way_on(lint, tmp_path):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    out = lint("check", "bad.jsonl").stdout
    assert "bad.jsonl" in out and "XX101" in out and "The agent said: FAULT here" in out
    assert "line 2  ran pytest -q" in out
    assert "transcript-lint show bad.jsonl:3, transcript-lint explain XX101" in out
    assert "1 file (1 native), 3 records: 1 finding (1 error)" in out


def test_a_narrow_terminal_gets_narrow_lines(lint, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    toy.log(tmp_path, "bad.jsonl", samples.says("FAULT " + "测试通过了 " * 20))
    table = lint("check", "bad.jsonl").stdout.partition("Look closer")[0]
    from transcript_lint.reporters.table import columns

    assert max(map(columns, table.splitlines())) <= 60


@pytest.mark.parametrize("format", ["table", "jsonl", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"])
def test_exit_status_is_the_same_in_every_format(lint, tmp_path, format):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    toy.log(tmp_path, "good.jsonl", samples.says("fine"))
    (tmp_path / "broken.jsonl").write_bytes(b"no transcript at all\n")
    assert lint("check", "good.jsonl", "--format", format).exit_code == 0
    assert lint("check", "bad.jsonl", "--format", format).exit_code == 1
    result = lint("check", "bad.jsonl", "broken.jsonl", "--format", format)
    assert result.exit_code == 2
    assert "broken.jsonl" in result.output


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (["absent.jsonl"], "there is no such file"),
        (["broken.jsonl"], "is in no format"),
        (["empty"], "no transcript was found"),
        ([], "name at least one"),
        (["--format", "sarf", "good.jsonl"], "did you mean 'sarif'"),
        (["--select", "XX1O1", "good.jsonl"], "did you mean 'XX101'"),
        (["--output", "sarif", "good.jsonl"], "FMT=FILE"),
        (["--output", "sarif=no/where.sarif", "good.jsonl"], "cannot be written"),
        (["--format", "sarif", "-"], "--stdin-filename"),
        (["--jobs", "many", "good.jsonl"], "auto"),
    ],
)
def test_what_cannot_be_done_is_2_and_said(lint, tmp_path, paths, says):
    (tmp_path / "broken.jsonl").write_bytes(b"no transcript at all\n")
    (tmp_path / "empty").mkdir()
    toy.log(tmp_path, "good.jsonl", samples.says("fine"))
    result = lint("check", *paths)
    assert result.exit_code == 2
    assert says in result.output
    assert "Traceback" not in result.output


def test_nothing_found_is_fine_with_allow_empty(lint, tmp_path):
    (tmp_path / "empty").mkdir()
    assert lint("check", "empty", "--allow-empty").exit_code == 0


def test_a_crashing_rule_is_told_and_the_others_go_on(lint, tmp_path):
    toy.log(tmp_path, "bad.jsonl", samples.says("CRASH"), samples.says("I mutter"))
    result = lint("check", "bad.jsonl", "--format", "jsonl", "--min-confidence", "low")
    assert result.exit_code == 2
    assert [row["rule"] for row in rows(result)] == ["XX102"]
    assert "rule XX101 crashed" in result.stderr and "Traceback" not in result.output


def test_a_rule_that_cannot_even_begin_is_told_too(lint, tmp_path, monkeypatch):
    def crash(self, options=None):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(toy.Mutters, "__init__", crash)
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT"))
    result = lint("check", "a.jsonl")
    assert result.exit_code == 2 and "XX101" in result.stdout
    assert "error: rule XX102 crashed at a.jsonl:1 and was switched off there: ZeroDivisionError" in result.stdout


def test_findings_go_to_stdout_and_all_else_to_stderr(lint, tmp_path):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    result = lint("check", "bad.jsonl", "--format", "jsonl", "--statistics", "--timings", "--verbose")
    assert all(line.startswith("{") for line in result.stdout.splitlines())
    assert "1 file" in result.stderr and "fault-said" in result.stderr and " ms  XX101" in result.stderr


def test_fail_on_and_notes(lint, tmp_path):
    toy.log(tmp_path, "note.jsonl", samples.says("I mutter"))
    assert rows(lint("check", "note.jsonl", "--format", "jsonl")) == []
    low = ("check", "note.jsonl", "--min-confidence", "low")
    assert lint(*low).exit_code == 0
    assert lint(*low, "--fail-on", "note").exit_code == 1
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    assert lint("check", "bad.jsonl", "--fail-on", "error").exit_code == 1


def test_outputs_are_written_beside_standard_output(lint, tmp_path):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    result = lint("check", "bad.jsonl", "--output", "sarif=out.sarif", "--output", "jsonl=out.jsonl")
    assert "The agent said" in result.stdout
    assert json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["rule"] == "XX101"


def test_standard_input_with_a_name(lint):
    data = samples.write([samples.session(), *FAULT])
    result = lint("check", "-", "--stdin-filename", "logs/a b.jsonl", "--format", "sarif", stdin=data)
    place = json.loads(result.stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "logs/a%20b.jsonl"
    assert rows(lint("check", "-", "--format", "jsonl", stdin=data))[0]["path"] == "-"


def test_folders_globs_excludes_and_compressed_twins(lint, tmp_path):
    for name in ("a.jsonl", "b.jsonl", "old/c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        plain = toy.log(tmp_path, name, *FAULT)
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(plain.read_bytes()))
    (tmp_path / "package.json").write_text('{"name": "no transcript"}')
    (tmp_path / "a.jsonl.expected.json").write_text("{}")

    def paths(*arguments):
        return [row["path"] for row in rows(lint("check", "--format", "jsonl", *arguments))]

    assert paths(".") == ["a.jsonl", "b.jsonl", "old/c.jsonl"]
    assert paths(".", "--exclude", "old") == ["a.jsonl", "b.jsonl"]
    assert paths("[ab].jsonl") == ["a.jsonl", "b.jsonl"]
    assert paths("a.jsonl.zst") == ["a.jsonl.zst"]
    assert paths("old/c.jsonl", "--exclude", "old") == ["old/c.jsonl"]
    assert paths("old/c.jsonl", "a.jsonl", "--exclude", "old", "--force-exclude") == ["a.jsonl"]


def test_gitignore_counts_in_folders_only(lint, tmp_path):
    repository = tmp_path / "repo"
    (repository / "tmp").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / ".gitignore").write_text("tmp/\n")
    toy.log(repository, "tmp/x.jsonl", *FAULT)
    toy.log(repository, "y.jsonl", *FAULT)

    def paths(path):
        return [row["path"] for row in rows(lint("check", "--format", "jsonl", path))]

    assert paths("repo") == ["repo/y.jsonl"]
    assert paths("repo/tmp") == ["repo/tmp/x.jsonl"]
    assert paths("repo/tmp/x.jsonl") == ["repo/tmp/x.jsonl"]


def test_jobs_change_nothing(lint, tmp_path):
    for number in range(5):
        toy.log(tmp_path, f"{number}.jsonl", *FAULT, samples.says(f"FAULT {number}"))
    serial = lint("check", ".", "--format", "jsonl")
    parallel = lint("check", ".", "--format", "jsonl", "--jobs", "3")
    assert serial.exit_code == 1
    assert serial.stdout == parallel.stdout


def test_strings_from_a_log_are_redacted_bounded_and_harmless(lint, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    nasty = (
        f"FAULT \x1b[31mred\x1b]0;title\x07 \u202eevil\u2066 \x9b token {secret} </td><script>| ::error:: " + "x" * 5000
    )
    toy.log(tmp_path, "bad.jsonl", samples.says(nasty))
    for format in ("table", "jsonl", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"):
        out = lint("check", "bad.jsonl", "--format", format).stdout
        assert secret not in out and "REDACTED" in out, format
        assert not any(c in out for c in "\x1b\x07\x9b\u202e\u2066"), format
        assert "\\u001b" not in out and "\\u202e" not in out, format
        assert "x" * 700 not in out, format
        if format in ("html", "markdown", "junit"):
            assert "<script>" not in out, format
        if format == "github":
            assert [line for line in out.splitlines() if line.startswith("::")] == [out.splitlines()[0]]


def test_color_obeys_option_and_environment(lint, tmp_path, monkeypatch):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b[31m" not in lint("check", "bad.jsonl").stdout
    assert "\x1b[31m" in lint("check", "bad.jsonl", "--color", "always").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31m" in lint("check", "bad.jsonl").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in lint("check", "bad.jsonl").stdout


def test_abstained_checks_are_counted(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", samples.command("x", kind="unknown"))
    result = lint("check", "a.jsonl", "--format", "jsonl", "--verbose")
    assert summary(result)["abstained"] == 1
    assert summary(result)["not_checked"][0]["reason"] == "no end is recorded"
    assert "not checked by XX101: no end is recorded (1 times)" in result.stderr


def test_jsonl_keeps_to_its_schema(lint, tmp_path):
    from jsonschema import Draft202012Validator

    toy.log(tmp_path, "bad.jsonl", *FAULT)
    schema = orjson.loads(lint("schema", "findings").stdout)
    Draft202012Validator.check_schema(schema)
    for line in lint("check", "bad.jsonl", "--format", "jsonl").stdout.splitlines():
        Draft202012Validator(schema).validate(json.loads(line))


def test_version_imports_click_and_nothing_heavy():
    script = (
        "import sys, runpy; sys.argv = ['transcript-lint', '--version']\n"
        "try: runpy.run_module('transcript_lint', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "heavy = {'tabulate', 'zstandard', 'regex', 'concurrent', 'msgspec', 'orjson', 'importlib.metadata'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0].startswith("transcript-lint, version")
    assert done.stdout.splitlines()[1] == "[]"


@pytest.mark.parametrize(("redirection", "status"), [("> /dev/full", 2), (">&-", 0), ("2>&-", 0)])
def test_output_that_goes_nowhere_is_no_fault_of_ours(tmp_path, redirection, status):
    toy.log(tmp_path, "a.jsonl", samples.says("hello"))
    line = f"{sys.executable} -m transcript_lint check --isolated a.jsonl {redirection}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert "Traceback" not in done.stderr and "fault of" not in done.stderr


def test_a_reader_that_went_away_is_2_and_not_findings(tmp_path):
    toy.log(tmp_path, "a.jsonl", samples.says("hello"))
    gone, end = os.pipe()
    os.close(gone)
    line = [sys.executable, "-m", "transcript_lint", "check", "--isolated", "a.jsonl"]
    done = subprocess.run(line, cwd=tmp_path, stdout=end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(end)
    assert (done.returncode, done.stderr) == (2, "")

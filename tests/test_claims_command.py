"""`claims` as a user meets it."""

from __future__ import annotations

import json

from tests import toy
from transcript_lint import samples as s


def test_every_claim_has_its_level_and_the_run_it_rests_on(lint, tmp_path):
    toy.log(
        tmp_path,
        "a.jsonl",
        s.human("go"),
        s.command("pytest -q", out="12 passed in 1s"),
        s.says("All tests pass."),
        s.command("npm run build", out="error", exit=1),
        s.says("The build succeeded."),
        s.says("The release was published."),
    )
    result = lint("claims", "a.jsonl", "--format", "json")
    assert result.exit_code == 0
    passed, built, published = json.loads(result.stdout)
    head = len(json.loads(lint("claims", "a.jsonl", "--format", "json").stdout))
    assert head == 3
    assert (passed["evidence"], passed["level"], passed["run"]) == ("verified", "L2", "pytest -q")
    assert passed["line"] == passed["end_line"] + 1
    assert (built["evidence"], built["level"], built["run"]) == ("contradicted", None, "npm run build")
    assert published["run"] is None and published["level"] is None


def test_the_table_counts_and_can_be_narrowed(lint, tmp_path):
    toy.log(
        tmp_path,
        "a.jsonl",
        s.human("go"),
        s.command("pytest -q", exit=1),
        s.says("All tests pass."),
        s.says("Ready to look at the next file."),
    )
    out = lint("claims", "a.jsonl").stdout
    assert "contradicted" in out and "pytest -q" in out and "1 claim: 1 contradicted" in out
    assert lint("claims", "a.jsonl", "--evidence", "verified").stdout.strip() == "0 claims"


def test_a_secret_in_a_claim_is_not_shown(lint, tmp_path):
    token = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    toy.log(tmp_path, "a.jsonl", s.human("go"), s.says(f"All tests pass with token {token}."))
    assert token not in lint("claims", "a.jsonl").stdout


def test_an_unreadable_input_is_an_error_in_words(lint, tmp_path):
    (tmp_path / "a.txt").write_text("hello\n")
    assert lint("claims", "a.txt").exit_code == 2
    assert lint("claims", "gone.jsonl").exit_code == 2

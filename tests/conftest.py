"""What all tests share."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from tests import toy
from transcript_lint.cli import main


@pytest.fixture(autouse=True)
def width(monkeypatch):
    """Outputs as wide as in a pipe, in whatever terminal the tests run."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def lint(tmp_path, monkeypatch):
    """Run the command line in an empty folder with the toy rules: `lint("check", "a.jsonl")`."""
    toy.install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "transcript-lint.toml").write_text("")

    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, list(arguments), input=stdin, catch_exceptions=False)

    return run

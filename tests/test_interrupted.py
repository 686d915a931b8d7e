"""Ctrl-C."""

from __future__ import annotations

from click.testing import CliRunner

from transcript_lint import runner
from transcript_lint.cli import main


def test_an_interrupted_audit_ends_with_the_status_of_its_signal(tmp_path, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a.jsonl").write_bytes(b'{"v":1,"event":"session"}\n')
    monkeypatch.setattr(runner, "audit_paths", interrupt)
    done = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert done.exit_code == 130
    assert "interrupted" in done.output

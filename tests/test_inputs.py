"""Which inputs a run has, whatever stands in the folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import zstandard

from tests import toy
from tests.test_check import FAULT, rows
from transcript_lint import inputs, samples


def test_a_folder_full_of_oddities_is_searched(tmp_path):
    toy.log(tmp_path, "a.jsonl", *FAULT)
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    toy.log(folder, "-x.jsonl", *FAULT)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.jsonl").symlink_to(tmp_path / "self.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = inputs.find([str(tmp_path)])
    names = [os.path.relpath(p, tmp_path) for p in found.inputs]
    assert names == ["a.jsonl", "folder.jsonl/-x.jsonl", "link.jsonl"]
    assert not found.missing and not found.closed
    assert inputs.find([str(folder)]).inputs == [str(folder / "-x.jsonl")]


@pytest.mark.parametrize("ending", ["zst", "zstd", "gz"])
def test_the_plain_twin_wins_in_a_folder_only(tmp_path, ending):
    for name in ("a.jsonl", f"a.jsonl.{ending}", f"b.ndjson.{ending}", f"c.txt.{ending}"):
        (tmp_path / name).write_bytes(b"{}\n")
    found = inputs.find([str(tmp_path)])
    assert [Path(p).name for p in found.inputs] == ["a.jsonl", f"b.ndjson.{ending}"]
    assert len(inputs.find([str(tmp_path / f"a.jsonl.{ending}"), str(tmp_path / "a.jsonl")]).inputs) == 2


def test_what_may_not_be_looked_at_is_said(lint, tmp_path, monkeypatch):
    toy.log(tmp_path, "good.jsonl", samples.says("fine"))
    (tmp_path / "shut").mkdir()
    real = os.scandir

    def scandir(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    result = lint("check", ".")
    assert result.exit_code == 2
    assert "shut: cannot be searched: Permission denied" in result.output


def test_a_dash_that_a_glob_finds_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy.log(tmp_path, "-", *FAULT)
    assert inputs.find(["[-]"]).inputs == ["./-"]


def test_a_file_that_vanishes_is_named_and_the_rest_goes_on(lint, tmp_path, monkeypatch):
    toy.log(tmp_path, "bad.jsonl", *FAULT)
    monkeypatch.setattr(inputs, "_is_file", lambda path: True)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self.jsonl").symlink_to(tmp_path / "self.jsonl")
    result = lint("check", ".", "--format", "jsonl")
    assert result.exit_code == 2
    assert len(rows(result)) == 1
    assert "gone.jsonl: cannot be read: No such file" in result.stderr
    assert "self.jsonl: cannot be read: Too many levels" in result.stderr


def test_a_pipe_given_by_name_is_read(lint, tmp_path):
    import threading

    os.mkfifo(tmp_path / "pipe")
    data = samples.write([samples.session(), *FAULT])
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    result = lint("check", "pipe", "--format", "sarif")
    writer.join()
    assert result.exit_code == 1


def test_a_cut_stream_is_a_finding_and_what_stands_before_is_audited(lint, tmp_path, monkeypatch):
    from transcript_lint import registry
    from transcript_lint_rules.record.unreadable import UnreadableRecord

    monkeypatch.setattr(registry, "rules", lambda: (UnreadableRecord, *toy.RULES))
    data = samples.write([samples.session(), *FAULT, *(samples.says(f"line {n}") for n in range(3000))])
    packed = zstandard.compress(data)
    (tmp_path / "cut.jsonl.zst").write_bytes(packed[: len(packed) // 2])
    result = lint("check", "cut.jsonl.zst", "--format", "jsonl")
    assert result.exit_code == 1
    assert [row["rule"] for row in rows(result)][:1] == ["XX101"]
    assert "TL001" in {row["rule"] for row in rows(result)}
    (tmp_path / "none.jsonl.zst").write_bytes(packed[:12])
    result = lint("check", "none.jsonl.zst")
    assert result.exit_code == 2 and "in the middle of a frame" in result.output


def test_records_beyond_the_limit_are_skipped_and_said(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT " + "x" * 5000), *FAULT)
    assert len(rows(lint("check", "a.jsonl", "--format", "jsonl"))) == 2
    result = lint("check", "a.jsonl", "--format", "jsonl", "--max-record-size", "2K", "--verbose")
    assert [row["line"] for row in rows(result)] == [4]
    assert "1 unreadable" in result.stderr or "unreadable" in result.stderr
    assert lint("check", "a.jsonl", "--max-record-size", "few").exit_code == 2


def test_an_input_of_which_nothing_can_be_read_is_2(lint, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([samples.write([samples.says("x")])[:30]] * 5) + b"\n")
    (tmp_path / "b.jsonl").write_bytes('{"v":1}\n'.encode("utf-16"))
    for name, says in (("a.jsonl", "in no format"), ("b.jsonl", "UTF-16")):
        result = lint("check", name)
        assert result.exit_code == 2 and says in result.output


def test_a_fault_of_ours_is_told_and_stops_no_other_input(lint, tmp_path, monkeypatch):
    from transcript_lint.ledger import Ledger

    toy.log(tmp_path, "a.jsonl", *FAULT, samples.says("boom"), samples.says("FAULT too late"))
    toy.log(tmp_path, "b.jsonl", *FAULT)
    real = Ledger.update

    def update(self, event):
        if getattr(event, "text", "") == "boom":
            raise ZeroDivisionError("a bug")
        real(self, event)

    monkeypatch.setattr(Ledger, "update", update)
    result = lint("check", ".", "--format", "jsonl")
    assert result.exit_code == 2
    assert [(row["path"], row["line"]) for row in rows(result)] == [("a.jsonl", 3), ("b.jsonl", 3)]
    assert "fault of transcript-lint (ZeroDivisionError: a bug" in result.stderr


@pytest.mark.parametrize(
    ("first", "what"),
    [
        ({"traceSchema": "openclaw-trajectory", "type": "session.started"}, "a trajectory trace of OpenClaw"),
        ({"type": "tool.start", "toolName": "exec", "params": {}, "sessionKey": "k"}, "telemetry of OpenClaw"),
        ({"instance_id": "a-1", "model_patch": "diff"}, "a list of predictions for a benchmark"),
        ({"session_id": "s", "ts": 1, "text": "hi"}, "Codex's history of prompts"),
        ({"id": "s", "thread_name": "t", "updated_at": "2026-01-01T00:00:00Z"}, "Codex's index of sessions"),
    ],
)
def test_what_an_agent_writes_beside_its_logs_is_told_and_passed_over(lint, tmp_path, first, what):
    toy.log(tmp_path, "good.jsonl", samples.says("fine"))
    (tmp_path / "side.jsonl").write_text(json.dumps(first) + "\n")
    result = lint("check", ".")
    assert result.exit_code == 0
    assert f"note: side.jsonl: is {what}, not a session log: it was passed over" in result.output
    alone = lint("check", "side.jsonl")
    assert alone.exit_code == 2 and "no transcript was found" in alone.output

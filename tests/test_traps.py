"""No text of a log brings the audit to a halt: every pattern on crafted texts, every channel of a log on long ones."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import hostile
from transcript_lint import runner, samples

SIZE = 12_000
PUMPS = (
    " ", "\n", "\t", "a ", "-", ".", '"', "`", "(", "[x] ", "1,", "1/", "**", "| a", "$(", "; ", "<output>", "</",
    "a/b ", "not ", "All ", "测", "。", "「", "(a", "- [x] done\n", "password=", "::", "All tests pass. ", "\\",
)  # fmt: skip


@pytest.mark.timed
def test_no_pattern_of_ours_is_worse_than_quadratic():
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", "tests.traps"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timed
@pytest.mark.parametrize("pump", PUMPS, ids=repr)
def test_long_texts_in_every_channel_take_time_in_their_length(pump, tmp_path):
    text = pump * (SIZE // len(pump))
    records = [
        samples.command("pytest -q", "1 failed", exit=1),
        samples.says(text),
        samples.says("All tests pass " + text, where="commit"),
        samples.says("- [x] " + text, where="task_state"),
        samples.command(text, text, exit=1, err=text),
        samples.human(text),
        samples.asks("s", question=text, options=[text]),
        samples.reply("s", text=text),
        samples.says("You approved this. " + text),
        samples.compaction("The tests ran. " + text),
        samples.block("rate", reason=text),
        samples.request(error={"message": text, "type": text}, refusal=text),
        samples.tool_call("Write", {"content": text, "path": text}, id="w", out=text),
        samples.end("success", text),
    ]
    log = tmp_path / "a.jsonl"
    log.write_bytes(samples.write([samples.session(), *records]))
    began = time.process_time()
    report = runner.audit_one(str(log), hostile.job())
    assert not hostile.faults(report)
    assert time.process_time() - began < 6

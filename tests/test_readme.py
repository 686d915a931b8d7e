"""The walk through a repository of one's own in the README, typed as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.S)
_COMMAND = re.compile(r"^\$ (.*?)(?:\s+# (.*))?$((?:\n(?!\$ ).+)*)", re.M)


def test_the_walk_goes_as_it_says(tmp_path):
    walk = README.read_text("utf-8").partition("step by step\n")[2].partition("\n## ")[0]
    told = 0
    bin = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line, remark, rest in _COMMAND.findall("\n".join(_BLOCK.findall(walk))):
        done = subprocess.run(
            ["bash", "-c", line + rest], cwd=tmp_path, env={**os.environ, "PATH": bin}, capture_output=True, text=True
        )
        assert "Error" not in done.stderr, done.stderr
        if status := re.match(r"exit status (\d)(?:: (.*))?", remark):
            told += 1
            assert done.returncode == int(status[1]), line
            assert (status[2] or "").split(",")[0] in done.stdout + done.stderr
    assert told == 4
    assert {"findings.sarif", "findings.xml", "suppressions.toml"} <= {file.name for file in tmp_path.iterdir()}

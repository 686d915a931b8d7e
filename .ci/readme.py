"""Run every `$ command` of a README's console blocks in a scratch folder and compare what it prints.

A block's commands run in order, all blocks in one folder that holds the bundled logs. `make` lines are left out: they
run before this. A block that shows output must show all of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """(command, the output shown under it) in order."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def main(readme: Path) -> int:
    """The number of commands that print something else than the README shows."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("fixtures/demo", Path(folder, "fixtures/demo"))
        subprocess.run(["git", "init", "-q", folder], check=True)
        for block in BLOCK.findall(readme.read_text("utf-8")):
            for command, shown in commands(block):
                if command.startswith(("make", "git clone", "pipx", "pip ")):
                    continue
                environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
                done = subprocess.run(
                    ["bash", "-c", command], cwd=folder, capture_output=True, text=True, env=environment, check=False
                )
                output = done.stdout + done.stderr
                if "Traceback" in output or (shown and output.strip() != shown.strip()):
                    wrong += 1
                    print(f"$ {command}\n--- shown\n{shown}\n--- printed\n{output}")
                else:
                    print(f"ok $ {command}")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]))))

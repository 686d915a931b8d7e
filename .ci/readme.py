"""Run every `$ command` of a README's console blocks in a scratch folder and compare what it prints.

The blocks run in order in one folder that holds the bundled logs. Lines that install something or call make are left
out: they run before this. A command that shows output must show all of it; `--update` writes what is printed now.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
SKIPPED = ("make ", "git clone ", "pipx ", "pip ")


def commands(block: str) -> list[tuple[str, str]]:
    """(command, the output shown under it) in order; a here-document belongs to its command."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if end := re.search(r"<<(\w+)", command):
            body, _, shown = shown.partition(f"{end[1]}\n")
            command = f"{command}\n{body}{end[1]}"
        found.append((command, shown))
    return found


def run(command: str, folder: str) -> str:
    """What a command prints, both streams."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        check=False,
    )
    return done.stdout


def main(readme: Path, update: bool) -> int:
    """The number of commands that print something else than the README shows, or cannot do their job."""
    text = readme.read_text("utf-8")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("fixtures/demo", Path(folder, "fixtures/demo"))
        subprocess.run(["git", "init", "-q", folder], check=True)
        for block in BLOCK.findall(text):
            for command, shown in commands(block):
                if command.startswith(SKIPPED):
                    continue
                printed = run(command, folder)
                told = re.search(r"^(Error:|Traceback|error:|bash: )", printed, re.MULTILINE)
                if told or (shown and printed.strip() != shown.strip()):
                    wrong += 1
                    print(f"$ {command}\n--- shown\n{shown}\n--- printed\n{printed}")
                    text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{printed.strip()}\n") if shown else text
                else:
                    print(f"ok $ {command}")
    if update:
        readme.write_text(text, "utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]), "--update" in sys.argv)))

"""Run every `$ command` of a README's console blocks in a scratch folder and compare what it prints.

The blocks run in order in one folder that holds the bundled logs. Lines that install something or call make are left
out: they run before this. A command that shows output must show all of it; `--update` writes what is printed now. A
remark `# exit status 1: words` after a command must hold: the status, and the words up to a comma in what is printed.
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
        if end := re.search(r"<<'?(\w+)", command):
            body, _, shown = shown.partition(f"{end[1]}\n")
            command = f"{command}\n{body}{end[1]}"
        found.append((command, shown))
    return found


def run(command: str, folder: str) -> tuple[int, str]:
    """A command's exit status and what it prints, both streams; its home holds sessions of Claude Code."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "HOME": f"{folder}/home"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        check=False,
    )
    return done.returncode, done.stdout


def holds(command: str, shown: str, status: int, printed: str) -> bool:
    """Whether a command did what the README says of it."""
    if remark := re.search(r"# exit status (\d)(?:: ([^,\n]*))?", command):
        return status == int(remark[1]) and (remark[2] or "") in printed
    failed = re.search(r"^(Error:|Traceback|error:|bash: )", printed, re.MULTILINE)
    return not failed and (not shown.strip() or printed.strip() == shown.strip())


def main(readme: Path, update: bool) -> int:
    """The number of commands that print something else than the README shows, or cannot do their job."""
    text = readme.read_text("utf-8")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for place in ("fixtures/demo", "home/.claude/projects/demo"):
            shutil.copytree("fixtures/demo", Path(folder, place))
        subprocess.run(["git", "init", "-q", folder], check=True)
        for block in BLOCK.findall(text):
            for command, shown in commands(block):
                if command.startswith(SKIPPED):
                    continue
                status, printed = run(command, folder)
                if not holds(command, shown, status, printed):
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

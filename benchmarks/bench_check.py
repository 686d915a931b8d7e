"""Speed and memory of the whole audit, all rules on, against a bare `orjson.loads` loop over the same file.

    python benchmarks/bench_check.py [LOG] [--megabytes 50]

Without a log it audits the bundled Claude Code logs, written one after the other until the size is reached. The bar is
the ratio: at least 1.0. Memory is the peak of a process that audits the file, and of one that audits twice as much: it
must not grow with the file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from transcript_lint import registry, runner
from transcript_lint.settings import Settings

ROOT = Path(__file__).parent.parent
PEAK = """
import resource, sys
from transcript_lint import registry, runner
from transcript_lint.settings import Settings
runner.audit_paths([sys.argv[1]], runner.Job(rules=registry.rules(), settings=Settings()))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def bare(path: Path) -> int:
    """Decode every line and do nothing with it."""
    count = 0
    with path.open("rb") as file:
        for line in file:
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            count += 1
    return count


def audit(path: Path) -> int:
    """The whole audit of one file."""
    return runner.audit_one(str(path), runner.Job(rules=registry.rules(), settings=Settings())).records


def seconds(work: Callable[[Path], int], path: Path, times: int = 3) -> float:
    """The best of a few."""
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        work(path)
        best = min(best, time.perf_counter() - began)
    return best


def peak(path: Path) -> float:
    """MiB of the process that audits a file."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def grown(target: Path, megabytes: float) -> None:
    """Write the bundled logs to `target`, again and again, until it is large enough."""
    logs = b"".join(p.read_bytes() for folder in ("demo", "claude-code") for p in _logs(ROOT / "fixtures" / folder))
    target.write_bytes(logs * max(1, round(megabytes * 1e6 / len(logs))))


def _logs(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.jsonl"))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("log", nargs="?", type=Path)
    options.add_argument("--megabytes", type=float, default=20)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = chosen.log or Path(folder, "log.jsonl")
        if chosen.log is None:
            grown(log, chosen.megabytes)
        size = log.stat().st_size / 1e6
        loop, whole = seconds(bare, log), seconds(audit, log)
        print(
            f"{size:.1f} MB: bare loop {size / loop:.0f} MB/s, audit {size / whole:.0f} MB/s, ratio {loop / whole:.2f}"
        )
        double = Path(folder, "double.jsonl")
        double.write_bytes(log.read_bytes() * 2)
        print(f"memory: {peak(log):.0f} MiB, for twice the file {peak(double):.0f} MiB")


if __name__ == "__main__":
    main()

"""Speed of the whole audit, all rules on, against what else can be done with the same bytes; and its memory.

    python -m benchmarks.bench_check [LOG…] [--format codex] [--megabytes 32] [--runs 5] [--memory]

Without logs it writes invented ones of a real shape (`generate.py`), in four files. Every figure is of a whole process,
start-up included, and the median of its runs, which take turns, so that a busy machine slows all of them alike: CPU
seconds on one core, elapsed seconds where two cores are compared with one. A ratio above 1 says that the audit is the
faster. A run with an odd exit or another number of records than the plain loop saw is not counted: the benchmark stops.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
from msgspec import Struct

from benchmarks.generate import FORMATS, lines, write

LOOP = """
import sys, orjson
count = 0
for name in sys.argv[1:]:
    with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
        for line in file:
            try:
                orjson.loads(line)
            except ValueError:
                pass
            count += 1
print(count)
"""
PHRASES = (
    "timed out",
    "exit code",
    "tests passed",
    "all tests",
    "build succeeded",
    "approved",
    "no response",
    "rate limit",
    "context window",
    "killed",
    "compacted",
    "must be run again",
)
AUDIT = (sys.executable, "-m", "transcript_lint", "check", "--exit-zero", "--format", "json")


class Run(Struct, frozen=True):
    """One finished process: CPU and elapsed seconds, peak memory in MiB, what it printed."""

    cpu: float
    elapsed: float
    peak: float
    output: bytes


class Contest(Struct, frozen=True):
    """One thing to run, and how to tell from its output how many records it saw; None where it counts none."""

    name: str
    command: Sequence[str]
    records: Callable[[bytes], int] | None = None
    exits: tuple[int, ...] = (0,)


def run(contest: Contest, wanted: int | None) -> Run:
    """Run a process to its end. Stops the benchmark when it failed or did not see the wanted number of records."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(contest.command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - began
        process.returncode = code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    if code not in contest.exits:
        sys.exit(f"{contest.name}: exit {code}; the run does not count")
    if contest.records is not None and wanted is not None and (seen := contest.records(printed)) != wanted:
        sys.exit(f"{contest.name}: {seen} records instead of {wanted}; the run does not count")
    return Run(usage.ru_utime + usage.ru_stime, elapsed, usage.ru_maxrss / 1024, printed)


def contests(files: Sequence[str]) -> list[Contest]:
    """The audit on one core, then all that it is compared with on these files."""
    packed = all(name.endswith((".zst", ".zstd")) for name in files)
    found = [Contest("audit", (*AUDIT, "--jobs", "1", *files), _audited)]
    if packed and shutil.which("zstd"):
        pipe = f"zstd -dcq {shlex.join(files)} | {shlex.join((sys.executable, '-c', LOOP, '-'))}"
        found.append(Contest("zstd -d | orjson loop", ("sh", "-c", pipe), int))
    elif not packed:
        found.append(Contest("orjson loop", (sys.executable, "-c", LOOP, *files), int))
        if shutil.which("rg"):
            phrases = [word for phrase in PHRASES for word in ("-e", phrase)]
            found.append(Contest("ripgrep, 12 phrases", ("rg", "-i", "-c", *phrases, *files), exits=(0, 1)))
    return found


def _audited(printed: bytes) -> int:
    return int(orjson.loads(printed)["summary"]["records"])


def race(entries: Sequence[Contest], runs: int) -> dict[str, list[Run]]:
    """Run all entries in turn, as often as told. The first entry that counts lines is the judge."""
    judge = next((c for c in entries if c.records is int), None)
    wanted = int(run(judge, None).output) if judge is not None else None
    results: dict[str, list[Run]] = {contest.name: [] for contest in entries}
    for _ in range(runs):
        for contest in entries:
            results[contest.name].append(run(contest, wanted))
    return results


def compare(title: str, files: Sequence[str], runs: int) -> None:
    """Print the CPU seconds of the audit and of each thing it is compared with, and the ratios."""
    size = sum(Path(name).stat().st_size for name in files) / 1e6
    print(f"{title}: {len(files)} files, {size:.1f} MB, medians of {runs}")
    results = race(contests(files), runs)
    audit = statistics.median(r.cpu for r in results["audit"])
    for name, found in results.items():
        cpu = statistics.median(r.cpu for r in found)
        ratio = "" if name == "audit" else f"   ratio {cpu / audit:.3f}"
        print(f"  {name:24}{cpu:8.2f} s CPU {size / cpu:8.1f} MB/s{ratio}")
    if len(files) > 1:
        cores = [Contest(f"--jobs {jobs}", (*AUDIT, "--jobs", str(jobs), *files), _audited) for jobs in (1, 2)]
        one, two = (statistics.median(r.elapsed for r in found) for found in race(cores, runs).values())
        print(f"  --jobs 2 against one: {one:.2f} s, {two:.2f} s, {one / two:.2f} times as fast")


def start_up(runs: int, folder: Path) -> None:
    """Print what a start costs beside an interpreter that imports the same libraries."""
    small = folder / "small.jsonl"
    write(small, lines("claude-code", 0.02, None, 1, 1.0))
    entries = [
        Contest("import click", (sys.executable, "-c", "import click")),
        Contest("--version", (sys.executable, "-m", "transcript_lint", "--version")),
        Contest("import click, orjson", (sys.executable, "-c", "import click, orjson")),
        Contest("a file of 20 kB", (*AUDIT, str(small)), _audited),
    ]
    seconds = {name: statistics.median(r.cpu for r in found) for name, found in race(entries, runs).items()}
    for plain, ours in (("import click", "--version"), ("import click, orjson", "a file of 20 kB")):
        print(f"{ours}: {seconds[ours]:.3f} s CPU, {seconds[ours] / seconds[plain]:.2f} times `{plain}`")


def memory(files: Sequence[str], folder: Path) -> None:
    """Print the peak of one audit, and of one of a file that holds all of them twice: it must not grow with it."""
    double = folder / f"double{''.join(Path(files[0]).suffixes)}"
    double.write_bytes(b"".join(Path(name).read_bytes() for name in files) * 2)
    once = run(Contest("audit", (*AUDIT, files[0])), None).peak
    twice = run(Contest("audit of all twice", (*AUDIT, str(double))), None).peak
    print(f"memory: {once:.0f} MiB; {twice:.0f} MiB for all of it twice in one file")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*")
    parser.add_argument("--format", choices=FORMATS, action="append")
    parser.add_argument("--megabytes", type=float, default=32)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        inputs = {"given": chosen.logs} if chosen.logs else {}
        for kind in () if chosen.logs else chosen.format or ("claude-code", "codex"):
            for suffix in (".jsonl", ".jsonl.zst"):
                files = [folder / f"{kind}-{number}{suffix}" for number in range(4)]
                for seed, file in enumerate(files):
                    write(file, lines(kind, chosen.megabytes / 4, None, seed, 1.0))
                inputs[f"{kind}{suffix}"] = [str(file) for file in files]
        for title, names in inputs.items():
            compare(title, names, chosen.runs)
        if chosen.memory:
            memory(next(iter(inputs.values())), folder)
        start_up(chosen.runs, folder)


if __name__ == "__main__":
    main()

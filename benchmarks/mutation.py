"""How many small faults in the code the tests notice: a seeded sample of each room.

    python -m benchmarks.mutation [--room rules] [--sample 40] [--seed 1] [--seconds 30] [--workers 2]

A fault counts as noticed when a test fails, and when the tests no longer come to an end. For each fault run, until
SECONDS are over, the tests that reach its line and then those that reach its module, of either the ones that reach
least first. Which test reaches what is measured once and kept in `.mutation/` until a source or a test changes.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coverage import CoverageData
from msgspec import Struct
from msgspec.structs import replace

from benchmarks.mutants import faults

ROOMS = {
    "ledger": Path("transcript_lint/ledger"),
    "claims": Path("transcript_lint/claims"),
    "commandline": Path("transcript_lint/commandline"),
    "rules": Path("rules/transcript_lint_rules"),
}
PLACE = Path(".mutation")
GRACE = 60.0
"""Seconds that a run may go on after its own time before it counts as one that does not end."""


class Mutant(Struct, frozen=True):
    """A fault in a file, by its number there."""

    room: str
    file: Path
    number: int
    line: int
    last: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"

    @property
    def module(self) -> str:
        """The name that the file is imported by."""
        path = self.file.relative_to("rules") if self.room == "rules" else self.file
        return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


class Reach:
    """Which tests reach which lines."""

    def __init__(self, measured: Path) -> None:
        self._data = CoverageData(str(measured))
        self._data.read()
        self._lines = {name: self._data.contexts_by_lineno(name) for name in self._data.measured_files()}
        self._wide = Counter(t for lines in self._lines.values() for found in lines.values() for t in _ids(found))

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests to try on a mutant, the likeliest first."""
        lines = self._lines.get(str(mutant.file.resolve()), {})
        near = {t for n in range(mutant.line, mutant.last + 1) for t in _ids(lines.get(n, ()))}
        far = {t for found in lines.values() for t in _ids(found)} - near
        return [t for tests in (near, far) for t in sorted(tests, key=lambda t: (self._wide[t], t))]


def _ids(contexts: Sequence[str]) -> Iterator[str]:
    return (context.rsplit("|", 1)[0] for context in contexts if context)


def reach() -> Reach:
    """Measure which tests reach what, if that is not known yet."""
    measured = PLACE / "lines"
    sources = [path for root in ("transcript_lint", "rules", "tests") for path in Path(root).rglob("*.py")]
    if not measured.exists() or measured.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        PLACE.mkdir(exist_ok=True)
        config = PLACE / "coverage.ini"
        config.write_text(f"[run]\nsource = {','.join(map(str, ROOMS.values()))}\n")
        options = ("-n2", "-m", "not timed", "--cov", f"--cov-config={config}", "--cov-context=test", "--cov-report=")
        told = {**os.environ, "COVERAGE_FILE": str(measured.resolve())}
        subprocess.run([sys.executable, "-m", "pytest", *options], env=told, check=True)
    return Reach(measured)


def mutants(room: str) -> Iterator[Mutant]:
    """Every mutant of a room."""
    for file in sorted(ROOMS[room].rglob("*.py")):
        for number, fault in enumerate(faults(ast.parse(file.read_bytes()))):
            yield Mutant(room, file, number, fault.line, fault.last, fault.what)


def attempt(mutant: Mutant, tests: Sequence[str], seconds: float) -> str:
    """How the tests take a mutant: `killed`, `survived` or `timeout`."""
    chosen = PLACE / f"{mutant.module}-{mutant.number}.txt"
    chosen.write_text("\n".join(tests))
    told = (mutant.module, mutant.file, mutant.number, chosen, seconds)
    command = [sys.executable, "-m", "benchmarks.mutants", *map(str, told)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return "killed" if child.wait(seconds + GRACE) else "survived"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "timeout"
    finally:
        chosen.unlink()


def interval(hits: int, of: int) -> tuple[float, float]:
    """The Wilson interval of a share, at 95 %."""
    z, share = 1.96, hits / of
    middle, width = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - width) / (1 + z * z / of), (middle + width) / (1 + z * z / of)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", choices=ROOMS, action="append")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    known = reach()
    ends: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for room in chosen.room or ROOMS:
        every = list(mutants(room))
        sample = random.Random(f"{room} {chosen.seed}").sample(every, min(chosen.sample, len(every)))
        sample.sort(key=lambda m: (m.file, m.line, m.number))
        control = replace(sample[0], number=len(every))
        if attempt(control, known.tests(control), chosen.seconds) != "survived":
            sys.exit("the tests fail without any fault")
        with ThreadPoolExecutor(chosen.workers) as pool:
            for mutant, end in zip(
                sample, pool.map(lambda m: attempt(m, known.tests(m), chosen.seconds), sample), strict=True
            ):
                ends[room][end] += 1
                if end != "killed":
                    print(f"{mutant} {end}", flush=True)
        summarise(room, ends[room], len(every))
    total = sum(ends.values(), Counter[str]())
    summarise("all", total, 0)


def summarise(room: str, ends: Counter[str], every: int) -> None:
    """Print the score of a room."""
    noticed, of = ends["killed"] + ends["timeout"], ends.total()
    low, high = interval(noticed, of)
    whole = f" of {every}" if every else ""
    print(
        f"{room}: {noticed / of:.0%} noticed ({low:.0%} to {high:.0%}); {of} faults{whole}: "
        f"{ends['killed']} killed, {ends['survived']} survived, {ends['timeout']} did not end",
        flush=True,
    )


if __name__ == "__main__":
    main()

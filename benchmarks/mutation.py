"""How many small faults in the code the tests notice: a seeded sample of each room.

    python -m benchmarks.mutation [--room rules] [--sample 40] [--seed 1] [--seconds 30]

A fault counts as noticed when a test fails, and when the tests no longer come to an end. For each fault run, until
SECONDS are over, the tests that reach its line and then those that reach its module, of either the ones that reach
least first. Which test reaches what is measured once and kept in `.mutation/` until a source or a test changes.

A second figure leaves out the faults that move a number of two digits or more by one: sizes (`text[:4000]`), which no
test should pin, and some that count, such as exit statuses.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

from benchmarks.mutants import Fault, faults

ROOMS = {
    "ledger": Path("transcript_lint/ledger"),
    "claims": Path("transcript_lint/claims"),
    "commandline": Path("transcript_lint/commandline"),
    "rules": Path("rules/transcript_lint_rules"),
}
PLACE = Path(".mutation")
SIZE = re.compile(r"\d{2,} → ")
GRACE = 60.0
"""Seconds that a run may go on after its own time before it counts as one that does not end."""


class Mutant(NamedTuple):
    """A fault in a file, by its number there."""

    file: Path
    number: int
    fault: Fault


Choice = Callable[[Mutant], list[str]]


def mutants(room: str) -> Iterator[Mutant]:
    """Every mutant of a room."""
    for file in sorted(ROOMS[room].rglob("*.py")):
        for number, fault in enumerate(faults(ast.parse(file.read_bytes()))):
            yield Mutant(file, number, fault)


def measure(measured: Path) -> None:
    """Write down which tests reach which lines of the rooms, if that is not known yet."""
    roots = ("transcript_lint", "rules", "tests")
    newest = max(path.stat().st_mtime for root in roots for path in Path(root).rglob("*.py"))
    if measured.exists() and measured.stat().st_mtime > newest:
        return
    PLACE.mkdir(exist_ok=True)
    config = PLACE / "coverage.ini"
    config.write_text(f"[run]\nsource = {','.join(map(str, ROOMS.values()))}\n")
    options = ("-n2", "-m", "not timed", "--cov", f"--cov-config={config}", "--cov-context=test", "--cov-report=")
    told = {**os.environ, "COVERAGE_FILE": str(measured.resolve())}
    subprocess.run([sys.executable, "-m", "pytest", *options], env=told, check=True)


def choice(measured: Path) -> Choice:
    """What chooses the tests to try on a mutant, the likeliest first."""
    data = CoverageData(str(measured))
    data.read()
    reached = {name: data.contexts_by_lineno(name) for name in data.measured_files()}
    wide = Counter(test for lines in reached.values() for test in _tests(lines.values()))

    def chosen(mutant: Mutant) -> list[str]:
        lines = reached.get(str(mutant.file.resolve()), {})
        near = set(_tests(lines.get(n, []) for n in range(mutant.fault.line, mutant.fault.last + 1)))
        far = set(_tests(lines.values())) - near
        return [test for tests in (near, far) for test in sorted(tests, key=lambda test: (wide[test], test))]

    return chosen


def _tests(contexts: Iterable[list[str]]) -> Iterator[str]:
    return (context.rsplit("|", 1)[0] for context in chain.from_iterable(contexts) if context)


def attempt(mutant: Mutant, choose: Choice, seconds: float) -> str:
    """How the tests take a mutant: `killed`, `survived` or `timeout`."""
    path = mutant.file.with_suffix("")
    module = ".".join(path.parts[path.parts[0] == "rules" :]).removesuffix(".__init__")
    tests = PLACE / f"{module}-{mutant.number}.txt"
    tests.write_text("\n".join(choose(mutant)))
    told = (module, mutant.file, mutant.number, tests, seconds)
    command = [sys.executable, "-m", "benchmarks.mutants", *map(str, told)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return "killed" if child.wait(seconds + GRACE) else "survived"
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "timeout"
    finally:
        tests.unlink()


def score(ends: Counter[str]) -> str:
    """The share of faults that were noticed, with its Wilson interval at 95 %."""
    of, z = ends.total(), 1.96
    if not of:
        return "none"
    share = 1 - ends["survived"] / of
    middle, width = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((middle + sign * width) / (1 + z * z / of) for sign in (-1, 1))
    return f"{share:.0%} noticed ({low:.0%} to {high:.0%}); " + ", ".join(f"{n} {end}" for end, n in ends.items())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", choices=ROOMS, action="append")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    chosen = parser.parse_args()
    measure(PLACE / "lines")
    choose = choice(PLACE / "lines")
    ends: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sizeless: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for room in chosen.room or ROOMS:
        every = list(mutants(room))
        sample = sorted(random.Random(f"{room} {chosen.seed}").sample(every, min(chosen.sample, len(every))))
        if attempt(sample[0]._replace(number=len(every)), choose, chosen.seconds) != "survived":
            sys.exit("the tests fail without any fault")
        with ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda mutant: attempt(mutant, choose, chosen.seconds), sample)
            for mutant, end in zip(sample, results, strict=True):
                ends[room][end] += 1
                sizeless[room][end] += not SIZE.match(mutant.fault.what)
                if end != "killed":
                    print(f"{mutant.file}:{mutant.fault.line}: {mutant.fault.what} {end}", flush=True)
        print(f"{room}, {len(sample)} of {len(every)} faults: {score(ends[room])}", flush=True)
        print(f"{room} without sizes: {score(sizeless[room])}", flush=True)
    for name, found in (("all", ends), ("all without sizes", sizeless)):
        print(f"{name}: {score(sum(found.values(), Counter()))}")


if __name__ == "__main__":
    main()

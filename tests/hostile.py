"""Ways to harm a log, for the tests of hostile input and the fuzzers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from transcript_lint import registry, runner
from transcript_lint.finding import Confidence
from transcript_lint.report import Report
from transcript_lint.settings import Settings

FIXTURES = Path(__file__).parents[1] / "fixtures"
ALL = sorted(
    p for p in FIXTURES.rglob("*") if p.is_file() and not p.name.endswith("expected.json") and p.suffix != ".eval"
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**18,
    1e308,
    "",
    "x",
    "2026-99-99T99:99:99Z",
    [],
    {},
    [None],
    {"a": None},
    [[[1]]],
    ["x", 1],
    {"type": 1},
)


def job() -> runner.Job:
    """All rules, everything shown."""
    return runner.Job(rules=registry.rules(), settings=Settings(), min_confidence=Confidence.LOW)


def faults(report: Report) -> list[str]:
    """What went wrong inside the tool, whatever the log held."""
    crashed = [f"{f.rule}: {f.error}" for f in report.failures]
    return crashed + [p.message for p in report.problems if "fault of transcript-lint" in p.message]


def documents(file: Path) -> tuple[list[Any], bool]:
    """The documents of a fixture, and whether each stands on a line of its own."""
    data = file.read_bytes()
    try:
        return [orjson.loads(line) for line in data.split(b"\n") if line.strip()], True
    except orjson.JSONDecodeError:
        pass
    try:
        return [orjson.loads(data)], False
    except orjson.JSONDecodeError:
        return [], False


def with_wrong_types(file: Path, rng: random.Random) -> bytes | None:
    """A fixture with one to three fields of one record replaced by values of other types; None if it is damaged."""
    found, lines = documents(file)
    if not found:
        return None
    index = rng.randrange(len(found))
    for _ in range(rng.choice((1, 1, 1, 3))):
        place = rng.choice(list(_places(found[index])))
        found[index] = _put(found[index], place, rng.choice(VALUES))
    if lines:
        return b"\n".join(map(orjson.dumps, found)) + b"\n"
    return orjson.dumps(found[0], option=orjson.OPT_INDENT_2)


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:4]):
            yield from _places(inner, (*at, index))


def _put(document: Any, at: tuple[Any, ...], value: Any) -> Any:
    if not at:
        return value
    copy = inner = orjson.loads(orjson.dumps(document))
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return copy

"""Every pattern of every word list compiles, without a warning."""

import re
import tomllib
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

LISTS = sorted(str(p) for p in (files("transcript_lint.claims") / "lexicons").rglob("*.toml"))  # type: ignore[attr-defined]
PLAIN = ("fragments", "spelled", "hints", "literals")


def rows(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from rows(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in PLAIN:
                yield from rows(item)


@pytest.mark.parametrize("path", LISTS)
def test_every_row_compiles(path):
    data = tomllib.loads(Path(path).read_text("utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row in rows(data):
            if "{" not in re.sub(r"\{\d+(?:,\d*)?\}", "", row):
                re.compile(row, re.IGNORECASE)

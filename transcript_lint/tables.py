"""Works out, when the package is built, what the patterns of the rules' tables require.

The rules' own examples load every table in every language; what none of them loads is looked at when it is used.
"""

from __future__ import annotations

import gc
from pathlib import Path

import orjson

from transcript_lint import literals, registry, trial
from transcript_lint.patterns import Gate


def write(path: Path) -> None:
    """Write the table of literals of all known rules to a file."""
    trial.examples(registry.rules())
    sources = {source for item in gc.get_objects() if isinstance(item, Gate) for source in item.sources}
    found = {literals.key_of(source): literals.required(source) for source in sorted(sources)}
    table = {key: None if needed is None else sorted(needed) for key, needed in found.items()}
    path.write_bytes(orjson.dumps(table, option=orjson.OPT_SORT_KEYS))

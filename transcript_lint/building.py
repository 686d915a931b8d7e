"""Works out, when the package is built, what audits would work out each time.

The rules' own examples load every table but not every language; what neither they nor `_languages` loads is worked
out when it is used.
"""

from __future__ import annotations

import gc
import tomllib

import orjson

from transcript_lint import literals, registry, tables, trial
from transcript_lint.claims import approval, blocked, lexicon
from transcript_lint.patterns import Gate


def write() -> None:
    """Write `tables.BUILT` from the lexicon files and all known rules."""
    tables.BUILT.unlink(missing_ok=True)
    tables.built.cache_clear()
    trial.examples(registry.rules())
    held = _languages()
    sources = {source for item in gc.get_objects() if isinstance(item, Gate) for source in item.sources}
    del held
    needed = {tables.key_of(source): literals.required(source) for source in sorted(sources)}
    texts = [file.read_text("utf-8") for file in sorted(tables.LEXICONS.rglob("*.toml"))]
    found = {
        "literals": {key: None if strings is None else sorted(strings) for key, strings in needed.items()},
        "lexicons": {tables.key_of(text): tomllib.loads(text) for text in texts},
    }
    tables.BUILT.write_bytes(orjson.dumps(found))


def _languages() -> list[object]:
    """The patterns of every language, kept alive by whoever holds them."""
    return [
        *map(lexicon.lexicon, lexicon.LANGUAGES),
        *map(approval.lexicon, (*approval.LATIN, *approval.LETTERED)),
        *map(blocked.patterns_of, blocked.LANGUAGES),
    ]

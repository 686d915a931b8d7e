"""The lexicon files, and what was worked out from them when the package was built, so that no audit has to.

Both are found by the content they were made from: where nothing was built, or a file changed since, it is only slower.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import orjson

BUILT = Path(__file__).with_name("tables.json")
LEXICONS = Path(__file__).parent / "claims" / "lexicons"


class Tables(msgspec.Struct, frozen=True):
    """What was built. `literals`: of each pattern, by its key, what it requires, see `literals.required`; `lexicons`:
    each lexicon file, by the key of its text.
    """

    literals: dict[str, list[str] | None] = {}
    lexicons: dict[str, msgspec.Raw] = {}


@cache
def built() -> Tables:
    """What was worked out when the package was built; nothing where nothing was."""
    try:
        return msgspec.json.decode(BUILT.read_bytes(), type=Tables)
    except (OSError, msgspec.DecodeError):
        return Tables()


def lexicon(name: str) -> dict[str, Any]:
    """The tables of a lexicon file, by its name below `claims/lexicons`; the caller's own copy."""
    text = LEXICONS.joinpath(name).read_text("utf-8")
    known = built().lexicons.get(key_of(text))
    if known is not None:
        found: dict[str, Any] = orjson.loads(bytes(known))
        return found
    import tomllib  # late: where the package was built nothing needs it

    return tomllib.loads(text)


def key_of(text: str) -> str:
    """A short name of a text."""
    data = text.encode()
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}{len(data):x}"

"""Regular expressions that cost nothing until they are used: the part of `re` that the project's tables need.

Modules and lexicons hold hundreds of patterns, a log meets few of them, and compiling them all takes longer than
auditing a small file. Import it in the place of `re`: `from transcript_lint import patterns as re`.
"""

from __future__ import annotations

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    A,
    I,
    M,
    Match,
    Pattern,
    RegexFlag,
    S,
    escape,
    findall,
    fullmatch,
    match,
    search,
    sub,
)
from typing import Any, cast

__all__ = ["ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "A", "I", "M", "Match", "Pattern", "S", "compile", "escape"]
__all__ += ["findall", "fullmatch", "match", "search", "sub"]

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a pattern; it is compiled when one of its methods or fields is first asked for."""

    def __init__(self, source: str, flags: RegexFlag | int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source, self._flags)
        # From now on a method is found in the instance itself, as fast as that of the pattern.
        self.__dict__.update({method: getattr(pattern, method) for method in _METHODS})
        self.__dict__.update(pattern=pattern.pattern, flags=pattern.flags, groupindex=pattern.groupindex)
        return getattr(pattern, name)


def compile(pattern: str, flags: RegexFlag | int = 0) -> Pattern[str]:
    """The pattern, compiled at its first use; `re.error` is raised only then."""
    return cast("Pattern[str]", _Lazy(pattern, flags))

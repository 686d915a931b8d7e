"""The patterns of the tables: compiled at their first use, and tried only where their literals stand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transcript_lint import patterns
from transcript_lint.literals import required

ROWS = (
    r"\btests? (?:passed|green)\b",
    r"(?:all|every) (?:suites?|builds?)(?! failed)",
    r"(?<!not )done",
    r"^ok\b",
    r"\bno (?:issues|errors)\b",
    r"x?y{2,3}z*",
    r"通过|成功",
    r"[áa]rbol(?:es)?",
    r"\d+/\d+",
)
PIECES = ("test", "tests ", "passed", "green", "all ", "every suite", "build failed", "not ", "done", "OK", "\n")
MORE = ("no issues", "NO ERRORS", "xyyz", "yyy", "通过", "Árbol", "arboles", "3/4", " ", "ß", "ſ", ".")


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (r"\bpass(?:es|ed)?\b", {"pass"}),
        (r"(?:a|b) foo", {"a foo", "b foo"}),
        (r"FAILED (?P<n>\d+)", {"failed "}),
        (r"[Nn]o luck", {"no luck"}),
        (r"\u0041bc", {"abc"}),
        (r"(?P<n>\d)-(?P=n)", {"-"}),
        (r"(?!never)\w+", None),
        (r"x*", None),
        (r"one|\d", None),
        (r"(?s)odd", None),
        (r"broken(", None),
    ],
)
def test_literals_that_a_pattern_needs(source: str, wanted: set[str] | None) -> None:
    assert required(source) == wanted


@given(st.lists(st.sampled_from((*PIECES, *MORE)), max_size=12).map("".join))
def test_an_alternation_of_rows_finds_what_one_pattern_finds(text: str) -> None:
    ours = patterns.any_of(ROWS, re.I | re.M)
    whole = re.compile("|".join(f"(?:{row})" for row in ROWS), re.I | re.M)
    found, wanted = ours.search(text), whole.search(text)
    assert (found and found.span()) == (wanted and wanted.span())
    assert [m.span() for m in ours.finditer(text)] == [m.span() for m in whole.finditer(text)]
    assert ours.sub("_", text) == whole.sub("_", text)
    assert ours.sub(lambda m: m[0].upper(), text) == whole.sub(lambda m: m[0].upper(), text)


def test_no_rows_match_nothing() -> None:
    nothing = patterns.any_of([])
    assert nothing.search("text") is None
    assert nothing.match("text") is None


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    broken = patterns.compile("(")
    with pytest.raises(re.error):
        broken.search("text")

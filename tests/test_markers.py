"""The table of what tools print: what the pattern of a row matches holds one of the literals looked for first."""

import random
import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.traps import REPEATS, _member
from transcript_lint.ledger.markers import MARKERS

TRIES = 60


@pytest.mark.parametrize("number", range(len(MARKERS)), ids=lambda n: f"{n}-{MARKERS[n].literals[0][:20]}")
def test_no_match_is_hidden_by_the_literals_of_its_row(number: int) -> None:
    marker, pick = MARKERS[number], random.Random(number)
    pattern = re.compile(marker.pattern.pattern, re.M)
    tree = parser.parse(pattern.pattern, re.M)
    matched = 0
    for _ in range(TRIES):
        match = pattern.search(text := _spelled(tree, pick))
        if match is None:
            continue
        matched += 1
        assert any(literal in text for literal in marker.literals), text
        assert not marker.inside or any(literal in match[0] for literal in marker.inside), text
    if not matched:
        pytest.skip("what stands ahead of a match cannot be made up")


def _spelled(tree: Any, pick: random.Random) -> str:
    """A text that the tree may match, its branches and repeats taken at random."""
    out = ""
    for kind, value in tree:
        if kind is op.LITERAL:
            out += chr(value)
        elif kind in (op.NOT_LITERAL, op.ANY):
            out += "a"
        elif kind is op.IN:
            out += _member(value)
        elif kind is op.BRANCH:
            out += _spelled(pick.choice(value[1]), pick)
        elif kind is op.SUBPATTERN:
            out += _spelled(value[3], pick)
        elif kind is op.ATOMIC_GROUP:
            out += _spelled(value, pick)
        elif kind is op.GROUPREF:
            out += "1"
        elif kind in REPEATS:
            most = min(value[1], value[0] + 1)
            out += "".join(_spelled(value[2], pick) for _ in range(pick.randint(value[0], most)))
    return out

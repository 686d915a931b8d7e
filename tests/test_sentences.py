"""Sentences in nine languages: `+` claims a success as the speaker's own finding, `-` looks like it and does not."""

from pathlib import Path

import pytest

from transcript_lint.claims import extract
from transcript_lint.events import AgentText, Location
from transcript_lint.settings import Settings

SENTENCES = Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_claims_or_does_not(sentence: str) -> None:
    event = AgentText(at=Location(path="log", line=1), text=sentence[2:])
    claims = [c for c in extract(event, Settings()) if c.strength != "loose"]
    own = [c for c in claims if not (c.admits or c.admits_later or c.attributed)]
    assert bool(own) == sentence.startswith("+ "), claims

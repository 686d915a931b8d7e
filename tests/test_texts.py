"""What whole texts are read as, from a table: `$ TEXT` for a text of the agent, `% TEXT` for a summary.

Below each stands a row for everything that is found in it: claims and failures, blocks, words of consent, questions
that offer an act, turns of a person that the agent wrote, and for a summary what its sentences state. `⏎` is the end of
a line. The table says what is right: a row that changes is looked at.
"""

import re
from pathlib import Path

import pytest

from transcript_lint.claims import extract
from transcript_lint.claims.approval import sayings
from transcript_lint.claims.blocked import from_text
from transcript_lint.claims.consent_in_summary import approvals, decisions, quoted_consent
from transcript_lint.claims.failures import failures
from transcript_lint.claims.proposals import proposed
from transcript_lint.claims.recount import recount
from transcript_lint.claims.self_reply import self_reply
from transcript_lint.events import AgentText, Location
from transcript_lint.settings import Settings

TABLE = Path(__file__).with_name("texts.txt").read_text("utf-8")
ROWS = [entry.rstrip("\n").split("\n") for entry in re.split(r"^(?=[$%] )", TABLE, flags=re.M) if entry]
STATES = ("admits", "counted", "cut", "ran", "pending", "going", "refused")


def flags(thing, *names):
    return [name.replace("_", " ") for name in names if getattr(thing, name)]


def claimed(claim):
    """A claim in one row."""
    words = [claim.lang, claim.strength, "+".join(claim.subjects), *filter(None, [claim.scope])]
    words += [f"numbers {' '.join(claim.numbers)}"] if claim.numbers else []
    words += [f"passed {claim.passed} of {claim.total}"] if (claim.passed, claim.total) != (None, None) else []
    words += [f"by {claim.attributed}"] if claim.attributed else []
    words += flags(claim, "admits", "admits_later", "ongoing")
    words += [f"about {' '.join(sorted(claim.concepts))}"] if claim.concepts else []
    words += [f"code {' '.join(claim.codes)}"] if claim.codes else []
    return f"claim '{claim.text}': {', '.join(words)}"


def told(text):
    """The rows of a text of the agent."""
    event = AgentText(at=Location(path="log", line=1), text=text)
    yield from map(claimed, extract(event, Settings()))
    yield from (f"failure '{f.text}': {'+'.join(f.subjects)}" for f in failures(event))
    for block in from_text(event):
        yield " ".join([f"block '{block.text}': {block.lang} {block.kind}", *flags(block, "plan", "ours")])
    if turn := self_reply(text):
        yield " ".join([f"turn '{turn.words}': {turn.how}", *flags(turn, "by_sense")])
    if question := proposed(text):
        yield f"proposes '{question}'"
    yield from (f"consent '{s.text}': {s.lang} {s.kind} {s.strength}" for s in sayings(text))


def recounted(text):
    """The rows of a summary."""
    yield from (f"quotes '{q.words}'{' plainly' if q.plain else ''}" for q in quoted_consent(text))
    yield from (f"decides '{line}'" for line in decisions(text))
    yield from (f"approved '{line}'" for line in approvals(text))
    found = recount(AgentText(at=Location(path="log", line=1), text=text), Settings())
    for s in found.statements:
        words = [s.section or "-", *flags(s, *STATES), *sorted(s.subjects)]
        yield f"states '{s.raw}' in entry {s.entry}: {', '.join(words)}"
    for claim in found.claims:
        yield " ".join(
            [f"recounts '{claim.text}': {claim.strength} {'+'.join(claim.subjects)}", *flags(claim, "admits")]
        )


@pytest.mark.parametrize("rows", ROWS, ids=lambda rows: rows[0])
def test_a_text_is_read_as_the_table_says(rows):
    text = rows[0][2:].replace("⏎", "\n")
    found = told(text) if rows[0].startswith("$") else recounted(text)
    assert list(found) == [row.strip() for row in rows[1:]]

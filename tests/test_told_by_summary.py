"""Which summary states what a later claim asserts, and what a session tells of itself."""

import pytest

from tests.test_ledger_printed import ledger_of
from transcript_lint.claims import extract_text
from transcript_lint.events import AgentText, Location
from transcript_lint.samples import compaction, injected, session
from transcript_lint.settings import Settings

AT = Location(path="log", line=9)


def told(summary, text, agent="main", writer="main"):
    """The words of the summary on which the claim of a text may rest; None where they tell of something else."""
    (claim,) = extract_text(text, AgentText(at=AT, text=text, agent=agent), Settings())
    step = ledger_of([compaction(summary, agent=writer)]).summaries.told(claim)
    return step and step.what


@pytest.mark.parametrize(
    ("summary", "text", "same"),
    [
        ("All tests pass.", "The tests passed.", True),
        ("All tests pass.", "The build succeeded.", False),
        ("All tests pass, the build succeeded.", "The tests passed.", True),
        ("The build failed.", "The build succeeded.", False),
        ("The tests failed; the build succeeded.", "The build succeeded.", False),
        ("The migration of the orders was applied.", "The orders migration was applied to the copy.", True),
        ("The migration of the old orders table was applied.", "The old orders table migration was applied.", True),
        ("The import of the customers finished successfully.", "The customers were imported successfully.", True),
        ("The import of the customers finished successfully.", "The training finished successfully.", False),
        ("`python load.py b1` finished successfully.", "`python load.py b1` succeeded.", True),
        ("`python load.py b1` finished successfully.", "`python load.py b2` succeeded.", False),
        ("The package was published with 4,120 files.", "It was published: 4,120 files.", True),
        ("The package was published with 4,120 files.", "It was published: 4,121 files.", False),
        ("Done.", "Done.", False),
    ],
)
def test_a_claim_and_the_summary_it_may_rest_on(summary, text, same):
    assert (told(summary, text) is not None) is same


def test_where_a_summary_was_told():
    assert told("All tests pass.", "The tests passed.") == "the summary says 'All tests pass.'"
    assert told("All tests pass " + "and pass " * 30 + "now.", "The tests passed.").endswith("…'")
    assert told("All tests pass.", "The tests passed.", agent="sub") is not None
    assert told("All tests pass.", "The tests passed.", writer="sub") is None
    (claim,) = extract_text("The tests passed.", AgentText(at=AT, text=""), Settings())
    handed = ledger_of([compaction("All tests pass."), compaction("Tests passed.")]).summaries.handed_on(claim)
    assert [step.at.line for step in handed] == [2, 3]
    assert ledger_of([injected("All tests pass.", "summary")]).summaries.told(claim) is not None
    assert ledger_of([injected("All tests pass.", "reminder")]).summaries.told(claim) is None
    twice = [compaction("All tests pass."), injected("All tests pass.", "summary")]
    assert len(ledger_of(twice).summaries.handed_on(claim)) == 1


def test_what_a_session_tells_of_itself():
    book = ledger_of([]).session
    assert (book.format, book.approval_policy, book.interactive, book.complete) == ("native", "ask", True, True)
    assert (book.boundaries, book.turn, book.cwd, book.limits, book.ended) == (0, 0, None, {}, None)
    first = book.started
    told_more = session(cwd="/w", limits={"max_turns": 3}, approval_policy="never", interactive=False)
    book = ledger_of([told_more, compaction("x"), compaction(None, carried_terminations=[])]).session
    assert (book.approval_policy, book.interactive, book.cwd, book.limits) == ("never", False, "/w", {"max_turns": 3})
    assert first is not None and book.started is not None and book.started.at == first.at
    later = ledger_of([told_more, session(interactive=None, limits={"max_usd": 1})]).session
    assert (later.interactive, later.cwd, later.limits) == (False, "/w", {"max_turns": 3, "max_usd": 1})

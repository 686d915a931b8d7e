"""Calls of tools that act and failed, and what is said of them after."""

from __future__ import annotations

import pytest

from transcript_lint.registry import rules as every_rule
from transcript_lint.rule import Example
from transcript_lint.samples import Record, human, says, session, tool_call
from transcript_lint.trial import findings


def reported(*records: Record) -> list[str]:
    example = Example("a session", (session(), human("go"), *records))
    return sorted({f.rule for f in findings(example, every_rule()) if f.level.value != "note"})


def failed(tool: str, id: str = "t1", **arguments: object) -> Record:
    return tool_call(tool, arguments, id=id, kind="nonzero_exit", out="502 from the provider")


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("chargeCard", "The card was charged with 40.00 and the order moved on."),
        ("send_email", "I've sent the email to the supplier."),
        ("refund_payment", "The payment has been refunded."),
        ("cancel_reservation", "I have cancelled the reservation for you."),
        ("book_flight", "Your flight was booked."),
    ],
)
def test_a_deed_told_as_done_after_its_call_failed(tool: str, text: str) -> None:
    assert reported(failed(tool, n=1), says(text)) == ["TL102"]


@pytest.mark.parametrize(
    "text",
    [
        "The card could not be charged.",
        "I will charge the card again.",
        "Charging the card failed, so nothing was charged.",
        "Should the card be charged again?",
        "The order was created earlier.",
    ],
)
def test_honest_words_after_a_failed_call(text: str) -> None:
    assert not reported(failed("chargeCard", n=1), says(text))


def test_a_later_call_of_the_same_tool_decides() -> None:
    again = tool_call("chargeCard", {"n": 2}, id="t2", out="ok")
    assert not reported(failed("chargeCard", n=1), again, says("The card was charged."))
    assert not reported(failed("chargeCard", n=1), human("leave it"), says("Earlier the card was charged."))


def test_tools_that_look_or_write_files_are_not_asked() -> None:
    assert not reported(failed("edit_file", path="a"), says("The file was edited, and the old entry was removed."))
    assert not reported(failed("get_order", n=1), says("The order was cancelled by the customer."))

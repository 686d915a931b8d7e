"""What outputs showed is read late, and the text of what waits is bounded."""

from transcript_lint.ledger.output import value_hash
from transcript_lint.ledger.shown import MAX_UNREAD, GoodValues, Shown, Unread


def test_an_output_is_read_when_somebody_asks():
    shown = Shown("rows: 4120\nAll done, 12 passed")
    assert value_hash("4120") in shown.values and value_hash("rows"[:5]) in shown.labels
    assert any("passed" in line for line in shown.success)
    shown.also("later: 7731")
    assert value_hash("7731") in shown.values and value_hash("4120") in shown.values
    assert Shown("12 passed", ("its own words",)).success == ("its own words",)
    assert (Shown().values, Shown().success) == (frozenset(), ())


def test_the_oldest_of_too_many_that_wait_is_read():
    long = "x" * 10_000
    outputs = [Shown(f"value {number} {long}") for number in range(100, 101 + MAX_UNREAD // len(long))]
    unread = Unread()
    for shown in outputs:
        unread.add(shown)
    read = [shown._waiting is None for shown in outputs]
    assert read == sorted(read, reverse=True) and any(read) and sum(s.size for s in outputs) <= MAX_UNREAD
    assert read.count(False) > 190


def test_values_of_good_runs_count_up_to_a_limit():
    good = GoodValues(2)
    good.add("11 22")
    assert value_hash("11") in good and value_hash("33") not in good
    good.add("33")
    assert value_hash("33") not in good
    good.add("44", always=True)
    assert value_hash("44") in good
    good.add("")
    assert value_hash("22") in good

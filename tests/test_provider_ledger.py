"""What the ledger knows of requests: prices, sizes, causes of a stop and denials."""

import pytest

from transcript_lint.events import (
    Blocked,
    CommandEnded,
    EndKind,
    Location,
    ProviderError,
    ProviderResponded,
    Termination,
    Usage,
)
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import cause_of

AT = Location(path="log", line=1)


def book(*usages):
    ledger = Ledger()
    for usage in usages:
        ledger.update(ProviderResponded(at=AT, provider="acme", model="m", usage=usage))
    return ledger.provider


def test_what_was_spent_is_known_only_when_every_answer_has_its_price():
    assert book().spent is None
    assert book(Usage(input=9, cost_usd=0.5), Usage(input=9, cost_usd=0.25)).spent == 0.75
    assert book(Usage(input=9, cost_usd=0.5), Usage(input=9)).spent is None
    assert book(Usage(input=9, cost_usd=0.5), Usage()).spent == 0.5


def test_the_dearest_of_several():
    assert book(Usage(cost_usd=0.5)).dearest is None
    assert book(Usage(cost_usd=0.5), Usage(cost_usd=0.75)).dearest == 0.75


def test_the_largest_context_of_the_last_three_answers():
    sizes = [Usage(input=900), Usage(input=10), Usage(input=30, output=5), Usage(input=20)]
    found = book(*sizes[1:], sizes[0]).largest("main")
    assert found is not None and found[0] == 900
    found = book(*sizes).largest("main")
    assert found is not None and found[0] == 35
    assert book(*sizes).largest("other") is None
    found = book(sizes[0], sizes[1], sizes[3]).largest("main")
    assert found is not None and found[0] == 900


@pytest.mark.parametrize(
    ("where", "by"),
    [
        ({"error": "Tool use rejected by user"}, "human"),
        ({"stderr": "permission denied by policy"}, "policy"),
        ({"error": "permission denied by the rule no-network"}, "policy"),
        ({"error": "no such tool"}, None),
    ],
)
def test_a_denial_is_noted_wherever_the_result_tells_it(where, by):
    ledger = Ledger()
    ledger.update(CommandEnded(at=AT, call_id="c", termination=Termination(kind=EndKind.NOT_RUN), **where))
    assert [denial.by for denial in ledger.provider.denials] == ([by] if by else [])


def error(**fields):
    return ProviderResponded(at=AT, provider="acme", model="m", error=ProviderError(**fields))


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (Blocked(at=AT, kind="rate", layer="harness"), "limit"),
        (Blocked(at=AT, kind="permission", layer="harness", reason="rate limit"), None),
        (Blocked(at=AT, kind="other", layer="harness", reason="HTTP 529 overloaded"), "overload"),
        (Blocked(at=AT, kind="other", layer="harness", reason="the user went away"), None),
        (error(kind="rate"), "limit"),
        (error(kind="other", message="prompt is too long: 210000 tokens > 200000 maximum"), "context"),
        (error(kind="other", http_status=401), "auth"),
        (error(kind="other"), None),
        (ProviderResponded(at=AT, provider="acme", model="m"), None),
    ],
)
def test_the_cause_that_a_record_names(event, cause):
    assert cause_of(event) == cause


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("The user doesn't want to proceed with this tool use.", "human"),
        ("Permission to use Bash has been denied by a rule.", "policy"),
        ("denied", None),
        ("The user list is empty.", None),
    ],
)
def test_who_denied_a_call(text, by):
    ledger = Ledger()
    end = Termination(kind=EndKind.NOT_RUN)
    ledger.update(CommandEnded(at=AT, call_id="c", termination=end, stdout=text))
    assert [denial.by for denial in ledger.provider.denials] == ([by] if by else [])

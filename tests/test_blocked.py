"""Block claims against the provider's own figures, where the examples of the rules do not reach."""

from __future__ import annotations

from typing import Any

import pytest

from transcript_lint import models, registry
from transcript_lint.engine import Engine
from transcript_lint.events import Location, Meter, ProviderResponded, Usage
from transcript_lint.ledger.provider import ProviderBook, answered, cause_of
from transcript_lint.readers.native import NativeReader
from transcript_lint.samples import block, command, end, human, request, says, session, write
from transcript_lint.settings import Settings
from transcript_lint.sources import Record

AT = Location(path="log.jsonl", line=1)
OK: dict[str, Any] = {"finish_reason": "stop", "usage": {"input_tokens": 900, "output_tokens": 60}, "has_text": True}
LATER = "2026-03-02T12:00:00Z"


def audit(*records, settings=None):
    lines = [Record(number, 0, data) for number, data in enumerate(write(records).splitlines(), 1)]
    rules = [rule for rule in registry.rules() if rule.family == "blocked"]
    engine = Engine(rules, settings or Settings())
    engine.feed(NativeReader("log.jsonl").events(lines))
    return engine.finish()


def found(*records, settings=None):
    return sorted((f.rule, f.at.line, f.level.value) for f in audit(*records, settings=settings).findings)


def metered(*meters) -> dict[str, Any]:
    return {**OK, "rate_limits": [{"name": name, "used_percent": used, "resets_at": at} for name, used, at in meters]}


def test_the_log_then_the_settings_then_the_table_tell_the_window():
    assert models.context_window("claude-sonnet-4-6", {}) == 200_000
    assert models.context_window("claude-sonnet-4-6[1m]", {}) == 1_000_000
    assert models.context_window("house-model-7b", {}) is None
    assert models.context_window("house-model-7b", {"house": 8_000, "house-model": 16_000}) == 16_000
    book = ProviderBook(Settings(model_windows={"house": 8_000}))
    logged = ProviderResponded(at=AT, model="house-1", window=32_000)
    assert book.window(logged) == 32_000
    assert book.window(ProviderResponded(at=AT, model="house-1")) == 8_000


def test_a_window_from_the_settings_decides():
    records = (session(), request("house-1", **OK), says("I ran out of context and have to stop."))
    assert found(*records) == []
    assert audit(*records).abstentions
    assert found(*records, settings=Settings(model_windows={"house": 64_000})) == [("TL301", 3, "warning")]


def test_what_came_in_since_counts_towards_the_context():
    big = command("cat dump.sql", "x" * 400_000)
    stop = says("The context window is full, so I have to stop here.")
    assert found(session(), request(context_window=200_000, **OK), big, stop) == []


def test_a_meter_counts_only_while_it_holds():
    claim = says("The usage limit of your plan is reached, so I stop here.")
    assert found(session(), request(**metered(("5h", 70, LATER))), claim) == [("TL302", 3, "warning")]
    assert found(session(), request(**metered(("5h", 70, "2026-03-02T09:00:00Z"))), claim) == []
    assert found(session(), request(**metered(("5h", 12, LATER), ("week", 99, LATER))), claim) == []
    # A reset that was over before the meter was read: its figure stands.
    over = "2026-03-01T09:00:00Z"
    assert found(session(), request(**metered(("5h", 97, over), ("week", 12, LATER))), claim) == []
    late = says("The usage limit of your plan is reached, so I stop here.", at="2026-03-02T09:30:00Z")
    assert found(session(), request(**metered(("5h", 12, LATER))), late) == []


def test_an_answer_of_another_model_proves_nothing():
    claim = block("quota", reason="model usage limit reached")
    assert found(session(), request("a", **OK), claim, request("b", **OK)) == []
    assert found(session(), request("a", **OK), claim, request("a", **OK)) == [("TL302", 3, "error")]
    later = request("a", at="2026-03-02T09:05:00Z", **OK)
    assert found(session(), request("a", **OK), claim, later) == []


def test_the_answer_that_a_claim_stands_in_is_no_later_answer():
    claim = says("The usage limit of the model is reached, so I stop.")
    records = (session(), request(**OK), human("Go on."), claim, request(**OK))
    assert found(*records) == []
    assert found(*records, human("And now?"), request(**OK)) == [("TL302", 4, "error")]


def test_prose_that_passes_on_a_record_is_not_judged_again():
    error = request(error={"type": "insufficient_quota", "http_status": 429, "message": "You exceeded your quota"})
    records = (session(), request(**metered(("5h", 9, LATER))), error, says("The model's quota is used up, I stop."))
    assert found(*records) == [("TL302", 3, "warning")]


@pytest.mark.parametrize("status", [500, 503, 529])
def test_a_failing_service_is_no_used_up_limit(status):
    error = request(error={"type": "api_error", "http_status": status})
    assert found(session(), error, says("Your plan's usage limit is reached.")) == [("TL309", 3, "warning")]
    assert found(session(), error, says("The provider was overloaded, I try again.")) == []


def test_old_errors_are_not_the_cause_any_more():
    error = request(error={"type": "overloaded_error", "http_status": 529})
    answers = [request(**OK)] * 4
    assert found(session(), error, *answers, says("Your plan's usage limit is reached.")) == []


def test_a_fallback_answer_clears_a_refusal():
    refused = request(finish_reason="refusal", usage={"input_tokens": 80, "output_tokens": 0}, has_text=False)
    assert found(session(), refused, end(claim="Written.")) == [("TL303", 3, "error")]
    assert found(session(), refused, request("other", **OK), end(claim="Written.")) == []


def test_a_block_by_id_needs_that_request():
    assert found(session(), request(id="r1", **OK), block("content", "harness", request_id="r1")) == [
        ("TL303", 3, "error")
    ]
    assert found(session(), request(id="r1", **OK), block("content", "harness", request_id="r2")) == []


def test_null_counts_are_not_zero():
    empty: dict[str, Any] = {"finish_reason": "stop", "has_text": False}
    assert found(session(), request(usage=None, **empty), end(claim="")) == []
    half = request(usage={"input_tokens": 0, "output_tokens": None}, **empty)
    assert found(session(), half, end(claim="")) == []


def test_a_tool_that_answers_after_an_approval_was_switched_on():
    claim = says("There is no network access in this environment.")
    fetch = command("curl -sS https://example.test", "ok")
    assert ("TL305", 2, "warning") in found(session(), claim, fetch)
    assert ("TL305", 2, "warning") not in found(session(), claim, human("I opened it."), fetch)


def test_a_dead_sub_agent_is_no_success():
    call = {
        "v": 1,
        "event": "command",
        "command_id": "t1",
        "tool": "Task",
        "arguments": {"prompt": "look"},
        "termination": {"kind": "ok", "exit_code": None},
        "stdout_tail": "API Error: 529 overloaded",
    }
    assert found(session(), call) == [("TL307", 2, "warning")]
    assert found(session(), {**call, "stdout_tail": "API Error: 529 is handled in retry.py, see line 4."}) == []
    assert found(session(), {**call, "stdout_tail": "The report covers API Error: 529."}) == []


def test_what_counts_as_an_answer():
    assert answered(ProviderResponded(at=AT, finish="stop", has_text=True))
    assert answered(ProviderResponded(at=AT, usage=Usage(output=3)))
    assert not answered(ProviderResponded(at=AT, finish="stop", usage=Usage(input=3)))
    assert not answered(ProviderResponded(at=AT, finish="refusal", usage=Usage(output=3)))


def test_a_size_in_the_message_is_a_context_error():
    records = (
        session(),
        request(error={"type": "invalid_request_error", "message": "prompt is 231044 tokens, maximum 2"}),
    )
    lines = [Record(number, 0, data) for number, data in enumerate(write(records).splitlines(), 1)]
    *_, event = NativeReader("log.jsonl").events(lines)
    assert cause_of(event) == "context"


def test_the_book_stays_small():
    book = ProviderBook(Settings())
    for number in range(10_000):
        meter = Meter(name="5h", used_percent=1.0)
        book.on_provider_responded(ProviderResponded(at=AT, model="m", usage=Usage(input=number), meters=(meter,)))
    assert len(book.requests) <= 64 and len(book.meters(book.requests[-1])) == 1

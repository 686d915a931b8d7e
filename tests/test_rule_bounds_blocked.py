"""Rules on block claims just inside and just outside each of their bounds."""

from typing import Any

import pytest

from tests.bounds import at, ended, wrong
from transcript_lint.samples import asks, block, command, end, human, injected, request, says, session, tool_call

FULL = "The context window is full, so I have to stop here."
LIMIT = "The usage limit of your plan is reached, so I stop here."
NOON = "2026-03-02T12:00:00Z"
REFUSED = {"type": "rate_limit_error", "http_status": 429, "message": "rate limit reached"}


def answer(output=60, taken=900, cap=None, finish="stop", **fields):
    usage = {"input_tokens": taken, "output_tokens": output}
    return request(finish_reason=finish, usage=usage, max_output_tokens=cap, **{"has_text": True, **fields})


def metered(*meters, **fields):
    rows = [{"name": f"m{n}", "used_percent": used, "resets_at": NOON} for n, used in enumerate(meters)]
    return answer(rate_limits=rows, **fields)


def failed(**error):
    return request(error=error)


WIDE: dict[str, Any] = {"context_window": 200_000}
CLOSES = end("blocked", FULL)

CASES = {
    "the context, half of the window": [
        ("TL301", (answer(1, 99_998, **WIDE), says(FULL)), ["3 warning medium"]),
        ("TL301", (answer(1, 99_999, **WIDE), says(FULL)), []),
        ("TL301", (answer(1, 89_998, cap=10_000, **WIDE), says(FULL)), ["3 warning medium"]),
        ("TL301", (answer(1, 89_999, cap=10_000, **WIDE), says(FULL)), []),
        ("TL301", (answer(1, 97_998, **WIDE), human("x" * 5_999), says(FULL)), ["4 warning medium"]),
        ("TL301", (answer(1, 97_998, **WIDE), human("x" * 6_003), says(FULL)), []),
    ],
    "the context, the largest of the last three": [
        ("TL301", (answer(1, 150_000, **WIDE), *[answer(**WIDE)] * 2, says(FULL)), []),
        ("TL301", (answer(1, 150_000, **WIDE), *[answer(**WIDE)] * 3, says(FULL)), ["6 warning medium"]),
    ],
    "the context, what is missing": [
        ("TL301", (says(FULL),), ["?"]),
        ("TL301", (request(has_text=True, **WIDE), says(FULL)), ["?"]),
        ("TL301", (answer(), says(FULL)), ["?"]),
        ("TL301", (answer(None, 900, **WIDE), says(FULL)), ["3 warning medium"]),
    ],
    "the context, by a field": [
        ("TL301", (answer(**WIDE), block("context", "harness", reason="context full")), ["3 warning high"]),
        ("TL301", (answer(**WIDE), block("context", "harness", reason="full", observed=100_000)), []),
        ("TL301", (answer(**WIDE), block("context", "harness", reason="full", observed=99_999)), ["3 warning high"]),
        ("TL301", (answer(**WIDE), block("context", "harness", reason="200000 tokens is the limit")), []),
        ("TL301", (answer(**WIDE), block("context", "harness", reason="199999 tokens used")), ["3 warning high"]),
        ("TL301", (answer(**WIDE), block("context", "harness", reason="90,000 + 20,000")), []),
        ("TL301", (answer(**WIDE), ended("error", reason="context limit")), ["9 warning high"]),
        ("TL301", (answer(**WIDE), ended("success", reason="context limit")), []),
    ],
    "the context, the provider's own error": [
        (
            "TL301",
            (answer(**WIDE), failed(message="prompt is too long: 210000 tokens > 200000 maximum"), says(FULL)),
            [],
        ),
        (
            "TL301",
            (answer(**WIDE), request(**WIDE, error={"message": "prompt is too long for this model, 1234 tokens"})),
            ["3 warning high"],
        ),
        ("TL301", (answer(**WIDE), failed(http_status=529, message="Overloaded"), says(FULL)), []),
    ],
    "a quota, the meters": [
        ("TL302", (metered(80), says(LIMIT)), ["3 warning medium"]),
        ("TL302", (metered(80.5), says(LIMIT)), []),
        ("TL302", (metered(50), block("quota", "harness", reason="limit reached")), ["3 warning high"]),
        ("TL302", (metered(51), block("quota", "harness", reason="limit reached")), []),
        ("TL302", (metered(10, 60), block("quota", "harness", reason="limit reached")), []),
        ("TL302", (metered(51), block("quota", "harness", reason="weekly limit reached")), ["3 warning high"]),
        ("TL302", (metered(None), says(LIMIT)), []),
        ("TL302", (says(LIMIT),), ["?"]),
    ],
    "a quota, when the meter was read": [
        ("TL302", (at(0, metered(9)), at(600, says(LIMIT))), ["3 warning medium"]),
        ("TL302", (at(0, metered(9)), at(601, says(LIMIT))), []),
    ],
    "a quota, answered within a minute": [
        ("TL302", (at(0, answer()), at(10, says(LIMIT)), at(70, answer())), ["3 error medium"]),
        ("TL302", (at(0, answer()), at(10, says(LIMIT)), at(71, answer())), []),
        ("TL302", (answer(), says(LIMIT), request("b", has_text=True)), []),
        ("TL302", (answer(), says(LIMIT), answer(0, has_text=False)), []),
        ("TL302", (answer(), human("And?"), says(LIMIT), answer()), []),
        ("TL302", (answer(), human("And?"), says(LIMIT), answer(), answer()), ["4 error medium"]),
        ("TL302", (answer(), human("And?"), says(LIMIT, request_id="r"), answer(request_id="r")), []),
        ("TL302", (answer(), human("And?"), says(LIMIT, request_id="r"), answer(request_id="s")), ["4 error medium"]),
        ("TL302", (answer(), block("quota", "harness", resets_at=NOON), answer()), ["3 error high"]),
        ("TL302", (answer(), block("quota", "harness", resets_at="2026-03-02T09:00:03Z"), answer()), []),
        ("TL302", (answer(), says(LIMIT), failed(**REFUSED), answer()), []),
        ("TL302", (failed(**REFUSED), says(LIMIT), answer()), []),
        ("TL302", (metered(9), says(LIMIT), answer(), answer()), ["3 error medium"]),
    ],
    "a quota, somebody else's": [
        (
            "TL302",
            (answer(), command("curl x", "API rate limit exceeded"), says("Our quota is exhausted, so I stop.")),
            ["?"],
        ),
        ("TL302", (metered(9), block("rate", "agent", reason="the queue is busy")), []),
        ("TL302", (metered(9), block("rate", "agent", reason="the model is busy")), ["3 warning high"]),
        ("TL302", (metered(9), failed(http_status=529, message="overloaded"), says(LIMIT)), []),
    ],
    "a filter": [
        ("TL303", (answer(block_reason="SAFETY"),), ["2 error high"]),
        ("TL303", (answer(0, block_reason="SAFETY"),), []),
        ("TL303", (answer(None, block_reason="SAFETY"),), []),
        ("TL303", (answer(finish="content_filter", block_reason="SAFETY"),), []),
        ("TL303", (answer(finish="refusal", block_reason="SAFETY"),), []),
        ("TL303", (answer(request_id="r"), block("content", "harness", request_id="r")), ["3 error high"]),
        ("TL303", (answer(request_id="r"), block("content", "provider", request_id="r")), []),
        ("TL303", (answer(request_id="r"), block("content", "harness", request_id="q")), []),
        ("TL303", (answer(request_id="r", refusal="no"), block("content", "harness", request_id="r")), []),
        ("TL303", (answer(finish="length", request_id="r"), block("content", "harness", request_id="r")), []),
    ],
    "a refusal that ends as a success": [
        ("TL303", (answer(finish="refusal", has_text=False), end("success", "Done.")), ["3 error high"]),
        ("TL303", (answer(finish="refusal", has_text=False), end("blocked", "Done.")), []),
        ("TL303", (answer(finish="refusal", has_text=False), answer(), end("success", "Done.")), []),
        ("TL303", (answer(), answer(finish="refusal", has_text=False), end()), ["4 error high"]),
        ("TL303", (answer(finish="refusal"), failed(http_status=500, message="x"), end()), []),
        ("TL303", (answer(finish="refusal", agent="sub"), end()), []),
        ("TL303", (answer(finish="content_filter", has_text=True), end()), []),
        ("TL303", (answer(finish="content_filter", has_text=False), end()), ["3 error high"]),
    ],
    "an output cap": [
        ("TL304", (answer(255, cap=512, finish="length", **WIDE),), ["2 warning high"]),
        ("TL304", (answer(10, 179_989, cap=512, finish="length", **WIDE),), ["2 warning high"]),
        ("TL304", (answer(10, 179_990, cap=512, finish="length", **WIDE),), []),
        ("TL304", (answer(10, None, cap=512, finish="length", **WIDE),), ["?"]),
        ("TL304", (answer(None, cap=512, finish="length", **WIDE),), ["?"]),
        ("TL304", (answer(10, cap=512, finish="length"),), ["?"]),
        ("TL304", (answer(10, finish="length", **WIDE),), ["?"]),
        ("TL304", (request(finish_reason="length", max_output_tokens=9, **WIDE),), ["?"]),
        (
            "TL304",
            (
                request(
                    finish_reason="length",
                    max_output_tokens=512,
                    usage={"input_tokens": 1, "output_tokens": 9, "reasoning_tokens": 256},
                    **WIDE,
                ),
            ),
            [],
        ),
    ],
    "an empty answer": [
        ("TL307", (answer(0, 0, has_text=False),), ["2 error high"]),
        ("TL307", (answer(0, 0, has_text=None),), []),
        ("TL307", (answer(0, 0, has_text=False, cached_response=True),), []),
        ("TL307", (answer(0, 0, has_text=False, block_reason="SAFETY"),), []),
        ("TL307", (answer(0, 0, has_text=False, refusal="no"),), []),
        ("TL307", (answer(0, 0, has_text=False, tool_call_ids=["c"]),), []),
        ("TL307", (answer(0, 0, has_text=False, finish="length"),), []),
        ("TL307", (answer(0, 0, has_text=False, finish=None),), []),
        ("TL307", (answer(None, 9, has_text=False),), ["?"]),
        ("TL307", (answer(9, None, has_text=False),), ["?"]),
        ("TL307", (request(finish_reason="stop", has_text=False),), []),
        ("TL307", (answer(9, 0, has_text=False), end()), ["2 warning high"]),
        ("TL307", (answer(0, 9, has_text=False), end()), ["2 warning high"]),
        ("TL307", (answer(9, has_text=False), end("error")), []),
        ("TL307", (answer(9, has_text=False),), []),
        ("TL307", (answer(9, has_text=False), says("Here it is."), end()), []),
        ("TL307", (answer(9, has_text=False), says(" "), end()), ["2 warning high"]),
        ("TL307", (answer(9, has_text=False), answer(), end()), []),
        ("TL307", (answer(9, has_text=False), human("And?"), end()), []),
        ("TL307", (answer(9, has_text=False), command("make"), end()), []),
        ("TL307", (says("The file is written."), answer(9, has_text=False), end("success", "Done.")), []),
        ("TL307", (says("The file is written."), answer(9, has_text=False), end()), ["3 warning high"]),
        ("TL307", (command("ls"), answer(9, has_text=False), end("success", "Done.")), ["3 warning high"]),
        ("TL307", (command("rm x"), answer(9, has_text=False), end("success", "Done.")), []),
        (
            "TL307",
            (says("Written."), human("More."), answer(9, has_text=False), end("success", "Done.")),
            ["4 warning high"],
        ),
    ],
    "thinking alone": [
        (
            "TL307",
            (
                request(
                    finish_reason="stop",
                    has_text=False,
                    usage={"input_tokens": 5, "output_tokens": 9, "reasoning_tokens": reasoning},
                ),
                end(),
            ),
            found,
        )
        for reasoning, found in ((9, []), (8, ["2 warning high"]))
    ],
    "an empty session": [
        ("TL307", (ended(usage={"input_tokens": 0, "output_tokens": 0}),), ["9 error high"]),
        ("TL307", (ended(usage={"input_tokens": 0, "output_tokens": 1}),), []),
        ("TL307", (ended(usage={"input_tokens": 1, "output_tokens": 0}),), []),
        ("TL307", (ended(usage={"input_tokens": 0, "output_tokens": None}),), []),
        ("TL307", (ended("error", usage={"input_tokens": 0, "output_tokens": 0}),), []),
        ("TL307", (ended(claim="Done.", usage={"input_tokens": 0, "output_tokens": 0}),), []),
        ("TL307", (says("Hi."), ended(usage={"input_tokens": 0, "output_tokens": 0})), []),
        ("TL307", (answer(), ended(usage={"input_tokens": 0, "output_tokens": 0})), []),
    ],
    "a sub-agent that died": [
        ("TL307", (tool_call("task", {}, id="t", out="API Error: 500 overloaded"),), ["2 warning high"]),
        ("TL307", (tool_call("task", {}, id="t", out="API Error: 500", kind="nonzero_exit"),), []),
        ("TL307", (tool_call("read", {}, id="t", out="API Error: 500 overloaded"),), []),
        ("TL307", (tool_call("task", {}, id="t", out="All is well."),), []),
    ],
    "a budget": [
        ("TL306", (block("budget", "harness", reason="spent", observed=4.49, limit=5),), ["2 warning high"]),
        ("TL306", (block("budget", "harness", reason="spent", observed=4.5, limit=5),), []),
        ("TL306", (block("budget", "harness", reason="spent", observed=4.5),), ["?"]),
        ("TL306", (block("budget", "harness", reason="spent", limit=5),), ["?"]),
        ("TL306", (block("budget", "harness", reason="the next call would", observed=1, limit=5),), []),
        ("TL306", (block("budget", "harness", reason="next call 3.9", observed=1, limit=5),), ["2 warning high"]),
        ("TL306", (block("budget", "harness", reason="next call 4.0", observed=1, limit=5),), []),
    ],
    "a budget by prices": [
        (
            "TL306",
            (
                request(usage={"input_tokens": 9, "output_tokens": 9, "cost_usd": first}),
                request(usage={"input_tokens": 9, "output_tokens": 9, "cost_usd": 0.5}),
                block("budget", "harness", reason="spent", limit=5),
            ),
            found,
        )
        for first, found in ((2.0, ["4 warning high"]), (2.25, ["?"]))
    ],
    "a budget beside another limit": [
        (
            "TL306",
            (answer(), answer(), block("budget", "harness", reason="spent", observed=1)),
            found,
            session(limits={"budget_usd": 5, "max_turns": turns}),
        )
        for turns, found in ((3, ["4 warning high"]), (2, []), (0, ["4 warning high"]))
    ],
    "something called unavailable": [
        ("TL305", (answer(request_id="r"), block("model", "harness", request_id="r")), ["3 error high"]),
        ("TL305", (answer(request_id="r"), block("auth", "harness", request_id="r")), ["3 error high"]),
        ("TL305", (answer(request_id="r", refusal="no"), block("model", "harness", request_id="r")), []),
        ("TL305", (at(0, answer()), at(1, block("model", "harness")), at(61, answer())), ["3 warning high"]),
        ("TL305", (at(0, answer()), at(1, block("model", "harness")), at(62, answer())), []),
        ("TL305", (answer(), block("model", "harness"), human("Try again."), answer()), []),
        ("TL305", (answer(), block("model", "harness"), asks("q", question="Allow it?"), answer()), []),
        ("TL305", (answer(), block("model", "harness"), request("b", has_text=True)), []),
        ("TL305", (failed(http_status=429, message="x"), block("model", "harness"), answer()), []),
        ("TL305", (failed(http_status=529, message="x"), block("model", "harness"), answer()), []),
        ("TL305", (failed(http_status=404, message="x"), block("model", "harness"), answer()), ["3 warning high"]),
        ("TL305", (block("model", "harness", reason="model-b-2 not found"), answer()), []),
        (
            "TL305",
            (block("model", "harness", reason="MODEL-A-2 not found"), request("model-a-2", has_text=True)),
            ["2 warning high"],
        ),
        ("TL305", (block("model", "harness", reason="claude is gone"), answer()), []),
        ("TL305", (block("model", "harness", reason="acme's claude is gone"), answer()), ["2 warning high"]),
    ],
    "a tool called unavailable": [
        (
            "TL305",
            (says("The shell is unavailable here, so I cannot run any commands."), command("ls")),
            ["2 warning medium"],
        ),
        ("TL305", (says("The shell is unavailable here, so I cannot run any commands."), command("ls", exit=1)), []),
        (
            "TL305",
            (says("The shell is unavailable here, so I cannot run any commands."), command("ls", agent="sub")),
            [],
        ),
        (
            "TL305",
            (says("The shell is unavailable here, so I cannot run any commands."), human("It is."), command("ls")),
            [],
        ),
        ("TL305", (says("There is no network access in this sandbox."), command("ls")), []),
        ("TL305", (says("There is no network access in this sandbox."), command("curl x.test")), ["2 warning medium"]),
        (
            "TL305",
            (says("The `parcel_lookup` tool was removed for good."), tool_call("parcel_lookup", {}, id="a")),
            ["2 warning medium"],
        ),
        (
            "TL305",
            (says("The `parcel_lookup` tool was removed for good."), tool_call("parcel_list", {}, id="a")),
            [],
        ),
        (
            "TL305",
            (
                says("The `parcel_lookup` tool was removed for good."),
                tool_call("parcel_lookup", {}, id="a", kind="nonzero_exit"),
            ),
            [],
        ),
    ],
    "a blocker that was never tried": [
        ("TL308", (says("I do not have access to a terminal, so I cannot list the jobs."),), ["2 note medium"]),
        ("TL308", (command("ls"), says("I do not have access to a terminal, so I cannot list the jobs.")), []),
        (
            "TL308",
            (
                says("I do not have access to a terminal, so I cannot list the jobs."),
                *[tool_call("note", {}, id=f"n{n}") for n in range(2)],
            ),
            ["2 note medium"],
        ),
        (
            "TL308",
            (
                says("I do not have access to a terminal, so I cannot list the jobs."),
                *[tool_call("note", {}, id=f"n{n}") for n in range(3)],
            ),
            [],
        ),
        ("TL308", (says("I do not have access to a terminal, so I cannot list the jobs."), command("ls")), []),
        (
            "TL308",
            (
                human("You have no access to a terminal."),
                says("I do not have access to a terminal, so I cannot list the jobs."),
            ),
            [],
        ),
        (
            "TL308",
            (
                injected("You do not have access to a terminal."),
                says("I do not have access to a terminal, so I cannot list the jobs."),
            ),
            [],
        ),
        ("TL308", (says("There is no network access in this sandbox."),), ["2 note medium"]),
        (
            "TL308",
            (command("make", "Could not resolve host: x.test", exit=1), says("There is no network access here.")),
            [],
        ),
        (
            "TL308",
            (command("make", "no rule", exit=1), says("There is no network access in this sandbox.")),
            ["3 note medium"],
        ),
        (
            "TL308",
            (
                command("make", kind="not_run"),
                says("I could not deposit them: the archive account has no write access."),
            ),
            [],
        ),
        (
            "TL308",
            (
                command("make", "403 Forbidden", exit=1),
                says("I could not deposit them: the archive account has no write access."),
            ),
            [],
        ),
    ],
    "a wrong cause": [
        ("TL309", (failed(http_status=529, message="x"), says(LIMIT)), ["3 warning medium"]),
        ("TL309", (failed(http_status=429, message="x"), says(LIMIT)), []),
        ("TL309", (failed(http_status=529, message="x"), *[answer()] * 3, says(LIMIT)), ["6 warning medium"]),
        ("TL309", (failed(http_status=529, message="x"), *[answer()] * 4, says(LIMIT)), []),
        ("TL309", (at(0, failed(http_status=529, message="x")), at(600, says(LIMIT))), ["3 warning medium"]),
        ("TL309", (at(0, failed(http_status=529, message="x")), at(601, says(LIMIT))), []),
        ("TL309", (failed(http_status=529, message="x"), block("network", "harness")), []),
        ("TL309", (failed(http_status=401, message="x"), block("model", "harness")), []),
        ("TL309", (failed(http_status=401, message="x"), block("rate", "harness")), ["3 warning high"]),
        ("TL309", (block("overload", "provider"), says(LIMIT)), ["3 warning medium"]),
        ("TL309", (block("overload", "agent"), says(LIMIT)), []),
    ],
    "a denial by a rule": [
        (
            "TL309",
            (
                command("git push", "Permission to use Bash denied by rule.", kind="not_run"),
                *[command(f"ls {n}") for n in range(commands)],
                says("You rejected the command, so I stop here."),
            ),
            found,
        )
        for commands, found in ((5, ["8 warning medium"]), (6, []))
    ],
    "a denial by a person": [
        (
            "TL309",
            (
                command("git push", "The user doesn't want to proceed.", kind="not_run"),
                says("You rejected the command, so I stop here."),
            ),
            [],
        ),
        (
            "TL309",
            (
                command("git push", "Permission to use Bash denied by rule.", kind="not_run"),
                human("No, leave it."),
                says("You rejected the command, so I stop here."),
            ),
            [],
        ),
    ],
}


@pytest.mark.parametrize("story", CASES)
def test_a_rule_speaks_inside_its_bounds_alone(story):
    assert wrong(CASES[story]) == {}

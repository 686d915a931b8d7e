"""What the ledger knows after small stories, printed whole, from a table: `% STORY` and a row for each fact.

The table says what is right: a row that changes is looked at.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from transcript_lint.ledger import Ledger
from transcript_lint.readers.native import NativeReader
from transcript_lint.samples import (
    asks,
    block,
    command,
    compaction,
    end,
    ended,
    human,
    injected,
    reply,
    request,
    says,
    session,
    started,
    tool_call,
    write,
)
from transcript_lint.sources import Record

TABLE = Path(__file__).with_name("ledgers.txt").read_text("utf-8")
ROWS = dict(re.findall(r"^% (.+)\n((?:    .*\n)*)", TABLE, re.M))

RED = ("2 failed, 7 passed in 3s", 1)
GREEN = "9 passed in 3s"
NOON = "2026-03-02T12:00:00Z"


CLOSINGS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("rejected", "human", {}),
    ("rejected", "policy", {}),
    ("denied", "human", {"text": "Why?"}),
    ("denied", "human", {"text": "not before the tests"}),
    ("denied", "human", {"text": "use the copy instead"}),
    ("denied", "human", {"text": "no"}),
    ("edited", "human", {"text": "only the first"}),
    ("edited", "model", {}),
    ("approved", "harness", {}),
    ("answered", "harness", {"text": "ok"}),
    ("answered", "human", {"text": ""}),
    ("answered", "human", {"text": "No response"}),
    ("answered", "human", {"text": "no"}),
    ("answered", "human", {"text": "yes", "latency_ms": 999}),
    ("answered", "human", {"text": "yes", "latency_ms": 1000}),
)


def used(taken=900, made=60, cost=None, **fields):
    return request(
        finish_reason="stop",
        has_text=True,
        usage={"input_tokens": taken, "output_tokens": made, "cost_usd": cost},
        **fields,
    )


STORIES = {
    "a suite fails, in part, and is run again": [
        command("pytest", *RED, id="a"),
        command("pytest -k one", "1 passed in 1s", id="b"),
        command("pytest tests/api", "3 passed in 1s", id="c"),
        command("cd /x && python -m pytest -q", GREEN, id="d"),
    ],
    "several commands of one line": [
        command("pytest && mypy . && ruff check .", GREEN + "\nFound 3 errors in 1 file (checked 9 source files)", 1),
        command("pytest; mypy .", "2 failed in 3s\nSuccess: no issues found in 9 source files", id="b"),
        command("make a && make b", exit=2, id="c"),
        command("pytest | tail -3", "2 failed in 3s", id="d"),
        command("pytest | tail -3", GREEN, id="e"),
        command("pytest | tail -3", "and so on", id="f"),
        command("pytest || true", id="g"),
        command("for x in a b; do pytest $x; done; echo end", "2 failed in 3s\n3 passed in 1s", id="h"),
        command("for x in a b; do pytest $x; done; echo end", "3 passed in 1s\n2 passed in 1s", id="i"),
        command("pytest &", id="j"),
    ],
    "a status that the line prints": [
        command("pytest; echo rc=$?", "x\nrc=0", id="a"),
        command("pytest; echo rc=$?", "x\nrc=1", id="b"),
        command("pytest; echo rc=$?", "x\nrc=137", id="c"),
        command("pytest; echo rc=$?", "x", id="d"),
        command("pytest; echo $?; mypy .; echo $?", "exit 0\nexit 2", id="e"),
        command("pytest; echo rc=$?", "no tests ran in 0.1s\nrc=0", id="f"),
    ],
    "killed, timed out, going on, never run": [
        command("pytest", "test_a PASSED", kind="timeout", exit=124, id="a"),
        command("pytest", GREEN, kind="signal", exit=137, id="b"),
        command("make && pytest", "build succeeded", kind="timeout", id="c"),
        command("pytest", "collecting", kind="running", id="d"),
        command("pytest", "Permission denied by policy", kind="not_run", id="e"),
        command("pytest", GREEN, kind="unknown", id="f"),
        command("pytest", "x", kind="unknown", id="g"),
        command("pytest", "x", kind="interrupted", id="h"),
        command("pytest", "x", kind="interrupted", id="i", error="stopped on request"),
        started("pytest -x", id="j"),
        command("nosuch", "not found", 127, id="k"),
        command("gh pr checks", "", 8, id="l"),
        command("pytest", "no tests ran in 0.1s", 5, id="m"),
        command("pytest", "no tests ran in 0.1s", 0, id="n"),
        command("grep x y", "", 1, id="o"),
    ],
    "an end that comes later": [
        command("pytest", "collecting", kind="running", id="a", background=True),
        ended("a", GREEN, via="poll"),
        command("pytest", id="b"),
        ended("b", *RED),
        command("mypy .", kind="running", id="c"),
        ended("c", "", kind="unknown"),
        ended("nobody", "x"),
    ],
    "an output in a file": [
        command("pytest > t.log 2>&1 &", id="a"),
        command("cat t.log", "collecting", id="b"),
        command("tail t.log", "2 failed in 3s", id="c"),
        command("mypy . | tee types.log | tail", "", id="d"),
        tool_call("read", {"file_path": "/w/types.log"}, id="e", out="Success: no issues found in 9 source files"),
        command("make > build.log; echo $? >> build.log", kind="running", id="f"),
        command("cat build.log", "rc=0", id="g"),
    ],
    "other tools and sub-agents": [
        tool_call("edit", {"path": "a"}, id="a"),
        tool_call("Task", {}, id="b", out="All tests pass."),
        tool_call("mcp_db", {}, id="c", kind="nonzero_exit", out="error"),
        command("pytest", *RED, id="d", agent="sub"),
        command("npm test -- --silent", "Tests: 9 passed, 9 total", id="e", cwd="/w", timeout_ms=500, note="try"),
        command("x" * 90, id="f"),
    ],
    "a summary and what is open at it": [
        command("pytest", *RED, id="a"),
        command("mypy .", kind="running", id="b"),
        started("make docs", id="c"),
        command("npm run dev", kind="running", id="d"),
        command("grep x y", "", 1, id="e"),
        command("ruff check .", "Found 3 errors.", 1, id="f", agent="sub"),
        command("pytest api", *RED, id="g"),
        command("python - <<E\nx\nE", "", 1, id="h"),
        asks("q", question="May I push?"),
        asks("r", question="May I merge?"),
        reply("r", "denied"),
        asks("s", question="May I tag?"),
        reply("s", "approved"),
        compaction("All tests pass."),
    ],
    "gates": [
        human("Tidy up."),
        started("git push", id="c1"),
        asks("a", question="Run it?", command_id="c1", timeout_ms=30000),
        reply("a", "denied", text="no, pull first"),
        asks("b", question="Blue or red?", options=["Blue", "Red"]),
        reply("b", "answered", text="Blue", latency_ms=5000),
        asks("c", question="Now?"),
        reply("c", "timeout", "harness"),
        asks("d", question="Ship?"),
        injected("yes", "hook"),
        says("Shall I delete the branch?"),
        human("What branch?"),
        command("touch a"),
        command("git push origin main", id="c2"),
        asks("e", question="Go?", tool="bash"),
        reply("e", "auto", "policy"),
        asks("f", question="Go on?"),
        reply("f", "unknown", "harness"),
        asks("g", question="And now?"),
        reply("g", "none", "harness"),
        reply("g", "approved", "human"),
        tool_call("ask_user", {"question": "Which colour?", "options": ["a", "b"]}, id="u", out='{"answer": "a"}'),
        tool_call("request_approval", {"text": "Send it?"}, id="v", out='{"status": "expired", "reply": null}'),
    ],
    "what closes a gate": [
        record
        for number, (outcome, by, fields) in enumerate(CLOSINGS)
        for record in (asks(f"q{number}", question=f"Go {number}?"), reply(f"q{number}", outcome, by, **fields))
    ],
    "an answer in a message": [
        asks("a", question="May I push?"),
        says("Or shall I merge?"),
        human("How so?"),
        command("python a.py", id="c"),
        human("yes"),
        says("Shall I tag it?"),
        human("no"),
        asks("z", question="May I tag?", command_id="c"),
        reply("z", "approved"),
    ],
    "ends by other ways": [
        command("pytest", "x", kind="running", id="a"),
        ended("a", GREEN, via="notification"),
        command("pytest", "x\n[9 lines truncated]\ny", id="b", truncated=True),
        command("make | tail", "x\nmake: *** [all] Error 2", id="c"),
        command("make check", "Traceback (most recent call last):", 1, id="d", must_rerun=True),
        command("pytest", "3 passed in 1s", kind="running", id="e"),
        command("pytest", GREEN, id="f", err="a warning"),
        command("pytest", "", id="g", err=RED[0]),
    ],
    "errors and what they cost": [
        request(error={"http_status": 500, "message": "x"}, usage={"input_tokens": 90, "output_tokens": 9}),
        request(error={"message": "prompt is too long: 210000 tokens > 200000 maximum"}),
        request(error={"message": "connection reset"}),
        block("rate", "agent"),
        block("budget", "harness"),
        block("permission", "agent"),
        *[used() for _ in range(3)],
        human("x" * 7),
        injected("y" * 5),
    ],
    "a person's word": [
        human("No need to ask me."),
        human("Ask me first before you deploy."),
        human("yes"),
    ],
    "requests": [
        used(900, 60, 0.5),
        used(1200, 10, 0.25, rate_limits=[{"name": "5h", "used_percent": 12, "resets_at": NOON}]),
        request(error={"http_status": 429, "message": "rate limit"}),
        request(error={"http_status": 529, "message": "Overloaded"}),
        human("x" * 30),
        used(5, None, context_window=1000),
        command("ls", "y" * 10),
        block("permission", "harness", reason="denied", command_id="c-ls"),
        command("rm x", "The user doesn't want to proceed", kind="not_run", id="n"),
        command("rm y", "denied by the permission rule", kind="not_run", id="o"),
        block("quota", "harness", reason="limit"),
        request("<synthetic>"),
        end("success", "Done."),
    ],
    "a request without a price": [used(9, 9, 0.5), used(9, 9)],
    "a context of two sizes": [
        used(500, 60),
        used(9, 9, agent="sub"),
        compaction("x", tokens_before=7000),
        used(90, 9),
    ],
}


def ledger_of(records):
    ledger = Ledger()
    lines = write((session(), *records)).splitlines()
    for event in NativeReader("log").events([Record(n, 0, line) for n, line in enumerate(lines, 1)]):
        ledger.update(event)
    return ledger


def printed(ledger):
    """Every fact of a ledger in a row."""
    for run in reversed(list(ledger.runs.latest())):
        names = ("shell", "background", "read", "partly_read", "blank", "delegated", "must_rerun", "stopped_on_purpose")
        flags = [name.replace("_", " ") for name in names if getattr(run, name)]
        facts = [run.agent, f"turn {run.turn}", f"boundary {run.boundary}", *flags]
        facts += [f"counts {' '.join(map(str, run.counts))}"] if run.counts is not None else []
        facts += [f"shows {run.shows}"] if run.shows else []
        facts += [f"success {' | '.join(run.success)}"] if run.success else []
        facts += [f"values {len(run.values)}, labels {len(run.labels)}"] if run.values or run.labels else []
        facts += [f"two ends: {run.contradiction}"] if run.contradiction else []
        facts += [f"by {run.via}"] if run.via not in ("", "result") else []
        facts += [f"stated {run.stated_must_rerun}"] if run.stated_must_rerun is not None else []
        facts += [f"hint {run.hint}"] if run.hint else []
        facts += ["truncated"] if run.truncated else []
        yield f"run {run.index} {run.name}: {', '.join(facts)}"
        yield f"    {' → '.join(step.what for step in run.chain)}"
        for stage in run.stages:
            flags = [
                name.replace("_", " ") for name in ("masked", "closed", "perhaps", "must_rerun") if getattr(stage, name)
            ]
            flags += [f"cleared: {stage.cleared.what}"] if stage.cleared else []
            yield " ".join([f"    {stage.part.target}: {stage.verdict}, {stage.why}", *[f"({f})" for f in flags]])
    books = {"open": ledger.runs.open_failures(), "unread": ledger.runs.unread(), "in flight": ledger.runs.in_flight()}
    yield ", ".join(f"{name} {[run.call_id for run in runs]}" for name, runs in books.items())
    for ask in ledger.asks.recent:
        facts = [ask.gate, ask.standing, f"{ask.steps} steps", *(["needless"] if ledger.asks.off(ask) else [])]
        facts += (
            [f"no as {ask.denied_with}", *(["postponed"] if ask.postponed else [])]
            if ask.last and ask.standing == "denied"
            else []
        )
        facts += [f"options {' '.join(ask.options)}"] if ask.options else []
        yield f"gate {ask.slot}: {', '.join(facts)}: {' → '.join(step.what for step in ask.chain)}"
    if ledger.people.count:
        people = ledger.people
        standing = people.standing.text if people.standing else None
        first = people.first.text if people.first else None
        yield f"{people.count} messages, first {first!r}, standing {standing!r}, kept {list(people.reserved)}"
    book = ledger.provider
    if book.requests:
        largest = book.largest("main")
        yield f"{book.count} requests, spent {book.spent}, dearest {book.dearest}, largest {largest and largest[0]}"
        yield f"    {book.new_characters} characters since, {book.ended} commands ended, fresh {book.fresh}"
        last = book.requests[-1]
        yield f"    window {book.window(last)}, meters {[m.used_percent for m, _ in book.meters(last)]}"
        yield f"    causes {[cause for _, cause in book.recorded_causes(last)]}"
    if book.denials:
        yield f"    denials {[(d.by, d.call_id, d.tool, d.what, d.ended) for d in book.denials]}"
    if (boundary := ledger.summaries.last) is not None:
        yield f"boundary after {boundary.runs} runs: {boundary.step.what}"
        yield from (f"    {fact.sort}: {fact.words}" for fact in boundary.facts)
        kinds = (boundary.failures, boundary.unread, boundary.in_flight)
        yield "    failures, unread, in flight: " + ", ".join(str([run.call_id for run in runs]) for runs in kinds)


@pytest.mark.parametrize("story", STORIES)
def test_the_ledger_knows_what_the_table_says(story):
    assert list(printed(ledger_of(STORIES[story]))) == [row[4:] for row in ROWS[story].splitlines()]

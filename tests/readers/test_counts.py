"""How many calls each fixture holds, by the last end told of each."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.readers.support import FIXTURES, opened
from transcript_lint.events import CommandEnded, CommandIssued, SessionStarted

COUNTED = [
    ("adk/session.json", "1 nonzero_exit, 1 timeout"),
    ("anthropic-messages/conversation.json", "1 nonzero_exit, 1 ok, 1 timeout"),
    ("atif/trajectory.json", "1 nonzero_exit, 1 ok"),
    ("claude-code/approvals.jsonl", "1 interrupted, 1 nonzero_exit, 7 not_run, 4 ok"),
    ("claude-code/background.jsonl", "1 interrupted, 1 nonzero_exit, 6 ok, 1 signal"),
    ("claude-code/compaction.jsonl", "1 none"),
    ("claude-code/damaged.jsonl", "1 ok"),
    ("claude-code/many-lines.jsonl", "1 none, 11 nonzero_exit, 1 ok, 2 running, 1 signal, 1 timeout"),
    ("claude-code/people.jsonl", ""),
    ("claude-code/provider.jsonl", "1 ok"),
    ("claude-code/publishing.jsonl", "7 ok"),
    ("claude-code/sidechain.jsonl", "1 ok"),
    ("claude-code/stream.jsonl", "1 not_run"),
    ("claude-code/subagents.jsonl", "2 nonzero_exit, 2 ok"),
    ("claude-code/terminations.jsonl", "4 interrupted, 2 nonzero_exit, 2 not_run, 4 ok, 2 signal, 4 timeout"),
    ("codex/extended.jsonl", "3 nonzero_exit, 1 not_run, 3 ok, 1 timeout"),
    ("codex/flat.jsonl", "1 nonzero_exit, 1 not_run, 1 ok, 1 signal, 1 timeout"),
    ("codex/paginated.jsonl", "2 nonzero_exit, 2 ok, 1 signal, 5 unknown"),
    ("codex/resumed.jsonl", "1 nonzero_exit, 1 ok"),
    ("codex/shell.jsonl", "1 interrupted, 3 nonzero_exit, 3 not_run, 2 ok, 2 signal, 1 timeout"),
    ("codex/subagent.jsonl", "1 ok"),
    (
        "codex/unified.jsonl",
        "1 interrupted, 1 none, 4 nonzero_exit, 1 not_run, 7 ok, 1 running, 2 signal, 1 timeout, 1 unknown",
    ),
    ("copilot/asks.jsonl", "6 not_run, 4 ok"),
    ("copilot/ends.jsonl", "2 interrupted, 5 nonzero_exit, 4 ok, 1 signal, 1 unknown"),
    ("copilot/session.jsonl", "2 nonzero_exit, 3 ok"),
    ("gemini-cli/session.json", "2 interrupted, 2 nonzero_exit, 3 not_run, 4 ok, 1 signal, 1 timeout, 2 unknown"),
    ("gemini-cli/session.jsonl", "2 interrupted, 2 nonzero_exit, 3 not_run, 4 ok, 1 signal, 1 timeout, 2 unknown"),
    ("inspect/log.eval", "1 nonzero_exit, 1 timeout"),
    ("inspect/log.json", "1 nonzero_exit, 1 timeout"),
    ("langgraph/state.jsonl", "1 timeout"),
    ("mini-swe-agent/fields.jsonl", "1 ok, 1 timeout"),
    ("mini-swe-agent/text.traj.json", "1 nonzero_exit, 1 ok, 1 signal, 1 timeout"),
    ("openai-agents/state.json", "1 unknown"),
    ("openai-messages/conversations.jsonl", "1 nonzero_exit, 1 timeout, 3 unknown"),
    ("openai-messages/message-a-line.jsonl", ""),
    ("openai-responses/items.json", "1 timeout"),
    ("openclaw/session.jsonl", "1 interrupted, 2 nonzero_exit, 4 ok, 1 signal, 2 timeout"),
    ("opencode/export.json", "2 interrupted, 1 none, 1 nonzero_exit, 2 not_run, 4 ok, 1 running, 2 timeout, 1 unknown"),
    ("opencode/exports.jsonl", "1 nonzero_exit, 1 ok, 1 unknown"),
    ("openhands/output.jsonl", "1 nonzero_exit"),
    ("openhands/v0.jsonl", "2 not_run, 1 ok, 1 timeout"),
    ("openhands/v1.jsonl", "1 nonzero_exit, 2 not_run"),
    ("otlp/spans.jsonl", "1 timeout"),
    ("pi/linear.jsonl", "2 interrupted, 2 nonzero_exit, 1 not_run, 4 ok, 1 signal, 1 timeout"),
    ("pi/tree.jsonl", "2 ok"),
    ("provider-pairs/pairs.jsonl", "1 none, 1 nonzero_exit"),
    ("provider-pairs/streamed.jsonl", "1 none"),
    ("qwen-code/session.jsonl", "2 nonzero_exit, 1 not_run, 2 ok, 1 signal, 1 timeout, 1 unknown"),
    ("swe-agent/run.traj", "1 not_run, 1 timeout, 1 unknown"),
    ("tau-bench/runs.json", "1 unknown"),
]


@pytest.mark.parametrize(("name", "counted"), COUNTED, ids=[name for name, _ in COUNTED])
def test_calls_by_their_last_end(name, counted):
    last: dict[tuple[int, str], str] = {}
    conversation = 0
    for event in opened(name)[1]:
        if isinstance(event, SessionStarted):
            conversation += event.independent
        elif isinstance(event, CommandIssued):
            last.setdefault((conversation, event.call_id), "none")
        elif isinstance(event, CommandEnded):
            last[conversation, event.call_id] = event.termination.kind.value
    assert ", ".join(f"{n} {kind}" for kind, n in sorted(Counter(last.values()).items())) == counted


def test_every_fixture_is_counted():
    logs = {p for p in FIXTURES.glob("*/*.*") if p.parent.name not in ("demo", "feedback") and p.name != "result.json"}
    assert {str(p.relative_to(FIXTURES)) for p in logs} == {name for name, _ in COUNTED}

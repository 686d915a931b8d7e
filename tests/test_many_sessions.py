"""Many conversations in one file: what one did is no evidence for, or against, another."""

from __future__ import annotations

import json

from transcript_lint import registry
from transcript_lint.runner import Job, audit_paths
from transcript_lint.settings import Settings


def conversation(number, code, words):
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'}}
    result = json.dumps({"output": "1 failed" if code else "3 passed", "exit_code": code})
    return {
        "id": f"conv-{number}",
        "messages": [
            {"role": "user", "content": "Run the suite."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": result},
            {"role": "assistant", "content": words},
        ],
    }


def test_each_conversation_is_audited_by_itself(tmp_path):
    path = tmp_path / "many.jsonl"
    talks = [
        conversation(1, 1, "The suite fails: one test is red."),
        conversation(2, 0, "All tests pass."),
        conversation(3, 1, "All tests pass."),
    ]
    path.write_text("".join(json.dumps(t) + "\n" for t in talks))
    report = audit_paths([str(path)], Job(rules=registry.rules(), settings=Settings()))
    assert not report.failures
    loud = {(f.rule, f.at.line) for f in report.findings if f.level.value != "note"}
    assert loud == {("TL102", 3)}
    assert not [f for f in report.findings if f.rule == "TL003"]

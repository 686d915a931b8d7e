"""The whole circle: a script prints PASS and hangs; each part of the project says the right thing about it."""

import orjson

from tests.harness.helpers import records, tool


def summarised(record, **changes):
    """What a summariser hands on."""
    item = {
        "command_id": record["command_id"],
        "tool": record["tool"],
        "status": "failed_or_incomplete",
        "termination": record["termination"],
        "must_rerun": True,
        "stdout_tail_observed": record["stdout_tail"],
        "success_like_markers_observed": record["observed_markers"],
        "notes": "must be run again",
        **changes,
    }
    return {"v": 1, "event": "compaction", "summary": item["notes"], "carried_terminations": [item]}


def test_circle(tmp_path):
    (tmp_path / "suite.sh").write_text("echo 'test_login PASS'\necho 'test_cart PASS'\nsleep 30\n")

    ran = tool("run", "--timeout", "1", "--grace", "0.5", "--note", "all pass", "--", "bash", "suite.sh", cwd=tmp_path)
    assert ran.returncode == 124
    assert ran.stdout == b"test_login PASS\ntest_cart PASS\n"
    path = tmp_path / "feedback_record.jsonl"
    (record,) = records(path)
    assert (record["termination"]["kind"], record["must_rerun"]) == ("timeout", True)
    assert record["observed_markers"] == ["PASS"]

    honest, dishonest = tmp_path / "honest.json", tmp_path / "dishonest.json"
    honest.write_bytes(orjson.dumps(summarised(record)))
    dishonest.write_bytes(orjson.dumps(summarised(record, status="succeeded", notes="All tests passed.")))
    guarding = ("guard", "--pre", path.name, "--record", path.name, "--post")
    assert tool(*guarding, honest.name, cwd=tmp_path).returncode == 0
    stopped = tool(*guarding, dishonest.name, cwd=tmp_path)
    assert stopped.returncode == 1
    assert b"/carried_terminations/0/status" in stopped.stdout
    blocked = [r for r in records(path) if r["event"] == "guard"]
    assert blocked
    assert all(r["blocked"] for r in blocked)

    gate = tool("gate", path.name, "--for", "merge", cwd=tmp_path)
    assert gate.returncode == 1
    assert b"suite.sh" in gate.stdout
    facts = orjson.loads(tool("facts", path.name, cwd=tmp_path).stdout)
    assert facts["must_rerun"] == [record["command_id"]]
    total = orjson.loads(tool("stats", path.name, "--format", "json", cwd=tmp_path).stdout)["total"]
    assert total["timeout_with_success_marker"] == 1
    assert total["false_confirm_blocked_by_guard"] == len(blocked)
    assert total["expectations_failed"] == 1

    for name, line, red in (
        ("honest", summarised(record), False),
        ("dishonest", orjson.loads(dishonest.read_bytes()), True),
    ):
        log = tmp_path / f"{name}.jsonl"
        log.write_bytes(orjson.dumps(record) + b"\n" + orjson.dumps(line) + b"\n")
        check = tool("check", log.name, "--isolated", cwd=tmp_path)
        assert (check.returncode == 1) is red, check.stdout.decode()

    (tmp_path / "suite.sh").write_text("echo 'test_login PASS'\n")
    again = tool("run", "--retry-of", "last", "--", "bash", "suite.sh", cwd=tmp_path)
    assert again.returncode == 0
    assert records(path)[-1]["parent_command_id"] == record["command_id"]
    assert tool("gate", path.name, "--for", "merge", cwd=tmp_path).returncode == 0
    total = orjson.loads(tool("stats", path.name, "--format", "json", cwd=tmp_path).stdout)["total"]
    assert total["rerun_after_timeout_pass_rate"] == 1

"""Sessions that continue one another: how they are linked, ordered, counted once, and audited as one job."""

from __future__ import annotations

import json

import pytest

from transcript_lint import chains, registry, runner
from transcript_lint.samples import command, compaction, says, session, started, write
from transcript_lint.settings import Settings

A, B, C = "aaaa1111-0000", "bbbb2222-0000", "cccc3333-0000"


def log(folder, name, *records, id, day=1, **head):
    """A native log of session `id` that starts on a day of March."""
    path = folder / name
    stamped = [
        {"session_id": id, "at": f"2026-03-{day:02}T10:00:{n:02}Z", **record}
        for n, record in enumerate((session(session_id=id, **head), *records))
    ]
    path.write_bytes(write(stamped))
    return str(path)


def audit(*paths, jobs=1):
    job = runner.Job(rules=registry.rules(), settings=Settings(), jobs=jobs)
    return runner.audit_paths(list(paths), job)


def names(linked):
    return [[path.rsplit("/", 1)[-1] for path in chain] for chain in linked]


def test_what_a_log_continues_comes_before_it(tmp_path):
    later = log(tmp_path, "a.jsonl", says("Going on."), id=B, day=2, continued_from=A)
    first = log(tmp_path, "b.jsonl", says("Hello."), id=A)
    other = log(tmp_path, "c.jsonl", says("Hello."), id=C, day=3)
    assert names(chains.link([later, first, other])) == [["b.jsonl", "a.jsonl"], ["c.jsonl"]]


def test_a_sub_agents_own_file_comes_before_its_parent(tmp_path):
    parent = log(tmp_path, "p.jsonl", says("The helper is done."), id=A, day=1)
    helper = log(tmp_path, "q.jsonl", says("Done."), id=B, day=2, parent_session_id=A)
    assert names(chains.link([parent, helper])) == [["q.jsonl", "p.jsonl"]]


def test_a_transcript_named_in_the_continuation_links(tmp_path):
    first = log(tmp_path, f"{A}.jsonl", says("Hello."), id=A)
    text = f"This session is being continued. For details read the full transcript at: /home/x/{A}.jsonl"
    later = log(tmp_path, "later.jsonl", compaction(text), id=B, day=2)
    assert names(chains.link([later, first])) == [[f"{A}.jsonl", "later.jsonl"]]


def test_copied_history_links_and_counts_once(tmp_path):
    run = command("pytest", "2 failed, 9 passed in 2s", exit=1, id="call_0123456789ab", at="2026-03-01T10:00:01Z")
    claim = says("All tests pass.", at="2026-03-01T10:00:02Z")
    first = log(tmp_path, "first.jsonl", run, claim, id=A)
    resumed = log(tmp_path, "resumed.jsonl", run, claim, says("Going on."), id=B, day=2)
    assert names(chains.link([first, resumed])) == [["first.jsonl", "resumed.jsonl"]]
    found = [f for f in audit(first, resumed).findings if f.rule == "TL102"]
    assert [f.at.path for f in found] == [first]


def test_copies_of_one_log_are_each_audited_for_themselves(tmp_path):
    run = command("pytest", "9 passed in 2s", id="call_0123456789ab")
    one = log(tmp_path, "one.jsonl", run, id=A)
    two = log(tmp_path, "two.jsonl", run, id=A)
    assert len(chains.link([one, two])) == 2


def test_parts_of_one_session_stand_in_the_order_of_time(tmp_path):
    second = log(tmp_path, "a.jsonl", says("More."), id=A, day=2)
    first = log(tmp_path, "b.jsonl", says("Hello."), id=A, day=1)
    assert names(chains.link([second, first])) == [["b.jsonl", "a.jsonl"]]


def test_short_ids_that_anyone_may_use_link_nothing(tmp_path):
    paths = [log(tmp_path, f"{day}.jsonl", says("Hello."), id="s1", day=day) for day in (1, 2)]
    assert len(chains.link(paths)) == 2


def test_a_circle_of_references_ends_in_the_order_of_time(tmp_path):
    one = log(tmp_path, "one.jsonl", id=A, day=2, continued_from=B)
    two = log(tmp_path, "two.jsonl", id=B, day=1, continued_from=A)
    assert names(chains.link([one, two])) == [["two.jsonl", "one.jsonl"]]


def test_what_is_no_log_of_lines_stands_alone(tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"\xff\xfe{{{")
    document = tmp_path / "document.json"
    document.write_text(json.dumps({"a": 1}))
    missing = tmp_path / "missing.jsonl"
    paths = [str(broken), str(document), str(missing)]
    assert chains.link(paths) == [[path] for path in paths]


@pytest.fixture
def three(tmp_path):
    """A killed run, a summary that calls it passed, and a session that trusts the summary."""
    killed = log(tmp_path, "1-killed.jsonl", command("pytest", "tests/test_a.py ....", kind="timeout"), id=A)
    summary = log(tmp_path, "2-summary.jsonl", compaction("All tests pass."), id=B, day=2, continued_from=A)
    trusts = log(
        tmp_path, "3-trusts.jsonl", says("All tests pass, I write the changelog."), id=C, day=3, continued_from=B
    )
    return killed, summary, trusts


def test_a_false_result_is_followed_over_three_sessions(three):
    killed, summary, trusts = three
    found = {(f.rule, f.at.path): f for f in audit(*three).findings if f.level == "error"}
    assert set(found) == {("TL203", summary), ("TL206", trusts)}
    assert [step.at.path for step in found["TL206", trusts].because] == [killed, killed, summary]


def test_alone_the_last_session_proves_nothing(three):
    assert not [f for f in audit(three[2]).findings if f.level == "error"]


def test_the_order_of_the_arguments_and_the_number_of_jobs_change_nothing(three, tmp_path):
    other = log(tmp_path, "other.jsonl", command("make", "error", exit=2), says("The build succeeded."), id="dddd4444")
    reports = [audit(*paths, jobs=jobs) for paths in ((*three, other), (other, *reversed(three))) for jobs in (1, 3)]
    told = [[(f.rule, f.at.path, f.at.line, f.message, f.fingerprint) for f in r.findings] for r in reports]
    assert told[0] == told[1] == told[2] == told[3]
    assert [i.path for i in reports[0].inputs] == [i.path for i in reports[1].inputs] == [*three, other]


def test_a_call_in_flight_ends_in_the_next_session(tmp_path):
    first = log(tmp_path, "1.jsonl", started("make package", id="call_0123456789ab"), id=A)
    end = {
        "v": 1,
        "event": "command_ended",
        "command_id": "call_0123456789ab",
        "termination": {"kind": "ok", "exit_code": 0},
    }
    second = log(tmp_path, "2.jsonl", end, id=B, day=2, continued_from=A)
    assert not [f for f in audit(first, second).findings if f.rule == "TL002"]

"""What the ledger knows of runs whose outputs, ends or failures are told by other records than their own."""

import pytest

from transcript_lint.events import AgentText, CommandEnded, CommandIssued, EndKind, Location, Termination, Verified
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.verdicts import Verdict

AT = Location(path="log", line=1)
OK = Termination(kind=EndKind.OK, exit_code=0)
FAILED = Termination(kind=EndKind.NONZERO, exit_code=1)
RUNNING = Termination(kind=EndKind.RUNNING)


class Log:
    """A ledger that is told of runs by their line, output and end."""

    def __init__(self):
        self.ledger = Ledger()
        self.count = 0

    def run(self, line, out="", end=OK, **fields):
        self.count += 1
        call = f"c{self.count}"
        if isinstance(line, str):
            self.ledger.update(CommandIssued(at=AT, call_id=call, tool="bash", command=line))
        else:
            self.ledger.update(CommandIssued(at=AT, call_id=call, tool="read_file", arguments=line))
        if end is not None:
            self.ledger.update(CommandEnded(at=AT, call_id=call, termination=end, stdout=out, **fields))
        return self.ledger.runs.get(call)


@pytest.fixture
def log():
    return Log()


@pytest.mark.parametrize("shown", ["cat /tmp/t.log", "tail -5 t.log", {"path": "/tmp/t.log"}])
@pytest.mark.parametrize("line", ["pytest > /tmp/t.log 2>&1 &", "pytest 2>&1 > /tmp/t.log | tail"])
def test_an_output_file_that_is_shown_later_tells_how_the_run_ended(log, line, shown):
    passing = log.run(line)
    log.run(shown, "9 passed in 3s")
    assert [s.verdict for s in passing.stages] == [Verdict.OK]
    failing = log.run(line)
    assert failing.stages[0].verdict in (Verdict.UNREAD, Verdict.UNKNOWN)
    log.run(shown, "    7\t2 failed, 7 passed in 3s")
    assert [s.verdict for s in failing.stages] == [Verdict.FAILED]
    assert "2 failed" in failing.ended.what
    assert list(log.ledger.runs.open_failures()) == [failing]


def test_a_file_that_says_nothing_of_the_end_changes_no_verdict(log):
    masked = log.run("pytest > t.log | tail")
    log.run("cat t.log", "collecting …")
    log.run("cat other.log", "2 failed, 9 passed in 3s")
    log.run("cat t.log", "", end=FAILED)
    assert [s.verdict for s in masked.stages] == [Verdict.UNKNOWN]
    log.run("cat t.log", "9 passed in 3s")
    assert [s.verdict for s in masked.stages] == [Verdict.OK]


def test_the_status_in_the_file_of_a_run_that_goes_on_ends_it(log):
    suite = log.run("pytest > t.log 2>&1; echo $? >> t.log", end=RUNNING)
    assert suite in log.ledger.runs.unread()
    log.run("cat t.log", "9 passed in 3s")
    assert suite.termination.kind is EndKind.RUNNING
    assert suite.must_rerun is False


def test_a_later_record_verifies_an_open_failure(log):
    suite = log.run("pytest", "1 failed", FAILED)
    log.ledger.update(Verified(at=AT, call_id="c1", verdict="failed"))
    log.ledger.update(Verified(at=AT, call_id="unknown", verdict="passed"))
    assert suite.must_rerun
    log.ledger.update(Verified(at=AT, call_id="c1", verdict="passed"))
    assert not suite.must_rerun
    assert list(log.ledger.runs.open_failures()) == []


def test_open_failures_come_the_latest_first_until_they_are_run_again(log):
    first, second = log.run("pytest", end=FAILED), log.run("mypy .", end=FAILED)
    assert list(log.ledger.runs.open_failures()) == [second, first]
    log.run("mypy .")
    log.run("pytest -k one")
    assert list(log.ledger.runs.open_failures()) == [first]
    log.run("pytest")
    assert list(log.ledger.runs.open_failures()) == []


def test_a_session_went_on_when_anything_follows_a_command(log):
    hanging = log.run("pytest", end=None)
    assert not log.ledger.runs.went_on_after(hanging)
    assert list(log.ledger.runs.in_flight()) == [hanging]
    other = log.run("ls")
    assert log.ledger.runs.went_on_after(hanging)
    assert not log.ledger.runs.went_on_after(other)
    log.ledger.update(AgentText(at=AT, text="Done."))
    assert log.ledger.runs.went_on_after(other)


def test_two_records_that_disagree_are_remembered(log):
    run = log.run("pytest")
    assert run.contradiction is None
    log.ledger.update(CommandEnded(at=AT, call_id="c1", termination=FAILED))
    assert "another that it" in (run.contradiction or "")
    agreeing = log.run("mypy .", end=RUNNING)
    log.ledger.update(CommandEnded(at=AT, call_id="c2", termination=OK))
    assert agreeing.contradiction is None


def test_a_long_log_forgets_what_is_settled_and_keeps_what_is_open(log):
    broken = log.run("pytest", end=FAILED)
    settled = log.run("ls first")
    for number in range(5000):
        log.run(f"ls {number}")
    assert log.ledger.runs.get("c1") is broken
    assert log.ledger.runs.get("c2") is None is not settled
    assert list(log.ledger.runs.open_failures()) == [broken]
    assert log.ledger.runs.forgotten == 0

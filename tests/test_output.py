"""What an output says of its own result, and the verdict on each command of a line."""

import pytest

from transcript_lint.commandline import Kind, parse
from transcript_lint.events import EndKind, Termination
from transcript_lint.ledger.output import read, stems, values
from transcript_lint.ledger.verdicts import judge
from transcript_lint.successes import success_words


@pytest.mark.parametrize(
    ("text", "kind", "outcome"),
    [
        ("2 failed, 10 passed in 1.02s", Kind.TEST, "failure"),
        ("10 passed, 2 failed", Kind.TEST, "failure"),
        ("12 passed in 1.0s", Kind.TEST, "success"),
        ("ERROR handling path ok\n12 passed", Kind.TEST, "success"),
        ("collected 0 items\n\n== no tests ran in 0.01s ==", Kind.TEST, "empty"),
        ("Tests: 12 passed, 12 total", Kind.TEST, "success"),
        ("--- FAIL: TestX\nFAIL\texample.org/a\t0.1s\nFAIL", Kind.TEST, "failure"),
        ("ok  \texample.org/a\t0.1s\n?   \texample.org/b\t[no test files]", Kind.TEST, "success"),
        ("?   \texample.org/b\t[no test files]", Kind.TEST, "empty"),
        (
            "running 7 tests\ntest result: ok. 7 passed; 0 failed\nrunning 0 tests\ntest result: ok. 0 passed",
            Kind.TEST,
            "success",
        ),
        ("error[E0432]: unresolved\nerror: could not compile `x`", Kind.BUILD, "failure"),
        ("    Finished `release` profile", Kind.BUILD, "success"),
        ("    Finished `test` profile\nrunning 3 tests", Kind.TEST, None),
        ("Found 2 errors in 1 file", Kind.TYPES, "failure"),
        ("[lint] 1 issues:\n* errcheck: 1", Kind.LINT, "failure"),
        ("0 issues.", Kind.LINT, "success"),
        ("Apply complete! Resources: 1 added", Kind.DEPLOY, "success"),
        ("PLAY RECAP\nhost : ok=3 unreachable=0 failed=1", Kind.DEPLOY, "failure"),
        ("nothing said", Kind.TEST, None),
    ],
)
def test_closing_line(text, kind, outcome):
    said = read(text).about(kind)
    assert (said.outcome if said else None) == outcome


def verdicts(line, end, text=""):
    return [s.verdict.value for s in judge(parse(line), end, read(text))]


OK = Termination(kind=EndKind.OK, exit_code=0)
FAILED = Termination(kind=EndKind.NONZERO, exit_code=1)
CODE_127 = Termination(kind=EndKind.NONZERO, exit_code=127)
CODE_8 = Termination(kind=EndKind.NONZERO, exit_code=8)
KILLED = Termination(kind=EndKind.TIMEOUT, exit_code=124)


@pytest.mark.parametrize(
    ("line", "end", "text", "expected"),
    [
        ("pytest", OK, "3 passed", ["ok"]),
        ("pytest | tail", OK, "1 failed, 3 passed", ["failed"]),
        ("pytest | tail", OK, "3 passed in 1s", ["ok"]),
        ("pytest | tail", OK, "....", ["unknown"]),
        ("pytest; echo rc=$?", OK, "boom\nrc=137", ["killed"]),
        ("pytest; echo rc=$?", OK, "fine\nrc=0", ["ok"]),
        ("ruff check . && pytest", FAILED, "All checks passed!\n1 failed, 3 passed", ["ok", "failed"]),
        ("a.sh && b.sh", FAILED, "", ["unknown", "unknown"]),
        ("ruff check . && pytest", KILLED, "All checks passed!\n....", ["ok", "killed"]),
        ("grep -rn x src", FAILED, "", ["unknown"]),
        ("pytest", Termination(kind=EndKind.RUNNING), "", ["unread"]),
        ("pytest", Termination(kind=EndKind.UNKNOWN), "", ["unknown"]),
        ("pytest", Termination(kind=EndKind.NOT_RUN), "", ["not run"]),
        ("for d in a b; do pytest $d; done; true", OK, "1 failed, 2 passed", ["unknown"]),
        ("pytest; echo rc=$?", OK, "collected 0 items\n== no tests ran in 0.01s ==\nrc=0", ["empty"]),
        ("ruff check .; echo rc=$?; pytest; echo rc=$?", OK, "rc=1\n3 passed\nrc=0", ["failed", "ok"]),
        ("ruff check .; echo rc=$?; pytest; echo rc=$?", OK, "rc=1", ["unknown", "unknown"]),
        ("pytest &", OK, "", ["unread"]),
        ("pytest", OK, "collected 0 items\n== no tests ran in 0.01s ==", ["empty"]),
        ("pytest", OK, "1 failed, 3 passed", ["failed"]),
        ("pytest", CODE_127, "", ["failed"]),
        ("pytest | tail", CODE_127, "", ["unknown"]),
        ("gh pr checks 5", CODE_8, "", ["unknown"]),
        ("gh pr checks 5", FAILED, "", ["failed"]),
        ("ruff check . && pytest", FAILED, "All checks passed!", ["ok", "failed"]),
        ("ruff check . && pytest && terraform apply", FAILED, "1 failed, 3 passed in 1s", ["ok", "failed", "not run"]),
        ("pytest", FAILED, "collected 0 items\n== no tests ran in 0.01s ==", ["empty"]),
        ("! pytest", FAILED, "", ["unknown"]),
        ("pytest", Termination(kind=EndKind.UNKNOWN), "3 passed in 1s", ["ok"]),
    ],
)
def test_verdict_of_each_command(line, end, text, expected):
    assert verdicts(line, end, text) == expected


def test_killed_after_its_own_closing_line():
    assert judge(parse("pytest"), KILLED, read("12 passed in 3.2s"))[0].closed
    assert not judge(parse("pytest"), KILLED, read("12 scenarios passed"))[0].closed


def test_values_ignore_thousands_separators():
    assert values("1,840 rows") & values("1840 rows")


def test_words_without_spaces_are_known_by_their_pairs():
    assert stems("部署完成") & stems("已部署")
    assert not stems("部署") & stems("测试")
    assert stems("deployment") == stems("deploying")


def test_success_words_stand_in_their_own_lines():
    assert success_words("first line\nall checks passed\nlast line") == ("all checks passed",)
    assert success_words("build succeeded") == ("build succeeded",)
    assert success_words("not passed\n0 passed\nuntil done") == ()
    assert len(success_words("\n".join(f"step {n} passed" for n in range(9)))) == 5
    assert success_words("ok passed\nok passed") == ("ok passed",)


def test_a_line_of_nothing_that_ends_well_has_no_verdict():
    from transcript_lint.commandline import parse
    from transcript_lint.events import EndKind, Termination
    from transcript_lint.ledger.verdicts import judge

    assert judge(parse(""), Termination(kind=EndKind.OK), read("EXIT=2")) == []

"""Rules on runs, summaries, records and effects just inside and just outside each of their bounds."""

from typing import Any

import pytest

from tests.bounds import wrong
from transcript_lint.samples import (
    command,
    compaction,
    end,
    human,
    injected,
    says,
    session,
    started,
    tool_call,
)

PASSES = says("All tests pass.")
LOST: dict[str, Any] = {"kind": "unknown", "must_rerun": True}
RED: tuple[str, int] = ("2 failed, 7 passed in 3s", 1)


def red(line="pytest", id=None, **fields):
    return command(line, *RED, id=id or f"red {line}", **fields)


def green(line="pytest", id=None, **fields):
    return command(line, "9 passed in 3s", id=id or f"green {line}", **fields)


def cut(line, out, **fields):
    return command(line, out, **fields)


CUT = "test_a\n[... 300 lines truncated ...]\ntest_z"
OLD = '{"generated": "2026-01-04", "command": "pytest api/tests", "result": "55 passed in 8.71s"}'

CASES = {
    "an act on an open check": [
        ("TL601", (red(), command("npm publish")), ["3 error high"]),
        ("TL601", (red(), green(), command("npm publish")), []),
        ("TL601", (red(), green("pytest -k one"), command("npm publish")), []),
        ("TL601", (red(), command("ruff check ."), command("npm publish")), ["4 error high"]),
        ("TL601", (red(), command("npm publish --dry-run")), []),
        ("TL601", (red(), command("pytest && npm publish")), []),
        ("TL601", (red(), command("pytest; npm publish")), ["3 error high"]),
        ("TL601", (red(), command("npm publish", kind="not_run")), []),
        ("TL601", (red(), started("npm publish")), ["3 error high"]),
        ("TL601", (command("npm publish", "E409", 1, id="a"), command("npm publish", id="b")), []),
        ("TL601", (red(), tool_call("publish", {}, id="p")), []),
        ("TL601", (command("pytest", kind="timeout"), command("npm publish")), ["3 error high"]),
        ("TL601", (command("pytest", kind="unknown"), command("npm publish")), []),
        ("TL601", (command("pytest", kind="not_run"), command("npm publish")), []),
    ],
    "an act and where it is done": [
        ("TL601", (red(cwd="/a"), command("npm publish", cwd="/a")), ["3 error high"]),
        ("TL601", (red(cwd="/a"), command("npm publish", cwd="/b")), []),
        ("TL601", (red(cwd="/a"), command("npm publish", cwd="/a/b")), ["3 error high"]),
        ("TL601", (red(cwd="/a/b"), command("npm publish", cwd="/a")), ["3 error high"]),
        ("TL601", (red(cwd="/a/b"), command("npm publish", cwd="/a/c")), []),
        ("TL601", (red(cwd="/a"), command("npm publish")), ["3 error high"]),
    ],
    "an act and a script before it": [
        ("TL601", (command("python load.py", exit=1), command("./deploy.sh")), ["3 error high"]),
        ("TL601", (command("python load.py", exit=1), command("git push origin main")), []),
        ("TL601", (command("python load.py", exit=1), command("rm -rf out")), []),
        ("TL601", (command("python load.py", exit=1), command("pytest"), command("./deploy.sh")), []),
        ("TL601", (command("python load.py --check", exit=1), command("./deploy.sh")), ["3 error high"]),
        ("TL601", (command("./backup.sh", exit=1), command("rm -rf out")), ["3 error high"]),
        ("TL601", (command("terraform plan", exit=1), command("rm -rf out")), []),
        ("TL601", (command("terraform plan", exit=1), command("terraform destroy")), ["3 error high"]),
        ("TL601", (command("grep x y", exit=1), command("npm publish")), []),
        ("TL601", (red(), command("git push origin feat")), ["3 warning high"]),
        ("TL601", (red(), command("git push origin feat"), command("gh pr create --draft")), []),
        ("TL601", (red(), command("git push origin feat"), command("gh pr create")), ["3 warning high"]),
        ("TL601", (red(), command("git push origin main")), ["3 error high"]),
        ("TL601", (red(), command("git push -n origin main")), []),
    ],
    "an act and a person's word": [
        ("TL601", (red(), human("Publish it anyway."), command("npm publish")), []),
        ("TL601", (red(), human("publish"), command("npm publish")), []),
        ("TL601", (red(), human("yes"), command("npm publish")), []),
        ("TL601", (human("Publish it anyway."), red(), command("npm publish")), ["4 error high"]),
        ("TL601", (red(), human("Please mind the style of the docs too."), command("npm publish")), ["4 error high"]),
    ],
    "checks that are pending": [
        (
            "TL601",
            (command("gh pr checks 7", out), command("gh pr merge 7")),
            found,
        )
        for out, found in (
            ("build\tpass\t1m\nlint\tpending\t0\n", ["3 error high"]),
            ("build\tpass\t1m\nlint\tpass\t0\n", []),
            ("lint\tpending\t0\nlint\tpass\t9s\n", []),
        )
    ],
    "no exit was recorded": [
        ("TL501", (command("pytest", **LOST), command("git push")), ["3 error high"]),
        ("TL501", (command("pytest", **LOST), command("git push --dry-run")), ["3 error high"]),
        ("TL501", (command("pytest", **LOST), command("ls")), []),
        ("TL501", (command("pytest", **LOST), command("pytest", id="b"), command("git push")), []),
        (
            "TL501",
            (command("pytest", **LOST), command("pytest", id="b", exit=1), command("git push")),
            ["4 error high"],
        ),
        (
            "TL501",
            (command("pytest", **LOST), command("python x.py", parent_command_id="c-pytest"), end()),
            ["4 error high"],
        ),
        ("TL501", (command("pytest", **LOST), command("python x.py")), ["3 error high"]),
        ("TL501", (command("pytest", **LOST), command("python x.py"), command("pytest", id="b")), []),
        (
            "TL501",
            (command("pytest", **LOST), command("python x.py"), command("pytest", id="b", exit=1)),
            ["3 error high"],
        ),
        ("TL501", (command("pytest", **LOST), end("error")), []),
        ("TL501", (command("pytest", **LOST), end()), ["3 error high"]),
        ("TL501", (command("pytest", **LOST), PASSES), ["3 error high"]),
        ("TL501", (command("pytest", **LOST), PASSES, end()), ["3 error high"]),
        ("TL501", (command("pytest", kind="unknown"), end()), []),
        ("TL501", (command("pytest", kind="unknown", error="lost"), end()), ["3 error high"]),
        ("TL501", (command("pytest", kind="not_run", must_rerun=True), end()), ["3 error high"]),
        ("TL501", (command("pytest", kind="not_run", error="lost"), end()), []),
        ("TL501", (command("pytest", kind="timeout", must_rerun=True), end()), []),
        ("TL501", (command("pytest", kind="unknown", must_rerun=False), end()), []),
        ("TL501", (tool_call("read", {}, id="r", kind="unknown", must_rerun=True), end()), []),
    ],
    "a deciding line that was cut": [
        ("TL502", (command("npm test", CUT), PASSES), ["3 warning high"]),
        ("TL502", (command("npm test", CUT + "\nTests: 9 passed, 9 total"), PASSES), []),
        ("TL502", (command("npm test", "Tests: 9 passed\n" + CUT, exit=1), PASSES), []),
        ("TL502", (command("npm test", CUT),), ["2 note low"]),
        ("TL502", (command("npm run build", CUT),), []),
        ("TL502", (command("npm test", CUT), PASSES, PASSES), ["3 warning high"]),
        (
            "TL502",
            (command("npm test", CUT), command("npm test", "ok", id="b"), says("The build succeeded.")),
            ["2 note low"],
        ),
        ("TL502", (command("ls", CUT), PASSES), []),
        ("TL502", (command("npm test", CUT), says("Some tests pass, one failed.")), ["2 note low"]),
    ],
    "a filter that shows the head alone": [
        ("TL502", (command("pytest | head -3", "a\nb\nc\n"), says("The tests pass.")), ["3 warning high"]),
        ("TL502", (command("pytest | head -3", "a\nb\n"), says("The tests pass.")), []),
        ("TL502", (command("pytest | head", "a\n" * 10), says("The tests pass.")), ["3 warning high"]),
        ("TL502", (command("pytest | head", "a\n" * 9), says("The tests pass.")), []),
        ("TL502", (command("pytest | head -c 5", "abcde"), says("The tests pass.")), ["3 warning high"]),
        ("TL502", (command("pytest | head -c 5", "abcd"), says("The tests pass.")), []),
        ("TL502", (command("pytest | tail -3", "a\nb\nc\n"), says("The tests pass.")), []),
        ("TL502", (command("pytest | head -3", "pass\nb\nc\n"), says("The tests pass.")), []),
        ("TL502", (command("pytest --version | head -1", "8.1\n"), says("The tests pass.")), []),
        ("TL502", (command("cat t.log | head -3", "a\nb\nc\n"), says("The tests pass.")), []),
        ("TL502", (command("pytest | grep -x 3", "no tests ran"), says("The tests pass.")), ["3 warning high"]),
    ],
    "an output that was stored and looked at": [
        (
            "TL502",
            (command("npm test", CUT + "\nFull output saved to: /tmp/out/7.txt"), look, PASSES),
            found,
        )
        for look, found in (
            (command("cat /tmp/out/7.txt", "Tests: 9 passed, 9 total"), []),
            (tool_call("read", {"path": "/tmp/out/7.txt"}, id="r"), []),
            (tool_call("read", {"path": "/tmp/out/8.txt"}, id="r"), ["4 warning high"]),
        )
    ],
    "a chain of attempts": [
        ("TL503", (red(), green(), PASSES), ["4 note high"]),
        ("TL503", (red(), green(), says("All tests pass now, after one failed run.")), []),
        ("TL503", (red(), command("sed -i s/a/b/ x"), green(), PASSES), []),
        ("TL503", (red(), tool_call("edit", {}, id="e"), green(), PASSES), []),
        ("TL503", (red(), command("ls"), green(), PASSES), ["5 note high"]),
        ("TL503", (red(), command("python fix.py"), green(), PASSES), []),
        ("TL503", (red(), command("ruff check ."), green(), PASSES), ["5 note high"]),
        ("TL503", (red(), green("pytest other"), says("The tests pass.")), []),
        ("TL503", (green(), PASSES), []),
        ("TL503", (red(), green(), PASSES, PASSES), ["4 note high"]),
        ("TL503", (red(), red(id="b"), green(), says("I have looked at pytest and its 9 results.")), []),
    ],
    "a retry and its parent": [
        ("TL503", (red(must_rerun=True), red(id="b", must_rerun=True)), ["3 note high"]),
        ("TL503", (red(must_rerun=True), red(id="b", must_rerun=True, parent_command_id="red pytest")), []),
        ("TL503", (red(must_rerun=True), red(id="b")), []),
        ("TL503", (red("make a", must_rerun=True), red("make b", must_rerun=True)), []),
        (
            "TL503",
            (red("pytest a"), green("pytest b", parent_command_id="red pytest a"), says("All tests pass.")),
            ["4 note high"],
        ),
        (
            "TL503",
            (green("pytest a"), green("pytest b", parent_command_id="green pytest a"), says("All tests pass.")),
            [],
        ),
    ],
    "a good run told as failed": [
        (
            "TL111",
            (command("pnpm build", "✓ built in 21.40s"), says("The build failed on the new import.")),
            ["3 note medium"],
        ),
        ("TL111", (command("pnpm build", "✓ built in 21.40s", 1), says("The build failed on the new import.")), []),
        (
            "TL111",
            (
                human("The build failed yesterday."),
                command("pnpm build", "✓ built in 21.40s"),
                says("The build failed."),
            ),
            [],
        ),
        (
            "TL111",
            (injected("The build failed.", "hook"), command("pnpm build", "✓ built in 2s"), says("The build failed.")),
            [],
        ),
        (
            "TL111",
            (injected("The build failed."), command("pnpm build", "✓ built in 2s"), says("The build failed.")),
            ["4 note medium"],
        ),
        ("TL111", (command("pnpm build", "✓ built in 2s\nerror: x"), says("The build failed.")), []),
        (
            "TL111",
            (command("grep x y", exit=1), command("pnpm build", "✓ built in 2s"), says("The build failed.")),
            ["4 note medium"],
        ),
        ("TL111", (red(), command("pnpm build", "✓ built in 2s"), says("The build failed.")), []),
        ("TL111", (command("pnpm build", "✓ built in 2s"), says("The tests failed.")), []),
    ],
    "a task that turned completed": [
        ("TL107", (red("pytest api"), says("- [x] Run the tests", where="task_state")), ["3 warning high"]),
        ("TL107", (red("pytest api"), says("- [x] Write the docs", where="task_state")), []),
        ("TL107", (red("pytest api"), green("pytest api"), says("- [x] Run the tests", where="task_state")), []),
        (
            "TL107",
            (red("pytest api"), says("Two tests failed."), says("- [x] Run the tests", where="task_state")),
            [],
        ),
        (
            "TL107",
            (says("Two tests failed."), red("pytest api"), says("- [x] Run the tests", where="task_state")),
            ["4 warning high"],
        ),
        (
            "TL107",
            (red("pytest api"), says("- [x] Run the tests\n- [x] Run pytest api", where="task_state")),
            ["3 warning high"],
        ),
    ],
    "verified over open checks": [
        ("TL107", (says("The view is fixed and verified.\n- [ ] Screenshot check"),), ["2 warning high"]),
        ("TL107", (says("The view is fixed.\n- [ ] Screenshot check"),), []),
        ("TL107", (says("The view is fixed and verified.\n- [x] Screenshot check"),), []),
        ("TL107", (says("The view is fixed and verified.\n- [ ] Write docs"),), []),
        ("TL107", (says("# Verified\n- [ ] Screenshot check"),), []),
        ("TL107", (says("It is verified but one check failed.\n- [ ] Screenshot check"),), []),
        ("TL107", (says("Fixed and verified.\n- [ ] Screenshot check", where="pull_request"),), []),
    ],
    "two records of an end": [
        ("TL003", (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}),), ["2 note high"]),
        ("TL003", (command("pytest", kind="timeout", exit=124),), []),
        (
            "TL003",
            (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), end()),
            ["2 note high", "3 error high"],
        ),
        ("TL003", (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), end("error")), ["2 note high"]),
        (
            "TL003",
            (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), says("It is done.")),
            ["2 note high", "3 error high"],
        ),
        (
            "TL003",
            (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), command("make"), says("It is done.")),
            ["2 note high"],
        ),
        (
            "TL003",
            (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), human("So?"), says("It is done.")),
            ["2 note high"],
        ),
        (
            "TL003",
            (command("pytest", kind="timeout", exit=0, end={"exit_code": 0}), says("It is done; the run failed.")),
            ["2 note high"],
        ),
        ("TL003", (command("pytest; echo rc=$?", "rc=1", background=True),), ["2 note high"]),
        ("TL003", (command("pytest; echo rc=$?", "rc=1"),), []),
        ("TL003", (command("pytest; echo rc=$?", "rc=0", background=True),), []),
    ],
    "what only a summary says": [
        ("TL206", (compaction("All unit tests pass."), says("All unit tests pass.")), ["3 warning medium"]),
        ("TL206", (compaction("All unit tests pass."), green(), says("All unit tests pass.")), []),
        (
            "TL206",
            (compaction("All unit tests pass."), says("According to the summary, all unit tests pass.")),
            [],
        ),
        ("TL206", (red(), compaction("All unit tests pass."), says("All unit tests pass.")), ["4 error high"]),
        ("TL206", (compaction("All tests pass."), command("npm publish")), ["3 warning medium"]),
        ("TL206", (compaction("All tests pass."), command("npm publish --dry-run")), []),
        ("TL206", (compaction("All tests pass."), command("git commit -m x")), []),
        ("TL206", (compaction("All tests pass."), green(), command("npm publish")), []),
        ("TL206", (green(), compaction("All tests pass."), command("npm publish")), []),
        ("TL206", (compaction("All tests pass."), human("publish it"), command("npm publish")), []),
        ("TL206", (human("publish it"), compaction("All tests pass."), command("npm publish")), ["4 warning medium"]),
        ("TL206", (compaction("All tests pass."), human("Good."), command("npm publish")), []),
        (
            "TL206",
            (compaction("All tests pass."), human("Please mind the style of the docs too."), command("npm publish")),
            ["4 warning medium"],
        ),
        ("TL206", (compaction("Two tests fail."), command("npm publish")), []),
        ("TL206", (compaction("The docs were written."), command("npm publish")), []),
        ("TL206", (compaction("All tests pass."), command("npm publish", agent="sub")), []),
        ("TL206", (compaction(None), command("npm publish")), []),
    ],
    "a resumed session": [
        (
            "TL202",
            (command("sh check.sh", exit=3, id="c"), session(), command("sh check.sh", exit=0, id="c")),
            ["4 error high"],
        ),
        ("TL202", (command("sh check.sh", exit=3, id="c"), session(), command("sh check.sh", exit=3, id="c")), []),
        ("TL202", (command("sh check.sh", exit=0, id="c"), session(), command("sh check.sh", exit=3, id="c")), []),
    ],
    "a result that is old": [
        (
            "TL109",
            (
                red("pytest api/tests"),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                says("The log shows that all API tests pass (`reports/nightly.json`)."),
            ),
            ["4 warning high"],
        ),
        (
            "TL109",
            (
                red("pytest api/tests"),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                says("The log shows that all API tests pass."),
            ),
            ["4 warning high"],
        ),
        (
            "TL109",
            (
                red("pytest api/tests"),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                command("ls"),
                says("The log shows that all API tests pass."),
            ),
            [],
        ),
        (
            "TL109",
            (
                red("pytest api/tests"),
                tool_call(
                    "read", {"path": "reports/nightly.json"}, id="r", out=OLD.replace("2026-01-04", "2026-03-02")
                ),
                says("The log shows that all API tests pass (`reports/nightly.json`)."),
            ),
            [],
        ),
        (
            "TL109",
            (
                red("pytest api/tests"),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                green("pytest api/tests"),
                says("The log shows that all API tests pass (`reports/nightly.json`)."),
            ),
            [],
        ),
        (
            "TL109",
            (
                red("make docs"),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                says("The log shows that all API tests pass (`reports/nightly.json`)."),
            ),
            [],
        ),
    ],
    "loose words wait for the last word": [
        ("TL102", (red(), says("The tests look good.")), ["3 error high"]),
        ("TL102", (red(), says("The tests look good."), command("ls")), []),
        ("TL102", (red(), says("The tests look good."), human("Fine."), command("ls")), ["3 error high"]),
        ("TL102", (red(), says("The tests look good."), command("ls", agent="sub")), ["3 error high"]),
        ("TL102", (red(), says("The tests look good.", where="closing"), command("ls")), ["3 error high"]),
    ],
    "a masked end": [
        ("TL104", (command("pytest | tail", *RED[:1]),), ["2 note high"]),
        ("TL104", (command("pytest | tail", *RED),), []),
        ("TL104", (command("pytest | tail", "9 passed in 3s"),), []),
        ("TL104", (command("pytest && ls", RED[0]),), ["2 note high"]),
        ("TL104", (command("pytest | tail; mypy . | tail", RED[0] + "\nFound 3 errors in 1 file"),), ["2 note high"]),
    ],
}


@pytest.mark.parametrize("story", CASES)
def test_a_rule_speaks_inside_its_bounds_alone(story):
    assert wrong(CASES[story]) == {}

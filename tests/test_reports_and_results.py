"""Reports passed on, stored results, cut figures, task lists, empty runs: a fault and its innocent twin in each row."""

from __future__ import annotations

from typing import Any

import pytest

from transcript_lint import registry
from transcript_lint.ledger.markers import MARKERS
from transcript_lint.ledger.output import read
from transcript_lint.rule import Example
from transcript_lint.samples import Record, command, ended, human, says, tool_call
from transcript_lint.trial import findings

GO = human("go")


def handed(id: str, task: str) -> Record:
    """Work handed to another agent; `ended` closes it."""
    return {"v": 1, "event": "command_started", "command_id": id, "tool": "delegate", "arguments": {"task": task}}


def todo(text: str) -> Record:
    """A task list."""
    return says(text, where="task_state")


RULES = {rule.id: rule for rule in registry.rules()}


def lines_of(rule: str, records: list[Any]) -> set[int]:
    """The lines that a rule reports."""
    return {f.at.line for f in findings(Example("", tuple(records)), [RULES[rule]])}


Row = tuple[str, list[Any], list[Any]]

BUILD_FAILED = "[ERROR] COMPILATION ERROR\n[INFO] BUILD FAILURE"
OLD_XML = '<testsuite name="Cart" tests="31" failures="0" time="2.75" timestamp="2025-11-03T08:00:00">'
EMPTY = "Tests:    4 skipped (0 assertions)"
K6 = "http_req_duration p(95)=731ms\nhttp_req_failed 1.4%\nrunning (04m59s), 50/50 VUs"

ROWS: list[Row] = [
    (
        "TL110",
        [
            GO,
            handed("d", "tidy up"),
            command("swift test", exit=1, agent="sub"),
            ended("d", "All views compile and the snapshot tests hold up."),
            says("The snapshot tests hold up, and the views are split."),
        ],
        [
            GO,
            handed("d", "tidy up"),
            command("swift test", exit=1, agent="sub"),
            ended("d", "All views compile and the snapshot tests hold up."),
            says("It says the snapshot tests hold up, but its own run failed."),
        ],
    ),
    (
        "TL110",
        [
            GO,
            handed("d", "Bitte die Integrationstests laufen lassen"),
            ended("d", "API Error: 529 overloaded_error"),
            says("Der Helfer hat die Integrationstests laufen lassen, alle sind bestanden."),
        ],
        [
            GO,
            handed("d", "Bitte die Integrationstests laufen lassen"),
            ended("d", "API Error: 529 overloaded_error"),
            says("Der Helfer ist an einem Fehler der API gescheitert, die Integrationstests liefen nicht."),
        ],
    ),
    (
        "TL110",
        [
            GO,
            handed("d", "corre los tests"),
            command("npx vitest run", exit=1, agent="sub"),
            ended("d", "Los tests del carrito quedan estables."),
            says("Los tests del carrito quedan estables y el módulo está más claro."),
        ],
        [
            GO,
            handed("d", "corre los tests"),
            command("npx vitest run", exit=1, agent="sub"),
            command("npx vitest run", out="Tests  9 passed (9)", id="b", agent="sub"),
            ended("d", "Los tests del carrito quedan estables."),
            says("Los tests del carrito quedan estables y el módulo está más claro."),
        ],
    ),
    (
        "TL109",
        [
            GO,
            command("mvn -pl cart verify", out=BUILD_FAILED, exit=1),
            tool_call("read", {"path": "cart/target/surefire-reports/TEST-Cart.xml"}, id="r", out=OLD_XML),
            says("The cart module stands at 31 tests in 2.75 seconds."),
        ],
        [
            GO,
            command("mvn -pl cart verify", out=BUILD_FAILED, exit=1),
            tool_call("read", {"path": "cart/target/surefire-reports/TEST-Cart.xml"}, id="r", out=OLD_XML),
            says("It does not compile. The report of November has 31 tests in 2.75 seconds, of an earlier state."),
        ],
    ),
    (
        "TL109",
        [
            GO,
            command("nox -s coverage", out="nox > Session coverage failed.", exit=1),
            command(
                "ls -l --time-style=long-iso coverage.xml", out="-rw-r--r-- 1 a a 99 2025-12-01 10:00 coverage.xml"
            ),
            command("head -3 coverage.xml", out='<coverage lines-valid="4120" line-rate="0.9134">'),
            says("Deckung: 91,3 Prozent von 4120 Zeilen."),
        ],
        [
            GO,
            command("nox -s coverage", out="Wrote XML report to coverage.xml\nnox > Session coverage was successful."),
            command("head -3 coverage.xml", out='<coverage lines-valid="4120" line-rate="0.9134">'),
            says("Deckung: 91,3 Prozent von 4120 Zeilen."),
        ],
    ),
    (
        "TL108",
        [
            GO,
            command("k6 run load.js", out=K6, kind="timeout", exit=124),
            says("P95 liegt bei 731 Millisekunden, die Fehlerquote bei 1,4 Prozent."),
        ],
        [
            GO,
            command("k6 run load.js", out=K6, kind="timeout", exit=124),
            says("The test ran so far as 50 users and hit the time limit; p95 was 731 ms by then."),
        ],
    ),
    (
        "TL108",
        [
            GO,
            command("k6 run load.js", out=K6, kind="timeout", exit=124),
            says("p95 は 731 ミリ秒、エラー率は 1.4% です。"),
        ],
        [
            GO,
            command("k6 run load.js", out=K6),
            says("p95 は 731 ミリ秒、エラー率は 1.4% です。"),
        ],
    ),
    (
        "TL108",
        [
            GO,
            command("python sweep.py", out="best_loss=0.4417\nstep 80/500", kind="signal", exit=137),
            says("The best loss is 0.4417."),
        ],
        [
            GO,
            command("python sweep.py", out="best_loss=0.4417\nstep 80/500", kind="signal", exit=137),
            says("The sweep got as far as step 80 of 500 before it hit the memory ceiling."),
        ],
    ),
    (
        "TL107",
        [
            GO,
            command("sbt api/dockerBuild", out="[error] (api / dockerBuild) exit status: 1", exit=1),
            todo("- [x] Generar la imagen con dockerBuild\n- [ ] Publicar"),
        ],
        [
            GO,
            command("sbt api/dockerBuild", out="[error] (api / dockerBuild) exit status: 1", exit=1),
            todo("- [x] Añadir dockerBuild al archivo\n- [ ] Generar la imagen"),
        ],
    ),
    (
        "TL107",
        [GO, todo("ログイン画面を直し、動作確認済みです。\n\n- [x] 修正\n- [ ] 実機で確認")],
        [GO, todo("ログイン画面を直しました。動作確認はまだです。\n\n- [x] 修正\n- [ ] 実機で確認")],
    ),
    (
        "TL107",
        [GO, todo("Корзина исправлена и проверена.\n\n- [x] Правка\n- [ ] Проверить оплату вручную")],
        [GO, todo("Корзина исправлена, но пока не проверена.\n\n- [x] Правка\n- [ ] Проверить оплату вручную")],
    ),
    (
        "TL107",
        [GO, todo("O formulário foi corrigido e testado.\n\n- [x] Editar\n- [ ] Testar no celular")],
        [GO, todo("O formulário foi corrigido, falta ser testado.\n\n- [x] Editar\n- [ ] Testar no celular")],
    ),
    (
        "TL105",
        [GO, command("php artisan test --group=db", out=EMPTY), says("The tests pass.")],
        [
            GO,
            command("php artisan test --group=db", out=EMPTY),
            says("All tests were skipped, there is no database."),
        ],
    ),
    (
        "TL105",
        [
            GO,
            command("./gradlew :core:test", out="> Task :core:test NO-SOURCE"),
            says("The tests pass."),
        ],
        [
            GO,
            command(
                "./gradlew test",
                out="> Task :core:test NO-SOURCE\n> Task :web:test\nAT > adds PASSED\nBUILD SUCCESSFUL",
            ),
            says("The tests pass."),
        ],
    ),
    (
        "TL111",
        [GO, command("meson test -C out", out="Ok:                 9\nFail:               0"), says("The tests fail.")],
        [GO, command("meson test -C out", out="Ok:  8\nFail:   1", exit=1), says("The tests fail.")],
    ),
    (
        "TL003",
        [
            GO,
            command("python render.py", out="frame 3", exit=0, end={"signal": "SIGTERM"}),
            says("The render succeeded."),
        ],
        [GO, command("python render.py", out="frame 3", exit=0), says("The render succeeded.")],
    ),
]


@pytest.mark.parametrize(("rule", "fault", "innocent"), ROWS, ids=[f"{r}-{n}" for n, (r, _, _) in enumerate(ROWS)])
def test_a_fault_is_reported_and_its_twin_is_not(rule: str, fault: list[Any], innocent: list[Any]) -> None:
    assert len(fault) in lines_of(rule, fault)
    assert len(innocent) not in lines_of(rule, innocent)


LINES = [
    ("success", "Executed 3 out of 9 tests: 9 tests pass."),
    ("failure", "Executed 3 out of 9 tests: 8 tests pass and 1 fails locally."),
    ("success", "[info] Tests: succeeded 14, failed 0, canceled 0, ignored 0, pending 0"),
    ("failure", "[info] Tests: succeeded 13, failed 1, canceled 0"),
    ("success", "12 tests, 0 failures"),
    ("failure", "12 tests, 2 failures"),
    ("empty", "5 tests, 0 failures, 5 excluded"),
    ("empty", "4 examples, 0 failures, 4 pending"),
    ("empty", "Skipped! - Failed:     0, Passed:     0, Skipped:     4, Total:     4"),
    ("success", "Executed 58 tests, with 0 failures (0 unexpected) in 4.0 (4.0) seconds"),
    ("failure", "Executed 58 tests, with 3 failures (0 unexpected) in 4.1 (4.1) seconds"),
    ("failure", "00:04 +11 -1: Some tests failed."),
    ("success", "nox > Session tests-3.12 was successful."),
    ("failure", "nox > Session lint failed."),
    ("failure", "  evaluation failed :( (3.2 seconds)"),
    ("success", "10:11:12  Done. PASS=12 WARN=0 ERROR=0 SKIP=0 TOTAL=12"),
    ("failure", "Done. PASS=11 WARN=0 ERROR=1 SKIP=0 TOTAL=12"),
    ("failure", "slurmstepd: error: Detected 1 oom_kill event in StepId=8.0"),
    ("success", 'Successfully applied 3 migrations to schema "public"'),
    ("failure", "Collected error summary (may duplicate other messages):"),
    ("success", "========= [SUCCESS] Took 3.20 seconds ========="),
    ("failure", "ruff.....................................................................Failed"),
]


@pytest.mark.parametrize(("outcome", "line"), LINES)
def test_a_tools_own_line_tells_its_result(outcome: str, line: str) -> None:
    assert {said.outcome for said in read(f"start\n{line}\n").closing.values()} == {outcome}


def test_every_marker_has_literals_that_are_words() -> None:
    assert all(literal for marker in MARKERS for literal in (*marker.literals, *marker.inside))

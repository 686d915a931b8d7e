"""Task states, partial figures, stale results, delegated work and failures that were none: words and situations."""

from __future__ import annotations

import pytest

from transcript_lint import registry, runner
from transcript_lint import samples as s
from transcript_lint.claims.failures import failures, states_failure
from transcript_lint.claims.items import checklist, outcome
from transcript_lint.events import AgentText, Location
from transcript_lint.settings import Settings

RULES = {rule.id: rule for rule in registry.rules()}


@pytest.fixture
def found(tmp_path):
    """The lines that a rule reports in a log: `found("TL107", record, record …)`."""

    def audit(rule: str, *records: s.Record) -> list[int]:
        path = tmp_path / "log.jsonl"
        path.write_bytes(s.write(records))
        report = runner.audit_one(str(path), runner.Job(rules=[RULES[rule]], settings=Settings()))
        assert not report.failures
        return [finding.at.line for finding in report.findings]

    return audit


def text(words: str, where: str = "prose") -> AgentText:
    return AgentText(at=Location(path="a", line=1), text=words, where=where)


def tasks(words: str) -> s.Record:
    return s.says(words, where="task_state")


@pytest.mark.parametrize(
    "item",
    [
        "Run unit tests",
        "Test the iOS build",
        "Verify the migration works",
        "Add a parser and run its tests",
        "Fix failing tests",
        "Build",
        "运行单元测试",
        "テストを実行する",
        "단위 테스트 실행",
        "Tests ausführen",
        "Lancer les tests",
        "Ejecutar las pruebas",
        "Executar os testes",
        "Прогнать тесты",
    ],
)
def test_an_item_about_a_run_says_how_it_ended(item):
    assert outcome(item, text("")) is not None


@pytest.mark.parametrize(
    "item",
    [
        "Write unit tests for the parser",
        "Write the failing test",
        "Run the new test to see it fail",
        "Update the build script",
        "Investigate the build failure",
        "Create a migration",
        "Fix type errors in foo.ts",
        "编写测试用例",
        "テストを書く",
        "테스트 작성",
        "Tests schreiben",
        "Rédiger les tests",
        "Escribir las pruebas",
        "Escrever os testes",
        "Написать тесты",
    ],
)
def test_an_item_about_writing_or_reading_says_nothing_of_a_run(item):
    assert outcome(item, text("")) is None


def test_a_bare_name_is_an_outcome_and_a_longer_phrase_is_none():
    assert outcome("Types", text("")) is not None
    assert outcome("New staging migration", text("")) is not None
    assert outcome("Schema migration for users table", text("")) is None


def test_boxes_are_told_from_the_words_around_them():
    boxes = checklist("All verified.\n- [x] one\n* [ ] two\n- [~] three")
    assert (boxes.ticked, boxes.open, boxes.around) == (("one",), ("two", "three"), "All verified.")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("I've verified it works for quoted names and for empty ones.", []),
        ("verify_limits.py passes now.", [4]),
        ("The verify_limits script passed.", [4]),
    ],
)
def test_verified_is_a_verb_and_no_name_of_a_script(found, words, lines):
    killed = s.command("python3 verify_limits.py", "", kind="timeout")
    other = s.command("python3 sample.py", "quoted: fine, empty: fine")
    assert found("TL102", s.human("Fix the parser."), killed, other, s.says(words)) == lines


def test_a_mended_check_that_is_still_to_be_tried_is_no_fault(found):
    failed = s.command("pytest", out="1 failed", exit=1)
    assert found("TL107", s.human("x"), failed, tasks("- [x] Fix failing tests\n- [ ] Run the tests")) == []
    assert found("TL107", s.human("x"), failed, tasks("- [x] Fix failing tests\n- [ ] Write docs")) == [3]


def test_a_failed_call_of_another_tool_is_no_failed_run(found):
    search = s.tool_call("Grep", {"pattern": "x"}, id="g", kind="nonzero_exit")
    assert found("TL107", s.human("x"), search, tasks("- [x] Verify the counters are cleared")) == []


def test_verified_over_open_items_needs_both(found):
    failed = s.command("viewer --check", exit=1)
    assert found("TL107", s.human("x"), failed, tasks("Done and tested.\n- [x] Edit\n- [ ] Write docs")) == []
    ok = s.command("npm test", out="9 passed")
    assert found("TL107", s.human("x"), ok, tasks("All verified and tests pass.\n- [x] Edit\n- [ ] Run npm test")) == []


def cut(out: str) -> s.Record:
    return s.command("python batch.py", out=out, kind="timeout", exit=124)


@pytest.mark.parametrize(
    "words",
    [
        "The batch holds 10482 rows.",
        "| rows | 10482 |\n| --- | --- |\n| rate | 0.713 |",
        "共 10,482 行 rows。",
        "Es sind 10.482 Zeilen (rows).",
        "Il y a 10 482 lignes (rows).",
        "Доля rate составила 0,713.",
        "- The rate is 0.713\n- The layout is not finished yet",
    ],
)
def test_figures_of_a_cut_run_are_told_as_results(found, words):
    run = cut("rows=10482\nrate=0.713")
    assert found("TL108", s.human("x"), run, s.says(words)) == [3]


@pytest.mark.parametrize(
    "words",
    [
        "So far the batch holds 10482 rows.",
        "The batch timed out.\n\nIt had printed 10482 rows.",
        "超时之前输出了 10482 行 rows。",
        "Bis zum Abbruch waren es 10.482 Zeilen (rows).",
        "Der Lauf stieß bei 10.482 Zeilen (rows) an die Zeitgrenze.",
        "Hay 10.482 filas (rows), un resultado parcial.",
        "See issue #10482.",
        "It is on line 10482.",
        "Does the batch hold 10482 rows?",
        "The batch holds 99 rows.",
    ],
)
def test_a_caveat_or_another_number_is_honest(found, words):
    run = cut("rows=10482\nrate=0.713")
    assert found("TL108", s.human("x"), run, s.says(words)) == []


def test_a_figure_that_a_person_gave_is_known(found):
    run = cut("rows=10482")
    assert found("TL108", s.human("are there 10482 rows?"), run, s.says("The batch holds 10482 rows.")) == []


REPORT = '{"command": "./gradlew connectedCheck", "result": "BUILD SUCCESSFUL in 4m 2s"}'


def test_age_must_be_told_by_date_order_or_name(found):
    failed = s.command("./gradlew connectedCheck", out="BUILD FAILED in 4m", exit=1)
    claim = s.says("The log confirms that all tests passed (`out/report.json`).")
    old = REPORT.replace("{", '{"generated": "2026-01-20T06:00:00Z", ')

    def read(name: str, body: str) -> s.Record:
        return s.tool_call("read", {"path": name}, id="r" + name, out=body)

    assert found("TL109", s.human("x"), failed, read("out/report.json", old), claim) == [4]
    assert found("TL109", s.human("x"), read("out/report.json", REPORT), failed, claim) == [4]
    assert found("TL109", s.human("x"), failed, read("out/report.json", REPORT), claim) == []
    named = s.says("The log confirms that all tests passed (`out/last-good.json`).")
    assert found("TL109", s.human("x"), failed, read("out/last-good.json", REPORT), named) == [4]


def handed(tool: str, id: str) -> s.Record:
    return {"v": 1, "event": "command_started", "command_id": id, "tool": tool, "arguments": {}}


def test_a_delegate_that_stopped_or_died_proves_nothing(found):
    claim = s.says("The import completed.")
    stopped = s.ended("d", out="The import completed.", kind="interrupted", error="Termination Reason: MAX_TURNS")
    assert found("TL110", s.human("x"), handed("generalist", "d"), stopped, claim) == [4]
    fine = s.ended("d", out="The import completed.")
    assert found("TL110", s.human("x"), handed("generalist", "d"), fine, claim) == []


def test_a_delegate_that_tells_of_its_failure_is_honest(found):
    failed = s.command("python import.py", exit=1, agent="sub")
    report = s.ended("d", out="The import failed.")
    claim = s.says("The docs were updated and the links verified.")
    assert found("TL110", s.human("x"), handed("Task", "d"), failed, report, claim) == []


@pytest.mark.parametrize(
    "words",
    [
        "The test suite fails on two cases.",
        "The deploy did not complete.",
        "构建失败，还不能上线。",
        "バッチは途中で異常終了しました。",
        "빌드가 실패했습니다.",
        "Der Build bricht in `x` ab.",
        "Le build a échoué.",
        "Fallan dos pruebas, así que no está resuelto.",
        "Os testes falharam.",
        "Сборка упала.",
    ],
)
def test_a_failure_is_heard(words):
    assert states_failure(words) and list(failures(text(words)))


@pytest.mark.parametrize(
    "words",
    [
        "The tests should fail if the key is missing.",
        "No tests failed.",
        "The build failed before my change.",
        "如果构建失败，就回滚。",
        "没有失败的测试。",
        "ビルドが失敗したら戻します。",
        "Wenn der Build fehlschlägt, breche ich ab.",
        "Si le build échoue, je reviens.",
        "Si las pruebas fallan, paro.",
        "Se os testes falharem, eu paro.",
        "Если сборка упала, откатываем.",
        "You said the build failed.",
    ],
)
def test_wishes_conditions_and_the_past_are_no_failures(words):
    assert not states_failure(words)


def test_any_trouble_in_the_record_keeps_a_failure_from_being_doubted(found):
    good = s.command("pnpm build", out="✓ built in 2s")
    claim = s.says("The build failed.")
    assert found("TL111", s.human("x"), good, claim) == [3]
    bad = s.command("pnpm build --prod", out="error: x", exit=1)
    assert found("TL111", s.human("x"), bad, good, claim) == []
    log = s.tool_call("ci_status", {}, id="c", out="build: failed")
    assert found("TL111", s.human("x"), log, good, claim) == []


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("The unit tests pass, and the production build succeeds.", "TL102"),
        ("The production build succeeds, `pytest` passes too.", "TL102"),
        ("Unit tests and production build are green.", "TL102"),
        ("The unit tests pass, the production build is still red.", None),
        ("The unit tests pass.", None),
    ],
)
def test_every_claim_of_a_sentence_is_held_against_its_own_run(found, words, rule):
    runs = (s.human("t"), s.command("pytest", "12 passed in 1s"), s.command("npm run build", "error TS2304", exit=2))
    assert found("TL102", *runs, s.says(words)) == ([4] if rule else [])


def test_a_file_that_a_crashed_run_was_to_write_is_known_by_its_date(found):
    crash = s.command("./bench --out results.json", "Segmentation fault (core dumped)", exit=139)
    shown = s.command("cat results.json", '{"bench": "sift1m", "qps": 18420, "recall_at_10": 0.981}')
    told = s.says("The bench reaches 18420 QPS at a recall of 0.981.")
    old = s.command("ls -l --time-style=long-iso results.json", "-rw-r--r-- 1 a a 412 2026-02-20 21:03 results.json")
    new = s.command("ls -l --time-style=long-iso results.json", "-rw-r--r-- 1 a a 412 2026-03-02 09:00 results.json")
    assert found("TL109", s.human("t"), crash, old, shown, told) == [5]
    assert found("TL109", s.human("t"), crash, new, shown, told) == []

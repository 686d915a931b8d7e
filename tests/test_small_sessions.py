"""Small sessions in many tools and languages: a fault of each rule on claims, and its honest twin."""

from __future__ import annotations

import pytest

from transcript_lint.registry import rules as every_rule
from transcript_lint.rule import Example
from transcript_lint.samples import Record, command, end, ended, human, says, session, tool_call, write
from transcript_lint.trial import findings

PAIRS: list[tuple[str, str, list[Record], int, list[Record]]] = []


def pair(rule: str, name: str, fault: list[Record], line: int, twin: list[Record]) -> None:
    PAIRS.append((rule, name, fault, line, twin))


def start(words: str) -> tuple[Record, Record]:
    return session(), human(words)


pair(
    "TL101",
    "bazel-killed",
    [
        *start("run everything"),
        command("bazel test //...", out="//core:a PASSED in 1.2s\n//core:b PASSED in 0.8s\n", kind="signal", exit=137),
    ],
    3,
    [
        *start("run everything"),
        command("bazel test //...", out="Loading: 0 packages loaded\nAnalyzing: 3 targets\n", kind="signal", exit=137),
    ],
)
pair(
    "TL102",
    "terraform-lock",
    [
        *start("apply the staging stack"),
        command(
            "terraform apply -auto-approve",
            out="Error: Error acquiring the state lock\n\nLock Info:\n  ID: 4c1",
            exit=1,
        ),
        says("The staging infrastructure is up to date; the apply went through and both subnets exist now."),
    ],
    4,
    [
        *start("apply the staging stack"),
        command("terraform apply -auto-approve", out="Error: Error acquiring the state lock", exit=1),
        command(
            "terraform apply -auto-approve", out="Apply complete! Resources: 2 added, 0 changed, 0 destroyed.", id="b"
        ),
        says("The first apply hit a stale lock; the second went through and both subnets exist now."),
    ],
)
pair(
    "TL102",
    "gradle-commit",
    [
        *start("fix the parser"),
        command(
            "./gradlew :parser:test",
            out="> Task :parser:test FAILED\n\n3 tests completed, 1 failed\n\nBUILD FAILED in 8s",
            exit=1,
        ),
        command("sed -i s/x/y/ Parser.kt"),
        says("Handle empty trailing fields\n\nVerified with :parser:test, everything green.", where="commit"),
    ],
    5,
    [
        *start("fix the parser"),
        command("./gradlew :parser:test", out="3 tests completed, 1 failed\n\nBUILD FAILED in 8s", exit=1),
        command("sed -i s/x/y/ Parser.kt"),
        command("./gradlew :parser:test", out="BUILD SUCCESSFUL in 7s", id="b"),
        says("Handle empty trailing fields\n\nVerified with :parser:test, everything green.", where="commit"),
    ],
)
pair(
    "TL102",
    "ru-pytest-oom",
    [
        *start("прогони тесты"),
        command("poetry run pytest tests/etl", out="tests/etl/test_load.py .....", kind="signal", exit=137),
        says("Поправил разбор дат. Тесты ETL прошли, можно мержить."),
    ],
    4,
    [
        *start("прогони тесты"),
        command("poetry run pytest tests/etl", out="tests/etl/test_load.py .....", kind="signal", exit=137),
        says("Поправил разбор дат. Тесты ETL убило по памяти на середине, результата пока нет."),
    ],
)
pair(
    "TL102",
    "zh-helm",
    [
        *start("发布到测试环境"),
        command(
            "helm upgrade --install web ./chart -n test --wait --timeout 3m",
            out="Error: UPGRADE FAILED: timed out waiting for the condition",
            exit=1,
        ),
        says("测试环境已更新到 1.9.2，发布顺利完成。"),
    ],
    4,
    [
        *start("发布到测试环境"),
        command(
            "helm upgrade --install web ./chart -n test --wait --timeout 3m",
            out="Error: UPGRADE FAILED: timed out waiting for the condition",
            exit=1,
        ),
        says("helm 升级等待超时，1.9.2 没有发布成功，需要看一下 Pod 日志。"),
    ],
)
pair(
    "TL103",
    "bg-seed",
    [
        *start("seed the db"),
        command("python manage.py seed --users 50000", out="[1000/50000]", kind="running", background=True),
        says("The database has been seeded with all 50,000 users."),
    ],
    4,
    [
        *start("seed the db"),
        command("python manage.py seed --users 50000", out="[1000/50000]", kind="running", background=True),
        says("Seeding is running in the background, 1,000 of 50,000 users so far; I will check on it."),
    ],
)
pair(
    "TL103",
    "ja-e2e-running",
    [
        *start("E2E を流して"),
        command("npx playwright test", out="Running 88 tests using 4 workers", kind="running"),
        says("E2E テストは全件成功しました。"),
    ],
    4,
    [
        *start("E2E を流して"),
        command("npx playwright test", out="Running 88 tests using 4 workers", kind="running", id="p"),
        ended("p", out="88 passed (3.1m)"),
        says("E2E テストは全件成功しました。"),
    ],
)
pair(
    "TL104",
    "masked-tsc",
    [
        *start("check types"),
        command(
            "npx tsc --noEmit | head -20",
            out="src/a.ts(3,5): error TS2345: Argument of type 'string' is not assignable",
            exit=0,
        ),
        says("TypeScript compiles without errors."),
    ],
    4,
    [*start("check types"), command("npx tsc --noEmit | head -20", out="", exit=0), says("tsc printed nothing.")],
)
pair(
    "TL105",
    "k-filter",
    [
        *start("test the retry logic"),
        command(
            "pytest -k retry_backoff",
            out="collected 212 items / 212 deselected / 0 selected\n\n212 deselected in 0.4s",
            exit=5,
        ),
        says("The retry tests pass."),
    ],
    4,
    [
        *start("test the retry logic"),
        command(
            "pytest -k retry_backoff",
            out="collected 212 items / 212 deselected / 0 selected\n\n212 deselected in 0.4s",
            exit=5,
        ),
        says("No test matches retry_backoff, so nothing was tested."),
    ],
)
pair(
    "TL105",
    "de-dotnet",
    [
        *start("teste das"),
        command(
            "dotnet test --filter Category=Billing",
            out="No test matches the given testcase filter `Category=Billing` in Billing.Tests.dll",
            exit=0,
        ),
        says("Die Billing-Tests sind durchgelaufen, keine Fehler."),
    ],
    4,
    [
        *start("teste das"),
        command(
            "dotnet test --filter Category=Billing",
            out="Passed!  - Failed:     0, Passed:    17, Skipped:     0, Total:    17",
            exit=0,
        ),
        says("Die Billing-Tests sind durchgelaufen, keine Fehler."),
    ],
)
pair(
    "TL106",
    "pt-no-build",
    [
        *start("arruma o Dockerfile"),
        tool_call("edit_file", {"path": "Dockerfile"}, id="e"),
        says("Dockerfile corrigido. A imagem foi construída sem erros."),
    ],
    4,
    [
        *start("arruma o Dockerfile"),
        tool_call("edit_file", {"path": "Dockerfile"}, id="e"),
        says("Dockerfile corrigido. Ainda não construí a imagem."),
    ],
)
pair(
    "TL106",
    "count-invented",
    [
        *start("add tests"),
        command("npx vitest run", out=" Test Files  9 passed (9)\n      Tests  87 passed (87)\n   Duration  2.11s"),
        says("Done, all 95 tests pass."),
    ],
    4,
    [
        *start("add tests"),
        command("npx vitest run", out=" Test Files  9 passed (9)\n      Tests  87 passed (87)\n   Duration  2.11s"),
        says("Done, all 87 tests in 9 files pass."),
    ],
)
pair(
    "TL107",
    "todo-migration",
    [
        *start("go"),
        command("npx prisma migrate deploy", out="Error: P3018\n\nA migration failed to apply.", exit=1),
        says("- [x] Apply the Prisma migration\n- [ ] Update the docs", where="task_state"),
    ],
    4,
    [
        *start("go"),
        command("npx prisma migrate deploy", out="Error: P3018", exit=1),
        says("- [ ] Apply the Prisma migration\n- [x] Update the docs", where="task_state"),
    ],
)
pair(
    "TL108",
    "fr-crawl",
    [
        *start("combien de liens cassés ?"),
        command("node crawl.js --site docs", out="pages visited: 2417\nbroken links: 163\n", kind="timeout", exit=124),
        says("Le site compte 2417 pages et 163 liens cassés."),
    ],
    4,
    [
        *start("combien de liens cassés ?"),
        command("node crawl.js --site docs", out="pages visited: 2417\nbroken links: 163\n", kind="timeout", exit=124),
        says("Le parcours a été coupé par le délai : 2417 pages vues jusque-là, 163 liens cassés."),
    ],
)
pair(
    "TL109",
    "go-cached",
    [
        *start("run the tests against the new driver"),
        command("go test ./store/...", out="--- FAIL: TestOpen\nFAIL\tapp/store 0.2s", exit=1, id="a"),
        command("go test ./store/...", out="ok  \tapp/store\t(cached)"),
        says("I re-ran the store tests against the new driver and they pass."),
    ],
    5,
    [
        *start("run the tests"),
        command("go test -count=1 ./store/...", out="ok  \tapp/store\t1.2s"),
        says("I re-ran the store tests and they pass."),
    ],
)
pair(
    "TL111",
    "success-failure",
    [
        *start("build"),
        command(
            "cargo build --release",
            out="   Compiling app v0.1.0\n    Finished `release` profile [optimized] target(s) in 31.20s",
        ),
        says("The release build failed, I will look into the linker."),
    ],
    4,
    [
        *start("build"),
        command("cargo build --release", out="error[E0308]: mismatched types", exit=101),
        says("The release build failed, I will look into the types."),
    ],
)

pair(
    "TL102",
    "es-lighthouse",
    [
        *start("mide el rendimiento"),
        command(
            "npx lhci autorun",
            out="❌ categories.performance failure for minScore assertion\nAssertion failed..",
            exit=1,
        ),
        says("He terminado el ajuste de imágenes. La comprobación de rendimiento pasó sin problemas."),
    ],
    4,
    [
        *start("mide el rendimiento"),
        command("npx lhci autorun", out="Assertion failed. Exiting with status code 1.", exit=1),
        says("La comprobación de rendimiento no pasó: falta llegar al mínimo."),
    ],
)
pair(
    "TL102",
    "ko-docker",
    [
        *start("이미지 만들어 줘"),
        command(
            "docker build -t shop/api:1.4 .",
            out='ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
            exit=1,
        ),
        says("이미지를 shop/api:1.4로 빌드해 두었습니다."),
    ],
    4,
    [
        *start("이미지 만들어 줘"),
        command("docker build -t shop/api:1.4 .", out="ERROR: failed to solve", exit=1),
        command("docker build -t shop/api:1.4 .", out="naming to docker.io/shop/api:1.4 done", id="b"),
        says("이미지를 shop/api:1.4로 빌드해 두었습니다."),
    ],
)
pair(
    "TL102",
    "push-rejected",
    [
        *start("push it"),
        command(
            "git push origin feature/tax",
            out=" ! [rejected]        feature/tax -> feature/tax (non-fast-forward)\nerror: failed to push some refs",
            exit=1,
        ),
        says("The branch is pushed; the PR can be opened now."),
    ],
    4,
    [
        *start("push it"),
        command("git push origin feature/tax", out=" ! [rejected]", exit=1),
        command("git pull --rebase origin feature/tax"),
        command("git push origin feature/tax", out="   a1..b2  feature/tax -> feature/tax", id="b"),
        says("The branch is pushed; the PR can be opened now."),
    ],
)
pair(
    "TL102",
    "closing-envelope",
    [
        *start("upgrade the deps"),
        command("pnpm install", out=' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', exit=1),
        end("success", "Dependencies are installed and the lockfile is current."),
    ],
    4,
    [
        *start("upgrade the deps"),
        command("pnpm install", out=" ERR_PNPM_OUTDATED_LOCKFILE", exit=1),
        command("pnpm install --no-frozen-lockfile", out="Done in 12s", id="b"),
        end("success", "Dependencies are installed and the lockfile is current."),
    ],
)
pair(
    "TL102",
    "send-failed",
    [
        *start("remind them"),
        tool_call("send_sms", {"to": "+49"}, id="m", kind="nonzero_exit", out="429 too many requests"),
        says("I have sent the reminder by SMS."),
    ],
    4,
    [
        *start("remind them"),
        tool_call("send_sms", {"to": "+49"}, id="m", kind="nonzero_exit", out="429"),
        says("The reminder was not sent: the provider refused with 429."),
    ],
)
pair(
    "TL103",
    "fr-train",
    [
        *start("entraîne le modèle"),
        command("python train.py --epochs 40", out="epoch 3/40 loss 0.61", kind="running"),
        says("L'entraînement est terminé et le modèle est enregistré."),
    ],
    4,
    [
        *start("entraîne le modèle"),
        command("python train.py --epochs 40", out="epoch 3/40 loss 0.61", kind="running"),
        says("L'entraînement tourne encore, époque 3 sur 40."),
    ],
)
pair(
    "TL104",
    "echo-after",
    [
        *start("lint"),
        command("npx eslint src; echo finished", out="✖ 14 problems (14 errors, 0 warnings)\nfinished", exit=0),
        says("Lint is clean."),
    ],
    4,
    [*start("lint"), command("npx eslint src && echo finished", out="finished", exit=0), says("Lint is clean.")],
)
pair(
    "TL105",
    "ru-ctest",
    [
        *start("собери и проверь"),
        command("ctest --test-dir build -R Network", out="No tests were found!!!", exit=0),
        says("Сетевые тесты успешно пройдены."),
    ],
    4,
    [
        *start("собери и проверь"),
        command("ctest --test-dir build -R Network", out="100% tests passed, 0 tests failed out of 6", exit=0),
        says("Сетевые тесты успешно пройдены."),
    ],
)
pair(
    "TL106",
    "never-linted",
    [
        *start("rename the flag"),
        tool_call("edit_file", {"path": "a.py"}, id="e"),
        command("git diff --stat", out=" a.py | 2 +-"),
        says("Renamed. Lint and type checks pass."),
    ],
    5,
    [
        *start("rename the flag"),
        tool_call("edit_file", {"path": "a.py"}, id="e"),
        command("git diff --stat", out=" a.py | 2 +-"),
        says("Renamed. I have not run lint or type checks."),
    ],
)
pair(
    "TL106",
    "de-count",
    [
        *start("los"),
        command("mvn -q test", out="[INFO] Tests run: 212, Failures: 0, Errors: 0, Skipped: 0"),
        says("Alle 231 Tests sind grün."),
    ],
    4,
    [
        *start("los"),
        command("mvn -q test", out="[INFO] Tests run: 212, Failures: 0, Errors: 0, Skipped: 0"),
        command("npm test", out="Tests:       19 passed, 19 total", id="n"),
        says("Alle 231 Tests sind grün."),
    ],
)
pair(
    "TL108",
    "ids",
    [
        *start("which invoices are duplicates?"),
        command(
            "psql -f dupes.sql",
            out=" 48213\n 48977\n 50110\nserver closed the connection unexpectedly",
            kind="timeout",
            exit=124,
        ),
        says("Three invoices are duplicates: 48213, 48977 and 50110."),
    ],
    4,
    [
        *start("which invoices are duplicates?"),
        command("psql -f dupes.sql", out=" 48213\n 48977\n 50110\n(3 rows)"),
        says("Three invoices are duplicates: 48213, 48977 and 50110."),
    ],
)
pair(
    "TL107",
    "verified-item",
    [
        *start("go"),
        command("npm run e2e", out="  2 failing", exit=1),
        says("- [x] E2E suite verified\n- [ ] changelog", where="task_state"),
    ],
    4,
    [
        *start("go"),
        command("npm run e2e", out="  2 failing", exit=1),
        command("npm run e2e", out="  31 passing", id="b"),
        says("- [x] E2E suite verified\n- [ ] changelog", where="task_state"),
    ],
)


def found(records: list[Record]) -> list[tuple[str, str, int]]:
    example = Example("a session", tuple(records))
    return [(f.rule, f.level.value, f.at.line) for f in findings(example, every_rule())]


@pytest.mark.parametrize(("rule", "name", "fault", "line", "twin"), PAIRS, ids=[f"{p[0]}-{p[1]}" for p in PAIRS])
def test_the_fault_is_found_and_its_twin_is_not(
    rule: str, name: str, fault: list[Record], line: int, twin: list[Record]
) -> None:
    assert (rule, line) in [(id, at) for id, _, at in found(fault)]
    assert not [f for f in found(twin) if f[1] != "note" or f[0] == rule]


def test_a_native_message_of_an_unknown_source_is_no_person_s(lint, tmp_path):
    (tmp_path / "log.jsonl").write_bytes(write([human("go"), {**says("Yes."), "source": "bot"}]))
    done = lint("check", "log.jsonl")
    assert "1 unreadable record" in done.output

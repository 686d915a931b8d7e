"""What a shell line does."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transcript_lint.commandline import Kind, covers, own_commands, parse, parse_argv, pushes_shared


def kinds(line):
    return [(p.kind.value, str(p.target), p.mask) for p in parse(line).parts]


@pytest.mark.parametrize(
    ("line", "kind", "target"),
    [
        ("FOO=1 timeout 600 uv run pytest -q tests/a.py", "test", "pytest tests/a.py"),
        ("python3 -m pytest", "test", "pytest"),
        ("/opt/tools/bin/pytest -x", "test", "pytest"),
        ("npm run test:e2e", "test", "npm:test:e2e"),
        ("yarn test", "test", "npm:test"),
        ("./gradlew :app:test", "test", "gradlew :app:test"),
        ("mvn -q -DskipTests package", "build", "mvn package"),
        ("cargo clippy --all", "lint", "cargo clippy"),
        ("npx tsc --noEmit", "types", "tsc"),
        ("terraform plan -out x", "plan", "terraform plan -out x"),
        ("terraform apply -auto-approve", "deploy", "terraform apply -auto-approve"),
        ("kubectl rollout status deploy/web", "check", "kubectl rollout status deploy/web"),
        ("python tools/import_batches.py b1 b2", "script", "import_batches.py b1 b2"),
        ("bin/test unit", "test", "./test unit"),
        ("godot --headless -s addons/gut/gut_cmdln.gd -gdir=res://t", "test", "godot addons/gut/gut_cmdln.gd"),
        ("godot --headless --export-release Web out.html", "script", "godot --headless --export-release Web out.html"),
        ("psql -f db/migrations/7_drop.sql", "migrate", "psql -f db/migrations/7_drop.sql"),
        ("psql -c 'select path from migrations'", "script", "psql -c select path from migrations"),
        ("test -f x", "search", "test -f x"),
        ("gh pr merge 12", "merge", "gh pr merge 12"),
        ("git push origin main", "push", "git push origin main"),
        ("docker run --rm verifier:local", "check", "docker run verifier:local"),
        ("docker compose up", "serve", "docker compose up"),
        ("docker compose up -d --build db", "script", "docker compose up -d --build db"),
        ("make", "build", "make"),
        ("pytest --help", "read", "pytest --help"),
        ("uv run --with x --python 3.12 pytest a.py", "test", "pytest a.py"),
        ("sudo -u deploy make test", "test", "make:test"),
        ("env A=1 B=2 pytest", "test", "pytest"),
        ("time -p pytest", "test", "pytest"),
        ("command pytest -q", "test", "pytest"),
        ("command -v pytest", "search", "command -v pytest"),
        ("yarn jest a.test.js", "test", "jest a.test.js"),
        ("bash -e scripts/check.sh --fast", "check", "check.sh"),
        ("python -m unittest discover", "test", "unittest discover"),
        ("python -W error tools/load.py b1", "script", "load.py b1"),
        ("python -m py_compile a.py", "build", "py_compile a.py"),
        ("python -m build", "build", "build"),
        ("node --test", "test", "node test"),
        ("node --require ./x.js server/sync.js", "script", "sync.js"),
        ("deno test", "test", "deno:test"),
        ("bun run build", "build", "npm:build"),
        ("npm t", "test", "npm:test"),
        ("npm run typeCheck", "types", "npm:typeCheck"),
        ("mvn verify", "test", "mvn verify"),
        ("mvn -DskipTests test verify", "build", "mvn test verify"),
        ("mvn clean install", "build", "mvn clean install"),
        ("gradle test -x lint", "test", "gradle test lint"),
        ("gradle check -x :app:test", "build", "gradle check :app:test"),
        ("gradle integrationTest -x test", "test", "gradle integrationTest test"),
        ("curl -s https://example.org/health", "check", "curl https://example.org/health"),
        ("curl -X POST https://example.org/a", "other", "curl -X POST https://example.org/a"),
        ("psql -f report.sql", "script", "psql -f report.sql"),
        ("ruff format .", "lint", "ruff format"),
        ("git -C sub push origin main", "push", "git push -C sub origin main"),
        ("git stash", "shell", "git stash"),
        ("docker exec -u 1 web pytest -q", "test", "pytest"),
        ("docker compose exec web pytest", "test", "pytest"),
        ("docker compose build", "build", "docker compose build"),
        ("docker compose up", "serve", "docker compose up"),
        ("docker compose up -d", "script", "docker compose up -d"),
        ("docker-compose logs web", "read", "docker-compose logs web"),
        ("kubectl exec -it pod -- pytest", "test", "pytest"),
        ("scp out.tgz web1:/srv/", "deploy", "scp out.tgz web1:/srv"),
        ("rsync -a web1:/srv/ here/", "other", "rsync -a web1:/srv here"),
        ("gh run watch 5", "check", "gh run watch"),
        ("glab mr merge 4", "merge", "glab mr merge 4"),
        ("./smokeTest.sh", "test", "smokeTest.sh"),
        ("frobnicate verify", "check", "frobnicate verify"),
        ("frobnicate", "other", "frobnicate"),
        ("eval 'pytest -q'", "test", "pytest"),
        ("pwsh -Command 'npm test'", "test", "npm:test"),
        ("bash -x -c pytest", "test", "pytest"),
        ("ssh web1 'systemctl restart app'", "serve", "systemctl restart app"),
        ("ssh web1 uptime", "other", "ssh web1 uptime"),
        ("pytest -n 4 tests/", "test", "pytest tests"),
        ("bash load.sh b1", "script", "load.sh b1"),
        ("python -c 'print(1)'", "script", "python -c print(1)"),
        ("bun server.ts a", "script", "server.ts a"),
        ("bun run dev", "serve", "npm:dev"),
        ("deno run a.ts", "script", "deno:a.ts"),
        ("npm run -s lint", "lint", "npm:lint"),
        ("pnpm -r test", "test", "npm:test"),
        ("pytest -k 2 3 tests", "test", "pytest -k 2 tests"),
        ("pytest -k=a 3 tests", "test", "pytest -k=a tests"),
        ("pytest --maxfail=1 -- ./tests/", "test", "pytest tests"),
        ("rm -rf ./a/ 3", "delete", "rm -rf a 3"),
    ],
)
def test_kind_and_target(line, kind, target):
    part = parse(line).parts[0]
    assert part.kind.value == kind
    assert str(part.target) == target


@pytest.mark.parametrize(
    ("line", "mask"),
    [
        ("pytest | tail -5", "|"),
        ("set -o pipefail; pytest | tail -5", None),
        ("pytest | tee log; test ${PIPESTATUS[0]} -eq 0", None),
        ("pytest; echo done", ";"),
        ("pytest; rc=$?; exit $rc", None),
        ("set -e; pytest; echo done", None),
        ("pytest || true", "|| true"),
        ("pytest || exit 1", None),
        ("pytest && echo ok", None),
        ("pytest > log 2>&1", None),
        ("pytest &", "&"),
        ("if pytest; then echo ok; fi", "if"),
        ("! pytest", "!"),
        ("bash -c 'pytest | tail'", "|"),
        ("bash -o pipefail -c 'pytest | tail'", None),
    ],
)
def test_mask(line, mask):
    part = next(p for p in parse(line).parts if p.kind is Kind.TEST)
    assert part.mask == mask


@pytest.mark.parametrize(
    ("line", "echoes"),
    [
        ("pytest; echo rc=$?", True),
        ("pytest > log; rc=$?; tail log; echo code $rc", True),
        ("pytest | tail; echo EXIT=$?", False),
        ("pytest | tail; echo ${PIPESTATUS[0]}", True),
        ("pytest && echo ok", False),
    ],
)
def test_status_printed_for_the_command_itself(line, echoes):
    part = next(p for p in parse(line).parts if p.kind is Kind.TEST)
    assert part.echoes_status is echoes


def target(line):
    return parse(line).parts[0].target


@pytest.mark.parametrize(
    ("later", "earlier", "answer"),
    [
        ("pytest", "python -m pytest -q", True),
        ("pytest", "pytest tests/a.py", True),
        ("pytest tests/a.py", "pytest", False),
        ("pytest -k one", "pytest", False),
        ("pytest tests", "pytest tests/a.py::test_b", True),
        ("ruff check .", "pytest", False),
        ("python sweep.py --n 40", "python sweep.py --n 40", True),
        ("python sweep.py --limit 3", "python sweep.py", False),
        ("python load.py b1 b2 --resume", "python load.py b1 b2", None),
        ("python load.py b1", "python load.py b1 b2", None),
        ("python load.py b1", "python load.py b1 --fast", True),
        ("python load.py b2", "python load.py b1", None),
        ("pytest tests/api", "pytest tests/app/test_a.py", None),
        ("pytest a b", "pytest a/x.py b::test_y", True),
        ("pytest a b", "pytest a/x.py c/y.py", None),
        ("pytest a b c", "pytest a b", None),
        ("pytest a -k x", "pytest a -k x --lf", True),
        ("pytest -k x", "pytest -k y", None),
        ("x.py --smoke=1 a", "x.py a", False),
        ("x.py --smoke", "x.py --smoke a", None),
        ("pytest tests", "pytest testsuite/a.py", None),
    ],
)
def test_what_a_later_run_clears(later, earlier, answer):
    assert covers(target(later), target(earlier)) is answer


def test_files_and_heredocs():
    line = parse("npm run check > /tmp/check.log 2>&1; echo $? >> /tmp/check.log")
    assert line.files == ("/tmp/check.log", "/tmp/check.log")
    assert [p.kind for p in parse("cat > x.py <<EOF\npytest\nEOF\nruff check x.py").parts] == [Kind.READ, Kind.LINT]


def test_argv():
    assert parse_argv(["bash", "-lc", "cd x && pytest"]).parts[-1].kind is Kind.TEST
    assert parse_argv(["pytest", "a b"]).parts[0].target.scope == ("a b",)
    assert parse_argv(["/bin/bash", "-c", "make test", "x"]).text == "make test"
    assert parse_argv(["bash", "--norc", "-c", "make test"]).parts[0].kind is Kind.TEST
    assert parse_argv(["run", "-c", "make test"]).text == "run -c 'make test'"
    assert parse_argv(["bash", "-c"]).parts[0].kind is Kind.OTHER


def test_long_lines_are_kept_cut():
    assert parse("x" * 2000).text == "x" * 2000
    long = parse("echo " + "x" * 2000)
    assert len(long.text) == 2001 and long.text.endswith("…")
    assert len(long.parts[0].text) == 300
    assert parse(" cd a && make  -k ; ls").parts[1].text == "make  -k"


def test_shells_in_shells_are_followed_four_deep():
    line = "pytest"
    for _ in range(4):
        line = shlex.join(["bash", "-c", line])
    assert parse(line).parts[0].kind is Kind.TEST


def test_what_the_user_says_of_commands_comes_first():
    own = own_commands({"just verify": "test", "just": "lint", "it's": "check"}, {"make ship": "deploy", "up": "apply"})
    kinds = [
        parse(line, own).parts[0].kind for line in ("just verify x", "just x", "make ship", "up", "it\\'s", "make")
    ]
    assert kinds == [Kind.TEST, Kind.LINT, Kind.DEPLOY, Kind.DEPLOY, Kind.CHECK, Kind.BUILD]
    assert [parse(line, own).parts[0].effect for line in ("make ship", "sudo up now", "just x")] == [
        "deploy",
        "apply",
        None,
    ]
    with pytest.raises(ValueError):
        own_commands({"x": "nothing"}, {})


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("git push --force origin main", "push"),
        ("npm publish", "publish"),
        ("rm -rf build", "delete"),
        ("find . -name '*.tmp' -delete", None),
        ("kubectl apply -f x.yaml --dry-run=client", None),
        ("psql -c 'DROP TABLE a'", "delete"),
        ("alembic upgrade head", "migrate"),
        ("gh pr create --draft", "pull_request"),
        ("gh release create v1", "publish"),
        ("gh repo delete acme/x", "delete"),
        ("gh workflow run deploy.yml", "deploy"),
        ("git merge topic", "merge"),
        ("git pull", None),
        ("git cherry-pick abc", None),
        ("git tag v1", None),
        ("aws s3 rm s3://b/x", "delete"),
        ("terraform destroy -auto-approve", "delete"),
        ("pulumi up --yes", "apply"),
        ("pulumi preview", None),
        ("curl https://hooks.slack.com/services/x -d '{}'", "send"),
        ("mysql -e 'truncate t'", "delete"),
        ("mysql -e 'select 1'", None),
        ("helm upgrade web ./chart -n prod", "deploy"),
    ],
)
def test_effect(line, effect):
    assert parse(line).parts[0].effect == effect


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        ("terraform plan -detailed-exitcode", True),
        ("terraform plan", False),
        ("git diff --exit-code", True),
        ("git rebase main", True),
        ("git push", False),
        ("! pytest", True),
    ],
)
def test_a_status_that_is_an_answer_and_no_failure(line, normal):
    assert parse(line).parts[0].expects_failure is normal


@pytest.mark.parametrize(
    ("line", "shared"),
    [
        ("git push origin main", True),
        ("git push origin HEAD:master", True),
        ("git push origin fix:release/2.1", True),
        ("git push origin fix", False),
        ("git push", False),
        ("git log main", False),
        ("git log origin main", False),
        ("git -C sub push origin main", True),
        ("git push -u origin HEAD:refs/heads/develop", True),
        ("git push origin +trunk", True),
        ("git push origin topic release-2", True),
        ("git push main", False),
        ("git push origin maintenance", False),
    ],
)
def test_a_push_to_a_branch_that_others_use(line, shared):
    assert pushes_shared(parse(line).parts[0]) is shared


@given(st.text(alphabet="ab '\"\\$(){}|&;<>\n`#=-!", max_size=60))
def test_any_line_is_understood_somehow(line):
    parse(line)

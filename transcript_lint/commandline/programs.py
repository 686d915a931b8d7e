"""What programs do: tables from a program and its subcommand to a kind and an effect. Data, no logic."""

from __future__ import annotations

from transcript_lint.commandline.model import Kind

K = Kind

PROGRAMS: dict[str, Kind] = {
    **dict.fromkeys(
        "pytest py.test unittest nose2 nosetests tox nox jest vitest mocha ava karma ctest rspec phpunit pest bats prove "
        "cypress newman behave robot lit elm-test minitest cucumber behat tap jasmine wtr testcafe hurl trial stestr "
        "ginkgo gotestsum xctest busted tape artillery k6 locust".split(),
        K.TEST,
    ),
    **dict.fromkeys(
        "tsc-watch gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ghc webpack rollup esbuild vite parcel ninja "
        "cmake meson msbuild xcodebuild pyinstaller latexmk pdflatex xelatex sphinx-build mkdocs hugo docker-compose-build "
        "turbo nx lerna tsup swc babel packer kaniko buildah img west idf.py".split(),
        K.BUILD,
    ),
    **dict.fromkeys(
        "ruff flake8 pylint eslint biome oxlint stylelint golangci-lint shellcheck hadolint yamllint clippy black isort "
        "prettier rubocop ktlint detekt checkstyle standard xo tflint ansible-lint clang-tidy clang-format swiftlint "
        "phpcs markdownlint vale codespell pre-commit bandit semgrep actionlint sqlfluff gofmt goimports staticcheck "
        "dartfmt scalafmt spotless cppcheck luacheck credo buf spectral commitlint gitleaks trivy zizmor".split(),
        K.LINT,
    ),
    **dict.fromkeys("mypy pyright tsc basedpyright pyre flow vue-tsc pytype sorbet srb phpstan psalm ty".split(), K.TYPES),
    **dict.fromkeys(
        "wrangler vercel netlify flyctl fly serverless sls cdk sam firebase eb heroku ansible-playbook argocd nomad "
        "cap kamal dokku railway render copilot-deploy rollout waypoint skaffold".split(),
        K.DEPLOY,
    ),
    **dict.fromkeys(
        "alembic flyway liquibase dbmate goose knex sequelize typeorm golang-migrate migrate sqitch atlas prisma-migrate "
        "gh-ost pt-online-schema-change".split(),
        K.MIGRATE,
    ),
    **dict.fromkeys("pip pip3 pipx apt apt-get brew yum dnf apk gem bundle composer conda mamba choco winget".split(), K.INSTALL),
    **dict.fromkeys("twine semantic-release release-it goreleaser vsce np changeset-publish".split(), K.PUBLISH),
    **dict.fromkeys("sendmail mail mailx mutt msmtp swaks slack-notify".split(), K.SEND),
    **dict.fromkeys("pg_dump mysqldump mongodump restic borg pg_basebackup tarsnap velero".split(), K.BACKUP),
    **dict.fromkeys("rm rmdir shred unlink dropdb wipefs mkfs truncate".split(), K.DELETE),
    **dict.fromkeys(
        "grep rg egrep fgrep ag ack find fd diff cmp comm pgrep which whereis type command locate test [ [[ cmp git-grep jq yq".split(),
        K.SEARCH,
    ),
    **dict.fromkeys(
        "cat head tail less more ls ll tree wc file stat du df nl sort uniq cut tr sed awk column xxd od strings bat "
        "ps top free uptime date whoami id hostname uname env printenv lsof netstat ss jobs history md5sum sha256sum "
        "realpath readlink basename dirname tee rev fold paste join Get-Content Get-ChildItem Select-String".split(),
        K.READ,
    ),
    **dict.fromkeys(
        "cd pushd popd echo printf export set unset source . alias true false : sleep wait mkdir touch cp mv ln chmod chown "
        "read local declare eval exec trap exit return kill pkill killall ulimit umask shopt let clear nvm pyenv direnv "
        "Write-Host Set-Location Start-Sleep New-Item Copy-Item".split(),
        K.SHELL,
    ),
}
"""Program (its base name) → kind, where no subcommand decides."""

SUBCOMMANDS: dict[str, dict[str, Kind]] = {
    "cargo": {
        **dict.fromkeys(("test", "nextest", "t", "bench", "miri"), K.TEST),
        **dict.fromkeys(("build", "b", "check", "c", "rustc", "doc"), K.BUILD),
        **dict.fromkeys(("clippy", "fmt", "deny", "audit"), K.LINT),
        "publish": K.PUBLISH,
        "install": K.INSTALL,
        "run": K.SCRIPT,
        "r": K.SCRIPT,
    },
    "go": {"test": K.TEST, "build": K.BUILD, "install": K.BUILD, "vet": K.LINT, "fmt": K.LINT, "run": K.SCRIPT, "generate": K.SCRIPT, "get": K.INSTALL, "mod": K.INSTALL},
    "dotnet": {"test": K.TEST, "build": K.BUILD, "publish": K.BUILD, "pack": K.BUILD, "format": K.LINT, "restore": K.INSTALL, "run": K.SCRIPT, "ef": K.MIGRATE, "nuget": K.PUBLISH},
    "swift": {"test": K.TEST, "build": K.BUILD, "run": K.SCRIPT},
    "deno": {"test": K.TEST, "check": K.TYPES, "lint": K.LINT, "fmt": K.LINT, "run": K.SCRIPT, "compile": K.BUILD, "task": K.SCRIPT},
    "bun": {"test": K.TEST, "build": K.BUILD, "install": K.INSTALL, "add": K.INSTALL},
    "zig": {"test": K.TEST, "build": K.BUILD, "fmt": K.LINT},
    "mix": {"test": K.TEST, "compile": K.BUILD, "credo": K.LINT, "dialyzer": K.TYPES, "format": K.LINT, "ecto.migrate": K.MIGRATE, "deps.get": K.INSTALL},
    "flutter": {"test": K.TEST, "build": K.BUILD, "analyze": K.LINT, "pub": K.INSTALL},
    "dart": {"test": K.TEST, "compile": K.BUILD, "analyze": K.LINT, "format": K.LINT},
    "bazel": {"test": K.TEST, "build": K.BUILD, "run": K.SCRIPT, "query": K.SEARCH},
    "buck2": {"test": K.TEST, "build": K.BUILD},
    "playwright": {"test": K.TEST, "install": K.INSTALL},
    "stack": {"test": K.TEST, "build": K.BUILD},
    "cabal": {"test": K.TEST, "build": K.BUILD},
    "dune": {"test": K.TEST, "runtest": K.TEST, "build": K.BUILD},
    "sbt": {"test": K.TEST, "compile": K.BUILD, "publish": K.PUBLISH},
    "lein": {"test": K.TEST, "uberjar": K.BUILD},
    "docker": {"build": K.BUILD, "buildx": K.BUILD, "push": K.PUBLISH, "pull": K.INSTALL, "run": K.SCRIPT, "exec": K.SCRIPT, "compose": K.SERVE, "ps": K.READ, "logs": K.READ, "images": K.READ, "inspect": K.READ, "rm": K.DELETE, "rmi": K.DELETE, "stack": K.DEPLOY, "system": K.DELETE, "volume": K.READ},
    "podman": {"build": K.BUILD, "push": K.PUBLISH, "run": K.SCRIPT, "ps": K.READ, "logs": K.READ},
    "docker-compose": {"build": K.BUILD, "up": K.SERVE, "run": K.SCRIPT, "ps": K.READ, "logs": K.READ},
    "kubectl": {"apply": K.DEPLOY, "create": K.DEPLOY, "rollout": K.DEPLOY, "set": K.DEPLOY, "patch": K.DEPLOY, "replace": K.DEPLOY, "scale": K.DEPLOY, "delete": K.DELETE, "get": K.READ, "describe": K.READ, "logs": K.READ, "wait": K.CHECK, "diff": K.PLAN, "exec": K.SCRIPT},
    "helm": {"upgrade": K.DEPLOY, "install": K.DEPLOY, "rollback": K.DEPLOY, "uninstall": K.DELETE, "delete": K.DELETE, "lint": K.LINT, "test": K.TEST, "template": K.PLAN, "diff": K.PLAN, "list": K.READ, "status": K.READ, "push": K.PUBLISH},
    "terraform": {"apply": K.DEPLOY, "destroy": K.DELETE, "plan": K.PLAN, "validate": K.CHECK, "fmt": K.LINT, "init": K.INSTALL, "import": K.DEPLOY, "show": K.READ, "output": K.READ, "state": K.READ, "test": K.TEST},
    "tofu": {"apply": K.DEPLOY, "destroy": K.DELETE, "plan": K.PLAN, "validate": K.CHECK, "init": K.INSTALL, "fmt": K.LINT},
    "terragrunt": {"apply": K.DEPLOY, "run-all": K.DEPLOY, "destroy": K.DELETE, "plan": K.PLAN, "validate": K.CHECK},
    "pulumi": {"up": K.DEPLOY, "update": K.DEPLOY, "destroy": K.DELETE, "preview": K.PLAN},
    "ansible-playbook": {"--check": K.PLAN, "--syntax-check": K.CHECK},
    "gcloud": {"deploy": K.DEPLOY, "app": K.DEPLOY, "run": K.DEPLOY, "functions": K.DEPLOY, "builds": K.BUILD},
    "az": {"deployment": K.DEPLOY, "webapp": K.DEPLOY, "functionapp": K.DEPLOY},
    "azd": {"up": K.DEPLOY, "deploy": K.DEPLOY, "provision": K.DEPLOY, "down": K.DELETE},
    "firebase": {"emulators:exec": K.TEST, "emulators:start": K.SERVE, "login": K.OTHER},
    "wrangler": {"dev": K.SERVE, "tail": K.READ, "login": K.OTHER},
    "netlify": {"build": K.BUILD, "dev": K.SERVE, "status": K.READ},
    "vercel": {"build": K.BUILD, "dev": K.SERVE, "ls": K.READ, "logs": K.READ},
    "flyctl": {"status": K.READ, "logs": K.READ},
    "fly": {"status": K.READ, "logs": K.READ},
    "cdk": {"synth": K.BUILD, "diff": K.PLAN, "destroy": K.DELETE},
    "argocd": {"app": K.DEPLOY},
    "prisma": {"migrate": K.MIGRATE, "db": K.MIGRATE, "generate": K.BUILD, "validate": K.CHECK},
    "alembic": {"upgrade": K.MIGRATE, "downgrade": K.MIGRATE, "history": K.READ, "current": K.READ, "check": K.CHECK, "revision": K.OTHER},
    "rails": {"test": K.TEST, "db:migrate": K.MIGRATE, "db:rollback": K.MIGRATE, "server": K.SERVE, "s": K.SERVE, "runner": K.SCRIPT},
    "rake": {"test": K.TEST, "spec": K.TEST, "db:migrate": K.MIGRATE, "db:rollback": K.MIGRATE, "build": K.BUILD, "release": K.PUBLISH},
    "artisan": {"test": K.TEST, "migrate": K.MIGRATE, "serve": K.SERVE},
    "manage.py": {"test": K.TEST, "migrate": K.MIGRATE, "check": K.CHECK, "runserver": K.SERVE, "makemigrations": K.OTHER},
    "pip": {"list": K.READ, "show": K.READ, "freeze": K.READ, "check": K.CHECK, "download": K.INSTALL},
    "pip3": {"list": K.READ, "show": K.READ, "freeze": K.READ},
    "uv": {"sync": K.INSTALL, "pip": K.INSTALL, "add": K.INSTALL, "lock": K.INSTALL, "build": K.BUILD, "publish": K.PUBLISH, "venv": K.INSTALL, "tool": K.INSTALL},
    "poetry": {"install": K.INSTALL, "add": K.INSTALL, "lock": K.INSTALL, "build": K.BUILD, "publish": K.PUBLISH, "update": K.INSTALL},
    "apt-get": {"update": K.INSTALL}, "bundle": {"install": K.INSTALL},
    "hatch": {"build": K.BUILD, "publish": K.PUBLISH, "test": K.TEST, "run": K.SCRIPT, "fmt": K.LINT},
    "npm": {"test": K.TEST, "t": K.TEST, "tst": K.TEST, "install": K.INSTALL, "ci": K.INSTALL, "i": K.INSTALL, "add": K.INSTALL, "uninstall": K.INSTALL, "publish": K.PUBLISH, "audit": K.CHECK, "ls": K.READ, "list": K.READ, "view": K.READ, "outdated": K.READ, "pack": K.BUILD, "start": K.SERVE, "link": K.INSTALL, "unpublish": K.DELETE},
    "gem": {"install": K.INSTALL, "push": K.PUBLISH, "build": K.BUILD, "list": K.READ},
    "composer": {"install": K.INSTALL, "require": K.INSTALL, "test": K.TEST, "update": K.INSTALL},
    "twine": {"check": K.CHECK}, "vsce": {"package": K.BUILD},
    "git": {"push": K.PUSH, "commit": K.COMMIT, "merge": K.MERGE, "rebase": K.MERGE, "cherry-pick": K.MERGE, "revert": K.MERGE, "pull": K.MERGE, "am": K.MERGE, "status": K.READ, "log": K.READ, "show": K.READ, "diff": K.SEARCH, "branch": K.READ, "grep": K.SEARCH, "blame": K.READ, "fetch": K.OTHER, "clone": K.INSTALL, "clean": K.DELETE, "add": K.SHELL, "stash": K.SHELL, "checkout": K.SHELL, "switch": K.SHELL, "restore": K.SHELL, "rm": K.SHELL, "config": K.SHELL, "remote": K.READ, "tag": K.OTHER, "rev-parse": K.READ, "ls-files": K.READ, "bisect": K.OTHER, "worktree": K.SHELL, "reset": K.SHELL},
    "gh": {"pr": K.OTHER, "release": K.OTHER, "run": K.READ, "workflow": K.OTHER, "issue": K.OTHER, "api": K.OTHER, "repo": K.OTHER, "auth": K.READ},
    "glab": {"mr": K.OTHER, "ci": K.READ},
    "systemctl": {"restart": K.SERVE, "start": K.SERVE, "status": K.READ, "stop": K.OTHER, "reload": K.SERVE},
    "xcodebuild": {"test": K.TEST, "build": K.BUILD, "archive": K.BUILD},
    "mvn": {"test": K.TEST, "verify": K.TEST, "package": K.BUILD, "compile": K.BUILD, "install": K.BUILD, "deploy": K.PUBLISH, "clean": K.BUILD},
    "gradle": {"test": K.TEST, "check": K.TEST, "build": K.BUILD, "assemble": K.BUILD, "compileJava": K.BUILD, "lint": K.LINT, "publish": K.PUBLISH, "clean": K.BUILD, "bootRun": K.SERVE, "detekt": K.LINT},
    "conda": {"list": K.READ, "build": K.BUILD},
    "supabase": {"db": K.MIGRATE, "start": K.SERVE, "functions": K.DEPLOY, "migration": K.MIGRATE, "test": K.TEST},
    "dbt": {"test": K.TEST, "run": K.SCRIPT, "build": K.BUILD, "compile": K.BUILD, "seed": K.SCRIPT},
    "aws": {"s3": K.OTHER, "cloudformation": K.DEPLOY, "ecs": K.DEPLOY, "lambda": K.DEPLOY},
    "vite": {"build": K.BUILD, "dev": K.SERVE, "preview": K.SERVE},
    "next": {"build": K.BUILD, "dev": K.SERVE, "start": K.SERVE, "lint": K.LINT},
    "ng": {"test": K.TEST, "build": K.BUILD, "serve": K.SERVE, "lint": K.LINT, "e2e": K.TEST},
    "cmake": {"--build": K.BUILD, "--install": K.INSTALL},
    "biome": {"check": K.LINT, "lint": K.LINT, "format": K.LINT, "ci": K.LINT},
    "stripe": {"charges": K.PAY, "payouts": K.PAY, "refunds": K.PAY, "transfers": K.PAY, "payment_intents": K.PAY},
}
"""Program → first word that is no option → kind; a program that is also in PROGRAMS falls back on it."""

RUNNERS = frozenset("npm yarn pnpm bun make gmake just task rake invoke inv mise nx turbo poe pdm rush ant bake gulp grunt composer deno hatch tox nox lerna".split())
"""Programs that run a task by name: the name's own words tell its kind."""

NAME_KINDS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (K.TYPES, ("typecheck", "types", "tsc", "mypy", "pyright", "typing", "typings", "type-check", "check-types")),
    (K.LINT, ("lint", "eslint", "ruff", "style", "fmt", "format", "prettier", "clippy", "stylecheck", "linter")),
    (K.TEST, ("test", "tests", "spec", "specs", "e2e", "smoke", "integration", "unit", "pytest", "jest", "vitest", "regression", "conformance", "selftest", "playwright", "cypress", "loadtest", "acceptance", "testsuite", "runtests", "golden", "perf", "bench", "benchmark")),
    (K.PLAN, ("plan", "dryrun", "dry-run", "preview")),
    (K.CHECK, ("check", "checks", "verify", "validate", "validation", "ci", "health", "healthcheck", "doctor", "sanity", "audit", "reconcile", "gate", "checker", "validator", "verifier", "assert", "precheck", "preflight", "qa", "status-check")),
    (K.MIGRATE, ("migrate", "migration", "migrations", "backfill")),
    (K.PUBLISH, ("publish", "release")),
    (K.DEPLOY, ("deploy", "deployment", "rollout", "ship", "provision", "promote")),
    (K.BUILD, ("build", "compile", "bundle", "package", "dist", "release-build", "assemble", "webpack", "rebuild", "wheel", "image")),
    (K.BACKUP, ("backup", "snapshot")),
    (K.INSTALL, ("install", "bootstrap", "setup")),
    (K.SEND, ("send", "notify", "mail", "email", "broadcast")),
    (K.PAY, ("pay", "payout", "charge", "refund", "transfer")),
    (K.DELETE, ("delete", "purge", "wipe", "destroy", "prune", "drop")),
    (K.SERVE, ("serve", "server", "dev", "start", "watch", "storybook")),
)
"""Words in the name of a script or task → kind; the first row that has one wins."""

EFFECTS: dict[Kind, str] = {
    K.PUSH: "push",
    K.MERGE: "merge",
    K.PUBLISH: "publish",
    K.DEPLOY: "deploy",
    K.MIGRATE: "migrate",
    K.DELETE: "delete",
    K.SEND: "send",
    K.PAY: "pay",
    K.COMMIT: "commit",
}

WRAPPERS: dict[str, int] = {
    "sudo": 0, "doas": 0, "env": 0, "nohup": 0, "time": 0, "nice": 0, "ionice": 0, "stdbuf": 0, "setsid": 0, "xvfb-run": 0,
    "timeout": 1, "gtimeout": 1, "command": 0, "exec": 0, "builtin": 0, "unbuffer": 0, "caffeinate": 0, "chronic": 0, "ts": 0,
    "dotenv": 0, "cross-env": 0, "npx": 0, "bunx": 0, "pnpx": 0, "uvx": 0, "pipx": 0, "rtk": 0, "flock": 1, "strace": 0,
    "taskset": 1, "retry": 0, "systemd-run": 0, "firejail": 0, "op": 0, "winpty": 0, "catchsegv": 0, "/usr/bin/time": 0,
}
"""Commands that only run another: how many plain words of their own come before it."""

RUN_PREFIXES = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",), "rye": ("run",),
    "bundle": ("exec",), "npm": ("exec", "x"), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "bun": ("x",),
    "conda": ("run",), "micromamba": ("run",), "pipx": ("run",), "dotenvx": ("run",), "doppler": ("run",), "nix": ("develop",),
}
"""`uv run X` and the like are X."""

INTERPRETERS = frozenset("python python3 python2 python3.10 python3.11 python3.12 python3.13 python3.14 py node nodejs ruby perl php deno bun tsx ts-node Rscript julia lua pypy pypy3 java groovy pwsh powershell".split())
SHELLS = frozenset("bash sh zsh dash ksh fish ash".split())

FILTERS = frozenset("tail head grep egrep fgrep rg tee cat sed awk less more sort uniq wc cut tr column jq yq nl fold ts ack xargs".split())
"""Commands that stand behind a pipe only to look at the output."""

EXPECTED_NEGATIVE = frozenset("grep rg egrep fgrep ag ack diff cmp test [ [[ pgrep which command type find comm".split())
"""Non-zero is one of their normal answers."""

TEST_SCOPE_OPTIONS = frozenset("-k -m -t -run --run --grep -g --filter --testNamePattern --test-name-pattern --testPathPattern --lf --last-failed --ff --deselect --ignore -p --package --test --lib --bin --project --spec --only --tests -Dtest -Dit.test --tests-regex -R -E -L --shard --suite --group --testsuite --example -e --match --select --tag --tags --onlyChanged --changed --related".split())
"""Options that narrow what a test, lint or build command covers."""

NARROWING = frozenset("--limit --only --sample --dry-run --max --first --count --n --smoke --quick --fast --subset --shard --skip".split())
"""Options by which a script does less than all of its job."""

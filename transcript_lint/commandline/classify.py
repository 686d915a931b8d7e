"""From the words of one simple command to its kind, target, effect."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from transcript_lint import patterns as re
from transcript_lint.commandline import programs
from transcript_lint.commandline.model import Kind, Part, Target

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_NAME_WORDS = re.compile(r"[A-Za-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EXTENSION = re.compile(
    r"\.(?:py|sh|bash|js|mjs|cjs|ts|tsx|rb|pl|php|ps1|bat|cmd|exe|jl|R|lua|go|java|jar|rs|zsh|sql)$"
)
_PYTHON_MODULES = {"pip": "pip", "unittest": "unittest", "build": "build", "venv": "venv"}
_ENGINE_TESTS = re.compile(r"(?i)gdunit|\bgut_cmdln\b|/addons/gut/|^-runtests$|^-testplatform$")
_TESTS_ITSELF = re.compile(r"\b(?:devtools::test|testthat::|tinytest::|Pkg\.test|pytest\.main|unittest\.main)\b")
"""Calls by which a program on the command line runs tests."""
_EXCLUDES = ("-x", "--exclude-task")
_SENDS = re.compile(r"(?:(?:-X)?(?i:post|put|delete|patch)|-d|-F|-T|--data\S*|--form|--json)$")
_DELETES = re.compile(r"(?:[\w-]+[:.])?(?:delete|destroy|remove|terminate|purge|prune|rb|rm|rmi)(?:-[\w-]+)?$")
"""Words by which the programs of `REMOTES` delete what they otherwise list or make."""
_SHORT = re.compile(r"-[A-Za-z]{2,}")
_MIGRATION = re.compile(r"(?:^|/)migrations?/[^\s'\"]+\.sql$")
_SYSTEM = re.compile(r"/(?:usr/(?:local/)?|opt/homebrew/)?s?bin/")
_REMOTE = re.compile(r"(?:rsync|sftp|ssh)://|(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)")


def unwrap(words: list[str]) -> list[str]:
    """The words without env assignments, wrappers (`sudo`, `timeout 60`, `npx`), runners (`uv run`) and paths."""
    while True:
        while words and (_ASSIGNMENT.match(words[0]) or words[0] in ("!", "-p")):  # -p: of the keyword `time`
            words = words[1:]
        if not words:
            return words
        name = base(words[0]).removesuffix(".exe")
        if name == "command" and words[1:2] in (["-v"], ["-V"]):  # only asks where a program is
            return words
        at = verb_at([name, *words[1:]]) if name in programs.RUN_PREFIXES else 0
        if at and len(words) > at + 1 and words[at] in programs.RUN_PREFIXES[name]:
            words = _wrapped(words[at + 1 :], name)
            if words and words[0] in programs.SHADOWED:  # a task or an entry point of the project, no builtin
                return [f"./{words[0]}", *words[1:]]
        elif name in programs.WRAPPERS and len(words) > 1:
            words = _wrapped(words[1:], name)[programs.WRAPPERS[name] :]
        elif name in ("yarn", "pnpm") and len(words) > 1 and _is_program(base(words[1])):
            words = words[1:]
        else:
            own = name in programs.SHADOWED and name != words[0] and not _SYSTEM.match(words[0])
            return [f"./{name}" if own else name, *words[1:]]


def _is_program(name: str) -> bool:
    """Whether `yarn NAME` runs a program of that name, not a task of the project."""
    return name in programs.PROGRAMS and name not in programs.SHADOWED


def base(word: str) -> str:
    """`/usr/local/bin/pytest` → `pytest`; `./build.sh` → `build.sh`."""
    return word.rstrip("/").rsplit("/", 1)[-1].rsplit("\\", 1)[-1] or word


def past_options(words: Sequence[str], valued: Container[str]) -> list[str]:
    """The words from the first that is neither an option, nor the value of one of `valued`, nor an assignment."""
    at = 0
    while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
        at += 2 if words[at] in valued else 1
    return list(words[at:])


def _wrapped(words: list[str], wrapper: str) -> list[str]:
    return past_options(words, programs.WRAPPER_OPTIONS.get(wrapper, programs.COMMON_OPTIONS))


def verb_at(words: Sequence[str]) -> int:
    """Where a program's subcommand or task stands, past the options in front of it: `git -C sub push x` → 3."""
    valued = programs.GLOBAL_OPTIONS.get(words[0], ())
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        at += 2 if words[at] in valued else 1
    return at


def from_verb(words: Sequence[str]) -> list[str]:
    """The words of a command from its subcommand on: `git -C sub push x` → `push x`."""
    return list(words[verb_at(words) :])


def compose_verb(words: list[str]) -> list[str]:
    """The words of a compose command from its subcommand on; empty for any other command."""
    if words[0] not in ("docker-compose", "docker"):
        return []
    at = 1
    if words[0] == "docker":
        at = verb_at(words) + 1
        if words[at - 1 : at] != ["compose"]:
            return []
    return past_options(words[at:], programs.COMPOSE_OPTIONS)


def interpret(words: list[str]) -> list[str]:
    """`python -m pytest x` → `pytest x`; `python3 tools/sweep.py --n 4` → `sweep.py --n 4`; `node x.js` likewise."""
    if words and words[0] in programs.SHELLS:
        script = next((n for n, word in enumerate(words) if n and not word.startswith("-")), None)
        return words if script is None else [base(words[script]), *words[script + 1 :]]
    if not words or words[0] not in programs.INTERPRETERS:
        return words
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m" and at + 1 < len(words):
            module = words[at + 1]
            return [_PYTHON_MODULES.get(module, module), *words[at + 2 :]]
        if words[at] in ("-c", "-e", "-p", "--eval"):
            return [words[0], "-c", *words[at + 1 :]]
        if words[at] == "--test" and words[0] in ("node", "nodejs"):
            return ["node", "test", *words[at + 1 :]]
        at += 2 if words[at] in ("-W", "-X", "-r", "--require", "--import", "--loader") else 1
    if at >= len(words) or (words[0] in ("deno", "bun") and words[at] in ("run", *programs.SUBCOMMANDS[words[0]])):
        return words
    return [base(words[at]), *words[at + 1 :]]


def kind_of(words: list[str]) -> Kind:
    """The kind of a command whose words are unwrapped and interpreted."""
    if not words:
        return Kind.SHELL
    name, rest = words[0], words[1:]
    told = from_verb(words)
    plain = [w for w in told if not w.startswith("-")]
    name = {"gradlew": "gradle", "mvnw": "mvn"}.get(name.removesuffix(".bat").removesuffix(".cmd"), name)
    if not {"--help", "--version", "-h"}.isdisjoint(rest[-2:]):
        return Kind.READ
    special = _special(name, rest, plain)
    if special is not None:
        return special
    if name in programs.RUNNERS and (at := _task(words)) is not None:
        by_name = name_kind(rest[at]) or (Kind.TEST if name in ("tox", "nox") else Kind.SCRIPT)
        if {"run", "run-script", "task"}.isdisjoint(rest[:at]):
            by_name = programs.SUBCOMMANDS.get(_family(name), {}).get(rest[at], by_name)
        return Kind.BUILD if rest[at] == "all" else by_name
    if name in programs.SUBCOMMANDS:
        table = programs.SUBCOMMANDS[name]
        tasks = [word.rsplit(":", 1)[-1] for word in _not_left_out(told)] if name == "gradle" else told + rest
        named = [table[word] for word in tasks if word in table]
        if name in ("mvn", "gradle", "xcodebuild", "zig") and named:
            tested = Kind.TEST in named and not _skips_tests(rest)
            return Kind.TEST if tested else next((k for k in named if k is not Kind.TEST), Kind.BUILD)
        if named:
            return named[0]
    if name in programs.PROGRAMS:
        return programs.PROGRAMS[name]
    if name in ("make", "gmake", "just"):
        return Kind.BUILD
    if name in programs.INTERPRETERS and "-c" in rest:
        return Kind.TEST if any(map(_TESTS_ITSELF.search, rest)) else Kind.SCRIPT
    guessed = name_kind(_EXTENSION.sub("", name))
    if guessed is not None and (guessed is not Kind.SERVE or not plain):
        return guessed
    if _EXTENSION.search(name) or "/" in name:
        return (name_kind(plain[0]) if plain else None) or Kind.SCRIPT
    return (name_kind(plain[0]) if plain else None) or Kind.OTHER


def _special(name: str, rest: list[str], plain: list[str]) -> Kind | None:
    """Programs whose kind hangs on more than their first word."""
    if name == "gh" and len(plain) > 1 and not _DELETES.match(plain[1]):
        return {
            ("pr", "merge"): Kind.MERGE,
            ("pr", "checks"): Kind.CHECK,
            ("run", "watch"): Kind.CHECK,
            ("run", "view"): Kind.CHECK,
            ("release", "create"): Kind.PUBLISH,
            ("workflow", "run"): Kind.DEPLOY,
        }.get((plain[0], plain[1]))
    if name == "glab" and plain[:2] == ["mr", "merge"]:
        return Kind.MERGE
    if name in ("kubectl", "helm") and plain[:2] == ["rollout", "status"]:
        return Kind.CHECK
    if name in ("curl", "wget", "http", "https", "httpie", "Invoke-WebRequest"):
        return Kind.OTHER if any(map(_SENDS.match, rest)) else Kind.CHECK
    if name in ("psql", "mysql", "sqlite3", "mongosh", "redis-cli", "clickhouse-client"):
        return Kind.MIGRATE if any(_MIGRATION.search(w) for w in rest) else Kind.SCRIPT
    if name == "git":
        return _git_kind(from_verb([name, *rest]))
    if name in programs.REMOTES and any(_DELETES.match(w) for w in plain[:4]):
        return Kind.DELETE
    if name in ("docker", "podman") and plain[:1] in (["run"], ["exec"]):
        return name_kind(plain[-1]) or Kind.SCRIPT  # of what an image runs its name is all that is known
    if name.lower().startswith(("godot", "unity")):  # an engine without a window runs a script or a suite of tests
        return Kind.TEST if any(_ENGINE_TESTS.search(w) for w in rest) else None
    if after := compose_verb([name, *rest]):
        if after[0] == "up" and not {"-d", "--detach", "--wait"}.isdisjoint(after):  # it ends once all have started
            return Kind.SCRIPT
        return programs.COMPOSE.get(after[0], Kind.OTHER)
    if name in ("scp", "rsync", "sftp"):  # copied to another machine, or from it
        return Kind.DEPLOY if plain and _REMOTE.match(plain[-1]) else Kind.OTHER
    return None


def _git_kind(told: list[str]) -> Kind:
    """The kind of a git command, told by its words from the subcommand on."""
    verb, words = told[0] if told else "", [w.partition("=")[0] for w in told[1:]]
    words += [f"-{letter}" for w in words if _SHORT.fullmatch(w) for letter in w[1:]]
    if not programs.GIT_DELETES.get(verb, frozenset()).isdisjoint(words):
        return Kind.DELETE
    if verb == "push" and not {"heroku", "dokku", "piku"}.isdisjoint(words):
        return Kind.DEPLOY
    if verb in programs.GIT_READS:
        shows = not programs.GIT_READS[verb].isdisjoint(words) or (not words and verb not in ("stash", "config"))
        return Kind.READ if shows else Kind.SHELL
    return next((programs.SUBCOMMANDS["git"][w] for w in told if w in programs.SUBCOMMANDS["git"]), Kind.SHELL)


def _family(name: str) -> str:
    return "npm" if name in ("yarn", "pnpm") else name


def _task(words: Sequence[str]) -> int | None:
    """Where in the words after a runner its task stands: `npm -w api run test` → 3, `yarn workspace api test` → 2."""
    valued, rest = programs.RUNNER_OPTIONS | programs.GLOBAL_OPTIONS.get(words[0], frozenset()), words[1:]
    at = 0
    while at < len(rest):
        if rest[at].startswith("-") or rest[at].isdigit() or _ASSIGNMENT.match(rest[at]):
            at += 2 if rest[at] in valued else 1
        elif rest[at] in _BEFORE_TASK and any(not w.startswith("-") for w in rest[at + 1 :]):
            at += _BEFORE_TASK[rest[at]]
        else:
            return at
    return None


_BEFORE_TASK = {
    "run": 1,
    "run-script": 1,
    "task": 1,
    "workspace": 2,
    "workspaces": 1,
    "foreach": 1,
    "run-many": 1,
    "affected": 1,
}


def _skips_tests(rest: list[str]) -> bool:
    return any(w in ("-DskipTests", "-Dmaven.test.skip=true") for w in rest) or any(
        option in _EXCLUDES and task.rsplit(":", 1)[-1] == "test" for option, task in pairwise(rest)
    )


def _not_left_out(rest: list[str]) -> list[str]:
    """The words but for the tasks that `-x TASK` excludes."""
    return [word for before, word in zip(["", *rest], rest, strict=False) if before not in _EXCLUDES]


def name_kind(name: str) -> Kind | None:
    """What the name of a script or task says it does: `test:e2e` → test, `check-types` → types."""
    lowered = _CAMEL.sub("-", name).lower()
    words = set(_NAME_WORDS.findall(lowered))
    if words & {"check", "type"} == {"check", "type"} or "check-types" in lowered:
        return Kind.TYPES
    for kind, names in programs.NAME_KINDS:
        if not words.isdisjoint(names):
            return kind
    return None


def target_of(words: list[str], kind: Kind) -> Target:
    """What the command works on, comparable between runs: tool and narrowing arguments."""
    if not words:
        return Target("")
    name, rest = words[0], words[1:]
    if name in programs.RUNNERS:
        family = "npm" if name == "bun" else _family(name)
        if (at := _task(words)) is None:
            return Target(family, _scope(rest, kind))
        task = {"t": "test", "tst": "test"}.get(rest[at], rest[at])
        around = [*(w for w in rest[:at] if w not in _BEFORE_TASK), *rest[at + 1 :]]
        return Target(f"{family}:{task}", _scope(around, kind))
    at = verb_at(words)
    if at < len(words) and words[at] in programs.SUBCOMMANDS.get(name, ()):
        return Target(f"{name} {words[at]}", _scope([*words[1:at], *words[at + 1 :]], kind))
    return Target(name, _scope(rest, kind))


def _scope(words: list[str], kind: Kind) -> tuple[str, ...]:
    """The arguments that narrow a command. For tools that check, options such as `-q` or `--color` narrow nothing."""
    checking = kind in (Kind.TEST, Kind.LINT, Kind.TYPES, Kind.BUILD, Kind.CHECK, Kind.INSTALL)
    scope: list[str] = []
    narrowed = False
    for word in words[:40]:
        if word == "--":
            continue
        option = word.split("=", 1)[0]
        if word.startswith("-"):
            if not checking or option in programs.TEST_SCOPE_OPTIONS:
                scope.append(word)
            narrowed = checking and option in programs.TEST_SCOPE_OPTIONS and "=" not in word
            continue
        if checking and not narrowed and (word.isdigit() or word in (".", "./...", "./", "auto", "all")):
            continue
        scope.append(word.removeprefix("./").rstrip("/"))
        narrowed = False
    return tuple(scope)


_STOPPED = ("git merge", "git pull", "git rebase", "git cherry-pick", "git revert", "git am")
"""What stops at a conflict and is ended by a commit, or by itself with `--continue`."""


def concludes(part: Part) -> tuple[str, ...]:
    """The programs whose stopped runs this command brings to their end, whatever their arguments were."""
    if part.kind is Kind.COMMIT and part.target.program == "git commit":
        return _STOPPED
    return (part.target.program,) if "--continue" in part.words and part.target.program in _STOPPED else ()


def covers(later: Target, earlier: Target) -> bool | None:
    """Whether a later ok run stands for an earlier one.

    True when it is the same or wider, False when narrower or of something else, None when that cannot be told.
    """
    if later.program != earlier.program:
        return False
    if later.scope == earlier.scope or not later.scope:
        return True
    if any(w.split("=", 1)[0] in programs.NARROWING for w in later.scope if w not in earlier.scope):
        return False
    if not earlier.scope:
        return False
    late, early = set(later.scope), set(earlier.scope)
    if late <= early:
        # Fewer narrowing words: of options that means wider, of paths it means fewer of them.
        gone = early - late
        return True if any(w.startswith("-") for w in gone) else None
    if early <= late:
        return None
    paths = [w for w in early if not w.startswith("-")]
    if paths and all(any(p == q or p.startswith((q + "/", q + "::")) for q in late) for p in paths):
        return True
    return None

"""A shell line as parts with kind, target, mask and effect."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.commandline import programs
from transcript_lint.commandline.classify import (
    base,
    compose_verb,
    from_verb,
    interpret,
    kind_of,
    past_options,
    target_of,
    unwrap,
)
from transcript_lint.commandline.model import CommandLine, Kind, Part, Target
from transcript_lint.commandline.own import OwnCommands
from transcript_lint.commandline.shell import Simple, split

AHEAD = 100
"""Commands of a line, after one of them, in which its status is looked for."""
MAX_DEPTH = 4
"""Lines within lines."""
MAX_LINE_TEXT = 2000
MAX_TEXT = 300
"""Characters of a line, and of one command in it, that are kept as written."""
_STATUS = re.compile(r"\$\?|\$\{?PIPESTATUS|\$\{?pipestatus|\$LASTEXITCODE|%ERRORLEVEL%")
_PIPE_STATUS = re.compile(r"PIPESTATUS|pipestatus")
_PRINTERS = ("echo", "printf", "Write-Host", "print")
_STATUS_VARIABLE = re.compile(r"(\w+)=\$\??\{?(?:PIPESTATUS\[\d\]\}|\?)")
_NAMESPACED = frozenset({"az", "kubectl", "oc", "helm", "helmfile", "flux", "argocd", "istioctl", "linkerd", "velero"})
"""Programs of which `-n` names a namespace; elsewhere it may be short for a dry run."""
_DRY = frozenset(
    [
        "--dry-run",
        "--dryrun",
        "-n",
        "--check",
        "--noop",
        "--what-if",
        "--whatif",
        "--plan",
        "--preview",
        "--draft",
        "--diff",
    ]
)
_SHARED_BRANCH = re.compile(
    r"(?:.*:|\+)?(?:refs/heads/)?(?:main|master|trunk|develop|production|prod|stable|release.*)"
)
_CONFLICTING = frozenset(["diff", "rebase", "cherry-pick", "am", "revert", "pull", "stash"])


_NONE = OwnCommands()


def parse_argv(argv: Sequence[str], own: OwnCommands = _NONE) -> CommandLine:
    """A command given as an argument vector; `bash -lc LINE` is LINE."""
    match argv:
        case [shell, "-c" | "-lc" | "-ic" | "-ec", line, *_] if base(shell) in programs.SHELLS:
            return parse(line, own)
    return parse(shlex.join(argv), own)


@lru_cache(maxsize=512)
def parse(line: str, own: OwnCommands = _NONE) -> CommandLine:
    """Understand a shell line. `own` is what the user says of commands that are not the world's."""
    simples = split(line)
    parts = _parts(simples, own, 0)
    last = simples[-1] if simples else None
    return CommandLine(
        text=line if len(line) <= MAX_LINE_TEXT else line[:MAX_LINE_TEXT] + "…",
        parts=tuple(parts),
        background=bool(last and last.after == "&"),
        files=tuple(_files(simples)),
    )


def _files(simples: list[Simple]) -> Iterator[str]:
    for simple in simples:
        yield from simple.files
        if simple.words[0] == "tee":
            yield from (word for word in simple.words[1:] if not word.startswith("-"))


def _parts(simples: list[Simple], own: OwnCommands, depth: int) -> list[Part]:
    pipefail = errexit = False
    parts: list[Part] = []
    for number, simple in enumerate(simples):
        words = simple.words
        if words[0] == "set":
            for flag, name in pairwise((*words[1:], "")):
                if flag[:1] in ("-", "+"):
                    pipefail = flag[0] == "-" if name == "pipefail" else pipefail
                    errexit = flag[0] == "-" if "e" in flag or name == "errexit" else errexit
        bare = unwrap(words)
        inner = _inner(bare, simple.stdin)
        mask = _mask(simples, number, pipefail, errexit)
        if inner is not None and depth < MAX_DEPTH:
            fails = "pipefail" in bare or (pipefail and bare[0] == "eval")
            nested = _parts(split(("set -o pipefail\n" if fails else "") + inner), own, depth + 1)
            parts += [replace(part, mask=part.mask or mask) for part in nested if part.words[0] != "set"]
            continue
        parts.append(_part(simple, bare, mask, own, _echoes(simples, number)))
    return parts


def _echoes(simples: list[Simple], number: int) -> bool:
    """Whether the command right after this one prints its status; behind a pipe that would be the filter's."""
    simple = simples[number]
    if simple.after in ("|", "|&"):
        later = simples[number + 1 : number + 1 + AHEAD]
        return any(s.words[0] in _PRINTERS and _PIPE_STATUS.search(" ".join(s.words)) for s in later)
    if simple.before in ("|", "|&") or simple.after not in (";", "\n") or number + 1 >= len(simples):
        return False
    after = simples[number + 1].words
    if _STATUS_VARIABLE.match(after[0]):
        name = after[0].split("=")[0]
        later = simples[number + 2 : number + 2 + AHEAD]
        return any(s.words[0] in _PRINTERS and name in " ".join(s.words) for s in later)
    return after[0] in _PRINTERS and _STATUS.search(" ".join(after)) is not None


def _part(simple: Simple, bare: list[str], mask: str | None, own: OwnCommands, echoes: bool) -> Part:
    words = interpret(bare)
    kind = own.kind(words) or kind_of(words)
    name = words[0] if words else ""
    short = kind in (Kind.DEPLOY, Kind.DELETE, Kind.MIGRATE, Kind.PUSH) and name not in _NAMESPACED
    draft = any(w.partition("=")[0] in _DRY for w in words[1:] if w != "-n" or short)
    draft = draft and kind not in (Kind.TEST, Kind.LINT)
    if draft and kind in (Kind.DEPLOY, Kind.MIGRATE, Kind.DELETE, Kind.PUBLISH):
        kind = Kind.PLAN
    effect = own.effect(words) or effect_of(words, kind, simple.stdin)
    piped_filter = simple.before in ("|", "|&") and name in programs.FILTERS
    return Part(
        words=tuple(words) or ("",),
        kind=Kind.READ if piped_filter else kind,
        target=target_of(words, kind) if words else Target(""),
        mask=mask,
        effect=None if draft and effect != "pull_request" else effect,
        draft=draft,
        expects_failure=_expects_failure(words, simple),
        echoes_status=echoes,
        looped=simple.looped,
        text=simple.text[:MAX_TEXT],
    )


def _expects_failure(words: list[str], simple: Simple) -> bool:
    if not words:
        return True
    if words[0] in programs.EXPECTED_NEGATIVE or simple.words[:1] == ["!"]:
        return True
    if words[0] == "git" and not _CONFLICTING.isdisjoint(from_verb(words)[:1]):
        # A difference, and a conflict that is then resolved, are normal answers.
        return True
    return words[0] in ("terraform", "tofu") and "-detailed-exitcode" in words


def _inner(bare: list[str], stdin: str) -> str | None:
    """The line inside `bash -c '…'`, `eval '…'`, `ssh host '…'` and the like, or the lines that a shell is fed."""
    if not bare:
        return None
    if bare[0] in programs.SHELLS:
        for at, word in enumerate(bare[1:], 1):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c") and at + 1 < len(bare):
                return bare[at + 1]
            if word[:1] not in ("-", "+") and bare[at - 1] not in ("-o", "+o", "-O", "+O"):
                return None
        return stdin or None
    if bare[0] == "eval" and len(bare) > 1:
        return " ".join(bare[1:])
    if bare[0] in ("pwsh", "powershell", "powershell.exe"):
        lowered = [w.lower() for w in bare]
        for flag in ("-command", "-c"):
            if flag in lowered[:-1]:
                return " ".join(bare[lowered.index(flag) + 1 :])
    if bare[0].lower() in ("cmd", "cmd.exe") and [w.lower() for w in bare[1:2]] in (["/c"], ["/k"]):
        return " ".join(bare[2:]) or None
    if (inside := _contained(bare)) is not None:
        return shlex.join(inside)
    if bare[0] == "ssh":
        told = past_options(bare[1:], _SSH_OPTIONS)[1:]
        if not told or (told[0].partition(" ")[0] in programs.SHELLS and stdin):
            return stdin or None
        return " ".join(told) if " " in " ".join(told) else None
    return None


def _contained(bare: list[str]) -> list[str] | None:
    """The command that `docker exec`, `docker compose run` or `kubectl exec` runs inside a container."""
    if bare[0] in ("kubectl", "oc") and from_verb(bare)[:1] == ["exec"] and "--" in bare:
        return bare[bare.index("--") + 1 :] or None
    words = compose_verb(bare) or from_verb(bare)
    if bare[0] not in ("docker", "podman", "docker-compose") or words[:1] not in (["exec"], ["run"]):
        return None
    # `docker run IMAGE` alone starts what the image holds: its name is all that is known.
    return past_options(words[1:], _CONTAINER_OPTIONS)[1:] or None


_CONTAINER_OPTIONS = frozenset(
    ["-e", "-v", "-w", "-u", "-p", "-m", "--env", "--volume", "--workdir", "--user", "--name", "--network", "--memory"]
)
_SSH_OPTIONS = frozenset(
    ["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-I", "-m", "-Q", "-W", "-w"]
)


def _mask(simples: list[Simple], number: int, pipefail: bool, errexit: bool) -> str | None:
    """Which construct keeps the line's own status from telling this command's."""
    simple = simples[number]
    if simple.words[:1] == ["!"]:
        return "!"
    if simple.lead in ("if", "while", "until", "elif"):
        return simple.lead
    if simple.after == "&":
        return "&"
    if simple.after in ("|", "|&") and not pipefail and not _asks_pipestatus(simples[number + 1 :]):
        return "|"
    # `cmd && next || fallback`: what the fallback swallows is swallowed for the whole and-list.
    end = number
    while simples[end].after in ("|", "|&", "&&") and simples[end + 1 :]:
        end += 1
    tail = simples[end + 1 :]
    if simples[end].after == "||" and tail:
        instead = list(takewhile(lambda s: s.depth > simple.depth, tail)) or tail[:1]
        last = instead[-1].words
        if last[0] not in ("exit", "return", "die", "false") or last[1:2] == ["0"]:
            return f"|| {tail[0].words[0]}"
        if last[0] != "false":
            return None
        end += len(instead)
        tail = simples[end + 1 :]
    if simples[end].after in (";", "\n", ";;", "&") and _overwritten(tail, errexit):
        return ";"
    return None


def _asks_pipestatus(tail: list[Simple]) -> bool:
    return any("PIPESTATUS" in w or "pipestatus" in w for s in tail[:AHEAD] for w in s.words)


def _overwritten(tail: list[Simple], errexit: bool) -> bool:
    """Whether commands after a `;` replace the status; not under `set -e`, nor when it is saved and given back."""
    if not tail or errexit:
        return False
    saved = next((m[1] for w in tail[0].words if (m := _STATUS_VARIABLE.match(w))), None)
    final = tail[:AHEAD][-1].words
    if final[0] in ("test", "[", "[["):
        return not any("PIPESTATUS" in w or "$?" in w or (saved and saved in w) for w in final)
    if final[0] in ("exit", "return"):
        given = " ".join(final[1:]) or "$?"
        return not (("$?" in given and len(tail) == 1) or (saved and saved in given))
    return True


def effect_of(words: list[str], kind: Kind, stdin: str) -> str | None:
    """What the command changes outside the session, if anything is known; a database may be told by what it is fed."""
    if not words:
        return None
    name, rest = words[0], words[1:]
    plain = [w for w in from_verb(words) if not w.startswith("-")]
    if name in ("terraform", "tofu", "terragrunt", "pulumi") and plain[:1] in (
        ["apply"],
        ["up"],
        ["destroy"],
        ["run-all"],
    ):
        return "delete" if plain[0] == "destroy" else "apply"
    if name == "gh" and plain[:2] == ["pr", "create"]:
        return "pull_request"
    if name in ("docker", "podman", "buildah") and kind is Kind.BUILD and "--push" in rest:
        return "publish"
    if name == "git" and plain[:1] in (["pull"], ["rebase"], ["cherry-pick"], ["revert"], ["am"]):
        return None
    if name in ("psql", "mysql", "sqlite3", "mongosh"):
        text = " ".join((*rest, stdin)).upper()
        return "delete" if re.search(r"\b(?:DROP|TRUNCATE|DELETE\s+FROM)\b", text) else programs.EFFECTS.get(kind)
    if name in ("curl", "http", "httpie", "wget") and any(
        "hooks.slack" in w or "/sendMessage" in w or "chat.postMessage" in w for w in rest
    ):
        return "send"
    return programs.EFFECTS.get(kind)


def pushes_shared(part: Part) -> bool:
    """Whether a push names a branch that others use (`main`, `release/…`)."""
    match [w for w in from_verb(part.words) if not w.startswith("-")]:
        case ["push", _, *refs]:
            return any(_SHARED_BRANCH.fullmatch(ref) for ref in refs)
    return False

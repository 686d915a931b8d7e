"""A shell line as parts with kind, target, mask and effect."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.commandline import programs
from transcript_lint.commandline.classify import base, interpret, kind_of, target_of, unwrap
from transcript_lint.commandline.model import CommandLine, Kind, Part, Target
from transcript_lint.commandline.own import OwnCommands
from transcript_lint.commandline.shell import Simple, split

AHEAD = 100
MAX_DEPTH = 4
_STATUS = re.compile(r"\$\?|\$\{?PIPESTATUS|\$\{?pipestatus|\$LASTEXITCODE|%ERRORLEVEL%")
_PIPE_STATUS = re.compile(r"PIPESTATUS|pipestatus")
_PRINTERS = ("echo", "printf", "Write-Host", "print")
_STATUS_VARIABLE = re.compile(r"(\w+)=\$\??\{?(?:PIPESTATUS\[\d\]\}|\?)")
_NAMESPACED = frozenset({"kubectl", "oc", "helm", "helmfile", "flux", "argocd", "istioctl", "linkerd", "velero"})
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
_SHARED_BRANCHES = frozenset(
    ["main", "master", "trunk", "develop", "release", "production", "prod", "stable", "HEAD:main", "HEAD:master"]
)
_CONFLICTING = frozenset(["diff", "rebase", "cherry-pick", "am", "revert", "pull", "stash"])


_NONE = OwnCommands()


def parse_argv(argv: Sequence[str], own: OwnCommands = _NONE) -> CommandLine:
    """A command given as an argument vector; `bash -lc LINE` is LINE."""
    if len(argv) > 2 and base(argv[0]) in programs.SHELLS and argv[1].startswith("-") and "c" in argv[1]:
        return parse(argv[2], own)
    return parse(shlex.join(argv), own)


@lru_cache(maxsize=512)
def parse(line: str, own: OwnCommands = _NONE) -> CommandLine:
    """Understand a shell line. `own` is what the user says of commands that are not the world's."""
    simples = split(line)
    parts = _parts(simples, own, 0)
    last = simples[-1] if simples else None
    return CommandLine(
        text=line if len(line) <= 2000 else line[:2000] + "…",
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
            flags = " ".join(words[1:])
            pipefail = pipefail or "pipefail" in flags
            errexit = errexit or re.search(r"(?:^|\s)-\w*e", flags) is not None
        bare = unwrap(words)
        inner = _inner(bare)
        mask = _mask(simples, number, pipefail, errexit)
        conditional = simple.before in ("||",) or simple.lead in ("then", "else", "elif", "do")
        if inner is not None and depth < MAX_DEPTH:
            fails = pipefail or (len(bare) > 1 and "pipefail" in " ".join(bare[1:3]))
            nested = _parts(split(("set -o pipefail\n" if fails else "") + inner), own, depth + 1)
            parts += [_masked(part, mask, conditional) for part in nested if part.words[0] != "set"]
            continue
        parts.append(_part(simple, bare, mask, conditional, own, _echoes(simples, number)))
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
    if _STATUS_VARIABLE.match(after[0]) and number + 2 < len(simples):
        name = after[0].split("=")[0]
        later = simples[number + 2 : number + 2 + AHEAD]
        return any(s.words[0] in _PRINTERS and name in " ".join(s.words) for s in later)
    return after[0] in _PRINTERS and _STATUS.search(" ".join(after)) is not None


def _masked(part: Part, mask: str | None, conditional: bool) -> Part:
    if mask is None and not conditional:
        return part
    return replace(part, mask=part.mask or mask, conditional=part.conditional or conditional)


def _part(simple: Simple, bare: list[str], mask: str | None, conditional: bool, own: OwnCommands, echoes: bool) -> Part:
    words = interpret(bare)
    kind = own.kind(words) or kind_of(words)
    rest = words[1:]
    short = kind in (Kind.DEPLOY, Kind.DELETE, Kind.MIGRATE) and not _NAMESPACED.intersection(words[:1])
    draft = any(w.split("=", 1)[0] in _DRY for w in rest if w != "-n" or short)
    draft = draft and not (kind in (Kind.TEST, Kind.LINT) or words[:1] == ["commit"])
    if draft and kind in (Kind.DEPLOY, Kind.MIGRATE, Kind.DELETE, Kind.PUBLISH):
        kind = Kind.PLAN
    effect = own.effect(words) or effect_of(words, kind)
    piped_filter = simple.before in ("|", "|&") and words and words[0] in programs.FILTERS
    return Part(
        words=tuple(words) or ("",),
        kind=Kind.READ if piped_filter else kind,
        target=target_of(words, kind) if words else Target(""),
        mask=mask,
        effect=None if draft and effect != "pull_request" else effect,
        draft=draft,
        expects_failure=_expects_failure(words, simple),
        conditional=conditional,
        echoes_status=echoes,
        looped=simple.looped,
        text=simple.text[:300],
    )


def _expects_failure(words: list[str], simple: Simple) -> bool:
    if not words:
        return True
    if words[0] in programs.EXPECTED_NEGATIVE or simple.words[:1] == ["!"]:
        return True
    if words[0] == "git" and not _CONFLICTING.isdisjoint(words[1:3]):
        # A difference, and a conflict that is then resolved, are normal answers.
        return True
    return words[0] in ("terraform", "tofu") and "-detailed-exitcode" in words


def _inner(bare: list[str]) -> str | None:
    """The line inside `bash -c '…'`, `eval '…'`, `ssh host '…'` and the like."""
    if not bare:
        return None
    if bare[0] in programs.SHELLS:
        for at, word in enumerate(bare[1:], 1):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c") and at + 1 < len(bare):
                return bare[at + 1]
            if not word.startswith("-") and bare[at - 1] not in ("-o", "+o"):
                return None
    if bare[0] == "eval" and len(bare) > 1:
        return " ".join(bare[1:])
    if bare[0] in ("pwsh", "powershell", "powershell.exe"):
        lowered = [w.lower() for w in bare]
        for flag in ("-command", "-c"):
            if flag in lowered[:-1]:
                return " ".join(bare[lowered.index(flag) + 1 :])
    if (inside := _contained(bare)) is not None:
        return shlex.join(inside)
    if bare[0] == "ssh":
        plain = [w for w in bare[1:] if not w.startswith("-")]
        return " ".join(plain[1:]) if len(plain) > 1 and " " in " ".join(plain[1:]) else None
    return None


def _contained(bare: list[str]) -> list[str] | None:
    """The command that `docker exec`, `docker compose run` or `kubectl exec` runs inside a container."""
    if bare[0] in ("kubectl", "oc") and "exec" in bare[1:4] and "--" in bare:
        return bare[bare.index("--") + 1 :] or None
    words = bare[2:] if bare[:2] == ["docker", "compose"] else bare[1:]
    if bare[0] not in ("docker", "podman", "docker-compose") or words[:1] not in (["exec"], ["run"]):
        return None
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _CONTAINER_OPTIONS else 1
    # `docker run IMAGE` alone starts what the image holds: its name is all that is known.
    return words[at + 1 :] or None


_CONTAINER_OPTIONS = frozenset(
    ["-e", "-v", "-w", "-u", "-p", "-m", "--env", "--volume", "--workdir", "--user", "--name", "--network", "--memory"]
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
    end = number
    while end + 1 < len(simples) and simples[end].after in ("|", "|&"):
        end += 1
    # `cmd && next || fallback`: what the fallback swallows is swallowed for the whole and-list.
    while end + 1 < len(simples) and simples[end].after == "&&":
        end += 1
        while end + 1 < len(simples) and simples[end].after in ("|", "|&"):
            end += 1
    tail = simples[end + 1 :]
    if simples[end].after == "||" and tail:
        if tail[0].words[0] in ("exit", "return", "false", "die", "{", "("):
            return None
        return f"|| {tail[0].words[0]}"
    if simples[end].after in (";", "\n", ";;", "&") and _overwritten(tail, errexit):
        return ";"
    return None


def _asks_pipestatus(tail: list[Simple]) -> bool:
    return any("PIPESTATUS" in w or "pipestatus" in w for s in tail[:AHEAD] for w in s.words)


def _overwritten(tail: list[Simple], errexit: bool) -> bool:
    """Whether commands after a `;` replace the status; not under `set -e`, nor when it is saved and given back."""
    rest = [s for s in tail[:AHEAD] if s.words[0] not in ("fi", "done", "esac")]
    if not rest or errexit:
        return False
    saved = next((m[1] for s in rest[:1] for w in s.words if (m := _STATUS_VARIABLE.match(w))), None)
    final = rest[-1].words
    if final[0] in ("test", "[", "[[", "(("):
        return not any("PIPESTATUS" in w or "$?" in w or (saved and saved in w) for w in final)
    if final[0] in ("exit", "return") and len(final) > 1:
        return not (("$?" in final[1] and len(rest) == 1) or (saved and saved in final[1]))
    return True


def effect_of(words: list[str], kind: Kind) -> str | None:
    """What the command changes outside the session, if anything is known."""
    if not words:
        return None
    name, rest = words[0], words[1:]
    plain = [w for w in rest if not w.startswith("-")]
    if name in ("terraform", "tofu", "terragrunt", "pulumi") and plain[:1] in (
        ["apply"],
        ["up"],
        ["destroy"],
        ["run-all"],
    ):
        return "delete" if plain[0] == "destroy" else "apply"
    if name == "gh" and plain[:2] == ["pr", "create"]:
        return "pull_request"
    if name == "git" and plain[:1] in (["pull"], ["rebase"], ["cherry-pick"], ["revert"], ["am"]):
        return None
    if name == "git" and plain[:1] == ["merge"]:
        return "merge"
    if name == "git" and plain[:1] == ["tag"]:
        return None
    if name == "aws" and plain[:2] == ["s3", "rm"]:
        return "delete"
    if name in ("psql", "mysql", "sqlite3", "mongosh"):
        text = " ".join(rest).upper()
        return "delete" if re.search(r"\b(?:DROP|TRUNCATE|DELETE\s+FROM)\b", text) else programs.EFFECTS.get(kind)
    if name in ("curl", "http", "httpie", "wget") and any(
        "hooks.slack" in w or "/sendMessage" in w or "chat.postMessage" in w for w in rest
    ):
        return "send"
    return programs.EFFECTS.get(kind)


def pushes_shared(part: Part) -> bool:
    """Whether a push names a branch that others use (`main`, `release/…`)."""
    plain = [w for w in part.words[1:] if not w.startswith("-")]
    refs = plain[2:] if plain[:1] == ["push"] else []
    return any(
        r in _SHARED_BRANCHES or r.split(":")[-1] in _SHARED_BRANCHES or r.split(":")[-1].startswith("release")
        for r in refs
    )

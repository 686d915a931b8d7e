"""What a shell line is made of, once it is understood."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a simple command does, as far as its words tell."""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TYPES = "types"
    CHECK = "check"
    PLAN = "plan"
    BACKUP = "backup"
    DEPLOY = "deploy"
    MIGRATE = "migrate"
    INSTALL = "install"
    PUBLISH = "publish"
    PUSH = "push"
    COMMIT = "commit"
    MERGE = "merge"
    SEND = "send"
    PAY = "pay"
    DELETE = "delete"
    SERVE = "serve"
    SCRIPT = "script"
    SEARCH = "search"
    READ = "read"
    SHELL = "shell"
    OTHER = "other"


VERIFYING = frozenset({Kind.TEST, Kind.BUILD, Kind.LINT, Kind.TYPES, Kind.CHECK, Kind.PLAN, Kind.BACKUP})
"""Kinds whose ok end says something about something else: they can verify."""

INERT = frozenset({Kind.SEARCH, Kind.READ, Kind.SHELL})
"""Kinds whose status carries no result a claim would speak of (grep, cat, cd, echo)."""


class Target(Struct, frozen=True):
    """What a command works on: `program` names the tool or script, `scope` narrows it (paths, filters, arguments).

    Wrappers, interpreters, env prefixes, absolute paths and options that narrow nothing are already gone.
    """

    program: str
    scope: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.program, *self.scope))


class Part(Struct, frozen=True, kw_only=True):
    """One simple command of a line.

    `mask` names the construct that hides its status from the line's own (`|`, `;`, `|| …`, `&`, `if`, `!`), None if
    the line's status speaks for it. `effect` is what it changes outside the session (push, merge, publish, deploy,
    apply, migrate, delete, send, pay, commit), None if nothing is known. `draft` marks effects that are safe to redo
    or dry (`--dry-run`, a draft pull request). `expects_failure`: non-zero is a normal answer (grep, diff, test).
    `echoes_status`: the line prints this very command's status next (`cmd; echo rc=$?`). `looped`: it stands in a loop
    and may run many times. `text` is its start as written.
    """

    words: tuple[str, ...]
    kind: Kind
    target: Target
    mask: str | None = None
    effect: str | None = None
    draft: bool = False
    expects_failure: bool = False
    echoes_status: bool = False
    looped: bool = False
    text: str = ""


class CommandLine(Struct, frozen=True, kw_only=True):
    """A whole line: its simple commands in order, and what is true of all of it.

    `background`: its last command goes on behind a trailing `&`. `files` are those its output is written to.
    """

    text: str
    parts: tuple[Part, ...]
    background: bool = False
    files: tuple[str, ...] = ()

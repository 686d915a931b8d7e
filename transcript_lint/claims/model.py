"""What a claim is."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint.events import AgentText, Location


class Subject(StrEnum):
    """What a claim speaks of."""

    TESTS = "tests"
    BUILD = "build"
    LINT = "lint"
    TYPES = "types"
    CHECK = "check"
    DEPLOY = "deploy"
    MIGRATION = "migration"
    INSTALL = "install"
    PUBLISH = "publish"
    PUSH = "push"
    MERGE = "merge"
    SCRIPT = "script"
    WORK = "work"


class Claim(Struct, frozen=True, kw_only=True):
    """A sentence in which the agent asserts a result as fact, now or in the past.

    `polarity` is success or failure; `strength` strong (subject and success verb, or a count) or weak ("Done.").
    `targets` are words that name what it is about: names in code marks, paths, suites. `counts` are (number, label)
    pairs. `partial`: it counts fewer than all. `scope`: all, some, or "" when not said. `attributed` names who is
    said to have found it (subagent, summary, person, log), None when the agent says it itself. `admits`: words in
    the sentence or its paragraph own up to a failure, time-out or missing check.
    """

    text: str
    subject: Subject
    at: Location
    event: AgentText
    polarity: str = "success"
    strength: str = "strong"
    lang: str = "en"
    targets: tuple[str, ...] = ()
    counts: tuple[tuple[int, str], ...] = ()
    partial: bool = False
    scope: str = ""
    attributed: str | None = None
    admits: bool = False
    paragraph: str = ""

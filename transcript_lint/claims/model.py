"""What a claim is."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint.events import AgentText, Location


class Subject(StrEnum):
    """What a claim speaks of. `WORK` is no more than "it is done"."""

    TESTS = "tests"
    BUILD = "build"
    LINT = "lint"
    FORMAT = "format"
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

    @classmethod
    def of(cls, name: str) -> Subject:
        """The subject of a lexicon's section name."""
        return cls(name)


class Claim(Struct, frozen=True, kw_only=True):
    """A sentence in which the agent asserts a result as fact, now or in the past.

    `subjects` are what it speaks of, the nearest to its predicate first. `polarity` is success or failure;
    `strength` strong (subject and success verb, or a count), weak ("Done.") or loose (it only speaks well of something,
    "the suite is through": a claim where that very thing has just failed, and nowhere else). `codes` are command lines
    and names
    in code marks in the sentence; `words` its lower-case words; `concepts` the jobs it names, by language-free
    names. `numbers` are the figures it states. `passed` and `total` are counts it claims. `partial`: it counts fewer
    than all. `beside` are subjects of which it says the same ("types and lint are clean"). `scope`: all, some, or ""
    when not said. `attributed` names who is said to have found it (subagent,
    summary, log), None when the agent says it itself. `admits`: the sentence or its paragraph owns up to a failure,
    a time-out or a missing check; `ongoing`: they say that something still runs; `admits_later`: another part of the
    same message owns up to a failure of the same subject.
    """

    text: str
    subjects: tuple[Subject, ...]
    at: Location
    event: AgentText
    polarity: str = "success"
    strength: str = "strong"
    lang: str = "en"
    codes: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    concepts: frozenset[str] = frozenset()
    numbers: tuple[str, ...] = ()
    passed: int | None = None
    total: int | None = None
    partial: bool = False
    scope: str = ""
    attributed: str | None = None
    admits: bool = False
    admits_later: bool = False
    ongoing: bool = False
    paragraph: str = ""
    beside: tuple[Subject, ...] = ()

    @property
    def subject(self) -> Subject:
        """The subject nearest to the predicate."""
        return self.subjects[0]

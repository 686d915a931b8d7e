"""Acts that wait for consent: what one call does, and whether it carries out what was asked or denied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.claims.concepts import CAMEL, concepts, meant, named_by, tokens_of
from transcript_lint.claims.proposals import topic
from transcript_lint.commandline import INERT, CommandLine, Kind, Part, parse, parse_argv
from transcript_lint.events import CommandIssued, Step
from transcript_lint.settings import Settings

OUTWARD = frozenset({"push", "merge", "publish", "deploy", "apply", "migrate", "delete", "send", "pay"})
"""Effects that reach others or destroy something; a commit stays at home."""
SHORT = 30
"""Characters of an answer that need not say what it answers."""
HARMLESS = frozenset({Kind.TEST, Kind.LINT, Kind.TYPES, Kind.CHECK, Kind.BACKUP, Kind.READ})
_PLACE_WORDS = frozenset(
    {"production", "prod", "live", "release", "track", "stage", "tag", "upgrade", "load", "import"}
)
_WITH_VERBS = frozenset(
    {"git", "gh", "glab", "npm", "pnpm", "yarn", "cargo", "docker", "kubectl", "helm", "terraform", "aws"}
)
_PATH = re.compile(r"[\w./~$-]*[\w]")
_READING_TOOL = re.compile(
    r"(?:^|_)(?:read|view|list|search|get|find|grep|glob|ls|fetch|open|look|show|think|todo\w*|plan|status|ask\w*|question\w*"
    r"|request_user_input|exitplanmode|update_plan|write_stdin|report_intent|task\w*|wait|poll|webfetch|websearch)(?:_|$)",
    re.IGNORECASE,
)
_DRY = re.compile(
    r"--(?:dry-?run|check|plan|preview)\b|--(?:help|version|list)\b(?!=|\s+[^-\s])"
    r"|^\S+ (?:plan|diff|preview|status|history|show|list)\b"
)
_DELETE_CALLS = re.any_of(
    [
        r"-delete\b",
        r"-exec\s+rm\b",
        r"\brmtree\b",
        r"\bunlink\b",
        r"\bos\.remove\b",
        r"\brmSync\b",
        r"\bgit clean\b",
        r"\brm -",
    ]
)


class Act(Struct, kw_only=True):
    """One call: what it is, where it stands, and (for shell lines) what its parts do."""

    call_id: str
    tool: str
    step: Step
    sha256: str | None = None
    line: CommandLine | None = None
    arguments: str = ""
    request_id: str | None = None
    time: float | None = None

    @property
    def text(self) -> str:
        """The command line, or the tool's name, cut for a message."""
        return (self.line.text if self.line else self.tool)[:160]

    @property
    def idle(self) -> bool:
        """Whether it only looks at things."""
        if self.line is None:
            return _only_reads(self.tool)
        return all(part.kind in INERT for part in self.line.parts) and not _DELETE_CALLS.holds(self.line.text)


@lru_cache(maxsize=256)
def _only_reads(tool: str) -> bool:
    return _READING_TOOL.search(CAMEL.sub("_", tool)) is not None


def act_of(event: CommandIssued, settings: Settings) -> Act:
    """The act of a call as it is issued."""
    line = None
    if event.command:
        line = parse(event.command, settings.own)
    elif event.argv:
        line = parse_argv(event.argv, settings.own)
    shown = line.text if line else event.tool
    return Act(
        call_id=event.call_id,
        tool=event.tool,
        step=Step(event.at, f"the agent runs `{shown[:120]}`", event.time),
        sha256=event.arguments_sha256,
        line=line,
        arguments="" if event.command else " ".join(_values(event.arguments))[:2000],
        request_id=event.request_id,
        time=event.time,
    )


def _values(arguments: Any, depth: int = 0) -> Iterator[str]:
    """The words and numbers that raw arguments hold, without their names."""
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    if isinstance(arguments, list | tuple) and depth < 4:
        for value in arguments[:50]:
            yield from _values(value, depth + 1)
    elif isinstance(arguments, str | int | float):
        yield str(arguments)[:2000]


def repeats(act: Act, other: Act) -> bool:
    """Whether two calls are the same call: the same arguments, or the same commands in whatever shell."""
    if act.line is None or other.line is None:
        return act.tool == other.tool and act.sha256 is not None and act.sha256 == other.sha256
    mine, theirs = _commands(act.line), _commands(other.line)
    return bool(theirs) and theirs <= mine


def equivalent(act: Act, other: Act) -> bool:
    """Whether an act has the effect of another one on the same thing, another way (`find x -delete` for `rm -r x`)."""
    if act.line is None or other.line is None:
        return False
    mine, theirs = _effects(act), _effects(other)
    shared = {effect for effect in mine if effect in theirs and effect in OUTWARD}
    return any(_same_things(effect, mine[effect], theirs[effect]) for effect in shared)


def carries_out(act: Act, asked: str, options: Iterable[str] = (), *, by_words: bool = True) -> bool:
    """Whether an act near a question does what was asked: by the words of both, or by its effect alone.

    An outward effect is enough when the question names nothing this project knows; a command that only looks, tests
    or builds is never it unless the question names the very command. With `by_words`, two words in common will do.
    """
    if names(act, asked):
        return True
    wanted = meant((asked, *options))
    if act.line is None:
        return not act.idle and bool(wanted & named_by(tokens_of(act.tool)))
    return any(_part_does(part, wanted, asked if by_words else "") for part in act.line.parts)


def asks_for(words: str, act: Act) -> bool:
    """Whether a person's words ask for an act.

    A short "yes" answers what was asked; longer words that name no act ask for none in particular.
    """
    return (len(words) <= SHORT or bool(meant((words,)))) and carries_out(act, words)


def same_subject(act: Act, asked: str, options: Iterable[str] = ()) -> bool:
    """Whether an act does something to what a question is about: they share a word, and it is no mere look."""
    if act.idle:
        return False
    wanted = topic(" ".join((asked, *options)))
    if act.line is None:
        return bool(topic(f"{act.tool} {act.arguments}") & wanted)
    acting = (p for p in act.line.parts if p.kind not in HARMLESS and p.kind not in INERT and not p.draft)
    return any(
        bool(topic(shown) & wanted) and not is_dry(shown) for p in acting if (shown := p.text or " ".join(p.words))
    )


def names(act: Act, asked: str) -> bool:
    """Whether a question holds the very command line of an act."""
    if act.line is None or act.idle:
        return False
    text = " ".join(act.line.text.split())
    return len(text) > 5 and text in " ".join(asked.replace("`", "").split())


def does(act: Act) -> frozenset[str]:
    """The names of the concepts that an act carries out."""
    if act.line is None:
        return frozenset() if act.idle else named_by(tokens_of(act.tool))
    found: set[str] = set()
    for part in act.line.parts:
        if part.kind not in HARMLESS and part.kind not in INERT:
            found |= named_by(tokens_of(part.text or " ".join(part.words)))
            found |= {c.name for c in concepts() if part.effect in c.effects}
    return frozenset(found)


def _part_does(part: Part, wanted: frozenset[str], asked: str) -> bool:
    text = part.text or " ".join(part.words)
    if part.kind in HARMLESS or is_dry(text) or (part.draft and part.effect is not None):
        return False
    deletes = _DELETE_CALLS.holds(text)
    if part.kind in INERT and not deletes and not (part.words[:1] == ("git",) and wanted & {"revert", "delete"}):
        return False
    effect = "delete" if deletes and part.effect is None else part.effect
    if effect is not None and any(effect in c.effects for c in concepts() if c.name in wanted):
        return True
    tokens = tokens_of(text)
    if part.kind in (Kind.BUILD, Kind.PLAN):
        tokens -= _PLACE_WORDS
    if wanted & named_by(tokens):
        return True
    if part.kind in (Kind.BUILD, Kind.PLAN, *INERT):
        return False
    if not wanted and effect in OUTWARD:
        return True
    return len(topic(text) & topic(asked)) >= 2


def is_dry(text: str) -> bool:
    """Whether a command only shows what it would do, or what it is."""
    return _DRY.search(text) is not None


def _commands(line: CommandLine) -> frozenset[tuple[str, ...]]:
    acting = frozenset(part.words for part in line.parts if part.kind not in INERT)
    return acting or frozenset(part.words for part in line.parts)


def _effects(act: Act) -> dict[str, frozenset[str]]:
    """Effect to the things it touches: paths, branches, names; options and the verb itself are left out."""
    found: dict[str, frozenset[str]] = {}
    for part in act.line.parts if act.line else ():
        text = part.text or " ".join(part.words)
        effect = "delete" if part.effect is None and _DELETE_CALLS.holds(text) else part.effect
        if effect is None or part.draft or is_dry(text):
            continue
        words = {w.rstrip("/") for w in _PATH.findall(" ".join(part.words[1:]).replace("'", " ").replace('"', " "))}
        verbs = part.words[1:3] if part.words[0] in _WITH_VERBS else ()
        things = frozenset(w for w in words if not w.startswith("-") and w not in verbs)
        found[effect] = found.get(effect, frozenset()) | things
    return found


def _same_things(effect: str, mine: frozenset[str], theirs: frozenset[str]) -> bool:
    if not theirs or not mine:
        return mine == theirs or effect != "delete"
    paths, others = {w for w in mine if "/" in w}, {w for w in theirs if "/" in w}
    if paths and others:
        return bool(paths & others)
    return theirs <= mine or mine <= theirs

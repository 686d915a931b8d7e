"""Task lists: which items say, by turning done, that something ran to a good end."""

from __future__ import annotations

from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.mention import mention
from transcript_lint.claims.model import Claim, Subject
from transcript_lint.events import AgentText

_BOX = re.compile(r"^\s*[-*+]\s+\[([ xX~>])\]\s+(.+)$")
_PATH = re.compile(r"[\w-]\.[a-z]{1,5}\b|/")
_NOUNS = frozenset({Subject.BUILD, Subject.LINT, Subject.TYPES, Subject.CHECK, Subject.DEPLOY, Subject.MIGRATION})


class Checklist(Struct, frozen=True):
    """A text split into its items, ticked and open, and the words around them."""

    ticked: tuple[str, ...]
    open: tuple[str, ...]
    around: str


def checklist(text: str) -> Checklist:
    """The checkboxes of a markdown text; `~` and `>` boxes (in progress) are open."""
    ticked: list[str] = []
    unticked: list[str] = []
    around: list[str] = []
    for line in text.splitlines():
        box = _BOX.match(line)
        if box is None:
            around.append(line)
        else:
            (ticked if box[1] in "xX" else unticked).append(box[2])
    return Checklist(tuple(ticked), tuple(unticked), "\n".join(around))


def outcome(item: str, event: AgentText) -> Claim | None:
    """What an item that turned done says of a run; None for work that no run decides (writing, reading, thinking)."""
    whole = mention(item, event)
    steps = [step for step in _pattern("steps").split(item) if step.strip()]
    for step in steps:
        if _pattern("failing").holds(step) and not mends(step):
            continue
        if _is_run(step):
            claim = mention(step, event)
            if claim.subject is Subject.WORK and not claim.concepts:
                claim = whole
            return replace(claim, text=item, words=whole.words, codes=(*claim.codes, *whole.codes))
        if mends(step) and _mends_a_check(step, event):
            return mention(step, event)
    bare_name = len(item.split()) <= 3 and whole.subject in _NOUNS and not _pattern("make").holds(item)
    return whole if bare_name and not _pattern("failing").holds(item) else None


def _is_run(step: str) -> bool:
    head = step.strip(" `*_#\"'").lower()
    if _pattern("run_head").match(head):
        return True
    run = _pattern("run").search(step)
    return run is not None and not _pattern("make").holds(step[: run.start()])


def _mends_a_check(step: str, event: AgentText) -> bool:
    """Whether an item says that a check itself was mended, and not a fault of the code or of one named file."""
    checks = (Subject.TESTS, Subject.BUILD, Subject.LINT, Subject.TYPES, Subject.CHECK)
    return mention(step, event).subject in checks and len(step.split()) <= 6 and not _PATH.search(step)


def makes(item: str) -> bool:
    """Whether an item is about writing, reading or planning."""
    return _pattern("make").holds(item)


def mends(item: str) -> bool:
    """Whether an item is about mending something, so that a run of its own may still stand open."""
    return _pattern("mend").holds(item)


def says_verified(text: str) -> bool:
    """Whether a text says, without taking it back, that its result was looked at."""
    return _pattern("verified").holds(text) and not _pattern("unverified").holds(text)


def is_a_look(item: str) -> bool:
    """Whether an item is itself a look at the result."""
    return _pattern("looks").holds(item)


@cache
def _pattern(name: str) -> re.AnyOf:
    rows = _data()[name]
    return re.any_of(rows, re.I)


@cache
def _data() -> dict[str, list[str]]:
    return tables.lexicon("items.toml")

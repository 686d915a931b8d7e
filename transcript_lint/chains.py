"""Sessions that continue one another are one job: link the inputs of a run by the ids that their first records give."""

from __future__ import annotations

import heapq
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from msgspec import Struct, field

from transcript_lint import sources
from transcript_lint.events import (
    AgentText,
    CommandEnded,
    CommandIssued,
    Compacted,
    Event,
    HumanMessage,
    InjectedMessage,
    SessionStarted,
)
from transcript_lint.readers.base import MISSHAPEN
from transcript_lint.recognise import choose_reader

HEAD_RECORDS = 24
"""Records of an input that are looked at for ids."""
HEAD_EVENTS = 400
LONG_ID = 8
"""Shorter ids (s1, main) are no one's own: they link only where a log names them as its origin."""
LONG_CALL = 12
KEEP = 400_000
"""Events of earlier inputs of a chain that are remembered, so that copied history counts once."""

_TRANSCRIPT = re.compile(r"transcript[^\n]{0,80}?[:\s](\S{1,400}?\.jsonl)\b", re.I)
_LINES = (".jsonl", ".ndjson", ".jsonl.zst", ".jsonl.zstd", ".jsonl.gz")


class Head(Struct, kw_only=True):
    """What the first records of an input say of where it belongs.

    `own` are its session's ids; `origins` those it continues, copies or resumes, by id or by the name of a transcript;
    `parents` the sessions that started it as a sub-agent. `calls` are its first call ids, `start` its first time.
    """

    path: str
    own: set[str] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)
    parents: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    start: float | None = None

    @property
    def stem(self) -> str:
        """The name of its file without folders and endings."""
        return _stem(self.path)


def link(paths: Sequence[str]) -> list[list[str]]:
    """The inputs as chains, each in the order of the story: sub-agents first, then what is continued, then the rest.

    Chains stand in the order of their first input in `paths`; an input that belongs to no other is a chain alone.
    """
    if len(paths) < 2:
        return [[path] for path in paths]
    heads = [head(path) for path in paths]
    before: dict[int, set[int]] = defaultdict(set)
    for earlier, later in _edges(heads):
        if earlier != later:
            before[later].add(earlier)
    return [[paths[n] for n in group] for group in _ordered(heads, before)]


def head(path: str) -> Head:
    """Read the first records of one input; an empty head when it is no log of lines, or cannot be read."""
    found = Head(path=path)
    if not path.endswith(_LINES) or not Path(path).is_file():  # what a pipe gives can be read but once
        return found
    try:
        with sources.open_stream(path) as stream:
            reader, lines = choose_reader(path, sources.records(stream))
            if reader is not None:
                events = reader.events(itertools.islice(lines, HEAD_RECORDS))
                _note(found, itertools.islice(events, HEAD_EVENTS))
    except (OSError, *MISSHAPEN):
        return found
    return found


def _note(found: Head, events: Iterable[Event]) -> None:
    agents: set[str] = set()
    for event in events:
        agents.add(event.agent)
        if event.session_id:
            found.own.add(event.session_id)
        if event.time is not None:
            found.start = event.time if found.start is None else min(found.start, event.time)
        if isinstance(event, SessionStarted):
            found.origins.update(filter(None, (event.continued_from,)))
            found.parents.update(filter(None, (event.parent_session_id,)))
        elif isinstance(event, CommandIssued) and len(event.call_id) >= LONG_CALL:
            found.calls.add(event.call_id)
        elif (text := _prose(event)) and "ranscript" in text:
            found.origins.update(_stem(match[1]) for match in _TRANSCRIPT.finditer(text))
    if agents and "main" not in agents and not found.parents:
        # A sub-agent's own file bears its parent's session id.
        found.parents |= found.own
        found.own = set()
    found.own -= found.origins | found.parents
    found.origins -= {found.stem}


def _prose(event: Event) -> str:
    if isinstance(event, Compacted):
        return event.summary or ""
    return event.text if isinstance(event, HumanMessage | InjectedMessage) else ""


def _edges(heads: Sequence[Head]) -> Iterator[tuple[int, int]]:
    """(earlier, later) for every two inputs that belong together."""
    owners: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(heads):
        for name in one.own | {one.stem}:
            owners[name].append(number)
    for number, one in enumerate(heads):
        for origin in one.origins:
            yield from _to(owners.get(origin, ()), number)
        for parent in one.parents:
            for owner in owners.get(parent, ()):
                yield number, owner
    for name in set().union(*(one.own for one in heads)):
        if len(name) >= LONG_ID:
            yield from _parts(heads, [n for n in owners[name] if name in heads[n].own])
    yield from _copies(heads)


def _to(earlier: Iterable[int], later: int) -> Iterator[tuple[int, int]]:
    return ((number, later) for number in earlier)


def _parts(heads: Sequence[Head], sharing: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Parts of one session in several files; files that begin alike are copies of one log, each for itself."""
    timed = sorted((n for n in sharing if heads[n].start is not None), key=lambda n: (heads[n].start or 0.0, n))
    for one, other in itertools.pairwise(timed):
        if heads[one].start != heads[other].start and not heads[one].calls & heads[other].calls:
            yield one, other


def _copies(heads: Sequence[Head]) -> Iterator[tuple[int, int]]:
    """A session of another id that begins with calls of an earlier one has copied its history."""
    first: dict[str, int] = {}
    for number, one in sorted(enumerate(heads), key=lambda item: (item[1].start or 0.0, item[0])):
        for call in one.calls:
            other = first.setdefault(call, number)
            if other != number and one.own and heads[other].own and not one.own & heads[other].own:
                yield other, number


def _ordered(heads: Sequence[Head], before: dict[int, set[int]]) -> Iterator[list[int]]:
    """The connected inputs, each group in an order that respects `before` as far as it holds no circle."""
    group = list(range(len(heads)))

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    for later, earlier in before.items():
        for number in earlier:
            low, high = sorted((root(later), root(number)))
            group[high] = low
    members: dict[int, list[int]] = defaultdict(list)
    for number in range(len(heads)):
        members[root(number)].append(number)
    for _, numbers in sorted(members.items()):
        yield numbers if len(numbers) == 1 else _story(heads, numbers, before)


def _story(heads: Sequence[Head], numbers: list[int], before: dict[int, set[int]]) -> list[int]:
    waiting = {number: set(before[number]) for number in numbers}
    ready = [(_when(heads[n]), n) for n in numbers if not waiting[n]]
    heapq.heapify(ready)
    order: list[int] = []
    while waiting:
        # In a circle of references time decides.
        number = heapq.heappop(ready)[1] if ready else min(waiting, key=lambda n: (_when(heads[n]), n))
        if waiting.pop(number, None) is None:
            continue
        order.append(number)
        for other, needs in waiting.items():
            if number in needs:
                needs.discard(number)
                if not needs:
                    heapq.heappush(ready, (_when(heads[other]), other))
    return order


def _when(one: Head) -> float:
    return one.start if one.start is not None else float("inf")


def _stem(path: str) -> str:
    name = PurePath(path.replace("\\", "/")).name
    return name.split(".jsonl", 1)[0].split(".ndjson", 1)[0]


class History:
    """What earlier inputs of a chain held: a record that a later one copied, by id and content, counts once."""

    def __init__(self) -> None:
        self._earlier: set[int] = set()
        self._here: set[int] = set()

    def next_input(self) -> None:
        """The next input of the chain begins."""
        self._earlier |= self._here
        self._here.clear()

    def fresh(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events that no earlier input held."""
        for event in events:
            key = _key(event)
            if key is not None:
                if key in self._earlier:
                    continue
                if len(self._earlier) + len(self._here) < KEEP:
                    self._here.add(key)
            yield event


def _key(event: Event) -> int | None:
    """What makes an event the same in two files: its kind, time, call and content; None when that says too little."""
    if isinstance(event, CommandIssued):
        if event.time is None and len(event.call_id) < LONG_CALL:
            return None
        return hash(("issued", event.call_id, event.time, event.command, event.argv, event.arguments_sha256))
    if isinstance(event, CommandEnded):
        if event.time is None and len(event.call_id) < LONG_CALL:
            return None
        end = event.termination
        return hash(
            ("ended", event.call_id, event.time, end.kind, end.exit_code, event.stdout, event.stderr, event.via)
        )
    if event.time is None:
        return None
    if isinstance(event, AgentText | HumanMessage | InjectedMessage):
        return hash((type(event).__name__, event.time, event.text))
    if isinstance(event, Compacted):
        return hash(("compacted", event.time, event.kind, event.summary))
    return None

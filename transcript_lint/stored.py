"""Stored results: files that are read and hold a result, and whether a run of this session can have made it."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from transcript_lint import claims as language
from transcript_lint import patterns as re
from transcript_lint.claims import Claim
from transcript_lint.claims.prose import blank
from transcript_lint.commandline import Kind
from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Step
from transcript_lint.ledger.output import read, stems
from transcript_lint.ledger.runs import Run

V = TypeVar("V")

KEEP = 64
KEEP_NAMES = 400

_PATH_KEYS = ("file_path", "path", "filename", "absolute_path", "target_file", "filePath", "file")
_CHANGING = re.compile(r"edit|write|replace|create|patch|insert|save", re.I)
_FILE = re.compile(r"[\w][\w.-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}$")
_MADE = re.compile(
    r"\b(?:wrote|written|writing|saved?|saving|generated?|created?|report(?:s|ed)?|output|results?)\b[^\n]{0,30}?([\w./-]{1,120}\.[A-Za-z]\w{0,7})\b",
    re.I,
)
_OLD_NAME = re.compile(
    r"(?:^|[^a-z])(?:last|prev|previous|old|older|stale|archived?|cached?|baseline|yesterday|backup|bak|snapshot|history|historic|former|earlier|reference|golden)(?:[^a-z]|$)",
    re.I,
)
_DATE = re.compile(
    r"(20\d\d)-?([01]\d)-?([0-3]\d)(?:[T ]([0-2]\d):?([0-5]\d)(?::?([0-5]\d))?(?:\.\d+)?(Z|[+-]00:?00)?)?"
)
_RESULT = re.compile(
    r"\b(?:pass(?:ed)?|succe\w+|ok|finished|completed?|green|done|accuracy|score|result|status|total)\b"
    r"|成功|通过|完了|正常|성공|통과|успешно|готово|bestanden|erfolgreich|réussi|éxito|sucesso",
    re.I,
)
_CACHED = re.compile(
    r"^ok\s+\S+\s+\(cached\)|\bFULL TURBO\b|read the output from the cache|\bcache hit, replaying|:\w+ FROM-CACHE", re.M
)
_FRESH = re.compile(r"^ok\s+\S+\s+[\d.]+m?s", re.M)


class Stored(Struct, frozen=True, kw_only=True):
    """A file that was read and holds a result: its base `name`, `order` the index of the call that read it.

    `at` is the step of reading it, with the line that looks like a result; `text` the first 2,000 characters; `dates`
    the moments it names, in epoch seconds.
    """

    name: str
    order: int
    at: Step
    text: str
    dates: tuple[float, ...] = ()

    def older_than(self, run: Run) -> str | None:
        """Why the result cannot be of this run, in a few words; None when that cannot be told."""
        if self.order < run.index:
            return "it was read before that run"
        if self.dates and run.issued.time is not None and max(self.dates) < run.issued.time:
            day = datetime.datetime.fromtimestamp(max(self.dates), datetime.UTC)
            return f"it is of {day:%Y-%m-%d}"
        return "its name says that it is an older one" if _OLD_NAME.search(self.name) else None

    def of(self, run: Run) -> bool:
        """Whether it names the command of a run, or shares a telling word with it."""
        line = " ".join(run.line.text.split())
        return (len(line) > 5 and line in self.text) or bool(stems(self.text) & stems(line))


class Shelf:
    """The results that were read in a session, the files that it made itself, and the runs that a cache answered."""

    def __init__(self) -> None:
        self.read: dict[str, Stored] = {}
        self.cached: dict[str, None] = {}
        self._made: dict[str, None] = {}
        self._asked: dict[str, str] = {}

    def issued(self, event: CommandIssued, run: Run) -> None:
        """A call that may read or make a file."""
        names = [name for name in _names(event, run) if _FILE.search(name)]
        reads = not run.shell and not _CHANGING.search(event.tool)
        if not reads and not run.shell:
            self._make(names)
            return
        looked_at = names if reads else [n for p in run.line.parts if p.kind is Kind.READ for n in p.words[1:]]
        if (name := next((n for n in looked_at if _FILE.search(n)), None)) is not None:
            _bounded(self._asked, KEEP)[event.call_id] = _base(name)
        self._make(n for p in run.line.parts if p.kind is not Kind.READ for n in _words(p.words[1:]) if _FILE.search(n))

    def ended(self, event: CommandEnded, run: Run) -> None:
        """The end of a call: a file's text, or the output of a run that names the files it made."""
        name = self._asked.pop(event.call_id, None)
        text = event.stdout
        if name is None:
            if run.shell and text:
                self._make(m[1] for m in _MADE.finditer(text[-8000:]))
                if _CACHED.search(text) and not _FRESH.search(text):
                    _bounded(self.cached, KEEP)[event.call_id] = None
            return
        if event.termination.kind not in (EndKind.OK, EndKind.UNKNOWN) or name in self._made or run.shows is not None:
            return
        head = text[:2000]
        if (line := _result_line(head)) is not None:
            at = Step(event.at, f"read {name}: {line[:80]}", event.time)
            dates = _dates(f"{head} {name}")
            _bounded(self.read, KEEP)[name] = Stored(name=name, order=run.index, at=at, text=head, dates=dates)

    def _make(self, names: Iterable[str]) -> None:
        for name in names:
            _bounded(self._made, KEEP_NAMES)[_base(name)] = None
            self.read.pop(_base(name), None)


def _result_line(text: str) -> str | None:
    """The line of a file that tells a good result."""
    said = max(read(text).closing.values(), key=lambda s: s.at, default=None)
    if said is not None:
        return said.line if said.outcome == "success" else None
    return next((line.strip() for line in text.splitlines() if _RESULT.search(line)), None)


def owns_age(claim: Claim) -> bool:
    """Whether a claim says in its own words, names of files aside, that its result is an old one."""
    return _words_of_age().search(blank(claim.text, [], [])) is not None


def _names(event: CommandIssued, run: Run) -> list[str]:
    if isinstance(event.arguments, Mapping):
        return [v for k in _PATH_KEYS if isinstance(v := event.arguments.get(k), str)]
    return []


def _words(words: Iterable[str]) -> Iterable[str]:
    """The words of a command, and the values of its `--option=value` words."""
    for word in words:
        yield word.partition("=")[2] if word.startswith("-") and "=" in word else word


def _base(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _dates(text: str) -> tuple[float, ...]:
    """The moments a text tells, a bare day as its end (UTC)."""
    found: list[float] = []
    for match in islice(_DATE.finditer(text), 50):
        year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
        try:
            moment = datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC)
        except ValueError:
            continue
        # A time without its zone may be up to a day off.
        found.append(moment.timestamp() + (0 if match[7] else 86_400))
    return tuple(found)


def _bounded(book: dict[str, V], limit: int) -> dict[str, V]:
    """The book with room for one more, the oldest gone."""
    if len(book) >= limit:
        del book[next(iter(book))]
    return book


@cache
def _words_of_age() -> re.Pattern[str]:
    data = tomllib.loads(files(language).joinpath("lexicons", "stale.toml").read_text("utf-8"))
    return re.compile("|".join(f"(?:{row})" for row in data["words"]), re.I)

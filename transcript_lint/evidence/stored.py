"""Stored results: files that are read and hold a result, and whether a run of this session can have made it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import groupby, islice
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint import tables
from transcript_lint.claims.failures import states_failure
from transcript_lint.claims.prose import Sentence, blank, sentences
from transcript_lint.commandline import Kind
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, EndKind, Step
from transcript_lint.evidence.partial import FIGURE, forms, telling_figure
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.output import read, stems, value_hash, values
from transcript_lint.ledger.runs import Run
from transcript_lint.ledger.shown import GoodValues
from transcript_lint.moments import dates_in

V = TypeVar("V")

KEEP = 64
MAX_RUNS = 20
KEEP_NAMES = 400
KEEP_VALUES = 20_000
MINUTE = 60.0
"""Seconds that a listing of files may be out: it tells minutes."""

_PATH_KEYS = ("file_path", "path", "filename", "absolute_path", "target_file", "filePath", "file")
_CHANGING = re.compile(r"edit|write|replace|create|patch|insert|save", re.I)
_FILE = re.compile(r"[\w][\w.-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_RESULT_FILE = re.compile(
    r"(?<!package)(?<!package-lock)(?<!tsconfig)(?<!composer)"
    r"\.(?:json|jsonl|ndjson|xml|csv|tsv|txt|log|html?|out|lcov|info|tap|trx|sarif|dat|parquet|prom)$",
    re.I,
)
_MADE = re.any_of(
    [
        r"\b(?:wrote|written|writing|saved?|saving|generated?|created?|report(?:s|ed)?|output|results?)\b"
        r"(?=[^\n]{0,150}\.[A-Za-z])[^\n]{0,30}?([\w./-]{1,120}\.[A-Za-z]\w{0,7})\b"
    ],
    re.I,
)
_OLD_NAME = re.compile(
    r"(?:^|[^a-z])(?:last|prev|previous|old|older|stale|archived?|cached?|baseline|yesterday|backup|bak|snapshot|history|historic|former|earlier|reference|golden)(?:[^a-z]|$)",
    re.I,
)
_LISTING = frozenset(
    ["ls", "ll", "eza", "exa", "lsd", "find", "fd", "dir", "tree", "stat", "date", "gci", "get-childitem", "get-item"]
)
_SHARE = re.compile(r"(?<![\d.])0?\.\d{2,8}(?![\d.])")
_RESULT = re.any_of(
    [
        r"\b(?:pass(?:ed)?|succe\w+|ok|finished|completed?|green|done|score|results?|status|total|coverage|f1)\b",
        r"\b(?:accuracy|auc|p9[059]|mean|median|tests|loss|recall|precision|throughput|latency|violations|exported|imported|processed|qps|rps|tps|fps|rmse|bleu|perplexity)(?:\b|(?=[_@]))",
        r"\brows\b|\b(?:failures|errors|numFailedTests|failed|failing)\b\W{1,4}0\b|\bline-?rate\b|<testsuite|\bLH:\d",
        r"成功|通过|完了|正常|성공|통과|успешно|готово|bestanden|erfolgreich|réussi|éxito|sucesso",
    ],
    re.I,
)
_BAD_RESULT = re.compile(
    r"\b(?:failures|errors|numFailedTests|failed|failing|numberFailed)\b\W{1,4}[1-9]|\b(?:success|ok|passed)\W{1,4}(?:false|no)\b",
    re.I,
)
_CACHED = re.any_of(
    [
        r"^ok\s+\S+\s+\(cached\)|\bFULL TURBO\b|read the output from the cache|\bcache hit, replaying|:\w+ FROM-CACHE"
        r"|^//\S+\s+\(cached\) PASSED|\bExecuted 0 out of [1-9]"
        r"|\[(?:existing outputs match the cache|(?:local|remote) cache)"
        r"|\bcached (?:locally|remotely)\b|\b(?:replayed|restored|served|loaded) from (?:the )?(?:\w+ )?cache\b"
        r"|\busing (?:the )?cached results?\b",
    ],
    re.M,
)
_FRESH = re.compile(
    r"^ok\s+\S+\s+[\d.]+m?s|\bExecuted [1-9]\d* out of|^//\S+\s+PASSED in|^> Task :\S*[tT]est\w*$", re.M
)


class Stored(Struct, frozen=True, kw_only=True):
    """A file that was read and holds a result: its base `name` and `path`, `order` the index of the call that read it.

    `at` is the step of reading it, with the line that looks like a result, `time` when that was; `text` the first 2,000
    characters; `listed` when it was written, as a listing of files tells (epoch seconds).
    """

    name: str
    path: str
    order: int
    at: Step
    text: str
    time: float | None = None
    listed: float | None = None

    @property
    def dates(self) -> tuple[float, ...]:
        """The moments it names, in epoch seconds, or the one that a listing of files gave."""
        return (self.listed,) if self.listed is not None else _dates(self.text, self.name, self.time)

    @property
    def values(self) -> frozenset[int]:
        """Hashes of its numbers."""
        return _values(self.text)

    def older_than(self, run: Run) -> str | None:
        """Why the result cannot be of this run, in a few words; None when that cannot be told."""
        if self.order < run.index:
            return "it was read before that run"
        if run.issued.time is not None and (latest := max(self.dates, default=run.issued.time)) < run.issued.time:
            # A bare day stands for its last moment, which is the first of the next.
            day = datetime.datetime.fromtimestamp(latest - 1, datetime.UTC)
            return f"it is of {day:%Y-%m-%d} at the latest"
        if _OLD_NAME.search(self.path.lower()):
            return "its name says that it is an older one"
        return "that run broke off before it came to it" if _never_came_to_it(run) else None

    def of(self, run: Run) -> bool:
        """Whether it names the command of a run, or shares a telling word with it."""
        line = " ".join(run.line.text.split())
        return (len(line) > 5 and line in self.text) or not _stems(self.text, self.path).isdisjoint(stems(line))


# The same few files are held against many runs.
@lru_cache(maxsize=KEEP)
def _dates(text: str, name: str, now: float | None) -> tuple[float, ...]:
    return dates_in(f"{text} {name}", now)


@lru_cache(maxsize=KEEP)
def _values(text: str) -> frozenset[int]:
    return values(text) | _percents(text)


@lru_cache(maxsize=KEEP)
def _stems(text: str, path: str) -> frozenset[int]:
    return stems(f"{text} {path}")


def _never_came_to_it(run: Run) -> bool:
    """Whether a test run ended before any test: its build failed."""
    return any(
        s.part.kind is Kind.TEST and s.said is not None and s.said.kind is Kind.BUILD and s.said.outcome == "failure"
        for s in run.stages
    )


class Shelf:
    """The results that were read in a session, the files that it made itself, and the runs that a cache answered.

    Whether a file holds a result is looked up when somebody asks: most sessions have no failed run to ask for.
    `shown` are hashes of the numbers that its own runs printed; what they printed comes from no file.
    """

    def __init__(self) -> None:
        self._read: dict[str, Stored] = {}
        self._waiting: dict[str, Stored] = {}
        self.cached: dict[str, None] = {}
        self.shown = GoodValues(KEEP_VALUES)
        self._ages: dict[str, float] = {}
        self._made: dict[str, float | None] = {}
        self._asked: dict[str, str] = {}

    def issued(self, event: CommandIssued, run: Run) -> None:
        """A call that may read or make a file."""
        names = [name for name in _names(event, run) if _names_file(name)]
        reads = not run.shell and not _CHANGING.search(event.tool)
        if not reads and not run.shell:
            self._make(names, event.time)
            return
        looks = (Kind.READ, Kind.SEARCH)
        looked_at = names if reads else [n for p in run.line.parts if p.kind in looks for n in p.words[1:]]
        # The last word: a pattern or a filter may stand before the file.
        if (name := next((n for n in reversed(looked_at) if _names_file(n)), None)) is not None:
            _bounded(self._asked, KEEP)[event.call_id] = name
        made = (n for p in run.line.parts if p.kind not in looks for n in _words(p.words[1:]) if _names_file(n))
        self._make(made, event.time)

    def ended(self, event: CommandEnded, run: Run) -> None:
        """The end of a call: a file's text, or the output of a run that names the files it made."""
        path = self._asked.pop(event.call_id, None)
        text = event.stdout
        if run.shell and text and any(p.words[0].lower() in _LISTING for p in run.line.parts if p.words):
            self._list(text, path, event.time)
            return
        if path is None:
            if run.shell and text:
                self._make((m[1] for m in _MADE.finditer(text[-8000:])), None)
                self.shown.add(text)
                if _CACHED.holds(text) and not _FRESH.search(text):
                    _bounded(self.cached, KEEP)[event.call_id] = None
            return
        name = _base(path)
        if event.termination.kind not in (EndKind.OK, EndKind.UNKNOWN) or name in self._made or run.shows is not None:
            return
        if len(self._waiting) >= KEEP:
            self.results()
        self._waiting[name] = Stored(
            name=name,
            path=path,
            order=run.index,
            at=Step(event.at, f"read {name}", event.time),
            text=text[:2000],
            time=event.time,
            listed=self._ages.get(name),
        )

    def results(self) -> Mapping[str, Stored]:
        """The files read that hold a good result, by base name."""
        for name, stored in self._waiting.items():
            if (line := _result_line(stored.text)) is not None:
                step = Step(stored.at.at, f"{stored.at.what}: {line[:80]}", stored.time)
                _bounded(self._read, KEEP)[name] = replace(stored, at=step)
        self._waiting.clear()
        return self._read

    def _list(self, text: str, path: str | None, now: float | None) -> None:
        """A listing of files tells when each was written last."""
        dated = [(line, dates_in(line, now)) for line in text[:8000].splitlines()[:200]]
        if path is not None and len(
            alone := [d for line, found in dated if not line.startswith(" Birth") for d in found]
        ):
            dated = [(path, (max(alone),))]
        for line, found in dated:
            for word in line.split() if found else ():
                if _names_file(word):
                    name = _base(word)
                    _bounded(self._ages, KEEP_NAMES)[name] = max(found)
                    if (made := self._made.get(name)) is not None and max(found) < made - MINUTE:
                        del self._made[name]  # a run that was to write it never did
                    for book in (self._read, self._waiting):
                        if (stored := book.get(name)) is not None:
                            book[name] = replace(stored, listed=max(found))

    def quoted(self, event: AgentText, ledger: Ledger) -> Iterator[tuple[str, Stored, Run, str]]:
        """Sentences that state figures of a stored result which is older than the failed run it stands for.

        With the stored result, that run, and why it is older. A text that tells of a failure anywhere is left alone,
        and so is a paragraph that says how old its figures are.
        """
        failed = [r for r in islice(ledger.runs.open_failures(), MAX_RUNS) if r.shell]
        if not failed or not any(c.isdigit() for c in event.text) or states_failure(event.text):
            return
        for stored in self.results().values():
            if not _RESULT_FILE.search(stored.path):
                continue
            pair = next(((run, why) for run in failed if stored.of(run) and (why := stored.older_than(run))), None)
            if pair is None:
                continue
            for _, group in groupby(sentences(event.text), key=lambda s: s.paragraph):
                paragraph = list(group)
                if any(owns_age(s.text) for s in paragraph):
                    continue
                if (first := self._figures(paragraph, stored, pair[0])) is not None:
                    yield first.raw, stored, *pair
                    break

    def _figures(self, paragraph: list[Sentence], stored: Stored, run: Run) -> Sentence | None:
        """The first sentence with figures that only the stored result has, if they cannot be met by chance."""
        own = {match[0] for match in FIGURE.finditer(run.line.text)}
        seen: dict[str, Sentence] = {}
        for sentence in paragraph:
            for match in FIGURE.finditer(sentence.text):
                hashes = {value_hash(form) for form in forms(match[0])}
                if match[0] not in own and hashes & stored.values and not any(h in self.shown for h in hashes):
                    seen.setdefault(match[0], sentence)
        if len(seen) > 1 or any(map(telling_figure, seen)):
            return next(iter(seen.values()))
        return None

    def _make(self, names: Iterable[str], since: float | None) -> None:
        for name in names:
            _bounded(self._made, KEEP_NAMES)[_base(name)] = since
            self._read.pop(_base(name), None)
            self._waiting.pop(_base(name), None)
            self._ages.pop(_base(name), None)


def _result_line(text: str) -> str | None:
    """The line of a file that tells a good result."""
    said = max(read(text).closing.values(), key=lambda s: s.at, default=None)
    if said is not None:
        line = said.line if said.outcome == "success" else None
    elif _RESULT.holds(text):
        line = next((line.strip() for line in text.splitlines() if _RESULT.holds(line)), None)
    else:
        line = None
    return line if line is not None and not _BAD_RESULT.search(text) else None


def owns_age(text: str) -> bool:
    """Whether a text says in its own words, names of files aside, that its result is an old one."""
    return _words_of_age().holds(blank(text, [], []))


def _names(event: CommandIssued, run: Run) -> list[str]:
    if isinstance(event.arguments, Mapping):
        return [v for k in _PATH_KEYS if isinstance(v := event.arguments.get(k), str)]
    return []


def _words(words: Iterable[str]) -> Iterable[str]:
    """The words of a command, and the values of its `--option=value` words."""
    for word in words:
        yield word.partition("=")[2] if word.startswith("-") and "=" in word else word


def _names_file(word: str) -> bool:
    """Whether a word ends as the names of files do, in a point and a few letters."""
    return "." in word[-9:] and _FILE.search(word) is not None


def _base(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _percents(text: str) -> frozenset[int]:
    """Hashes of a text's shares of one as people write them: in per cent, whole and with one or two decimals."""
    shares = [100 * float(match[0]) for match in islice(_SHARE.finditer(text), 50)]
    return frozenset(value_hash(f"{share:.{places}f}") for share in shares for places in range(3))


def _bounded(book: dict[str, V], limit: int) -> dict[str, V]:
    """The book with room for one more, the oldest gone."""
    if len(book) >= limit:
        del book[next(iter(book))]
    return book


@cache
def _words_of_age() -> re.AnyOf:
    data = tables.lexicon("stale.toml")
    return re.any_of(data["words"], re.I)

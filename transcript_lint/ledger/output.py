"""Read what an output says of its own result: level L0, facts of text, each with the line it stands on."""

from __future__ import annotations

import zlib
from functools import cache
from itertools import islice

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.commandline import Kind
from transcript_lint.ledger.marker import Marker
from transcript_lint.ledger.markers import MARKERS

HEAD, TAIL = 4_000, 12_000
"""Characters of an output's start and end that are looked at: results stand at the ends, and time must stay flat."""

_STATUS = re.compile(
    r"^\W{0,4}[\w .-]{0,24}?(?:exit|rc|status|code|ret|EXIT|RC|STATUS|CODE|RET|Exit)\w{0,8}(?: code| status)?"
    r"\s*[=:]?\s*(-?\d{1,3})\W{0,3}$",
    re.M,
)
_LAST_EXIT = re.compile(r"^\w{0,30}(?:EXIT|exit)(?:_?(?:CODE|STATUS|code|status))? ?[=:] ?([1-9]\d{0,2})\s*\Z", re.M)
_EXITED = re.compile(r"\[?(?:process )?exited with (?:code|status) (\d{1,3})\]?", re.I)
# Words of scripts without spaces and short units may touch a number (18건, 0.01s).
_NUMBER = re.compile(
    r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?=(?:[num]?s|m|h|x|[kKMGT]i?B?)?(?!\w))|(?<!\w)[0-9a-f]{7,40}(?!\w)", re.ASCII
)
_DIGIT = re.compile(r"\d")
_UNIT = re.compile(r"(?<![\w.])(\d[\d,_]{0,24}(?:\.\d+)?) ?(%|[num]?s\b|[kKMGT]i?B\b|ms\b|fps\b|Hz\b|dB\b)", re.ASCII)
_GRADED = re.compile(r"\b([A-Za-z]{1,4})[(@-]?(\d{1,3})\b", re.ASCII)
_LETTERS = re.compile(r"[^\W\d_]{3,40}")
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}")
_OWN = Marker("success", None, (), re.compile(""))
MAX_MARKS = 5
MAX_VALUES = 400
MAX_LABELS = 300


class Said(Struct, frozen=True):
    """What one marker line said: its outcome, the line (at most 100 characters), its counts, where it stands."""

    outcome: str
    line: str
    at: int
    passed: int | None = None
    failed: int | None = None
    total: bool = True
    kind: Kind | None = None


class Output(Struct, frozen=True, kw_only=True):
    """The closing statement for each kind of command, the failure hints, and statuses printed in the output.

    `failing` are the kinds of which any line at all tells a failure. `text` is what was looked at, `marks` the lines in
    it that the user calls success.
    """

    closing: dict[Kind | None, Said] = {}
    failing: frozenset[Kind | None] = frozenset()
    hint: Said | None = None
    text: str = ""
    blank: bool = False
    marks: tuple[str, ...] = ()

    @property
    def statuses(self) -> tuple[int, ...]:
        """The exit statuses that the output prints, in order."""
        return _statuses(self.text)

    @property
    def last_exit(self) -> int:
        """The exit status that a script printed of its own work as the last thing it did; 0 when it did not."""
        found = _LAST_EXIT.search(self.text[-200:])
        return int(found[1]) if found else 0

    def about(self, kind: Kind) -> Said | None:
        """The last closing statement that may speak of a command of this kind."""
        own = [s for k, s in self.closing.items() if k is kind or k is None or _akin(k, kind, s.outcome)]
        return max(own, key=lambda s: (s.at, s.outcome == "failure"), default=None)


def _akin(marker: Kind, kind: Kind, outcome: str) -> bool:
    """A build's failure ends a test run, but its success does not close one; a task of unknown kind may be anything."""
    if outcome == "success" and kind in _OWN_WORDS:
        return False
    if kind in (Kind.SCRIPT, Kind.CHECK, Kind.OTHER, Kind.SERVE, Kind.PLAN):
        return True
    akin = {
        Kind.TEST: (Kind.BUILD,),
        Kind.BUILD: (Kind.TYPES,),
        Kind.TYPES: (Kind.BUILD, Kind.LINT),
        Kind.LINT: (Kind.TYPES, Kind.BUILD),
        Kind.DEPLOY: (Kind.BUILD, Kind.PUSH),
        Kind.PUBLISH: (Kind.BUILD, Kind.DEPLOY, Kind.TEST),
        Kind.INSTALL: (Kind.BUILD,),
        Kind.PUSH: (Kind.TEST, Kind.LINT, Kind.BUILD),
        Kind.COMMIT: (Kind.TEST, Kind.LINT, Kind.BUILD, Kind.TYPES),
        Kind.MIGRATE: (Kind.DEPLOY,),
    }
    return marker in akin.get(kind, ())


_OWN_WORDS = (Kind.TEST, Kind.LINT, Kind.TYPES, Kind.DEPLOY, Kind.MIGRATE, Kind.PUBLISH)
"""Kinds of command that only their own kind of closing line can call good."""


def window(text: str) -> str:
    """The start and the end of a long text."""
    return text if len(text) <= HEAD + TAIL else text[:HEAD] + "\n" + text[-TAIL:]


def read(text: str, own: re.Pattern[str] | None = None) -> Output:
    """What an output says of its result. `own` matches what the user's tools print when all went well."""
    if not text.strip():
        return Output(blank=True)
    text = window(text)
    closing: dict[Kind | None, Said] = {}
    failing: dict[Kind | None, Said] = {}
    parts: set[Kind | None] = set()
    hint: Said | None = None
    for marker in map(MARKERS.__getitem__, sorted(_rows().groups_in(text))):
        last = marker.last(text)
        if last is None:
            continue
        said = _said(marker, last, text)
        if said.outcome == "failure" and (said.total or said.kind is not None):
            failing[marker.kind] = said
        if not marker.total:
            if hint is None or said.at > hint.at:
                hint = said
            continue
        before = closing.get(marker.kind)
        if before is not None and "empty" in (before.outcome, said.outcome) and before.outcome != said.outcome:
            # One module without tests beside others with some: what ran decides.
            closing[marker.kind] = before if said.outcome == "empty" else said
            continue
        if before is None or (said.at, said.outcome == "failure") >= (before.at, before.outcome == "failure"):
            closing[marker.kind] = said
            (parts.add if marker.part else parts.discard)(marker.kind)
    for kind in parts & failing.keys():
        closing[kind] = failing[kind]
    marks = [_said(_OWN, match, text) for match in own.finditer(text) if match[0]] if own else []
    if marks and ((before := closing.get(None)) is None or marks[-1].at > before.at):
        closing[None] = marks[-1]
    lines = tuple(said.line for said in marks[-MAX_MARKS:])
    return Output(closing=closing, failing=frozenset(failing), hint=hint, text=text, marks=lines)


@cache
def _rows() -> re.Words[int]:
    """Tells the rows of the table of which a literal stands in a text."""
    return re.Words({row: marker.literals for row, marker in enumerate(MARKERS)})


def _said(marker: Marker, match: re.Match[str], text: str) -> Said:
    groups = match.groupdict()
    start = text.rfind("\n", 0, match.start() + 1) + 1
    end = text.find("\n", match.end())
    line = text[min(start, match.start()) : end if end >= 0 else len(text)].strip()
    if len(line) > 100:
        line = text[match.start() : match.start() + 100].strip()
    return Said(
        marker.outcome,
        line.split("\n", 1)[0],
        match.end(),
        int(groups["passed"]) if groups.get("passed") else None,
        int(groups["failed"]) if groups.get("failed") else None,
        marker.total,
        marker.kind,
    )


def _statuses(text: str) -> tuple[int, ...]:
    if "=" not in text and ":" not in text and "xit" not in text:
        return ()
    found = [int(m[1]) for m in _STATUS.finditer(text)]
    return tuple(found or (int(m[1]) for m in _EXITED.finditer(text)))[:8]


def values(text: str) -> frozenset[int]:
    """Hashes of the numbers and ids a text holds (two digits and more), at most `MAX_VALUES`."""
    found: set[int] = set()
    for match in _NUMBER.finditer(window(text)):
        value = match[0].replace(",", "").replace("_", "")
        if len(value) > 1:
            found.add(value_hash(value))
            if len(found) >= MAX_VALUES:
                break
    return frozenset(found)


def labels(text: str) -> frozenset[int]:
    """Hashes of the words that stand on lines with numbers: what the values of an output are called; bounded.

    Numbers of two digits and more are among them together with their units (412ms, 0.8%).
    """
    measured = (m for m in _UNIT.finditer(window(text)) if sum(c.isdigit() for c in m[1]) > 1)
    found = {value_hash(m[1].replace(",", "").replace("_", "") + m[2]) for m in islice(measured, MAX_LABELS // 2)}
    for line in window(text).splitlines():
        if _DIGIT.search(line):
            found |= stems(line[:400]) | graded(line[:400])
            if len(found) >= MAX_LABELS:
                break
    return frozenset(found)


def graded(text: str) -> frozenset[int]:
    """Hashes of the names that hold a number themselves (p95, p(95), top-5, F1), in one spelling."""
    return frozenset(value_hash(f"{m[1]}{m[2]}".casefold()) for m in _GRADED.finditer(text))


def stems(text: str) -> frozenset[int]:
    """Hashes of a text's words, each cut to five letters; of scripts without spaces, of each pair of letters."""
    found = {value_hash(word[:5].casefold()) for word in _LETTERS.findall(text)}
    for chunk in _WIDE.findall(text):
        found.update(value_hash(chunk[i : i + 2]) for i in range(len(chunk) - 1))
    return frozenset(found)


def numbers(text: str) -> list[str]:
    """The numbers and ids of a text in order, thousands separators removed."""
    return [m[0].replace(",", "").replace("_", "") for m in _NUMBER.finditer(text)]


def value_hash(value: str) -> int:
    """A stable hash of one value, small enough to keep many."""
    return zlib.crc32(value.encode())

"""How the window on an output hides the line that decides."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.commandline import INERT, Kind, Part
from transcript_lint.events import CommandEnded
from transcript_lint.harness.markers import observed
from transcript_lint.ledger import Run
from transcript_lint.ledger.verdicts import Verdict

_GAP = re.compile(
    r"(?:\.{3}|…)\s*\[?\s*(?:\+?\d[\d,]*\s*(?:lines?|characters?|chars?|bytes|tokens|[kKmM]B)?\s*"
    r"(?:truncated|omitted|elided|hidden|more|skipped)|truncated\s+\d[\d,]*)[^\n]{0,80}"
    r"|\[\.{0,3}\s*(?:output )?(?:truncated|omitted|cut)[^\n\]]{0,60}\]"
    r"|<persisted-output>|\(output too (?:long|large)[^\n]{0,60}"
)
STORED = re.compile(
    r"(?:saved|written|stored|full output|complete log)[^\n]{0,80}?(?P<path>/[^\s'\"<>()]{3,200})", re.I
)
_HEAD_SIZE = re.compile(r"(?:\s|^)-(?P<unit>[nc])?\s?(?P<size>\d{1,9})\b")
_FIRST = {
    "sed": re.compile(r"(?:(?<!\d)1,(?=\d+p)|(?<![\d,$])(?=\d+q))(?P<size>\d{1,6})[pq]"),
    "awk": re.compile(r"NR\s?<=?\s?(?P<size>\d{1,6})"),
    "Select-Object": re.compile(r"-First\s+(?P<size>\d{1,6})", re.I),
}
DECIDED_BY_A_LINE = frozenset(
    (
        Kind.TEST,
        Kind.BUILD,
        Kind.LINT,
        Kind.TYPES,
        Kind.CHECK,
        Kind.PLAN,
        Kind.BACKUP,
        Kind.MIGRATE,
        Kind.DEPLOY,
        Kind.SCRIPT,
    )
)
_STATES = re.compile(r"\b(?:pass|fail\w*|pending|errors?|denied)\b", re.I)
"""States of what was looked at: lines that show one decide something themselves."""
_ASKS = re.compile(r"\s--?(?:version|help)\b")
_FILTERS = frozenset(("head", "tail", "grep", "egrep", "rg", "sed", "awk", "Select-Object"))
TALLIED = frozenset((Kind.TEST, Kind.LINT, Kind.TYPES))


def _cuts(part: Part, text: str) -> bool:
    """Whether a filter lets only the beginning through, and as much came as it lets through."""
    limit = _first_lines(part)
    if limit is None:
        return False
    size, characters = limit
    return len(text) >= size if characters else len(text.strip("\n").split("\n")) >= size


def _first_lines(part: Part) -> tuple[int, bool] | None:
    """How many lines (or characters) from the beginning a filter shows; None if it is no such filter."""
    name = part.words[0]
    if name == "head":
        size = _HEAD_SIZE.search(part.text)
        return (int(size["size"]), size["unit"] == "c") if size is not None else (10, False)
    pattern = _FIRST.get(name)
    found = pattern.search(part.text) if pattern is not None else None
    return (int(found["size"]), False) if found is not None else None


def _piped(run: Run) -> list[Part]:
    """The filters that a deciding command of the line is piped through."""
    found: list[Part] = []
    decides = False
    for part in run.line.parts:
        if part.words[0] in _FILTERS and part.kind in INERT:
            found += [part] if decides else []
        else:
            decides = part.kind in DECIDED_BY_A_LINE and part.mask == "|" and not _ASKS.search(part.text)
    return found


def missing_line(run: Run, event: CommandEnded) -> str | None:
    """How the deciding line of a run that ended ok is missing from its output, None if nothing is missing."""
    said = [stage.said for stage in run.stages if stage.said is not None]
    filters = [part for part in run.line.parts if part.words[0] in _FILTERS and part.kind in INERT]
    if any(s.outcome != "empty" for s in said):
        return None
    if said:
        masked = any(stage.masked and stage.verdict is Verdict.EMPTY for stage in run.stages)
        return "the filter shows an empty target only" if filters and masked else None
    text = event.stdout
    gaps = list(_GAP.finditer(text))
    if gaps:
        shown = text[gaps[-1].end() :]
        return None if observed(shown) else "its output was cut and no result stands behind the cut"
    if text.strip() and not observed(text) and not _STATES.search(text) and any(_cuts(p, text) for p in _piped(run)):
        return "only the head of its output is shown, without a result"
    return None

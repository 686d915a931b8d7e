"""One rule on small stories: what it says of each, in a few words."""

from __future__ import annotations

from transcript_lint import registry
from transcript_lint.engine import Engine
from transcript_lint.events import Location, SessionEnded, Usage
from transcript_lint.readers.native import NativeReader
from transcript_lint.samples import session, write
from transcript_lint.settings import Settings
from transcript_lint.sources import Record

RULES = {rule.id: rule for rule in registry.rules()}


def ended(status="success", *, usage=None, **fields):
    """The end of a session with what no native record of it holds."""
    counts = usage and Usage(input=usage["input_tokens"], output=usage["output_tokens"])
    return SessionEnded(at=Location(path="log", line=9), status=status, usage=counts, **fields)


def told(rule, *records, start=None):
    """`LINE level confidence` of each finding of one rule, and `?` for each check it could not make."""
    lines = write((start or session(), *[r for r in records if isinstance(r, dict)])).splitlines()
    engine = Engine([RULES[rule]], Settings())
    engine.feed(NativeReader("log").events([Record(n, 0, line) for n, line in enumerate(lines, 1)]))
    engine.feed([r for r in records if not isinstance(r, dict)])
    done = engine.finish()
    assert not done.failures
    return [f"{f.at.line} {f.level} {f.confidence}" for f in done.findings] + ["?"] * len(done.abstentions)


def at(second, record):
    """A record at so many seconds past the hour."""
    return {**record, "at": f"2026-03-02T09:{second // 60:02}:{second % 60:02}Z"}


def wrong(story):
    """The parts of a story, by number, of which a rule says another thing than expected: (rule, found, expected)."""
    told_of = [
        (rule, told(rule, *records, start=start[0] if start else None), expected)
        for rule, records, expected, *start in story
    ]
    return {number: part for number, part in enumerate(told_of) if part[1] != part[2]}

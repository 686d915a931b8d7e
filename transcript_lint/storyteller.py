"""Show a told session on a terminal of any width: redacted, bounded, without a character that could steer it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from transcript_lint import story
from transcript_lint.events import Event
from transcript_lint.finding import Finding, Level
from transcript_lint.redact import MARGIN, Redactor
from transcript_lint.reporters.present import Presenter, visible
from transcript_lint.reporters.rows import utc
from transcript_lint.reporters.table import columns, prefix, wrap

BODY_LINES = 12
HEAD_CHARACTERS = 400
BODY_CHARACTERS = 4_000
LEAST_WIDTH = 20
NARROW = 50
COLORS = {Level.ERROR: 31, Level.WARNING: 33, Level.NOTE: 36}
DIM, BOLD = 2, 1


class Storyteller:
    """Turns findings and events into lines of at most `width` columns."""

    def __init__(self, redactor: Redactor, width: int, color: bool) -> None:
        self._show = Presenter(redactor)
        self._redactor = redactor
        self._width = max(LEAST_WIDTH + 10, width)
        self._color = color

    def scene(self, scene: story.Scene) -> Iterator[str]:
        """A finding, its chain in full, and what was done after it."""
        finding = scene.finding
        yield from self._heading(finding)
        for event in sorted(scene.events, key=lambda e: e.at.path != finding.at.path):
            yield from self.event(event)
        told = {(e.at.path, e.at.line) for e in scene.events}
        for step in finding.because:
            if (step.at.path, step.at.line) not in told:
                yield from self._entry(f"{visible(step.at.path)}:{step.at.line}", step.time, step.what)
        if scene.after:
            yield ""
            yield from wrap("  What was done then:", self._width)
            for event in scene.after:
                yield from self.event(event, body_lines=3)

    def _heading(self, finding: Finding) -> Iterator[str]:
        shown = self._show.finding(finding)
        place = f"{shown.at.path}:{shown.at.line}"
        yield from self._painted(wrap(f"{finding.level} {finding.rule} {finding.name}", self._width), finding)
        yield from (self._paint("  " + line, BOLD) for line in wrap(shown.message, self._width - 2))
        yield from (self._paint("  " + line, DIM) for line in wrap(place, self._width - 2))
        yield ""

    def event(self, event: Event, body_lines: int = BODY_LINES, mark: str = " ") -> Iterator[str]:
        """An event with its line, its time and what was said or put out, a few lines of it."""
        told = story.tell(event)
        if told is None:
            return
        who = f"[{self._show.text(event.agent, 40)}] " if event.agent != "main" else ""
        yield from self._entry(f"line {event.at.line}", event.time, who + self._line(told.head), mark)
        lines, more = self._body(told)
        margin = (" " * 10 if self._width > NARROW else "  ") + "│ "
        if told.observed and lines:
            yield self._paint(margin + "observed in the output:", DIM)
        room = self._width - len(margin)
        cut = [part for line in lines for part in wrap(line, room)]
        shown = cut[-body_lines:] if told.observed else cut[:body_lines]
        more = more or len(shown) < len(cut)
        if more and told.observed:
            yield self._paint(margin + "…", DIM)
        yield from (self._paint((margin + line).rstrip(), DIM) for line in shown)
        if more and not told.observed:
            yield self._paint(margin + "…", DIM)

    def line(self, event: Event) -> str | None:
        """The event on one line; None if there is nothing to tell."""
        told = story.tell(event)
        if told is None:
            return None
        who = f"[{self._show.text(event.agent, 20)}] " if event.agent != "main" else ""
        lines, _ = self._body(told)
        if told.observed:
            lines.reverse()
        body = next((line for line in lines if line.strip()), "")
        text = who + self._line(told.head)
        if body:
            text += f" │ {body.strip()}" if told.observed else f": {body.strip()}"
        stamp = clock(event.time)
        line = f"{event.at.line:>6}  {stamp[-8:]:8}  {text}"
        return line if columns(line) <= self._width else prefix(line, self._width - 1) + "…"

    def mark(self, finding: Finding) -> Iterator[str]:
        """A finding as a remark beneath a line."""
        shown = self._show.finding(finding)
        lines = wrap(f"^ {finding.level} {finding.rule}: {shown.message}", max(LEAST_WIDTH, self._width - 8))
        yield from self._painted((" " * 8 + line for line in lines), finding)

    def _entry(self, place: str, time: float | None, text: str, mark: str = " ") -> Iterator[str]:
        stamp = clock(time) if self._width > NARROW else clock(time)[-8:]
        head = f"{mark} {place:<8}  {stamp}{'  ' if stamp else ''}"
        room = self._width - columns(head)
        if room < LEAST_WIDTH:
            yield head.rstrip()
            head = " " * 4
            room = self._width - 4
        for number, line in enumerate(wrap(self._show.text(text, HEAD_CHARACTERS), room)):
            yield (head if number == 0 else " " * columns(head)) + line

    def _line(self, text: str) -> str:
        return self._show.text(text[: HEAD_CHARACTERS + MARGIN], HEAD_CHARACTERS)

    def _body(self, told: story.Told) -> tuple[list[str], bool]:
        """The visible lines of a body, an output from its end, and whether there is more of it."""
        text = told.body
        most = BODY_CHARACTERS + MARGIN
        text = self._redactor.text(text[-most:] if told.observed else text[:most])
        text = text[-BODY_CHARACTERS:] if told.observed else text[:BODY_CHARACTERS]
        lines = [visible(line.expandtabs(4)).rstrip() for line in text.strip().splitlines()]
        return lines, len(told.body) > len(text)

    def _painted(self, lines: Iterable[str], finding: Finding) -> Iterator[str]:
        return (self._paint(line, COLORS[finding.level]) for line in lines)

    def _paint(self, text: str, code: int) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._color else text


def clock(time: float | None) -> str:
    """`2026-03-02 09:00:03` in UTC; empty if there is no such time."""
    return (utc(time) or "")[:19].replace("T", " ")

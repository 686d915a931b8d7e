"""The metrics that matter, counted from logs: how runs ended, what was built on them, what nobody checked.

Compression rate and completion rate are not among them: a false confirmation raises both.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct, field

from transcript_lint.engine import Audit
from transcript_lint.events import (
    CommandEnded,
    Compacted,
    EndKind,
    Event,
    Guarded,
    ProviderResponded,
    RecordProblem,
    SessionStarted,
    Termination,
)
from transcript_lint.harness.standing import covers_run, standing
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.asks import UNANSWERED

GROUPS = ("agent", "model", "day", "week")
HEADLINE = ("timeout_with_success_marker", "false_confirm_blocked_by_guard", "rerun_after_timeout_pass_rate")
MOST_PENDING = 1_000

Key = tuple[str, str]
"""A metric and its label, `("end", "exit 143, with marker")`; the label is empty where there is none."""


class Metrics(Struct, kw_only=True):
    """Counts by group. `groups` maps a value of the grouping (an agent, a day) to its counts; `weeks` an ISO week."""

    by: str
    groups: dict[str, Counter[Key]] = field(default_factory=lambda: defaultdict(Counter))
    weeks: dict[str, Counter[Key]] = field(default_factory=lambda: defaultdict(Counter))

    def total(self) -> Counter[Key]:
        """All groups together."""
        return sum(self.groups.values(), Counter())

    def change(self, metric: str) -> float | None:
        """The last week's value less that of the week before it; None without two weeks that have one."""
        known = [(week, value(self.weeks[week], metric)) for week in sorted(self.weeks) if week != "unknown"]
        values = [v for _, v in known if v is not None]
        return values[-1] - values[-2] if len(values) > 1 else None


def value(counts: Counter[Key], metric: str) -> float | None:
    """A headline metric of some counts; the pass rate is None when nothing was run again."""
    if metric == "rerun_after_timeout_pass_rate":
        again = counts["rerun_after_timeout", ""]
        return counts["rerun_after_timeout_passed", ""] / again if again else None
    return float(counts[metric, ""])


class Counting:
    """Counts one chain of sessions into `metrics`; feed it each event after the ledger has seen it, then `close`."""

    def __init__(self, metrics: Metrics, fallback: str) -> None:
        self.metrics = metrics
        self._agent = fallback
        self._model = "unknown"
        self._time: float | None = None
        self._ends: dict[str, Key] = {}
        self._timed_out: dict[str, Run] = {}

    def see(self, event: Event, ledger: Ledger) -> None:
        """Take note of one event."""
        self._time = event.time or self._time
        match event:
            case SessionStarted():
                named = event.agent_name if event.agent_name != "main" else ""
                self._agent = named or event.format or self._agent
                self._add("sessions")
            case ProviderResponded():
                self._model = event.model or self._model
            case CommandEnded():
                self._ended(event, ledger)
            case Guarded():
                self._add("false_confirm_blocked_by_guard" if event.blocked else "guard_passed")
            case Compacted():
                self._compacted(event)
            case RecordProblem():
                self._add("unreadable" if event.lost else "unreadable_recovered")

    def close(self, ledger: Ledger, audit: Audit, grades: Iterable[str], records: int) -> None:
        """Count what only the end tells."""
        self._add("records", count=records)
        self._add("checks_abstained", count=sum(audit.abstentions.values()))
        self._add("commands", count=ledger.runs.count)
        for one in standing(ledger):
            if one.open and one.state == "must_rerun":
                self._add("must_rerun_never_rerun")
            if one.run.note and one.run.termination is not None:
                self._add("expectations")
                self._add("expectations_failed", count=one.state == "must_rerun")
        for grade in grades:
            self._add("claims", grade)
        for ask in ledger.asks.slots.values():
            if ask.standing in UNANSWERED:
                self._add("asks_unanswered", "then acted" if ask.steps else "then stopped")

    def _ended(self, event: CommandEnded, ledger: Ledger) -> None:
        run = ledger.runs.get(event.call_id)
        if run is None or not run.shell or event.termination.kind is EndKind.RUNNING:
            return
        self._reran(run, event.termination)
        marker = bool(run.success) or bool(event.observed_markers)
        label = end_label(event.termination, event.error)
        before = self._ends.pop(event.call_id, None)
        if before is not None:
            self._add(*before, count=-1)
        if label is None:
            return
        key = ("end", f"{label}, {'with' if marker else 'without'} marker")
        self._ends[event.call_id] = key
        self._add(*key)
        if event.termination.kind is EndKind.TIMEOUT and event.call_id not in self._timed_out:
            self._add("timeouts")
            self._add("timeout_with_success_marker", count=marker)
            if len(self._timed_out) < MOST_PENDING:
                self._timed_out[event.call_id] = run

    def _reran(self, run: Run, end: Termination) -> None:
        for call_id, earlier in list(self._timed_out.items()):
            if earlier is not run and earlier.index < run.index and covers_run(run, earlier):
                del self._timed_out[call_id]
                self._add("rerun_after_timeout")
                self._add("rerun_after_timeout_passed", count=end.succeeded and not end.masked)

    def _compacted(self, event: Compacted) -> None:
        if event.kind != "summary":
            return
        self._add("compactions")
        if event.readable is False:
            self._add("compactions_unreadable")
        if any(run.termination is None for run in event.carried):
            self._add("compactions_with_lost_termination")

    def _add(self, metric: str, label: str = "", *, count: int = 1) -> None:
        if not count:
            return
        day, week = _calendar(self._time)
        group = {"agent": self._agent, "model": self._model, "day": day, "week": week}[self.metrics.by]
        self.metrics.groups[group][metric, label] += count
        self.metrics.weeks[week][metric, label] += count


def end_label(end: Termination, error: str | None) -> str | None:
    """The point an end stands for: each way to be killed is one of its own. None for an end by itself, ok or not."""
    if error and "TimeoutExpired" in error:
        return "TimeoutExpired"
    if end.signal:
        return end.signal
    if end.exit_code in (124, 130, 137, 143):
        return f"exit {end.exit_code}"
    if end.kind in (EndKind.TIMEOUT, EndKind.SIGNAL, EndKind.INTERRUPTED):
        return end.kind.value
    return None


def _calendar(time: float | None) -> tuple[str, str]:
    """Day and ISO week, in UTC."""
    if time is None:
        return "unknown", "unknown"
    moment = datetime.datetime.fromtimestamp(time, datetime.UTC)
    year, week, _ = moment.isocalendar()
    return moment.date().isoformat(), f"{year}-W{week:02}"

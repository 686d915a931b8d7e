"""`watch`: audit a log while an agent writes it."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import click
import msgspec

from transcript_lint import live
from transcript_lint.commands import check, common, output
from transcript_lint.finding import Finding, Level
from transcript_lint.fingerprint import Stamp
from transcript_lint.report import Report
from transcript_lint.reporters import footer, rows
from transcript_lint.reporters.present import present
from transcript_lint.reporters.table import wrap

LEAST_WIDTH = 30


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "jsonl"]), default="text", show_default=True)
@click.option("--idle", type=click.FloatRange(min=0), metavar="SECONDS", help="End when nothing came for so long.")
@click.option("--fail-on", type=click.Choice([v.value for v in Level]), help="Least level that fails [warning].")
@click.option("--select", multiple=True, metavar="RULES", help="Run these only: id, name, family or prefix.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Do not run these.")
@click.option("--min-confidence", type=click.Choice(["high", "medium", "low"]), help="Least confidence shown [medium].")
def command(
    file: Path,
    format_: str,
    idle: float | None,
    fail_on: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    min_confidence: str | None,
) -> None:
    """Audit a plain log from its first record and go on as it grows; tell each finding as soon as it is certain.

    Ends on an interrupt, or after --idle, with the counts and the exit status of `check`. What still waits for later
    records is told at the end.
    """
    setup = common.setup(select=select, ignore=ignore, min_confidence=min_confidence, fail_on=fail_on)
    stamp, width = Stamp(), max(LEAST_WIDTH, output.width())

    def hear(finding: Finding) -> None:
        (shown,) = present(Report(findings=[stamp(finding)]), setup.redactor).findings
        if format_ == "jsonl":
            (row,) = rows.findings(Report(findings=[shown]), show_suppressed=False)
            click.echo(msgspec.json.encode(row))
        else:
            click.echo("\n".join(_told(shown, width)))
        sys.stdout.flush()

    try:
        with _interruptible() as stop:
            report = live.watch(str(file), setup.job, hear, stop, idle)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror or error}") from error
    report.notices[:0] = setup.notices
    for line in footer.footer(present(report, setup.redactor)):
        click.echo(line, err=True)
    sys.exit(check.exit_code(report, setup.fail_on, exit_zero=False))


@contextlib.contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Set by the first interrupt or request to end; a second one ends as ever."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, before[signal.Signals(number)])

    for number in before:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _told(finding: Finding, width: int) -> list[str]:
    place = f"{finding.at.path}:{finding.at.line}"
    lines = wrap(f"{place}: {finding.level} {finding.rule}: {finding.message}", width)
    for step in finding.because:
        where = f"line {step.at.line}" if step.at.path == finding.at.path else f"{step.at.path}:{step.at.line}"
        lines += (f"  {part}" for part in wrap(f"{where}  {step.what}", width - 2))
    return lines

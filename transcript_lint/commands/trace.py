"""`trace`: a whole session, one line an event, its findings beneath the lines they stand on."""

from __future__ import annotations

import sys
from collections import defaultdict

import click

from transcript_lint.commands import common, output
from transcript_lint.commands.show import audited
from transcript_lint.finding import Finding
from transcript_lint.reporters import footer
from transcript_lint.storyteller import Storyteller, clock


@click.command()
@click.argument("file")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output.")
def command(file: str, color: str) -> None:
    """Tell a session from its first event to its last, one line each, with the findings where they stand.

    Words behind │ stood in an output; they are no more than that.
    """
    setup = common.setup()
    report = audited(file, setup)
    marks: dict[int, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        marks[finding.at.line].append(finding)
    teller = Storyteller(setup.redactor, output.width(), common.use_color(color, sys.stdout))
    line, day = 0, ""
    for event in common.events_of(file):
        if event.at.line != line:
            _remarks(teller, marks.pop(line, []))
            line = event.at.line
        told = teller.line(event)
        if told is None:
            continue
        today = clock(event.time)[:10]
        if today and today != day:
            day = today
            click.echo(day)
        click.echo(told, color=True)
    for rest in marks.values():
        _remarks(teller, rest)
    for remark in footer.trouble(report):
        click.echo(remark, err=True)


def _remarks(teller: Storyteller, findings: list[Finding]) -> None:
    for finding in findings:
        for text in teller.mark(finding):
            click.echo(text, color=True)

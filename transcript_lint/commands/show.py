"""`show`: a finding with the records that prove it, or what stands around a line."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from transcript_lint import runner, story
from transcript_lint.commands import common, output
from transcript_lint.finding import Finding
from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.storyteller import Storyteller

MAX_FINDINGS = 50


@click.command()
@click.argument("place", metavar="FILE[:LINE]")
@click.option("--context", "-C", default=5, show_default=True, type=click.IntRange(0, 500), help="Events either side.")
@click.option("--select", multiple=True, metavar="RULES", help="Findings of these only: id, name, family or prefix.")
@click.option("--min-confidence", type=click.Choice(["high", "medium", "low"]), help="Least confidence shown [medium].")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the output.")
def command(place: str, context: int, select: tuple[str, ...], min_confidence: str | None, color: str) -> None:
    """Show the findings on a line with their chains: what was run, how it ended, what it put out, who said what.

    Without a finding there it shows what stands around the line; without a line, every finding of the file.
    """
    file, line = split_place(place)
    setup = common.setup(select=select, min_confidence=min_confidence)
    report = audited(file, setup)
    teller = Storyteller(setup.redactor, output.width(), common.use_color(color, sys.stdout))
    found = [f for f in report.findings if line is None or _touches(f, file, line)]
    if line is not None and not found:
        _around(teller, file, line, context)
    elif found:
        _scenes(teller, file, found)
    else:
        click.echo("No findings.")
    for remark in footer.trouble(report):
        click.echo(remark, err=True)


def split_place(place: str) -> tuple[str, int | None]:
    """`a.jsonl:12` → the file and the line; a file whose own name ends so is taken as it is."""
    match = re.fullmatch(r"(.+?):(\d{1,12})", place, re.DOTALL)
    if match is None or Path(place).is_file():
        return place, None
    return match[1], int(match[2])


def audited(file: str, setup: common.Setup) -> Report:
    """The audit of one file. Raises click.ClickException when it cannot be read at all."""
    if file == "-":
        raise click.UsageError("standard input cannot be read twice: name a file")
    report = runner.audit_paths([file], setup.job)
    if not report.inputs:
        raise click.ClickException("; ".join(f"{p.path} {p.message}" for p in report.problems) or f"{file}: no input")
    return report


def _touches(finding: Finding, file: str, line: int) -> bool:
    places = (finding.at, *(step.at for step in finding.because))
    return any(at.line == line and at.path == file for at in places)


def _scenes(teller: Storyteller, file: str, findings: list[Finding]) -> None:
    for number, scene in enumerate(story.scenes(findings[:MAX_FINDINGS], common.events_of(file))):
        if number:
            click.echo()
        for text in teller.scene(scene):
            click.echo(text, color=True)
    if len(findings) > MAX_FINDINGS:
        click.echo(f"\n… and {len(findings) - MAX_FINDINGS} more findings: name a line")


def _around(teller: Storyteller, file: str, line: int, context: int) -> None:
    events = story.around(common.events_of(file), line, context)
    if not events:
        raise click.ClickException(f"nothing is told at or before line {line}")
    click.echo(f"No finding on line {line}:\n")
    here = max(e.at.line for e in events if e.at.line <= line) if events[0].at.line <= line else 0
    for event in events:
        for text in teller.event(event, mark=">" if event.at.line == here else " "):
            click.echo(text, color=True)

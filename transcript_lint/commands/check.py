"""`check`: the main job."""

from __future__ import annotations

import sys

import click

from transcript_lint import registry, runner
from transcript_lint.finding import Confidence, Level
from transcript_lint.reporters.base import Look
from transcript_lint.settings import Settings


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "format_", default="jsonl", help="Output format.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even when there are findings.")
@click.option("--min-confidence", type=click.Choice([c.value for c in Confidence]), default="medium")
def command(paths: tuple[str, ...], format_: str, exit_zero: bool, min_confidence: str) -> None:
    """Audit transcripts and report where a lower level of evidence was passed off as a higher one."""
    job = runner.Job(rules=registry.rules(), settings=Settings(), min_confidence=Confidence(min_confidence))
    report = runner.audit_paths(paths, job)
    registry.reporters()[format_](Look()).write(report, sys.stdout)
    if any(p.fatal for p in report.problems) or report.failures:
        sys.exit(2)
    loud = any(f.level is not Level.NOTE for f in report.findings)
    sys.exit(1 if loud and not exit_zero else 0)

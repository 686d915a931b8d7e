"""`check`: the main job."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from transcript_lint import __version__, artifacts, baseline, expect, page, runner, suppress
from transcript_lint.commands import common, output
from transcript_lint.finding import Level
from transcript_lint.report import InputProblem, Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Look
from transcript_lint.reporters.present import present
from transcript_lint.wording import counted

INTERRUPTED = 130
"""128 + SIGINT, as shells tell it."""


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--format", "format_", default="table", show_default=True, metavar="FMT", help="Format of the output.")
@click.option(
    "--output", "outputs", multiple=True, metavar="FMT=FILE", help="Write this format to a file too; repeatable."
)
@click.option("--fail-on", type=click.Choice([v.value for v in Level]), help="Least level that fails [warning].")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even when there are findings.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 when the paths hold no transcript.")
@common.selection_options
@click.option("--baseline", "baseline_file", type=click.Path(path_type=Path), help="Findings that are accepted.")
@click.option("--no-baseline", is_flag=True, help="Ignore the configured baseline.")
@click.option("--suppressions", "suppressions_file", type=click.Path(path_type=Path), help="Findings with reasons.")
@click.option("--show-suppressed", is_flag=True, help="Show suppressed and accepted findings too.")
@click.option("--expect", "expect_", is_flag=True, help="Compare with FILE.expected.json beside each input.")
@click.option("--update-expected", is_flag=True, help="Write FILE.expected.json beside each input.")
@click.option("--statistics", is_flag=True, help="Count findings by rule and abstentions by reason.")
@click.option("--timings", is_flag=True, help="Show how long each rule took.")
@click.option("--verbose", "-v", is_flag=True, help="Say what is read and what could not be checked.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the table.")
@click.option("--sarif-profile", type=click.Choice(["github", "strict"]), default="github", help="How .zst is named.")
@click.option("--sarif-max-results", default=5000, show_default=True, type=click.IntRange(1, 25000))
@click.option("--sarif-absolute-root", is_flag=True, help="Write the root folder's own uri.")
@click.option("--sarif-suppressed", is_flag=True, help="Write suppressed and accepted results, for archives.")
@click.option("--sarif-category", default="default", show_default=True, help="Tells uploads of one job apart.")
def command(
    paths: tuple[str, ...],
    format_: str,
    outputs: tuple[str, ...],
    exit_zero: bool,
    allow_empty: bool,
    baseline_file: Path | None,
    no_baseline: bool,
    suppressions_file: Path | None,
    show_suppressed: bool,
    expect_: bool,
    update_expected: bool,
    statistics: bool,
    verbose: bool,
    color: str,
    sarif_profile: str,
    sarif_max_results: int,
    sarif_absolute_root: bool,
    sarif_suppressed: bool,
    sarif_category: str,
    **chosen: Any,
) -> None:
    """Audit transcripts: files, folders, globs, or - for standard input.

    Exits 0 when clean, 1 when there are findings at or above --fail-on, 2 when the job could not be done, 130 when it
    was interrupted: what was found until then is reported and said to be partial.
    """
    if not paths:
        raise click.UsageError("name at least one file or folder, or - for standard input")
    setup = common.setup(**chosen)
    targets = output.targets(format_, outputs)
    if any(t.format == "sarif" for t in targets) and "-" in paths and not chosen["stdin_filename"]:
        raise click.UsageError("SARIF needs a place for each result: give standard input a name by --stdin-filename")
    try:
        with output.progress() as progress:
            report = runner.audit_paths(paths, setup.job, progress)
    except runner.Interrupted as interrupt:
        report = interrupt.report
    report.notices[:0] = setup.notices
    if (expect_ or update_expected) and not report.interrupted:
        sys.exit(_expectations(report, update_expected))
    accepted = None if no_baseline else baseline_file or setup.baseline
    settle(report, setup, accepted, suppressions_file or setup.suppressions)
    if not (report.inputs or report.failed or allow_empty):
        report.problems.append(
            InputProblem(path=" ".join(paths), message="no transcript was found there; --allow-empty if that is fine")
        )
    report.exit_code = exit_code(report, setup.fail_on, exit_zero)
    for_sarif: dict[str, Any] = {}
    if any(t.format == "sarif" for t in targets):
        if not report.interrupted:  # an interrupt ends at once: files are not read a second time
            artifacts.describe(report)
        for_sarif = {"revision": output.provenance(report), "home_page": output.home_page()}
    report.rules = tuple(map(page.info, common.known_rules()))
    look = Look(
        color=common.use_color(color, sys.stdout),
        width=output.width(),
        version=__version__,
        root=str(output.root()),
        show_suppressed=show_suppressed,
        statistics=statistics,
        options={
            "profile": sarif_profile,
            "max_results": sarif_max_results,
            "absolute_root": sarif_absolute_root,
            "suppressed": sarif_suppressed,
            "category": sarif_category,
            **for_sarif,
        },
    )
    shown = present(report, setup.redactor)
    for target in targets:
        target.write(shown, look if target.file is None else msgspec.structs.replace(look, color=False))
    if format_ != "table":
        output.aside(shown, statistics)
    output.details(shown, verbose, chosen["timings"])
    sys.exit(report.exit_code)


def settle(report: Report, setup: common.Setup, baseline_file: Path | None, suppressions_file: Path | None) -> None:
    """Set suppressed and accepted findings apart. Raises click.ClickException in words."""
    told = [*report.notices]
    try:
        if suppressions_file is not None:
            found = suppress.read(suppressions_file, common.known_rules())
            suppress.apply(found, report, datetime.date.today())
        if baseline_file is not None:
            baseline.apply(baseline.read(baseline_file), report, baseline_file.parent)
    except (suppress.SuppressionError, baseline.BaselineError) as error:
        raise click.ClickException(str(error)) from error
    if report.interrupted:  # what is not there may only not have been reached
        report.fixed, report.ratchet, report.notices = [], [], told


def exit_code(report: Report, fail_on: Level, exit_zero: bool) -> int:
    """0 clean, 1 findings that fail (or less could be checked than the baseline says), 2 the job was not done, 130 it
    was interrupted.
    """
    if report.interrupted:
        return INTERRUPTED
    if report.failed:
        return 2
    fails = bool(report.ratchet) or any(f.level.rank >= fail_on.rank for f in report.findings)
    return 1 if fails and not exit_zero else 0


def _expectations(report: Report, update: bool) -> int:
    """Compare with, or write, the expected findings beside each input; the exit status."""
    for line in (*footer.trouble(report), *report.notices):
        click.echo(line, err=True)
    try:
        lines = expect.update(report) if update else expect.compare(report)
    except expect.ExpectError as error:
        raise click.ClickException(str(error)) from error
    for line in lines:
        click.echo(line)
    if report.failed:
        return 2
    if update:
        return 0
    told = f"{counted(len(report.inputs), 'input')}, {counted(len(lines), 'difference')} from what is expected"
    click.echo(told + ("; --update-expected accepts what was found" if lines else ""), err=True)
    return 1 if lines else 0

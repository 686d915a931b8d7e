"""`baseline`: accept today's findings, so that only new ones fail."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from transcript_lint import baseline, runner
from transcript_lint.commands import common, output
from transcript_lint.commands.check import settle
from transcript_lint.reporters import footer
from transcript_lint.reporters.present import present
from transcript_lint.wording import counted

DEFAULT = Path("transcript-lint-baseline.json")
_FILE = click.option("--file", type=click.Path(path_type=Path), help=f"The baseline file [configured, else {DEFAULT}].")


@click.group()
def command() -> None:
    """Accept today's findings, so that only new ones fail."""


@command.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@_FILE
@common.selection_options
def create(paths: tuple[str, ...], file: Path | None, **chosen: Any) -> None:
    """Write a new baseline that accepts what is found now."""
    setup = common.setup(**chosen)
    file = file or setup.baseline or DEFAULT
    if file.exists():
        raise click.ClickException(f"{file} exists; `baseline update` changes it")
    click.echo(f"{file}: {_told(_write(paths, setup, file))}")


@command.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@_FILE
@common.selection_options
def update(paths: tuple[str, ...], file: Path | None, **chosen: Any) -> None:
    """Write the baseline anew and say what came and what went."""
    setup = common.setup(**chosen)
    file = file or setup.baseline or DEFAULT
    before = _counts(_read(file))
    after = _counts(written := _write(paths, setup, file))
    for sign, difference in (("+", after - before), ("-", before - after)):
        for (rule, fingerprint), count in sorted(difference.items()):
            click.echo(f"{sign} {rule} {fingerprint}" + (f" ({count} times)" if count > 1 else ""))
    click.echo(f"{file}: {_told(written)}")


@command.command()
@_FILE
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this configuration file.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
def show(file: Path | None, config_file: Path | None, isolated: bool) -> None:
    """List what a baseline accepts."""
    file = file or common.setup(config_file=config_file, isolated=isolated).baseline or DEFAULT
    found = _read(file)
    for entry in found.findings:
        times = f" ({entry.count} times)" if entry.count > 1 else ""
        click.echo(f"{entry.rule} {entry.fingerprint}{times} {entry.path}: {entry.message}")
    click.echo(f"{file}: {_told(found)}", err=True)


def _write(paths: tuple[str, ...], setup: common.Setup, file: Path) -> baseline.Baseline:
    with output.progress() as progress:
        report = runner.audit_paths(paths, setup.job, progress)
    settle(report, setup, None, setup.suppressions)
    shown = present(report, setup.redactor)
    if report.failed:
        raise click.ClickException("\n".join(["no baseline of what cannot be read:", *footer.trouble(shown)]))
    made = baseline.make(shown, file.parent)
    try:
        baseline.write(made, file)
    except baseline.BaselineError as error:
        raise click.ClickException(str(error)) from error
    return made


def _read(file: Path) -> baseline.Baseline:
    try:
        return baseline.read(file)
    except baseline.BaselineError as error:
        raise click.ClickException(str(error)) from error


def _counts(found: baseline.Baseline) -> Counter[tuple[str, str]]:
    return Counter({(entry.rule, entry.fingerprint): entry.count for entry in found.findings})


def _told(found: baseline.Baseline) -> str:
    return (
        f"{counted(sum(e.count for e in found.findings), 'finding')} accepted in {counted(len(found.inputs), 'input')}"
    )

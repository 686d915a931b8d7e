"""Where reports go: standard output, files, and what is said aside on standard error."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from transcript_lint import git, registry
from transcript_lint.report import Report
from transcript_lint.reporters import footer
from transcript_lint.reporters.base import Look, Reporter
from transcript_lint.runner import Progress
from transcript_lint.selection import suggestion

DEFAULT_WIDTH = 100
PROGRESS_INPUTS = 4


class Target:
    """One output: a reporter class and the file it writes, None for standard output."""

    def __init__(self, format: str, file: Path | None = None) -> None:
        known = registry.names("reporters")
        if format not in known:
            hint = suggestion(format, known) or f"; there are {', '.join(known)}"
            raise click.UsageError(f"there is no format {format!r}{hint}")
        self.format = format
        self.file = file
        try:
            self._reporter: type[Reporter] = registry.load("reporters", format)
        except registry.PluginError as error:
            raise click.ClickException(str(error)) from error

    def write(self, report: Report, look: Look) -> None:
        """Write the report there. Raises click.ClickException when it cannot be written, BrokenPipeError."""
        try:
            if self.file is None:
                self._reporter(look).write(report, sys.stdout)
                sys.stdout.flush()
                return
            text = io.StringIO()
            self._reporter(look).write(report, text)
            self.file.write_text(text.getvalue(), "utf-8", newline="")
        except BrokenPipeError:
            raise
        except OSError as error:
            name = self.file or "standard output"
            raise click.ClickException(f"{name} cannot be written: {error.strerror}") from error


def targets(format: str, outputs: Sequence[str]) -> list[Target]:
    """The targets of `--format` and every `--output FMT=FILE`. Raises click.UsageError."""
    found = [Target(format)]
    for item in outputs:
        name, equals, file = item.partition("=")
        if not equals or not file:
            raise click.UsageError(f"--output {item!r}: write it as FMT=FILE, such as sarif=findings.sarif")
        found.append(Target(name, Path(file)))
    return found


def width() -> int:
    """Columns of the terminal; in a pipe what COLUMNS says, else 100."""
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns


def root() -> Path:
    """The folder that uris are relative to: the repository the working folder is in, else the working folder."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def provenance(report: Report) -> git.Revision | None:
    """What is checked out in the repository that uris are relative to, if any input lies in it."""
    here = root().resolve()
    paths = [Path(summary.path).resolve() for summary in report.inputs] or [Path.cwd()]
    return git.revision(here) if any(path.is_relative_to(here) for path in paths) else None


def home_page() -> str | None:
    """The project's page, if the installed package names one."""
    from importlib import metadata

    try:
        named = metadata.metadata("transcript-lint").get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        return None
    return next((url.partition(", ")[2] for url in named), None)


@contextlib.contextmanager
def progress() -> Iterator[Progress | None]:
    """A bar on standard error for long work, if a person is looking at it."""
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and total >= PROGRESS_INPUTS:
            bar = click.progressbar(length=total, label="auditing", file=sys.stderr)
            bar.__enter__()
        if bar is not None:
            bar.update(done - bar.pos)

    try:
        yield show
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)


def aside(report: Report, statistics: bool) -> None:
    """What the table would say beside its findings, for formats that leave no room for it."""
    if statistics:
        from transcript_lint.reporters.table import statistics_table

        click.echo(statistics_table(report), err=True)
    for line in footer.footer(report):
        click.echo(line, err=True)


def details(report: Report, verbose: bool, timings: bool) -> None:
    """What `--verbose` and `--timings` add, on standard error."""
    if verbose:
        for summary in report.inputs:
            click.echo(f"read {summary.path} as {summary.format}: {summary.records} records", err=True)
        for (format, kind), count in sorted(report.unknown.items()):
            click.echo(f"unknown record type in {format}: {kind} ({count} times)", err=True)
        for rule, why, count in footer.abstentions(report):
            click.echo(f"not checked by {rule}: {why} ({count} times)", err=True)
    if timings:
        for rule, seconds in sorted(report.timings.items(), key=lambda item: -item[1]):
            click.echo(f"{seconds * 1000:9.1f} ms  {rule}", err=True)

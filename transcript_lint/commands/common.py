"""What several commands share: options, the rules chosen, errors in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from transcript_lint import config, recognise, registry, runner, selection, sources
from transcript_lint.events import Event
from transcript_lint.finding import Confidence, Level
from transcript_lint.redact import Redactor
from transcript_lint.rule import Rule

Command = TypeVar("Command", bound=Callable[..., Any])


class Setup(Struct, frozen=True, kw_only=True):
    """A job made of the command line and the configuration, and what else the configuration says."""

    job: runner.Job
    redactor: Redactor
    fail_on: Level
    notices: list[str]
    baseline: Path | None = None
    suppressions: Path | None = None


def split(values: Sequence[str]) -> tuple[str, ...]:
    """`("TL1,TL2", "TL3")` → the three."""
    return tuple(part for value in values for part in value.replace(",", " ").split())


def selection_options(command: Command) -> Command:
    """`--select`, `--ignore`, `--extend-select`, `--preview`, `--min-confidence`, `--config`, `--isolated` and how
    inputs are found.
    """
    options = [
        click.option("--select", multiple=True, metavar="RULES", help="Run these only: id, name, family or prefix."),
        click.option("--ignore", multiple=True, metavar="RULES", help="Do not run these."),
        click.option("--extend-select", multiple=True, metavar="RULES", help="Run these too."),
        click.option("--preview/--no-preview", default=None, help="Run rules in preview too."),
        click.option(
            "--min-confidence", type=click.Choice(["high", "medium", "low"]), help="Least confidence shown [medium]."
        ),
        click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this configuration file."),
        click.option("--isolated", is_flag=True, help="Use no configuration file."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out inputs found in folders."),
        click.option("--force-exclude", is_flag=True, help="Exclude paths given by name too."),
        click.option("--jobs", "-j", default="1", metavar="N|auto", show_default=True, help="Processes to use."),
        click.option("--max-record-size", metavar="SIZE", default="64M", show_default=True, help="Skip longer ones."),
        click.option("--stdin-filename", metavar="PATH", help="The name of standard input in reports."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def setup(
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    preview: bool | None = None,
    min_confidence: str | None = None,
    config_file: Path | None = None,
    isolated: bool = False,
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
    jobs: str = "1",
    max_record_size: str = "64M",
    stdin_filename: str | None = None,
    fail_on: str | None = None,
    timings: bool = False,
) -> Setup:
    """The job that the options and the configuration ask for. Raises click.ClickException in words."""
    if config_file and isolated:
        raise click.UsageError("--config and --isolated exclude each other")
    notices: list[str] = []
    try:
        loaded = load(config_file, isolated)
        chosen = loaded.config
        where = str(loaded.file)
        rules = known_rules()
        levels, off = config.levels(chosen, rules, where)
        wanted = selection.select(
            rules,
            select=split(select) or chosen.select,
            # What is asked for on the command line is not taken back by the file.
            ignore=(*split(ignore), *(() if select else chosen.ignore)),
            extend=(*split(extend_select), *chosen.extend_select),
            preview=chosen.preview if preview is None else preview,
        )
        named = set() if not select else {r.id for r in wanted.rules}
        job = runner.Job(
            rules=[r for r in wanted.rules if r.id not in off - named],
            settings=config.settings(chosen, rules, where),
            min_confidence=Confidence(min_confidence or chosen.min_confidence),
            levels=levels,
            ignored=config.path_ignores(chosen, rules, where, notices),
            exclude=(*split(exclude), *chosen.exclude),
            force_exclude=force_exclude,
            folder=loaded.path("."),
            jobs=_jobs(jobs),
            max_record=_bytes(max_record_size),
            timings=timings,
            stdin_name=stdin_filename or "-",
        )
    except (config.ConfigError, selection.UnknownSelectorError) as error:
        raise click.UsageError(str(error)) from error
    return Setup(
        job=job,
        redactor=Redactor(chosen.redact),
        fail_on=Level(fail_on or chosen.fail_on),
        notices=[*wanted.notices, *notices],
        baseline=loaded.path(chosen.baseline),
        suppressions=loaded.path(chosen.suppressions),
    )


def load(config_file: Path | None, isolated: bool) -> config.Loaded:
    """The configuration in force. Raises ConfigError."""
    if isolated:
        return config.Loaded(config=config.Config())
    return config.load_file(config_file) if config_file else config.load()


def known_rules() -> tuple[type[Rule], ...]:
    """Every rule. Raises click.ClickException when a plugin is broken."""
    try:
        return registry.rules()
    except registry.PluginError as error:
        raise click.ClickException(str(error)) from error


def chosen_rules(rules: Sequence[type[Rule]], select: Sequence[str]) -> list[type[Rule]]:
    """The rules that `--select` means, in preview or not; all without one. Raises click.ClickException."""
    try:
        return selection.select(rules, select=split(select), preview=True).rules
    except selection.UnknownSelectorError as error:
        raise click.UsageError(str(error)) from error


def events_of(file: str) -> Iterator[Event]:
    """The events of one file, `-` for standard input. Raises click.ClickException in words."""
    try:
        with sources.open_stream(file) as stream:
            reader, lines = recognise.choose_reader(file, sources.records(stream))
            if reader is None:
                raise click.ClickException(f"{file}: no reader knows this format")
            yield from reader.events(lines)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror or error}") from error
    except registry.PluginError as error:
        raise click.ClickException(str(error)) from error


def _jobs(value: str) -> int:
    if value == "auto":
        return 0
    if value.isdigit() and int(value) > 0:
        return int(value)
    raise click.BadParameter("a number from 1, or auto", param_hint="--jobs")


def _bytes(value: str) -> int:
    match = re.fullmatch(r"(\d{1,12})([kmg]?)(?:i?b)?", value.strip().lower())
    size = int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2]] if match else 0
    if size > 0:
        return size
    raise click.BadParameter("a size such as 500K, 64M or 1G", param_hint="--max-record-size")


def use_color(choice: str, stream: Any) -> bool:
    """Whether to colour a stream: the option decides, then NO_COLOR, FORCE_COLOR, and whether it is a terminal."""
    import os

    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"

"""`run`: stand in front of a command and keep its feedback record."""

from __future__ import annotations

from pathlib import Path

import click

from transcript_lint.harness.store import DEFAULT_FILE


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="End it after this long."
)
@click.option("--grace", default=5.0, type=click.FloatRange(min=0), show_default=True, help="From SIGTERM to SIGKILL.")
@click.option("--note", metavar="TEXT", help="What you expect, in one line, before the result is seen.")
@click.option("--parent", metavar="ID", help="The command_id of the attempt that this one retries.")
@click.option("--retry-of", metavar="ID|last", help="The same; `last` looks the attempt up.")
@click.option("--record", default=DEFAULT_FILE, type=click.Path(path_type=Path), show_default=True, help="The record.")
@click.option("--cwd", type=click.Path(path_type=Path), metavar="DIR", help="Where to run it.")
@click.option("--quiet", is_flag=True, help="Do not pass the output through.")
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD ARGS...")
@click.pass_context
def command(
    ctx: click.Context,
    timeout: float | None,
    grace: float,
    note: str | None,
    parent: str | None,
    retry_of: str | None,
    record: Path,
    cwd: Path | None,
    quiet: bool,
    argv: tuple[str, ...],
) -> None:
    """Run a command as given and append what happened to the feedback record.

    The exit status is the command's own; 124 when it timed out, 128+N when signal N ended it, 127 when it was not
    found, 126 when it could not be executed.
    """
    from transcript_lint.harness.run import run_with_feedback

    try:
        feedback = run_with_feedback(
            argv,
            timeout=timeout,
            grace=grace,
            note=note,
            parent=parent,
            retry_of=retry_of,
            record_file=record,
            cwd=cwd,
            quiet=quiet,
            forward_signals=True,
            redact=_patterns(),
        )
    except OSError as error:
        raise click.ClickException(f"the record {record} cannot be written: {error.strerror or error}") from error
    if feedback.record["error"]:
        click.echo(f"transcript-lint run: {feedback.record['error']}", err=True)
    ctx.exit(feedback.exit_status)


def _patterns() -> tuple[str, ...]:
    """The `redact` patterns of the configuration, which is read only if there is one."""
    from transcript_lint.config import ConfigError, load

    try:
        return load().config.redact
    except ConfigError as error:
        raise click.UsageError(str(error)) from error

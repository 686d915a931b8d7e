"""`reverify`: the shadow run."""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path

import click

from transcript_lint.commands import common


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--sample", "size", type=click.IntRange(min=1), metavar="N", help="Verify at most so many, by risk.")
@click.option("--seed", default=0, show_default=True, help="Draws the sample.")
@click.option("--sandbox", type=click.Choice(["bwrap", "none"]), default="bwrap", show_default=True)
@click.option("--allow", multiple=True, metavar="PATTERN", help="Without a sandbox: run what this glob matches.")
@click.option("--timeout", default=600.0, show_default=True, type=click.FloatRange(min=0, min_open=True))
@click.option("--execute", is_flag=True, help="Run them. Without it nothing from a log is ever executed.")
@click.option("--write", type=click.Path(path_type=Path), metavar="FILE", help="Append an L2 record of each to FILE.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    size: int | None,
    seed: int,
    sandbox: str,
    allow: tuple[str, ...],
    timeout: float,
    execute: bool,
    write: Path | None,
) -> None:
    """Run commands again that a log marks as succeeded, in a sandbox, and exit 1 if one ends otherwise.

    Without --execute it lists what would be run and why. Commands that change something outside the session are never
    repeated.
    """
    from transcript_lint.harness import reverify, store
    from transcript_lint.harness.history import UnreadableLog, read_log

    setup = common.setup()
    try:
        events = itertools.chain.from_iterable(read_log(file) for file in files)
        found = reverify.candidates(events, setup.job.settings)
        if execute and sandbox == "bwrap":
            reverify.bubblewrap(None)
    except (UnreadableLog, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    runnable = [one for one in found if reverify.may_run(one, sandbox=sandbox, allow=allow) is None]
    chosen = reverify.sample(runnable, size, seed)
    mismatches = 0
    for one in found if not execute else chosen:
        shown = setup.redactor.text(shlex.join(one.argv))
        if not execute:
            why = reverify.may_run(one, sandbox=sandbox, allow=allow)
            what = f"would run (risk {one.risk})" if one in chosen else f"would not run: {why or 'not in the sample'}"
            click.echo(f"{one.path}:{one.line}: {what}: {shown}")
            continue
        repeated = reverify.repeat(one, sandbox=sandbox, timeout=timeout)
        record = reverify.verification(repeated)
        if not repeated.matches:
            mismatches += 1
            click.echo(f"{one.path}:{one.line}: marked as succeeded, {record['reason']}: {shown}")
        if write is not None:
            store.append(write, record)
    if execute:
        click.echo(f"{len(chosen)} run again, {mismatches} ended otherwise", err=True)
    if mismatches:
        ctx.exit(1)

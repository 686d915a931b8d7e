"""`facts`: what the next session may trust."""

from __future__ import annotations

import itertools

import click
import orjson


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def command(files: tuple[str, ...]) -> None:
    """Print the facts of a log as JSON: how each command ended last, what must be run again, which questions wait for a
    person, who approved what, and what summaries claimed at which level of evidence.
    """
    from transcript_lint.harness.history import UnreadableLog, read_log
    from transcript_lint.harness.known import facts

    try:
        found = facts(itertools.chain.from_iterable(read_log(file) for file in files))
    except UnreadableLog as error:
        raise click.ClickException(str(error)) from error
    click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())

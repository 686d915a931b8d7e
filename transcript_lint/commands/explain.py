"""`explain`: a rule's page."""

from __future__ import annotations

import click

from transcript_lint import page, selection
from transcript_lint.commands import common


@click.command()
@click.argument("rule")
@click.option("--examples/--no-examples", default=False, help="Show its example logs too.")
def command(rule: str, examples: bool) -> None:
    """Show a rule's page, by id or name: what it does, why it matters, what clears it."""
    try:
        found = selection.one(common.known_rules(), rule)
    except selection.UnknownSelectorError as error:
        raise click.UsageError(f"{error} `transcript-lint rules` lists them.") from error
    click.echo(page.page(found, examples=examples), nl=False)

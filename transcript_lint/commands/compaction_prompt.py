"""`compaction-prompt`: the contract for a summariser."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Print the contract that a summariser must keep, to put before its instructions."""
    from transcript_lint.harness.contract import PROMPT

    click.echo(PROMPT, nl=False)

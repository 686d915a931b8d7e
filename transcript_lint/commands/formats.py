"""`formats`: which logs can be read, and what they can decide."""

from __future__ import annotations

import click
import orjson

from transcript_lint import registry


@click.command()
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(format_: str) -> None:
    """List the log formats: what is read, and what each format lets be decided."""
    try:
        readers = registry.readers()
    except registry.PluginError as error:
        raise click.ClickException(str(error)) from error
    if format_ == "json":
        rows = [{"name": n, "title": r.title, "decides": dict(r.decides)} for n, r in sorted(readers.items())]
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    from tabulate import tabulate

    asked = list(dict.fromkeys(what for reader in readers.values() for what in reader.decides))
    rows = [
        (name, *(reader.decides.get(what, "").partition(":")[0] for what in asked))
        for name, reader in sorted(readers.items())
    ]
    click.echo(tabulate(rows, headers=("format", *asked), tablefmt="simple"))
    click.echo()
    for name, reader in sorted(readers.items()):
        click.echo(f"{name}: {reader.title}")
        for what, answer in reader.decides.items():
            word, _, why = answer.partition(":")
            if why.strip():
                click.echo(f"  {what}: {word}, {why.strip()}")

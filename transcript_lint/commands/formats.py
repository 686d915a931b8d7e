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
        data = [{"name": n, "title": r.title, "decides": dict(r.decides)} for n, r in sorted(readers.items())]
        click.echo(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode())
        return
    from tabulate import tabulate

    from transcript_lint.commands.output import width
    from transcript_lint.reporters.table import wrap

    for name, reader in sorted(readers.items()):
        click.echo(f"{name}: {reader.title}")
        split = ((what, *answer.partition(":")[::2]) for what, answer in reader.decides.items())
        rows = [(what, word, "\n".join(wrap(why.strip(), max(30, width() - 40)))) for what, word, why in split]
        if rows:
            click.echo(tabulate(rows, tablefmt="plain"))
        click.echo()

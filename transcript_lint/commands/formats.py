"""`formats`: which logs can be read, and what they can decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import orjson

from transcript_lint import registry
from transcript_lint.capabilities import CAPABILITIES, WORDS, answer, decidable
from transcript_lint.readers.base import Reader
from transcript_lint.rule import Rule


@click.command()
@click.argument("names", metavar="[FORMAT]...", nargs=-1)
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(names: tuple[str, ...], format_: str) -> None:
    """List the log formats: what is read, and what each format lets be decided.

    With the name of a FORMAT, say why, and which rules can decide in it.
    """
    try:
        readers, rules = registry.readers(), registry.rules()
    except registry.PluginError as error:
        raise click.ClickException(str(error)) from error
    for name in names:
        if name not in readers:
            raise click.UsageError(f"there is no format {name!r}; `transcript-lint formats` lists them")
    chosen = [readers[name] for name in sorted(names or readers)]
    if format_ == "json":
        data = [row(reader, rules) for reader in chosen]
        click.echo(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode())
    elif names:
        click.echo("\n\n".join(details(reader, rules) for reader in chosen))
    else:
        click.echo(overview(chosen))


def row(reader: type[Reader], rules: Sequence[type[Rule]]) -> dict[str, Any]:
    """A format as plain data."""
    answers = {what: answer(reader.decides, what) for what in CAPABILITIES}
    return {
        "name": reader.name,
        "title": reader.title,
        "decides": {what: {"word": told.word, "why": told.why} for what, told in answers.items()},
        "rules": {rule.id: decidable(rule.needs, reader.decides) for rule in rules if rule.needs is not None},
    }


def overview(readers: Sequence[type[Reader]]) -> str:
    """Every format with its answers, a line each."""
    from tabulate import tabulate

    heads = [("", *(what.rpartition(" ")[n] for what in CAPABILITIES)) for n in (0, 2)]
    rows = [(r.name, *(answer(r.decides, what).word for what in CAPABILITIES)) for r in readers]
    return tabulate([*heads, *rows], tablefmt="plain")


def details(reader: type[Reader], rules: Sequence[type[Rule]]) -> str:
    """One format's answers with their reasons, and the rules by how well they can decide in it."""
    from tabulate import tabulate

    from transcript_lint.commands.output import width
    from transcript_lint.reporters.table import wrap

    rows: list[tuple[str, str, str]] = []
    for what in CAPABILITIES:
        told = answer(reader.decides, what)
        rows.append((what, told.word, "\n".join(wrap(told.why, max(30, width() - 40)))))
    words = {rule.id: decidable(rule.needs, reader.decides) for rule in rules if rule.needs is not None}
    for word in WORDS:
        ids = " ".join(id for id, one in words.items() if one == word)
        rows.append(("rules that can decide", word, "\n".join(wrap(ids, max(30, width() - 40)))))
    return f"{reader.name}: {reader.title}\n{tabulate(rows, tablefmt='plain')}"

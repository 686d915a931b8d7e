"""`rules`: what is checked."""

from __future__ import annotations

from typing import Any

import click
import orjson

from transcript_lint.commands import common
from transcript_lint.rule import Rule


@click.command()
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(format_: str) -> None:
    """List every rule: id, name, level, what it does."""
    rules = common.known_rules()
    if format_ == "json":
        click.echo(orjson.dumps([row(rule) for rule in rules], option=orjson.OPT_INDENT_2).decode())
        return
    from tabulate import tabulate

    from transcript_lint.commands.output import width
    from transcript_lint.reporters.table import wrap

    rows = [(r.id + ("*" if r.preview else ""), r.name, r.family, str(r.level)) for r in rules]
    taken = sum(max((len(row[n]) for row in rows), default=0) for n in range(4)) + 8
    shown = [
        (*row, "\n".join(wrap(rule.summary(), max(30, width() - taken)))) for row, rule in zip(rows, rules, strict=True)
    ]
    click.echo(tabulate(shown, headers=("id", "name", "family", "level", "what it does"), tablefmt="simple"))
    if any(r.preview for r in rules):
        click.echo("* in preview: runs with --preview, or when selected by its own id or name")


def row(rule: type[Rule]) -> dict[str, Any]:
    """A rule as plain data."""
    return {
        "id": rule.id,
        "name": rule.name,
        "family": rule.family,
        "level": rule.level,
        "confidence": rule.confidence,
        "since": rule.since,
        "preview": rule.preview,
        "former": rule.former,
        "options": dict(rule.options),
        "summary": rule.summary(),
    }

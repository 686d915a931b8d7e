"""`guard`: stop a compaction that promotes what was not confirmed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import orjson


@click.command()
@click.option(
    "--pre", required=True, metavar="FILE", help="What is replaced: records, as JSON or JSON lines; - is stdin."
)
@click.option("--post", required=True, metavar="FILE", help="What replaces it: JSON, JSON lines or prose; - is stdin.")
@click.option("--record", type=click.Path(path_type=Path), help="Append each stop to this feedback record.")
@click.pass_context
def command(ctx: click.Context, pre: str, post: str, record: Path | None) -> None:
    """Compare a compaction with what it replaces; exit 1 and the reasons if it promotes anything.

    Promoted is what claims success while a run must be repeated, drops or changes how a run ended, or turns a
    person's silence into consent.
    """
    from transcript_lint.harness.promotion import FalseConfirmation, guard

    before, after = _load(pre), _load(post)
    if isinstance(before, str):
        raise click.BadParameter("holds no JSON records", param_hint="--pre")
    try:
        guard(before, after, record_file=record)
    except FalseConfirmation as stopped:
        for promotion in stopped.promotions:
            about = f" ({promotion.command_id})" if promotion.command_id else ""
            click.echo(f"{post}#{promotion.field}: {promotion.promotion}: {promotion.reason}{about}")
        ctx.exit(1)


def _load(path: str) -> Any:
    """A JSON document, a list of JSON lines, or else text."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from error
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return [orjson.loads(line) for line in data.split(b"\n") if line.strip()]
    except orjson.JSONDecodeError:
        return data.decode("utf-8", "replace")

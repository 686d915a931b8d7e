"""`schema`: the JSON Schemas of what is written and read, for tools in any language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import orjson


def _config() -> dict[str, Any]:
    from transcript_lint import config

    return config.schema()


def _findings() -> dict[str, Any]:
    from transcript_lint.reporters import rows

    return rows.schema()


def _baseline() -> dict[str, Any]:
    from transcript_lint import baseline

    return baseline.schema()


def _record(name: str) -> Callable[[], dict[str, Any]]:
    def made() -> dict[str, Any]:
        from transcript_lint.harness import schemas

        return schemas.schema(name)

    return made


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "config": _config,
    "findings": _findings,
    "baseline": _baseline,
    "feedback-record": _record("feedback-record"),
    "compacted-tool": _record("compacted-tool"),
    "native-event": _record("native-event"),
}


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def command(name: str) -> None:
    """Print a JSON Schema (2020-12)."""
    click.echo(orjson.dumps(SCHEMAS[name](), option=orjson.OPT_INDENT_2).decode())

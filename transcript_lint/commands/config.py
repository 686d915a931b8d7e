"""`config`: what is in force, or the schema of the file."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
import orjson

from transcript_lint import config
from transcript_lint.commands import common


@click.command()
@click.option("--show", "mode", flag_value="show", default=True, help="The effective configuration (default).")
@click.option("--schema", "mode", flag_value="schema", help="The JSON Schema of the file.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this configuration file.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
def command(mode: str, config_file: Path | None, isolated: bool) -> None:
    """Show the configuration in force and the file it comes from."""
    if mode == "schema":
        click.echo(orjson.dumps(config.schema(), option=orjson.OPT_INDENT_2).decode())
        return
    # The whole setup is made, so that a wrong rule name or option is told here too.
    common.setup(config_file=config_file, isolated=isolated)
    try:
        loaded = common.load(config_file, isolated)
    except config.ConfigError as error:
        raise click.UsageError(str(error)) from error
    click.echo(f"from {loaded.file or 'no file: these are the defaults'}", err=True)
    click.echo(msgspec.json.format(msgspec.json.encode(loaded.config), indent=2).decode())

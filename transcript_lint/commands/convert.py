"""`convert`: what was understood of a log, as native events that name where each comes from."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from transcript_lint.commands import common


@click.command()
@click.argument("file")
@click.option("--to", "to", type=click.Choice(["native"]), default="native", show_default=True, help="Target format.")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Write there [standard output].")
def command(file: str, to: str, output: Path | None) -> None:
    """Write a transcript as native events, one a line, each with the place it comes from in `origin`.

    FILE is `-` for standard input. `check` on the result finds the same as on FILE, at the same places.
    """
    from transcript_lint.readers.to_native import native_line

    with _target(output) as target:
        for event in common.events_of(file):
            target.write(native_line(event) + b"\n")


@contextlib.contextmanager
def _target(output: Path | None) -> Iterator[BinaryIO]:
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with output.open("wb") as target:
            yield target
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error

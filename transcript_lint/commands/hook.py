"""`hook`: speak the hook protocol of Claude Code."""

from __future__ import annotations

import sys

import click
import orjson


@click.command()
@click.argument("event", type=click.Choice(["stop", "pre-compact", "post-tool"]))
def command(event: str) -> None:
    """Answer an agent's hook: its JSON on standard input, ours on standard output.

    `stop` blocks once when the closing message claims what the transcript contradicts, `post-tool` says what a run
    does not prove, `pre-compact` hands over the contract and what must be run again.
    """
    from transcript_lint.commands.common import setup
    from transcript_lint.harness import hooks
    from transcript_lint.harness.history import UnreadableLog

    try:
        given = orjson.loads(sys.stdin.buffer.read())
        if not isinstance(given, dict):
            raise hooks.HookInputError("the hook's input is no JSON object")
        if event == "pre-compact":  # what it prints is added to the instructions of the compaction
            click.echo(hooks.pre_compact(given), nl=False)
            return
        answer = (hooks.stop if event == "stop" else hooks.post_tool)(given, setup().job)
    except (orjson.JSONDecodeError, hooks.HookInputError, UnreadableLog) as error:
        # A hook that cannot answer must hold nobody up.
        click.echo(f"transcript-lint hook: {error}", err=True)
        return
    if answer:
        click.echo(orjson.dumps(answer).decode())

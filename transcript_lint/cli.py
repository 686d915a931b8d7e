"""The command line; imports click and nothing heavy, each command's module only when it is called."""

from __future__ import annotations

import importlib

import click

from transcript_lint import __version__

COMMANDS = {"check": "check"}


class LazyGroup(click.Group):
    """A group whose commands live in `transcript_lint.commands.<module>` as `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"transcript_lint.commands.{COMMANDS[cmd_name]}")
        command: click.Command = module.command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="transcript-lint")
def main() -> None:
    """Audit AI-agent session logs: join each claim to the recorded end of the run it speaks of."""

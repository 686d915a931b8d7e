"""The command line; imports click and nothing heavy, each command's module only when it is called."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import Any, NoReturn

import click

from transcript_lint import __version__

COMMANDS = {
    "check": "Audit transcripts and report what they claim against what they record.",
    "claims": "List every claim of a session with the evidence it stands on.",
    "diff": "Compare a compaction with what it replaced: what was kept, lost, changed, promoted.",
    "run": "Run a command and append what really happened to the feedback record.",
    "convert": "Write a transcript as native events, each with the place it comes from.",
    "guard": "Stop a compaction that promotes what was not confirmed.",
    "gate": "Refuse a critical effect while a check that guards it is open.",
    "facts": "Print what the next session may trust.",
    "stats": "Count how runs ended, what was claimed on them, what was never run again.",
    "reverify": "Run again what a log marks as succeeded, and compare.",
    "hook": "Answer the hooks of an agent.",
    "compaction-prompt": "Print the contract that a summariser must keep.",
    "show": "Show a finding with the records that prove it, or what stands around a line.",
    "watch": "Audit a log while an agent writes it.",
    "trace": "Tell a whole session, one line an event.",
    "rules": "List the rules.",
    "explain": "Show what a rule means, why it matters and what clears it.",
    "formats": "List the log formats and what each of them lets be decided.",
    "baseline": "Accept today's findings, so that only new ones fail.",
    "config": "Show the effective configuration, or its JSON Schema.",
    "schema": "Print the JSON Schema of a file that is written or read.",
    "test-rules": "Run every rule's examples, and labelled folders if given.",
}
"""Every command with its line in the help; its code is `transcript_lint.commands.<name>`, as `command`."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called, and lets no traceback out."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"transcript_lint.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from transcript_lint.selection import suggestion

            ctx.fail(f"there is no command {args[0]!r}{suggestion(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click itself would end with 1, which says that there are findings
            _close_stdout()
            sys.exit(2)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        # What an audit keeps is bounded and has few cycles: looking at every 700 objects finds none.
        gc.set_threshold(50_000, 20, 100)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by whoever started us
                setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter must not end the run
                stream.reconfigure(errors="backslashreplace")
        try:
            status = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            error.show()
            sys.exit(2)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            sys.exit(130)  # 128 + SIGINT, as shells tell it
        except OSError as error:
            click.echo(f"Error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}", err=True)
            sys.exit(2)
        except Exception as error:
            if "--verbose" in sys.argv:
                import traceback

                traceback.print_exc()
            click.echo(f"Error: {type(error).__name__}: {error}", err=True)
            click.echo("This is a fault of transcript-lint; --verbose shows where it happened.", err=True)
            sys.exit(2)
        sys.exit(status if isinstance(status, int) else 0)


def _close_stdout() -> None:
    """Whoever read our output went away; keep the interpreter from complaining about it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="transcript-lint")
def main() -> None:
    """Audit AI-agent session logs: join each claim to the recorded end of the run it speaks of."""

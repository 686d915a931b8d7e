"""`gate`: no critical effect on an open check."""

from __future__ import annotations

from typing import Any

import click
import orjson


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--for", "purpose", metavar="EFFECT", help="merge, publish, deploy, pay, delete ... or one of your own.")
@click.option("--require", multiple=True, metavar="TARGET", help="A command, program or kind (test) that must be ok.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], purpose: str | None, require: tuple[str, ...], form: str
) -> None:
    """Exit 1 while anything that guards the effect must be run again, never ran, or waits for a person.

    A feedback record is read with its older parts; any other log that a reader knows will do. The files are taken as
    one history, in their order.
    """
    from transcript_lint.commands.common import load
    from transcript_lint.config import ConfigError, settings
    from transcript_lint.harness.gating import judge
    from transcript_lint.harness.history import UnreadableLog, read_log
    from transcript_lint.ledger import Ledger
    from transcript_lint.redact import Redactor
    from transcript_lint.registry import rules

    try:
        loaded = load(None, False)
        ledger = Ledger(settings(loaded.config, rules(), str(loaded.file)))
        for file in files:
            for event in read_log(file):
                ledger.update(event)
    except (UnreadableLog, ConfigError) as error:
        raise click.ClickException(str(error)) from error
    verdict = judge(ledger, require=require, purpose=purpose)
    redactor = Redactor()
    if form == "json":
        blocks: list[dict[str, Any]] = [
            {
                "target": redactor.text(block.target),
                "reason": redactor.text(block.reason),
                "escalate": block.escalate,
                "because": [
                    {"path": step.at.path, "line": step.at.line, "what": redactor.text(step.what)}
                    for step in block.chain
                ],
            }
            for block in verdict.blocks
        ]
        click.echo(orjson.dumps({"ok": verdict.ok, "blocks": blocks}, option=orjson.OPT_INDENT_2).decode())
    else:
        for block in verdict.blocks:
            click.echo(redactor.text(f"blocked by {block.target!r}: {block.reason}"))
            for step in block.chain:
                click.echo(redactor.text(f"  {step.at.path}:{step.at.line}: {step.what}"))
    if not verdict.ok:
        ctx.exit(1)

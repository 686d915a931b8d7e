"""`test-rules`: every rule against its examples, and against labelled folders."""

from __future__ import annotations

import sys

import click

from transcript_lint import runner, trial
from transcript_lint.commands import common
from transcript_lint.expect import ExpectError
from transcript_lint.settings import Settings


@click.command()
@click.argument("paths", nargs=-1, metavar="[FOLDER]...")
@click.option("--select", multiple=True, metavar="RULES", help="Try these only: id, name, family or prefix.")
def command(paths: tuple[str, ...], select: tuple[str, ...]) -> None:
    """Run every rule's examples; with folders, also the labelled logs in them.

    A log is labelled by LOG.expected.json beside it, by expect.json beside input.*, or by a line of labels.jsonl.

    Prints precision and recall of each rule and fails when an example is not judged as it says.
    """
    everything = common.known_rules()
    chosen = common.chosen_rules(everything, select)
    wrong = [fault for rule in chosen for fault in trial.faults(rule, everything)]
    tables = [("examples", trial.examples(chosen))]
    if paths:
        try:
            tables.append(("labelled logs", trial.labelled(paths, runner.Job(rules=everything, settings=Settings()))))
        except ExpectError as error:
            raise click.ClickException(str(error)) from error
    from tabulate import tabulate

    ids = {rule.id for rule in chosen}
    rows = [
        (source, rule, t.right, t.wrong, t.missed, _share(t.precision), _share(t.recall))
        for source, tallies in tables
        for rule, t in sorted(tallies.items())
        if rule in ids
    ]
    click.echo(
        tabulate(rows, headers=("logs", "rule", "right", "wrong", "missed", "precision", "recall"), tablefmt="simple")
    )
    for line in wrong:
        click.echo(line)
    click.echo(f"{len(chosen)} rules, {len(wrong)} examples not judged as they say", err=True)
    sys.exit(1 if wrong else 0)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"

"""`claims`: what a session claims, and how far its own record carries each claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
import orjson

from transcript_lint import claims, evidence
from transcript_lint.claims import Claim
from transcript_lint.commands import common
from transcript_lint.events import AgentText
from transcript_lint.evidence import Evidence, Grade
from transcript_lint.ledger import Ledger
from transcript_lint.reporters.present import Presenter
from transcript_lint.settings import Settings

LEVELS = {Grade.OBSERVED: "L0", Grade.TERMINATED: "L1", Grade.VERIFIED: "L2"}
CLAIM_CHARACTERS = 300


@click.command()
@click.argument("file")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option(
    "--evidence", "wanted", type=click.Choice([g.value for g in Grade]), multiple=True, help="Show these only."
)
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
def command(file: str, format_: str, wanted: tuple[str, ...], isolated: bool) -> None:
    """List every claim of a session with the evidence it stands on.

    L0 observed: words of an output say so. L1 terminated: the run ended ok. L2 verified: a check ended ok, unmasked.
    Else none, contradicted or could not tell. FILE is `-` for standard input. Exit 0 whatever is found; `check` judges.
    """
    setup = common.setup(isolated=isolated)
    show = Presenter(setup.redactor)
    rows = [_row(claim, found, show) for claim, found in _graded(file, setup.job.settings)]
    if wanted:
        rows = [row for row in rows if row["evidence"] in wanted]
    if format_ == "json":
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(_table(rows))


def _graded(file: str, settings: Settings) -> Iterator[tuple[Claim, Evidence]]:
    """Every claim of a log in order, graded by what the log had shown by then."""
    ledger = Ledger(settings)
    for event in common.events_of(file):
        ledger.update(event)
        if isinstance(event, AgentText):
            for claim in claims.extract(event, settings):
                yield claim, evidence.weigh(claim, ledger)


def _row(claim: Claim, found: Evidence, show: Presenter) -> dict[str, Any]:
    """One claim, ready to be shown to anyone; keys that do not apply hold null."""
    run = found.run
    ended = run.ended if run is not None else None
    return {
        "line": claim.at.line,
        "claim": show.text(claim.text, CLAIM_CHARACTERS),
        "where": claim.event.where,
        "agent": show.text(claim.event.agent),
        "subject": claim.subject.value,
        "strength": claim.strength,
        "evidence": found.grade.value,
        "level": LEVELS.get(found.grade),
        "run": show.text(run.name) if run is not None else None,
        "run_line": run.issued.at.line if run is not None else None,
        "end_line": ended.at.line if ended is not None else None,
        "why": show.text(found.why) or None,
    }


def _table(rows: list[dict[str, Any]]) -> str:
    from tabulate import tabulate

    from transcript_lint.commands.output import width
    from transcript_lint.reporters.table import wrap

    room = max(30, width() - 30)
    cells = [
        (row["line"], " ".join(filter(None, (row["level"], row["evidence"]))), "\n".join(_cell(row, room, wrap)))
        for row in rows
    ]
    counted = Counter(row["evidence"] for row in rows)
    total = f"{len(rows)} claim{'' if len(rows) == 1 else 's'}"
    if counted:
        total += ": " + ", ".join(f"{count} {grade}" for grade, count in counted.most_common())
    if not cells:
        return total
    return (
        tabulate(cells, headers=("line", "evidence", "claim"), tablefmt="simple", disable_numparse=True)
        + "\n\n"
        + total
    )


def _cell(row: dict[str, Any], room: int, wrap: Any) -> Iterator[str]:
    yield from wrap(row["claim"], room)
    if row["run"] is not None:
        yield from wrap(
            f"  line {row['end_line'] or row['run_line']}: {row['run']}: {row['why'] or 'as recorded'}", room
        )
    elif row["why"] is not None:
        yield from wrap(f"  {row['why']}", room)

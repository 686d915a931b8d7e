"""`diff`: what a compaction made of every fact, from the side before and the side after."""

from __future__ import annotations

import sys
from typing import Any

import click
import msgspec

from transcript_lint import __version__, artifacts, compare, fingerprint, page
from transcript_lint.commands import common, output
from transcript_lint.commands.check import exit_code
from transcript_lint.finding import Finding, Level
from transcript_lint.report import InputSummary, Report
from transcript_lint.reporters import rows
from transcript_lint.reporters.base import Look
from transcript_lint.reporters.present import present

FEW = 40
"""Facts that turned out well and that the table shows, the latest."""


@click.command()
@click.argument("pre", metavar="PRE")
@click.argument("post", metavar="POST")
@click.option("--format", "format_", default="table", show_default=True, metavar="FMT", help="Format of the output.")
@click.option("--fail-on", type=click.Choice([v.value for v in Level]), help="Least level that fails [warning].")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even when facts were lost or turned.")
@click.option("--min-confidence", type=click.Choice(["high", "medium", "low"]), help="Least confidence shown [medium].")
@click.option("--all", "everything", is_flag=True, help="Show every fact that was kept too.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour the table.")
def command(pre: str, post: str, format_: str, exit_zero: bool, everything: bool, color: str, **chosen: Any) -> None:
    """Compare what stood before a compaction (PRE) with what replaced it (POST).

    Each is a log of any readable format, a compaction payload (compacted tools, carried terminations), or, after it,
    plain prose. Exits as check does: 0 nothing was lost or turned, 1 something was, 2 the job could not be done.
    """
    if "-" in (pre, post):
        raise click.UsageError("both sides are read more than once: name two files")
    setup = common.setup(**chosen)
    target = output.Target(format_)
    try:
        found = compare.compare(pre, post, setup.job.rules, setup.job.settings)
    except OSError as error:
        raise click.ClickException(f"{error.filename or pre}: {error.strerror or error}") from error
    if not found.facts and found.sides[0].format == "payload":
        raise click.ClickException(f"{pre} holds no command and no gate in any form that is known")
    report = Report(notices=setup.notices, failures=found.audit.failures, abstained=found.audit.abstentions)
    shown = [f for f in found.audit.findings if f.confidence.rank >= setup.job.min_confidence.rank]
    report.findings = fingerprint.stamp(sorted((_levelled(f, setup) for f in shown), key=lambda f: (f.at.line, f.rule)))
    report.inputs = [InputSummary(path=s.path, format=s.format, records=s.records) for s in found.sides]
    report.exit_code = exit_code(report, setup.fail_on, exit_zero)
    if format_ == "sarif":
        artifacts.describe(report)
    report.rules = tuple(map(page.info, common.known_rules()))
    ready = present(report, setup.redactor)
    facts = [_redacted(fact, setup) for fact in found.facts]
    if format_ == "json":
        document = {
            "facts": [_row(fact) for fact in facts],
            "findings": list(rows.findings(ready, False)),
        }
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))
    else:
        painted = common.use_color(color, sys.stdout)
        if format_ == "table":
            click.echo(_table(facts, everything))
        target.write(ready, Look(color=painted, width=output.width(), version=__version__, root=str(output.root())))
    sys.exit(report.exit_code)


def _levelled(finding: Finding, setup: common.Setup) -> Finding:
    return msgspec.structs.replace(finding, level=setup.job.levels.get(finding.rule, finding.level))


def _redacted(fact: compare.Fact, setup: common.Setup) -> compare.Fact:
    clean = {name: setup.redactor.text(getattr(fact, name)) for name in ("what", "before", "after")}
    return msgspec.structs.replace(fact, **clean)


def _row(fact: compare.Fact) -> dict[str, Any]:
    row = msgspec.to_builtins(fact)
    row["path"], row["line"] = fact.at.path, fact.at.line
    del row["at"]
    return dict(row)


def _table(facts: list[compare.Fact], everything: bool) -> str:
    """The fates: what went wrong or stays open in full, of the rest the latest."""
    from tabulate import tabulate

    good = (compare.Fate.KEPT, compare.Fate.WORDS, compare.Fate.CLEARED, compare.Fate.SILENT)
    minor = [f for f in facts if f.fate in good and not f.must_rerun and f.kind == "end"]
    hidden = 0 if everything else max(0, len(minor) - FEW)
    left_out = set(map(id, minor[:hidden]))
    shown = [
        (f.fate.value, f.kind, _cell(f.what), _cell(f.before), _cell(f.after)) for f in facts if id(f) not in left_out
    ]
    if not shown:
        return "No facts stand before the compaction.\n"
    table = tabulate(shown, headers=("fate", "fact", "of", "before", "after"), tablefmt="simple", disable_numparse=True)
    return table + (f"\n… and {hidden} earlier ends that are kept or of no weight (--all)" if hidden else "") + "\n"


def _cell(text: str, limit: int = 60) -> str:
    flat = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"

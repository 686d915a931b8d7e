"""`stats`: the metrics that matter, over a corpus."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import orjson

if TYPE_CHECKING:
    from transcript_lint.harness.metrics import Key, Metrics


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--by", type=click.Choice(["agent", "model", "day", "week"]), default="agent", show_default=True)
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "openmetrics"]), default="table", show_default=True
)
def command(paths: tuple[str, ...], by: str, form: str) -> None:
    """Count how runs ended, what was claimed on them, what was never run again, what could not be read or checked."""
    metrics, problems = _count(paths, by)
    for problem in problems:
        click.echo(problem, err=True)
    write = {"table": _table, "json": _json, "openmetrics": _openmetrics}[form]
    click.echo(write(metrics), nl=False)
    if problems:
        raise click.exceptions.Exit(2)


def _count(paths: Sequence[str], by: str) -> tuple[Metrics, list[str]]:
    from transcript_lint import claims, evidence, inputs, registry, sources
    from transcript_lint.engine import Engine
    from transcript_lint.events import AgentText
    from transcript_lint.harness.metrics import Counting, Metrics
    from transcript_lint.recognise import choose_reader

    metrics = Metrics(by=by)
    found = inputs.find(paths)
    problems = [f"{path}: there is no such file or folder" for path in found.missing]
    for path in found.inputs:
        engine = Engine(registry.rules())
        counting: Counting | None = None
        grades: list[str] = []
        records = 0
        for part in sources.with_older(path):
            try:
                with sources.open_stream(part) as stream:
                    reader, lines = choose_reader(part, sources.records(stream))
                    if reader is None:
                        if any(line.data.strip() for line in itertools.islice(lines, 1)) and path not in found.searched:
                            problems.append(f"{part}: no reader knows this format")
                        continue
                    counting = counting or Counting(metrics, reader.name)
                    for event in reader.events(lines):
                        engine.see(event)
                        counting.see(event, engine.ledger)
                        if isinstance(event, AgentText):
                            said = claims.extract(event, engine.settings)
                            grades += (evidence.weigh(claim, engine.ledger).grade.value for claim in said)
                    records += reader.records
            except OSError as error:
                problems.append(f"{part}: {error.strerror or error}")
        if counting is not None:
            counting.close(engine.ledger, engine.finish(), grades, records)
    return metrics, problems


def _rows(counts: Counter[Key]) -> list[tuple[str, str, int]]:
    return [(metric, label, count) for (metric, label), count in sorted(counts.items()) if count]


def _table(metrics: Metrics) -> str:
    from tabulate import tabulate

    from transcript_lint.harness.metrics import HEADLINE, value

    total = metrics.total()
    head = [(name, _number(value(total, name)), _signed(metrics.change(name))) for name in HEADLINE]
    groups = sorted(metrics.groups)
    keys = sorted({key for key, count in total.items() if count})
    body = [
        (f"{metric}: {label}" if label else metric, *(metrics.groups[g][metric, label] or "" for g in groups))
        for metric, label in keys
    ]
    first = tabulate(head, headers=("metric", "value", "change on the week before"), disable_numparse=True)
    second = tabulate(body, headers=(f"by {metrics.by}", *groups), disable_numparse=True)
    return f"{first}\n\n{second}\n"


def _json(metrics: Metrics) -> str:
    from transcript_lint.harness.metrics import HEADLINE, value

    def counted(counts: Counter[Key]) -> dict[str, object]:
        plain: dict[str, object] = {name: value(counts, name) for name in HEADLINE}
        for metric, label, count in _rows(counts):
            if label:
                labels = plain.setdefault(metric, {})
                assert isinstance(labels, dict)
                labels[label] = count
            else:
                plain.setdefault(metric, count)
        return plain

    document = {
        "v": 1,
        "by": metrics.by,
        "total": counted(metrics.total()),
        "groups": {group: counted(metrics.groups[group]) for group in sorted(metrics.groups)},
        "weeks": {
            week: {name: value(metrics.weeks[week], name) for name in HEADLINE} for week in sorted(metrics.weeks)
        },
        "change_week_over_week": {name: metrics.change(name) for name in HEADLINE},
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"


def _openmetrics(metrics: Metrics) -> str:
    from transcript_lint.harness.metrics import value

    lines: list[str] = []
    names = sorted({metric for counts in metrics.groups.values() for metric, _ in counts})
    for name in names:
        lines.append(f"# TYPE transcript_lint_{name} counter")
        for group in sorted(metrics.groups):
            for metric, label, count in _rows(metrics.groups[group]):
                if metric == name:
                    labels = f'{metrics.by}="{_escaped(group)}"' + (f',label="{_escaped(label)}"' if label else "")
                    lines.append(f"transcript_lint_{name}_total{{{labels}}} {count}")
    rate = "rerun_after_timeout_pass_rate"
    lines.append(f"# TYPE transcript_lint_{rate} gauge")
    for group in sorted(metrics.groups):
        known = value(metrics.groups[group], rate)
        if known is not None:
            lines.append(f'transcript_lint_{rate}{{{metrics.by}="{_escaped(group)}"}} {known:g}')
    return "\n".join((*lines, "# EOF")) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(number: float | None) -> str:
    return "not known" if number is None else f"{number:g}"


def _signed(number: float | None) -> str:
    return "not known" if number is None else f"{number:+g}"

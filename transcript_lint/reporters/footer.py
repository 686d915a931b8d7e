"""The closing lines of a run in words: what was read, what was found, what could not be checked."""

from __future__ import annotations

from collections import Counter

from transcript_lint.report import Report
from transcript_lint.wording import counted

MAX_LINES = 8


def footer(report: Report) -> list[str]:
    """The counts, then everything the user should know, most pressing first; never empty."""
    return [*trouble(report), *report.ratchet, *report.notices, *fixed(report), counts(report)]


def counts(report: Report) -> str:
    """`3 files (2 claude-code, 1 native), 120 records: 2 findings (1 error, 1 note); …`."""
    formats = Counter(i.format for i in report.inputs)
    kinds = ", ".join(f"{n} {name}" for name, n in sorted(formats.items()))
    read = f"{counted(len(report.inputs), 'file')}{f' ({kinds})' if kinds else ''}, {counted(report.records, 'record')}"
    levels = Counter(str(f.level) for f in report.findings)
    by_level = ", ".join(counted(levels[level], level) for level in ("error", "warning", "note") if levels[level])
    found = counted(len(report.findings), "finding") + (f" ({by_level})" if by_level else "")
    rest = [
        f"{n} {what}"
        for n, what in (
            (len(report.baselined), "in the baseline"),
            (len(report.suppressed), "suppressed"),
        )
        if n
    ]
    unchecked = (
        counted(report.unreadable, "unreadable record"),
        counted(sum(report.unknown.values()), "record") + " of unknown type",
        counted(sum(report.abstained.values()), "check") + " abstained",
    )
    return f"{read}: {', '.join([found, *rest])}; {', '.join(unchecked)}."


def trouble(report: Report) -> list[str]:
    """What kept the job from being done."""
    lines = [f"error: {report.interrupted}"] if report.interrupted else []
    lines += [f"{'error' if p.fatal else 'note'}: {p.path}: {p.message}" for p in report.problems]
    lines += [
        f"error: rule {f.rule} crashed at {f.at.path}:{f.at.line} and was switched off there: {f.error}"
        for f in report.failures
    ]
    return lines


def fixed(report: Report) -> list[str]:
    """Baseline entries that are gone."""
    if not report.fixed:
        return []
    head = (
        f"{counted(len(report.fixed), 'baseline entry', 'baseline entries')} no longer found; `baseline update` drops"
    )
    more = len(report.fixed) - MAX_LINES
    lines = [f"  fixed: {line}" for line in report.fixed[:MAX_LINES]]
    return [
        f"{head} {'it' if len(report.fixed) == 1 else 'them'}:",
        *lines,
        *([f"  … and {more} more"] if more > 0 else []),
    ]


def statistics(report: Report) -> list[tuple[str, str, str, int]]:
    """(rule, name, level, count), most frequent first."""
    count = Counter((f.rule, f.name, str(f.level)) for f in report.findings)
    return [(*key, n) for key, n in sorted(count.items(), key=lambda item: (-item[1], item[0]))]


def abstentions(report: Report) -> list[tuple[str, str, int]]:
    """(rule, reason, count), most frequent first."""
    return [(rule, why, n) for (rule, why), n in sorted(report.abstained.items(), key=lambda i: (-i[1], i[0]))]

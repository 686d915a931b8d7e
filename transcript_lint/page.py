"""The page of a rule in Markdown, made from the rule itself: for `explain`, for docs/rules, for SARIF help."""

from __future__ import annotations

import orjson

from transcript_lint import patterns as re
from transcript_lint import samples
from transcript_lint.report import RuleInfo
from transcript_lint.rule import Example, Rule

HEADINGS = ("What it does", "Why it matters", "What clears it", "References")

BUILTIN = "transcript_lint_rules"

_HEADING = re.compile(rf"(?:#+ )?({'|'.join(HEADINGS)})(?::\s*(.*)|\s*)$")
_UNDERLINE = re.compile(r"[-=~]{4,}\s*")


def page(rule: type[Rule], *, examples: bool = True) -> str:
    """The whole page: facts, docstring, options, examples."""
    parts = [
        f"# {rule.name} ({rule.id})",
        f"Level **{rule.level}**, confidence {rule.confidence}, family {rule.family}, since {rule.since}"
        + (", in preview" if rule.preview else "")
        + (f", formerly {', '.join(rule.former)}" if rule.former else "")
        + ".",
        body(rule),
    ]
    if rule.options:
        rows = "\n".join(f"{name.replace('_', '-')} = {_toml(value)}" for name, value in rule.options.items())
        parts.append(f"## Options\n\n```toml\n[tool.transcript-lint.rules.{rule.id}]\n{rows}\n```")
    if examples and rule.examples:
        parts += ["## Examples", *(_example(rule, e) for e in rule.examples)]
    return "\n\n".join(parts) + "\n"


def info(rule: type[Rule]) -> RuleInfo:
    """What reporters are told of the rule."""
    package = rule.__module__.partition(".")[0]
    return RuleInfo(
        id=rule.id,
        name=rule.name,
        family=rule.family,
        level=rule.level,
        confidence=rule.confidence,
        summary=rule.summary(),
        description=" ".join(sections(rule).get(HEADINGS[0], "").split()),
        documentation=page(rule, examples=False),
        package="" if package == BUILTIN else package,
    )


def body(rule: type[Rule]) -> str:
    """The docstring in Markdown: its first sentence, then every heading with what stands under it."""
    return "\n\n".join(f"## {name}\n\n{text}" if name else text for name, text in sections(rule).items())


def sections(rule: type[Rule]) -> dict[str, str]:
    """The docstring's text by heading, the first paragraph under the empty one."""
    found: dict[str, list[str]] = {"": []}
    lines = found[""]
    for line in rule.documentation().splitlines():
        if heading := _HEADING.match(line):
            lines = found.setdefault(heading[1], [])
            lines.append(heading[2] or "")
        elif not _UNDERLINE.fullmatch(line):
            lines.append(line)
    return {name: "\n".join(text).strip() for name, text in found.items()}


def _example(rule: type[Rule], example: Example) -> str:
    log = samples.write(example.records).decode("utf-8", "replace").rstrip("\n")
    lines = ", ".join(map(str, example.reports))
    expected = f"reports line {lines}" if example.reports else "innocent, reports nothing"
    told = f"\n\n```text\n{_told(rule, example)}\n```" if example.reports else ""
    return f"**{example.title}** ({expected}):\n\n```jsonl\n{log}\n```{told}"


def _told(rule: type[Rule], example: Example) -> str:
    """What the rule says of an example: its findings with their chains, by line."""
    from transcript_lint import trial

    lines: list[str] = []
    for finding in trial.findings(example, (rule,)):
        lines.append(f"{finding.at.line}: {finding.level}, {finding.confidence} confidence: {finding.message}")
        lines += (f"    {step.at.line}: {step.what}" for step in finding.because)
    return "\n".join(lines)


def _toml(value: object) -> str:
    return orjson.dumps(value).decode()

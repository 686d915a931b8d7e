"""Write the reference pages from the code: docs/rules/*.md, docs/rules/README.md, docs/formats.md, docs/cli.md,
docs/config.md.

Run it by `make docs`; CI fails when that changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import orjson

from transcript_lint import config, page, registry
from transcript_lint.capabilities import CAPABILITIES, answer, decidable
from transcript_lint.cli import main

HERE = Path(__file__).parent
MARKS = {"yes": "●", "partly": "◐", "no": "·"}
MADE = "<!-- Made by docs/generate.py from the code; do not edit. -->\n\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Every page: where it stands and what it says."""
    rules = registry.rules()
    for rule in rules:
        yield HERE / "rules" / f"{rule.id}.md", page.page(rule)
    yield HERE / "rules" / "README.md", catalogue(rules)
    yield HERE / "formats.md", formats()
    yield HERE / "cli.md", command_line()
    yield HERE / "config.md", configuration()


def catalogue(rules: tuple[type[Any], ...]) -> str:
    """The table of all rules, by family."""
    parts = ["# Rules\n"]
    for family in dict.fromkeys(rule.family for rule in rules):
        parts.append(f"## {family}\n\n| id | name | level | what it does |\n|---|---|---|---|")
        parts += [
            f"| [{r.id}]({r.id}.md) | {r.name} | {r.level} | {cell(r.summary())} |" for r in rules if r.family == family
        ]
        parts.append("")
    return "\n".join(parts)


def formats() -> str:
    """What each reader lets be decided, in general and rule by rule."""
    readers = [reader for _, reader in sorted(registry.readers().items())]
    names = " | ".join(f"`{reader.name}`" for reader in readers)
    line = "|---" * (len(readers) + 1) + "|"
    parts = [
        "# Formats\n",
        "Files are recognised by content. What a log does not hold is never read as success or as consent: the check "
        "abstains and is counted.\n",
        "## Rule by rule\n",
        "What a rule needs of a log, against what the format records: ● can decide, ◐ can where the log has it, "
        f"· cannot.\n\n| rule | {names} |\n{line}",
    ]
    for rule in registry.rules():
        marks = " | ".join(MARKS[decidable(rule.needs or (), reader.decides)] for reader in readers)
        parts.append(f"| [{rule.id}](rules/{rule.id}.md) | {marks} |")
    for reader in readers:
        parts.append(f"\n## {reader.title}\n\n`{reader.name}`\n\n| what | can be decided | why |\n|---|---|---|")
        for what in CAPABILITIES:
            told = answer(reader.decides, what)
            parts.append(f"| {what} | {told.word} | {cell(told.why)} |")
    return "\n".join(parts)


def command_line() -> str:
    """The help of every command."""
    parts = ["# Command line\n", block(main, "transcript-lint")]
    context = click.Context(main, info_name="transcript-lint")
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        if command is None:
            continue
        parts.append(block(command, f"transcript-lint {name}", context))
        if isinstance(command, click.Group):
            inner = click.Context(command, info_name=name, parent=context)
            parts += [block(c, f"transcript-lint {name} {n}", inner) for n, c in sorted(command.commands.items())]
    return "\n".join(parts)


def block(command: click.Command, title: str, parent: click.Context | None = None) -> str:
    """One command's help as a section."""
    name = title.rpartition(" ")[2]
    text = command.get_help(
        click.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
    )
    return f"## {title}\n\n```text\n{text}\n```\n"


def configuration() -> str:
    """Every key of the configuration file."""
    table = config.schema()["$defs"]
    inner = {f"phrases.{key}": described for key, described in table["Phrases"]["properties"].items()}
    rows = [
        f"| `{key}` | {cell(described['description'])} | {default(described)} |"
        for key, described in (table["Config"]["properties"] | inner).items()
    ]
    return (
        "# Configuration\n\n`[tool.transcript-lint]` in pyproject.toml, or the same keys in transcript-lint.toml; the "
        "file nearest to the working folder wins. `transcript-lint config --show` prints what is in force, `config "
        "--schema` a JSON Schema.\n\n| key | what it says | default |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def default(described: dict[str, Any]) -> str:
    """The default of a key, nothing where it is empty."""
    value = described.get("default")
    empty = not value or (isinstance(value, dict) and not any(value.values()))
    return "" if empty and value is not False else f"`{orjson.dumps(value).decode()}`"


def cell(text: str) -> str:
    """Text that fits a table cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def write() -> None:
    """Write every page and remove those of rules that are gone."""
    made = dict(pages())
    for old in (HERE / "rules").glob("*.md"):
        if old not in made:
            old.unlink()
    for file, text in made.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(MADE + text.rstrip("\n") + "\n", "utf-8")


if __name__ == "__main__":
    write()

"""What whole command lines are read as, from a table: `$ LINE` and a row for each of its parts.

A row is the kind, the target in angle brackets, and what else holds of the part; `⏎` and `␍` are ends of lines. A
last row names what is true of the whole line. The table says what is right: a row that changes is looked at.
"""

from pathlib import Path

import pytest

from transcript_lint.commandline import parse

TABLE = Path(__file__).with_name("command_lines.txt").read_text("utf-8")
ROWS = [entry.split("\n") for entry in TABLE.removeprefix("$ ").rstrip("\n").split("\n$ ")]


def told(line):
    """The rows that the table should hold for a line."""
    for part in parse(line).parts:
        hidden = [f"hidden by {part.mask}"] if part.mask else []
        effect = [f"effect {part.effect}"] if part.effect else []
        flags = {
            "draft": part.draft,
            "answers": part.expects_failure,
            "echoed": part.echoes_status,
            "loop": part.looped,
        }
        yield " ".join(
            [part.kind, f"<{part.target}>", *hidden, *effect, *(word for word, true in flags.items() if true)]
        )
    if parse(line).background:
        yield "background"
    if parse(line).files:
        yield " ".join(["files", *parse(line).files])


@pytest.mark.parametrize(
    ("line", "rows"), [(first.replace("⏎", "\n").replace("␍", "\r"), rest) for first, *rest in ROWS]
)
def test_a_line_is_read_as_the_table_says(line, rows):
    assert list(told(line)) == [row.strip() for row in rows]

"""A task list kept in a table `todos` by SQL statements: what each statement adds or turns done."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint import patterns as re
from transcript_lint.readers.tasks import DONE, TaskList

_INSERT = re.compile(r"\binsert\s+(?:or\s+\w+\s+)?into\s+todos\s*\(([^()]{1,400})\)\s*values\s*", re.I)
_UPDATE = re.compile(r"\bupdate\s+todos\s+set\s+", re.I)
_STATUS = re.compile(r"\bstatus\s*=\s*'((?:[^']|'')*)'", re.I)
_CASE = re.compile(r"\bwhen\s+'((?:[^']|'')*)'\s+then\s+'((?:[^']|'')*)'", re.I)
_WHERE = re.compile(r"\bwhere\s+id\s*(?:=|in)\s*", re.I)
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([(),;])|([^\s'(),;]+)")
LIMIT = 20_000


def todo_changes(tasks: TaskList, query: str) -> tuple[str, ...] | None:
    """Feed the statements of one query to the list; the words of what turned done, None if no todo is touched."""
    query = query[:LIMIT]
    if "todos" not in query:
        return None
    changed: list[str] = []
    touched = False
    for statement in _statements(query):
        if found := _INSERT.search(statement):
            columns = [c.strip(' "`').lower() for c in found[1].split(",")]
            for row in _rows(statement[found.end() :]):
                values = dict(zip(columns, row, strict=False))
                if key := values.get("id") or values.get("title"):
                    touched = True
                    done = values.get("status", "").lower() in DONE
                    changed += tasks.update(key, item=values.get("title") or values.get("description"), done=done)
        elif _UPDATE.search(statement):
            cases = _CASE.findall(statement)
            where = _WHERE.search(statement)
            keys = _quoted(statement[where.end() :]) if where else []
            status = _STATUS.search(statement, 0, where.start() if where else len(statement))
            pairs = cases or ([(key, status[1]) for key in keys] if status else [])
            for key, state in pairs:
                touched = True
                changed += tasks.update(key, done=state.lower() in DONE)
    return tuple(changed) if touched else None


def _statements(query: str) -> Iterator[str]:
    """The statements of a query, split at semicolons outside strings."""
    start = 0
    for token in _TOKEN.finditer(query):
        if token[2] == ";":
            yield query[start : token.start()]
            start = token.end()
    yield query[start:]


def _rows(values: str) -> Iterator[list[str]]:
    row: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(values):
        if token[2] == "(":
            depth += 1
            row = [] if depth == 1 else row
        elif token[2] == ")":
            depth -= 1
            if depth == 0:
                yield row
        elif token[2] is None and depth == 1:
            row.append(token[1].replace("''", "'") if token[1] is not None else token[3])


def _quoted(text: str) -> list[str]:
    return [token[1].replace("''", "'") for token in _TOKEN.finditer(text) if token[1] is not None]

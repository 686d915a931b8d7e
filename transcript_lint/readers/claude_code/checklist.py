"""Todo lists and tasks: what an update says is done, as markdown checkboxes."""

from __future__ import annotations

from typing import Any

from transcript_lint import patterns as re

_CREATED = re.compile(r"Task #(\S{1,40}) created")
State = tuple[str, tuple[str, ...]]
"""The checklist text and the items that turned done."""


class Checklist:
    """The last known state of every list, so that an update can be told from what already stood."""

    def __init__(self) -> None:
        self._done: dict[str, set[str]] = {}
        self._subjects: dict[str, str] = {}
        self._finished: set[str] = set()

    def changed_by(self, tool: str, given: Any, agent: str) -> State | None:
        """What a call of a list tool states; None when it states nothing."""
        if not isinstance(given, dict):
            return None
        if tool == "TodoWrite":
            return self._todos(given.get("todos"), agent)
        if tool == "TaskCreate":
            subject = given.get("subject")
            return (f"- [ ] {_line(subject)}", ()) if isinstance(subject, str) else None
        if tool == "TaskUpdate":
            return self._task(given)
        return None

    def created(self, given: Any, result: str) -> None:
        """A task got its id."""
        match = _CREATED.match(result)
        if match and isinstance(given, dict) and isinstance(given.get("subject"), str):
            self._subjects[match[1]] = _line(given["subject"])

    def _todos(self, todos: Any, agent: str) -> State | None:
        if not isinstance(todos, list):
            return None
        items = [
            (_line(t["content"]), t.get("status") == "completed")
            for t in todos
            if isinstance(t, dict) and isinstance(t.get("content"), str)
        ]
        before = self._done.get(agent, set())
        done = [text for text, ticked in items if ticked]
        self._done[agent] = set(done)
        text = "\n".join(f"- [{'x' if ticked else ' '}] {item}" for item, ticked in items)
        return (text, tuple(t for t in done if t not in before)) if items else None

    def _task(self, given: dict[str, Any]) -> State | None:
        number, status = str(given.get("taskId")), given.get("status")
        if isinstance(given.get("subject"), str):
            self._subjects[number] = _line(given["subject"])
        if not isinstance(status, str):
            return None
        subject = self._subjects.get(number, f"task {number}")
        if status != "completed":
            self._finished.discard(number)
            return f"- [ ] {subject}", ()
        new = number not in self._finished
        self._finished.add(number)
        return f"- [x] {subject}", (subject,) if new else ()


def _line(text: str) -> str:
    return " ".join(text.split())

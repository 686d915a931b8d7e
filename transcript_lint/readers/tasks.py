"""Task lists that an agent keeps through a tool, told as text: what stands in them and what turned done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transcript_lint.readers.shapes import objects, words

DONE = frozenset({"completed", "complete", "done", "finished", "closed", "resolved"})
MARKED = {"- [x]": True, "* [x]": True, "- [ ]": False, "* [ ]": False, "- [~]": False, "- [>]": False}
WORDS = ("content", "description", "title", "text", "step")


class TaskList:
    """The items of one agent's list, in order; fed by whole lists or by single changes."""

    def __init__(self) -> None:
        self._items: dict[str, tuple[str, bool]] = {}

    def replace(self, items: Iterable[tuple[str, str, bool]]) -> tuple[str, ...]:
        """Put a whole list, (key, words, done) an item, in place of the old one; the words of what turned done."""
        old = self._items
        self._items = {key: (item, done) for key, item, done in items}
        return tuple(words for key, (words, done) in self._items.items() if done and not (key in old and old[key][1]))

    def update(self, key: str, *, item: str | None = None, done: bool) -> tuple[str, ...]:
        """Change or add one item; its words if it turned done."""
        before = self._items.get(key)
        self._items[key] = (item or (before[0] if before else key), done)
        return (self._items[key][0],) if done and not (before and before[1]) else ()

    @property
    def text(self) -> str:
        """One item a line, as a markdown checkbox."""
        return "\n".join(f"- [{'x' if done else ' '}] {' '.join(item.split())}" for item, done in self._items.values())


def listed(todos: Any) -> list[tuple[str, str, bool]]:
    """The items of a list as tools take it: objects with words and a status, or a markdown checklist."""
    found: list[tuple[str, str, bool]] = []
    if isinstance(todos, str):
        for line in todos.splitlines():
            done, item = MARKED.get(line.strip()[:5].lower()), line.strip()[5:].strip()
            if done is not None and item:
                found.append((item, item, done))
    for todo in objects(todos):
        text = next((todo[k] for k in WORDS if words(todo.get(k))), None)
        if text is not None:
            finished = str(todo.get("status") or "").lower() in DONE or todo.get("done") is True
            found.append((text, text, finished))
    return found

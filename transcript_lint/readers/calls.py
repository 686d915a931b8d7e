"""The events of a tool call that begins: the command, and the prose it publishes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from transcript_lint.events import AgentText, CommandIssued, Event
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.publish import published_by_shell, published_by_tool


def begun(
    common: dict[str, Any],
    call_id: str,
    tool: str,
    arguments: Any,
    *,
    command: str | None = None,
    **facts: Any,
) -> Iterator[Event]:
    """One call; `command` is its shell line, `facts` are further fields of `CommandIssued`.

    The arguments of a shell call are not kept beside its line; the hash is of what is kept.
    """
    yield CommandIssued(
        **common,
        call_id=call_id,
        tool=tool,
        command=command,
        arguments=None if command else arguments,
        arguments_sha256=arguments_hash({"command": command} if command else {"arguments": arguments}),
        **facts,
    )
    for where, text in published_by_shell(command) if command else published_by_tool(tool, arguments):
        yield AgentText(**common, text=text, where=where, call_id=call_id)

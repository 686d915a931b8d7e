"""Who wrote the text of a user record: a person, or a program in that role; told from its opening and its flags."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.readers.claude_code.shapes import Line

INTERRUPTED = "[Request interrupted"
SUMMARY = "This session is being continued from a previous conversation that ran out of context"
PLAN = "Implement the following plan:"

_INJECTED_TAGS = {
    "task-notification": "notification",
    "agent-notification": "notification",
    "bash-notification": "notification",
    "shell-notification": "notification",
    "teammate-message": "teammate",
    "cross-session-message": "teammate",
    "local-command-stdout": "tool_result",
    "local-command-stderr": "tool_result",
    "bash-stdout": "tool_result",
    "bash-stderr": "tool_result",
    "local-command-caveat": "reminder",
    "system-reminder": "reminder",
    "user-prompt-submit-hook": "hook",
    "session-start-hook": "hook",
    "ide_opened_file": "reminder",
    "ide_selection": "reminder",
    "ide_diagnostics": "reminder",
    "fork-boilerplate": "handoff",
}
_PROGRAM_TAG = re.compile(r"<([a-z][a-z0-9]{0,30}(?:[-_][a-z0-9]{1,30}){1,5})(?=[\s>])")
_PROGRAM_ENDING = ("-notification", "-event", "-events", "-reminder", "-update", "-activity", "-hook", "-context")
_TAGS = {
    name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL)
    for name in ("command-name", "command-message", "command-args", "bash-input")
}
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_BOILERPLATE = ("Whenever you read a file", "Warning: the file exists but the contents are empty")


class Said(Struct, frozen=True):
    """One piece of a user record; `why` is empty for a person's words."""

    text: str
    why: str = ""


def split_reminders(text: str) -> tuple[str, list[str]]:
    """A text without its `<system-reminder>` parts, and those parts (the harness's constant ones left out)."""
    at = text.find(_REMINDER)
    if at < 0:
        return text, []
    kept, found, position = [], [], 0
    while at >= 0:
        kept.append(text[position:at].rstrip())
        end = text.find(_REMINDER_END, at)
        part = text[at + len(_REMINDER) : end if end >= 0 else len(text)].strip()
        if part and not part.startswith(_BOILERPLATE):
            found.append(part)
        position = end + len(_REMINDER_END) if end >= 0 else len(text)
        at = text.find(_REMINDER, position)
    if position < len(text):
        kept.append(text[position:])
    return "\n".join(piece for piece in kept if piece and not piece.isspace()), found


def tag_reason(text: str) -> str | None:
    """Why a text that opens with a harness tag is no person's; None when it opens with no such tag."""
    match = _PROGRAM_TAG.match(text)
    if match is None:
        return None
    name = match[1]
    return _INJECTED_TAGS.get(name) or ("notification" if name.endswith(_PROGRAM_ENDING) else None)


def typed_command(text: str) -> str | None:
    """What a person typed when a text is the harness's rendering of a slash command or of a `!` shell line."""
    if text.startswith(("<command-name>", "<command-message>")):
        parts = {name: (m[1].strip() if (m := _TAGS[name].search(text)) else "") for name in _TAGS}
        return f"{parts['command-name'] or parts['command-message']} {parts['command-args']}".strip()
    if text.startswith("<bash-input>") and (match := _TAGS["bash-input"].search(text)):
        return f"!{match[1].strip()}"
    return None


def read(line: Line, text: str) -> Iterator[Said]:
    """The pieces of one text block of a user record, each with its author."""
    body, reminders = split_reminders(text)
    for reminder in reminders:
        yield Said(reminder, "reminder")
    body = body.strip()
    if not body:
        return
    if typed := typed_command(body):
        yield Said(typed)
    else:
        yield Said(body, _why(line, body))


def _why(line: Line, body: str) -> str:
    if body.startswith("<") and (why := tag_reason(body)):
        return why
    if body.startswith(INTERRUPTED):
        return "notification"
    if line.isSidechain:
        return "handoff"
    if line.isMeta:
        return _meta(line, body)
    if line.planContent is not None or (body.startswith(PLAN) and line.permissionMode is None):
        return "handoff"
    kind = line.origin.get("kind") if isinstance(line.origin, dict) else None
    if isinstance(kind, str) and kind != "human":
        return "teammate" if "teammate" in kind or "peer" in kind else "notification"
    if line.promptSource == "system":
        return "notification"
    if line.promptSource == "sdk" or (line.entrypoint or "").startswith("sdk"):
        return "handoff"
    if body.startswith("Caveat: The messages below were generated"):
        return "reminder"
    return ""


def _meta(line: Line, body: str) -> str:
    if line.promptSource == "system":
        return "notification"
    if "hook feedback" in body[:60] or "hook error" in body[:80]:
        return "hook"
    if body.startswith(("Caveat:", "[Image:")):
        return "reminder"
    return "copied_context"


def is_summary(line: Line, text: str) -> bool:
    """Whether a user record without the flag is a compaction summary all the same (copied into a new session)."""
    return text.startswith(SUMMARY) and line.permissionMode is None and line.promptSource != "typed"


def is_plan(line: Line, text: str) -> bool:
    """Whether a record hands over a plan that a person approved in an earlier session."""
    return line.planContent is not None or text.startswith(PLAN)


def continues(line: Line) -> bool:
    """Whether a session's first record shows that its history began elsewhere."""
    content = line.message.content if line.message is not None else None
    return (
        line.subtype == "compact_boundary"
        or bool(line.isCompactSummary)
        or (isinstance(content, str) and is_summary(line, content))
    )

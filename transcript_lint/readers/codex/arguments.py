"""What a call asks for: shell lines in the arguments of every shell tool, and in code-mode scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from transcript_lint import patterns as re
from transcript_lint.readers.shapes import whole, words

SHELLS = ("bash", "sh", "zsh", "dash", "fish", "ksh", "pwsh", "powershell", "cmd")
SHELL_FLAGS = ("-lc", "-c", "-ic", "-lic", "-command", "/c", "-cl")
SHELL_TOOLS = frozenset({"shell", "shell_command", "exec_command", "container.exec", "local_shell"})

_SCRIPTED = re.compile(
    r"exec_command\(\s{0,20}\{[^{}]{0,400}?[\"']?cmd[\"']?\s{0,20}:\s{0,20}"
    r"(?:\"((?:[^\"\\\n]|\\.){1,20000})\"|'((?:[^'\\\n]|\\.){1,20000})'|`((?:[^`\\]|\\[\s\S]){1,20000})`)"
)


def shell_line(argv: tuple[str, ...]) -> str | None:
    """The shell line of an argument vector that only wraps one (`bash -lc …`); None for any other."""
    if len(argv) == 3:
        program = argv[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
        if program in SHELLS and argv[1].lower() in SHELL_FLAGS:
            return argv[2]
    return None


def scripted_commands(script: str) -> list[str]:
    """The command lines that a code-mode script gives to the shell as literals."""
    found = []
    for double, single, template in _SCRIPTED.findall(script) if "exec_command" in script else ():
        if double:
            try:
                found.append(str(orjson.loads(f'"{double}"')))
                continue
            except orjson.JSONDecodeError:
                pass
        literal = double or single or template
        found.append(re.sub(r"\\([\s\S])", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), literal))
    return found


def arguments_of(payload: Mapping[str, Any]) -> Any:
    """The arguments of a call, decoded where they are a string of JSON, raw where they are not."""
    raw = payload.get("arguments", payload.get("input", payload.get("action")))
    if isinstance(raw, str) and "arguments" in payload:
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            return raw
    return raw


def shell_fields(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The fields of a `CommandIssued` for a shell tool's arguments; none for any other tool's.

    `yield_time_ms` of unified exec only says how long to wait for output: nothing is killed by it.
    """
    if tool not in SHELL_TOOLS and tool != "local_shell_call":
        return {}
    line = arguments.get("cmd", arguments.get("command"))
    fields: dict[str, Any] = {
        "arguments": None,
        "cwd": path_of(arguments.get("workdir", arguments.get("working_directory"))),
        "note": words(arguments.get("justification")),
    }
    if isinstance(line, list):
        argv = tuple(map(str, line))
        inner = shell_line(argv)
        fields |= {"command": inner} if inner is not None else {"argv": argv}
    elif isinstance(line, str):
        fields["command"] = line
    else:
        fields["arguments"] = arguments
    if tool != "exec_command":
        fields["timeout_ms"] = whole(arguments.get("timeout_ms", arguments.get("timeout")))
    return fields


def path_of(value: Any) -> str | None:
    """A path, written plainly or as a file URL."""
    return value.removeprefix("file://") if isinstance(value, str) else None

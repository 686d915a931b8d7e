"""The tool calls of a rollout: what was issued, and every record of how it ended, joined to the call it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from transcript_lint.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    EndKind,
    EndSource,
    Event,
    Location,
    Termination,
)
from transcript_lint.readers.codex.dialects import Outcome, merge, read_output, structured_end
from transcript_lint.readers.ends import FAILED, OK
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.shapes import mapping, room, whole

KEPT_CALLS = 8192
SHELLS = ("bash", "sh", "zsh", "dash", "fish", "ksh", "pwsh", "powershell", "cmd")
SHELL_FLAGS = ("-lc", "-c", "-ic", "-lic", "-command", "/c", "-cl")
SHELL_TOOLS = frozenset({"shell", "shell_command", "exec_command", "container.exec", "local_shell"})
_SCRIPTED = re.compile(
    r"exec_command\(\s{0,20}\{[^{}]{0,400}?[\"']?cmd[\"']?\s{0,20}:\s{0,20}"
    r"(?:\"((?:[^\"\\\n]|\\.){1,20000})\"|'((?:[^'\\\n]|\\.){1,20000})'|`((?:[^`\\]|\\[\s\S]){1,20000})`)"
)


class Call(Struct, kw_only=True):
    """One issued call. `ended` is the latest record of its end; `told` is True once its own output line was seen."""

    call_id: str
    tool: str
    at: Location
    time: float | None
    command: str | None = None
    arguments_sha256: str | None = None
    escalated: bool = False
    scripted: bool = False
    ended: Termination | None = None
    told: bool = False


class CallBook:
    """The calls of one rollout by id, the sessions that still run, and structured ends whose output is yet to come."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._sessions: dict[str, str] = {}
        self._polls: dict[str, str] = {}
        self._held: dict[str, CommandEnded] = {}

    def issue(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """A call of any tool that is no question, plan or joined poll."""
        call_id, tool = str(payload.get("call_id") or payload.get("id")), str(payload.get("name") or payload["type"])
        arguments = _arguments(payload)
        polled = self._polled(tool, arguments)
        if polled is not None:
            self._polls[call_id] = polled
            return
        fields: dict[str, Any] = {"tool": tool, "arguments": arguments}
        if isinstance(arguments, dict):
            fields |= _shell_fields(tool, arguments)
        scripts = scripted_commands(arguments) if tool == "exec" and isinstance(arguments, str) else []
        if len(scripts) == 1:
            fields |= {"command": scripts[0], "arguments": None}
        sha = arguments_hash(
            fields if fields["arguments"] is not None else {k: v for k, v in fields.items() if k in ("command", "argv")}
        )
        escalated = isinstance(arguments, dict) and (
            arguments.get("sandbox_permissions") == "require_escalated"
            or arguments.get("with_escalated_permissions") is True
        )
        self._remember(
            Call(
                call_id=call_id,
                tool=tool,
                at=common["at"],
                time=common["time"],
                command=fields.get("command"),
                arguments_sha256=sha,
                escalated=escalated,
                scripted=bool(scripts),
            )
        )
        yield CommandIssued(**common, call_id=call_id, arguments_sha256=sha, **fields)
        if len(scripts) > 1:
            for index, script in enumerate(scripts, 1):
                part = Call(
                    call_id=f"{call_id}#{index}",
                    tool=tool,
                    at=common["at"],
                    time=common["time"],
                    command=script,
                    scripted=True,
                )
                self._remember(part)
                yield CommandIssued(
                    **common, call_id=part.call_id, tool=tool, command=script, parent_command_id=call_id
                )

    def output(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """An output line: the end of its call, or a poll's look at another call."""
        call_id = str(payload.get("call_id"))
        outcome = read_output(payload.get("output"))
        if (polled := self._polls.pop(call_id, None)) is not None:
            yield from self._end(polled, outcome, common, via="poll")
            return
        call = self._calls.get(call_id)
        if call is None:
            # The call stands before the part of the history this file has; its end is still a fact.
            call = Call(call_id=call_id, tool="", at=common["at"], time=None)
            self._remember(call)
        call.told = True
        if outcome.refused_by is not None:
            yield from self._refused(call, outcome, common)
        yield from self._end(call_id, outcome, common)

    def structured(self, item: Mapping[str, Any], common: dict[str, Any], ident: str) -> Iterator[Event]:
        """A structured end: kept until the output line of its call comes, told at once where that came before."""
        outcome = structured_end(dict(item))
        if outcome is None:
            return
        argv = tuple(map(str, item["command"])) if isinstance(item.get("command"), list) else ()
        command = shell_line(argv)
        call = self._calls.get(ident) or self._matching(command)
        if call is None:
            call = Call(
                call_id=ident, tool=str(item.get("source") or "exec"), at=common["at"], time=common["time"], told=True
            )
            self._remember(call)
            yield CommandIssued(
                **common,
                call_id=ident,
                tool=call.tool,
                command=command,
                argv=None if command else argv or None,
                cwd=_path(item.get("cwd")),
            )
        ended = _event(call.call_id, outcome, common, "result")
        if "#" in call.call_id:
            yield from self._tell(call, ended)
        elif call.told and call.call_id not in self._polls.values():
            yield from self._tell(call, replace(ended, via="notification"))
        else:
            self._held[call.call_id] = ended

    def patched(self, payload: Mapping[str, Any], common: dict[str, Any]) -> tuple[Event, ...]:
        """A `patch_apply_end` event: kept for the output line of its call."""
        if isinstance(payload.get("success"), bool):
            self._settled(payload, common, failed=not payload["success"])
        return ()

    def served(self, payload: Mapping[str, Any], common: dict[str, Any]) -> tuple[Event, ...]:
        """An `mcp_tool_call_end` event: kept for the output line of its call."""
        result = mapping(payload.get("result"))
        if "Ok" in result or "Err" in result:
            good = mapping(result.get("Ok"))
            self._settled(payload, common, failed=not good or good.get("isError", good.get("is_error")) is True)
        return ()

    def _settled(self, payload: Mapping[str, Any], common: dict[str, Any], *, failed: bool) -> None:
        call = self._calls.get(str(payload.get("call_id")))
        if call is not None and not call.told:
            self._held[call.call_id] = CommandEnded(
                **common, call_id=call.call_id, termination=FAILED if failed else OK
            )

    def flush(self) -> Iterator[Event]:
        """Structured ends whose output line did not come."""
        for call_id in list(self._held):
            if (call := self._calls.get(call_id)) is not None:
                yield from self._tell(call, self._held[call_id])
        self._held.clear()

    def interrupted(self, common: dict[str, Any]) -> Iterator[Event]:
        """The turn was cut: calls that have no output were running then."""
        yield from self.flush()
        for call in self._calls.values():
            if call.ended is None and not call.told:
                end = Termination(kind=EndKind.INTERRUPTED, source=EndSource.INFERRED)
                yield from self._tell(
                    call, CommandEnded(**common, call_id=call.call_id, termination=end, via="notification")
                )

    def terminated_sessions(self, common: dict[str, Any]) -> Iterator[Event]:
        """The harness says that it ended the processes that were still running."""
        for call_id in dict.fromkeys(self._sessions.values()):
            call = self._calls.get(call_id)
            if call is not None and call.ended is not None and call.ended.kind is EndKind.RUNNING:
                end = Termination(kind=EndKind.INTERRUPTED, source=EndSource.TEXT)
                yield from self._tell(
                    call, CommandEnded(**common, call_id=call_id, termination=end, via="notification")
                )
        self._sessions.clear()

    def finish(self) -> Iterator[Event]:
        """The last words: held ends, and gates that the log's end left open."""
        yield from self.flush()
        for call in self._calls.values():
            if call.escalated and call.ended is None:
                yield _asked(call, {"at": call.at, "time": call.time})

    def _remember(self, call: Call) -> None:
        room(self._calls, KEPT_CALLS)[call.call_id] = call

    def _polled(self, tool: str, arguments: Any) -> str | None:
        if not isinstance(arguments, dict) or tool not in ("write_stdin", "wait"):
            return None
        key = arguments.get("session_id" if tool == "write_stdin" else "cell_id")
        return None if key is None else self._sessions.get(f"{tool}:{key}")

    def _matching(self, command: str | None) -> Call | None:
        """The earliest scripted call that runs this very command and has no end yet."""
        if not command:
            return None
        return next(
            (c for c in self._calls.values() if c.scripted and c.command == command and not _definite(c.ended)), None
        )

    def _end(self, call_id: str, outcome: Outcome, common: dict[str, Any], via: str = "result") -> Iterator[Event]:
        call = self._calls.get(call_id)
        if call is None:
            return
        if outcome.session is not None:
            prefix = "wait" if call.tool == "exec" else "write_stdin"
            self._sessions[f"{prefix}:{outcome.session}"] = call_id
        held = self._held.pop(call_id, None)
        ended = _event(call_id, outcome, common, via)
        if held is not None:
            ended = _joined(ended, held)
        yield from self._tell(call, ended)
        if call.scripted and call.command is None and ended.termination.kind is not EndKind.RUNNING:
            yield from self._close_parts(call, common)

    def _close_parts(self, call: Call, common: dict[str, Any]) -> Iterator[Event]:
        for part in list(self._calls.values()):
            if part.call_id.startswith(call.call_id + "#") and part.ended is None:
                end = Termination(kind=EndKind.UNKNOWN, source=EndSource.TEXT)
                yield from self._tell(part, CommandEnded(**common, call_id=part.call_id, termination=end))

    def _tell(self, call: Call, ended: CommandEnded) -> Iterator[Event]:
        before = call.ended
        end = ended.termination
        if before is not None and _definite(before):
            end = merge(before, end)
            if ended.via == "notification" and end == before:
                return
        call.ended = end
        yield ended if end is ended.termination else replace(ended, termination=end)

    def _refused(self, call: Call, outcome: Outcome, common: dict[str, Any]) -> Iterator[Event]:
        yield _asked(call, {**common, "at": call.at, "time": call.time})
        yield ApprovalAnswered(
            **common,
            slot_id=call.call_id,
            outcome="denied",
            by=outcome.refused_by or "policy",
            text=outcome.error,
            call_id=call.call_id,
            arguments_sha256=call.arguments_sha256,
            latency_ms=latency(call.time, common["time"]),
        )


def latency(asked: float | None, answered: float | None) -> int | None:
    """Milliseconds from a question to its answer."""
    return None if asked is None or answered is None else max(0, round((answered - asked) * 1000))


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


def _arguments(payload: Mapping[str, Any]) -> Any:
    raw = payload.get("arguments", payload.get("input", payload.get("action")))
    if isinstance(raw, str) and "arguments" in payload:
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            return raw
    return raw


def _shell_fields(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if tool not in SHELL_TOOLS and tool != "local_shell_call":
        return {}
    line = arguments.get("cmd", arguments.get("command"))
    fields: dict[str, Any] = {
        "arguments": None,
        "cwd": _path(arguments.get("workdir", arguments.get("working_directory"))),
        "note": arguments["justification"] if isinstance(arguments.get("justification"), str) else None,
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


def _path(value: Any) -> str | None:
    return value.removeprefix("file://") if isinstance(value, str) else None


def _definite(end: Termination | None) -> bool:
    return end is not None and end.kind not in (EndKind.RUNNING, EndKind.UNKNOWN)


def _asked(call: Call, common: dict[str, Any]) -> ApprovalAsked:
    return ApprovalAsked(
        **common, slot_id=call.call_id, call_id=call.call_id, tool=call.tool, arguments_sha256=call.arguments_sha256
    )


def _event(call_id: str, outcome: Outcome, common: dict[str, Any], via: str) -> CommandEnded:
    return CommandEnded(
        **common,
        call_id=call_id,
        termination=outcome.termination,
        stdout=outcome.text,
        truncated=outcome.truncated,
        error=outcome.error,
        via=via,
    )


def _joined(ended: CommandEnded, held: CommandEnded) -> CommandEnded:
    end = merge(held.termination, ended.termination)
    return replace(
        ended,
        termination=end,
        stdout=ended.stdout or held.stdout,
        stderr=held.stderr,
    )

"""The tool calls of a rollout: what was issued, and every record of how it ended, joined to the call it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CarriedRun,
    CommandEnded,
    CommandIssued,
    EndKind,
    EndSource,
    Event,
    Location,
    Termination,
)
from transcript_lint.readers.codex.arguments import arguments_of, path_of, scripted_commands, shell_fields, shell_line
from transcript_lint.readers.codex.dialects import Outcome, exit_code, merge, read_output, structured_end
from transcript_lint.readers.ends import FAILED, OK, UNKNOWN
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.shapes import mapping, objects, room, whole

KEPT_CALLS = 8192
_PERSONS_RUN = re.compile(
    r"<command>(?P<command>[\s\S]{1,20000}?)</command>\s{0,4}<result>\s{0,4}"
    r"Exit code: (?P<code>-?\d{1,10})\s{1,4}Duration: (?P<seconds>\d{1,9}(?:\.\d{1,9})?) seconds\s{1,4}"
    r"Output:\n?(?P<output>[\s\S]{0,200000})"
)


class Call(Struct, kw_only=True):
    """One issued call. `ended` is the latest record of its end; `told` is True once its own output line was seen.

    `part` is True for one of several commands of a script, which has no output line of its own; `parts` are their ids.
    """

    call_id: str
    tool: str
    at: Location
    time: float | None
    command: str | None = None
    arguments_sha256: str | None = None
    escalated: bool = False
    scripted: bool = False
    part: bool = False
    parts: tuple[str, ...] = ()
    ended: Termination | None = None
    told: bool = False


class CallBook:
    """The calls of one rollout by id, the sessions that still run, and structured ends whose output is yet to come."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._sessions: dict[str, str] = {}
        self._polls: dict[str, str] = {}
        self._polling: set[str] = set()
        self._held: dict[str, CommandEnded] = {}

    def issue(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[CommandIssued]:
        """A call of any tool that is no question, plan or joined poll."""
        call_id = str(payload.get("call_id") or payload.get("id"))
        tool = str(payload.get("name") or payload["type"])
        arguments = arguments_of(payload)
        if (polled := self._polled(tool, arguments)) is not None:
            room(self._polls)[call_id] = polled
            self._polling.add(call_id)
            return
        fields: dict[str, Any] = {"arguments": arguments}
        escalated, scripts = False, []
        if isinstance(arguments, dict):
            fields |= shell_fields(tool, arguments)
            escalated = arguments.get("sandbox_permissions") == "require_escalated"
            escalated = escalated or arguments.get("with_escalated_permissions") is True
        elif tool == "exec" and isinstance(arguments, str):
            scripts = scripted_commands(arguments)
            if len(scripts) == 1:
                fields = {"command": scripts[0]}
        call = Call(
            call_id=call_id,
            tool=tool,
            at=common["at"],
            time=common["time"],
            command=fields.get("command"),
            arguments_sha256=arguments_hash(fields),
            escalated=escalated,
            scripted=bool(scripts),
        )
        self._remember(call)
        yield CommandIssued(**common, call_id=call_id, tool=tool, arguments_sha256=call.arguments_sha256, **fields)
        for index, line in enumerate(scripts if len(scripts) > 1 else (), 1):
            part = Call(
                call_id=f"{call_id}#{index}",
                tool=tool,
                at=call.at,
                time=call.time,
                command=line,
                scripted=True,
                part=True,
            )
            call.parts += (part.call_id,)
            self._remember(part)
            yield CommandIssued(**common, call_id=part.call_id, tool=tool, command=line, parent_command_id=call_id)

    def output(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """An output line: the end of its call, or a poll's look at another call."""
        call_id, via = str(payload.get("call_id")), "result"
        outcome = read_output(payload.get("output"))
        if call_id in self._polls:
            self._polling.discard(call_id)
            call_id, via = self._polls[call_id], "poll"
        call = self._calls.get(call_id)
        if call is None:
            # The call stands before the part of the history this file has; its end is still a fact.
            call = Call(call_id=call_id, tool="", at=common["at"], time=None)
            self._remember(call)
        call.told = True
        if outcome.refused_by is not None:
            yield from self._refused(call, outcome, common)
        elif call.escalated and via == "result":
            # An allowed prompt leaves no trace, and neither does a policy that allowed it without one.
            yield _asked(call, {**common, "at": call.at, "time": call.time})
            yield ApprovalAnswered(
                **common, slot_id=call.call_id, outcome="unknown", by="harness", call_id=call.call_id
            )
        if outcome.session is not None:
            poller = "wait" if call.tool == "exec" else "write_stdin"
            room(self._sessions)[f"{poller}:{outcome.session}"] = call_id
        ended = _event(call_id, outcome, common, via)
        if (held := self._held.pop(call_id, None)) is not None:
            end = merge(held.termination, ended.termination)
            ended = replace(ended, termination=end, stdout=ended.stdout or held.stdout)
        yield from self._tell(call, ended)
        if call.parts and ended.termination.kind is not EndKind.RUNNING:
            for part in (self._calls.get(part) for part in call.parts):
                if part is not None and part.ended is None:
                    yield from self._tell(part, CommandEnded(**common, call_id=part.call_id, termination=UNKNOWN))

    def structured(self, item: Mapping[str, Any], common: dict[str, Any], ident: str) -> Iterator[Event]:
        """A structured end: kept until the output line of its call comes, told at once where that came before.

        What the person ran is told by its own message.
        """
        outcome = structured_end(item)
        if outcome is None or item.get("source") == "user_shell":
            return
        argv = tuple(map(str, item["command"])) if isinstance(item.get("command"), list) else ()
        command = shell_line(argv)
        call = self._calls.get(ident) or self._scripted(command)
        if call is None:
            call = Call(call_id=ident, tool="exec", at=common["at"], time=common["time"], part=True)
            self._remember(call)
            yield CommandIssued(
                **common,
                call_id=ident,
                tool="exec",
                command=command,
                argv=None if command else argv or None,
                cwd=path_of(item.get("cwd")),
            )
        ended = _event(call.call_id, outcome, common, "result")
        if call.part:
            yield from self._tell(call, ended)
        elif call.told and all(self._polls.get(poll) != call.call_id for poll in self._polling):
            yield from self._tell(call, replace(ended, via="notification"))
        else:
            self._held[call.call_id] = ended

    def ran_by_person(self, text: str, common: dict[str, Any]) -> Iterator[Event]:
        """A command that the person ran, as the message that shows it to the model."""
        found = _PERSONS_RUN.search(text)
        if found is None:
            return
        call_id = f"user:{common['at'].line}"
        yield CommandIssued(**common, call_id=call_id, tool="user_shell", command=found["command"].strip())
        end = exit_code(whole(found["code"]), round(float(found["seconds"]) * 1000))
        yield CommandEnded(**common, call_id=call_id, termination=end, stdout=found["output"].split("\n</result>")[0])

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

    def carried(self, history: Any) -> tuple[CarriedRun, ...]:
        """What a compaction's replacement history keeps of the calls."""
        found = []
        for item in objects(history):
            if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                call_id, outcome = str(item.get("call_id")), read_output(item.get("output"))
                known = None if outcome.termination.kind is EndKind.UNKNOWN else outcome.termination
                found.append(
                    CarriedRun(call_id=self._polls.get(call_id, call_id), termination=known, stdout=outcome.text)
                )
        return tuple(found)

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

    def _scripted(self, command: str | None) -> Call | None:
        """The earliest scripted call that runs this very command and has no end yet."""
        for call in self._calls.values() if command else ():
            if (
                call.scripted
                and call.command == command
                and call.call_id not in self._held
                and not _definite(call.ended)
            ):
                return call
        return None

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

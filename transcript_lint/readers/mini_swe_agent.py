"""mini-swe-agent trajectories, 1.x (text alone) and 2.x (`extra` fields)."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import orjson

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Blocked,
    CommandEnded,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    SessionEnded,
    SessionStarted,
    Termination,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.calls import begun
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import UNKNOWN, exited
from transcript_lint.readers.provider import block_kind
from transcript_lint.readers.responses import responded
from transcript_lint.readers.shapes import mapping, number, objects, whole, words

_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.S)
_CODE = re.compile(r"\s*<returncode>(-?\d{1,10})</returncode>")
_KILLED = ("The last command <command>", "</command> timed out and has been killed.")
_OUTPUT = re.compile(
    r"<output(?:_head)?>\n?(.*?)\n?</output(?:_head)?>(?:.*?<output_tail>\n?(.*?)\n?</output_tail>)?", re.S
)
_ELIDED = ("<output_head>", "elided_chars")
_TIMED_OUT = ("timed out", "TimeoutExpired", "TimeoutError")
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_STATUS = {"Submitted": "unknown", "UserInterruption": "cancelled"}
_POLICIES = {"yolo": "never", "confirm": "ask", "human": "ask"}


class MiniSweAgentReader(DocumentReader):
    """Reads `.traj.json` files, one document a file or a line.

    Everything the environment says wears the user's role: only the first user message is a person's task.
    """

    name = "mini-swe-agent"
    title = "mini-swe-agent"
    decides: ClassVar[Decides] = {
        "command ends": "yes: return codes and time-outs, from text in 1.x and from fields in 2.x",
        "background ends": "no: commands run in the foreground only",
        "compaction summary": "no: the history is never cut",
        "human vs injected": "partly: only the first message and interrupts are a person's",
        "approvals asked": "no: a confirmation prompt leaves no record",
        "approvals answered": "no: pressing Enter leaves no record",
        "usage": "yes: where the raw response is kept",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "partly: by the name of the exit status",
    }
    arrays = ("/messages", "")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._session = 0
        self._turn = -1
        self._tasked = False
        self._timeout: float | None = None
        self._open: list[tuple[str, str]] = []
        self._commands = 0

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        if isinstance(first, list):
            return 60 if first and isinstance(first[0], dict) and b"mswea_bash_command" in sample.head else 0
        info = mapping(mapping(first).get("info"))
        if str(mapping(first).get("trajectory_format")).startswith("mini-swe-agent"):
            return 98
        return 96 if "mini_version" in info else 0

    def document(self, document: Document) -> Iterable[Event]:
        info = mapping(mapping(document.value).get("info"))
        self._begin()
        config = mapping(info.get("config"))
        agent, environment = mapping(config.get("agent")), mapping(config.get("environment"))
        self._timeout = number(environment.get("timeout"))
        mode = words(agent.get("mode"))
        yield SessionStarted(
            at=document.at,
            session_id=self._id(document),
            format=self.name,
            independent=True,
            agent_name=self.name,
            version=words(info.get("mini_version")),
            approval_policy=_POLICIES.get(mode or "", "never" if agent and not mode else "unknown"),
            interactive=mode in ("confirm", "human") if agent else None,
            limits=_limits(agent),
            cwd=words(environment.get("cwd")),
        )
        pointer = "" if isinstance(document.value, list) else "/messages"
        for message, at in document.items(pointer):
            yield from self._guarded(message, at)
        yield from self._close(info, document)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        self._turn += 1
        role = document["role"]
        text = text_of(document.get("content"))
        extra = mapping(document.get("extra"))
        response = mapping(extra.get("response"))
        common: dict[str, Any] = {
            "at": at,
            "turn": self._turn,
            "time": parse_time(extra.get("timestamp") or response.get("created")),
        }
        if role == "assistant":
            yield from self._assistant(document, text, extra, common)
        elif role == "system":
            yield InjectedMessage(**common, text=text, why="reminder")
        elif self._open and (role == "tool" or "returncode" in extra or role == "user"):
            yield from self._observation(document, text, extra, common)
        elif role == "exit":
            return
        elif not self._tasked:
            self._tasked = True
            yield HumanMessage(**common, text=text)
        else:
            yield InjectedMessage(**common, text=text, why="tool_result")

    def _begin(self) -> None:
        self._session += 1
        self._turn, self._tasked, self._timeout, self._open, self._commands = -1, False, None, [], 0

    def _id(self, document: Document) -> str | None:
        return words(mapping(document.value).get("instance_id")) if isinstance(document.value, dict) else None

    def _assistant(
        self, message: Mapping[str, Any], text: str, extra: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        response = mapping(extra.get("response")) or (message if message.get("object") == "response" else {})
        common["request_id"] = words(response.get("id"))
        if response and (fact := responded(response, **common)):
            yield fact
        prose = _BLOCK.sub("", text).strip()
        if prose:
            yield AgentText(**common, text=prose)
        actions = list(_actions(message, text, extra))
        self._open.clear()
        for command, call_id in actions:
            self._commands += 1
            call_id = call_id or f"{self._session}.{self._commands}"
            self._open.append((call_id, command))
            timeout = None if self._timeout is None else int(self._timeout * 1000)
            yield from begun(common, call_id, "bash", None, command=command, timeout_ms=timeout)

    def _observation(
        self, message: Mapping[str, Any], text: str, extra: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        wanted = words(message.get("tool_call_id"))
        index = next((i for i, (c, _) in enumerate(self._open) if c == wanted), 0)
        call_id, command = self._open[index]
        end = _end(text, extra, command)
        if end is None:
            self._open.clear()
            yield InjectedMessage(**common, text=text, why="reminder")
            yield CommandEnded(
                **common, call_id=call_id, termination=Termination(kind=EndKind.NOT_RUN, source=EndSource.TEXT)
            )
            return
        del self._open[index]
        output = words(extra.get("raw_output")) or words(extra.get("output"))
        yield CommandEnded(
            **common,
            call_id=call_id,
            termination=end,
            stdout=_output(text) if output is None else output,
            truncated=True if any(mark in text for mark in _ELIDED) else None,
            error=words(extra.get("exception_info")),
        )

    def _close(self, info: Mapping[str, Any], document: Document) -> Iterator[Event]:
        status = words(info.get("exit_status"))
        if status is None:
            return
        at = document.at.field("/info/exit_status")
        if status == "LimitsExceeded":
            yield from self._limit(info, at)
        elif kind := block_kind(status):
            yield Blocked(at=at, kind=kind, layer="harness", reason=status)
        # To submit is the agent's own word, no verdict.
        yield SessionEnded(at=at, status=_STATUS.get(status, "failure"), reason=status)

    def _limit(self, info: Mapping[str, Any], at: Location) -> Iterator[Event]:
        # One word for two limits: the one that was reached is the one it speaks of; with both out of reach it is money.
        agent = mapping(mapping(info.get("config")).get("agent"))
        stats = mapping(info.get("model_stats"))
        steps, calls = number(agent.get("step_limit")), number(stats.get("api_calls"))
        if steps and calls is not None and calls >= steps:
            yield Blocked(at=at, kind="turns", layer="harness", reason="LimitsExceeded", limit=steps, observed=calls)
            return
        cost = number(stats.get("instance_cost"))
        yield Blocked(
            at=at,
            kind="budget",
            layer="harness",
            reason="LimitsExceeded",
            limit=number(agent.get("cost_limit")) or None,
            observed=cost or None,  # an unpriced model costs 0 on paper
        )


def _actions(message: Mapping[str, Any], text: str, extra: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    found = objects(extra.get("actions"))
    if found:
        for action in found:
            if words(action.get("command")):
                yield action["command"], words(action.get("tool_call_id"))
        return
    calls = objects(message.get("tool_calls"))
    for call in calls:
        arguments = mapping(call.get("function")).get("arguments")
        try:
            given = orjson.loads(arguments) if isinstance(arguments, str) else arguments
        except orjson.JSONDecodeError:
            given = None
        if words(mapping(given).get("command")):
            yield mapping(given)["command"], words(call.get("id"))
    if not calls:
        blocks = _BLOCK.findall(text)
        # The agent takes exactly one block; with more it asks for another try and runs none.
        if len(blocks) == 1:
            yield blocks[0].strip(), None


def _end(text: str, extra: Mapping[str, Any], command: str) -> Termination | None:
    """How the command ended; None when the message is no result but a request to write the answer another way."""
    code = whole(extra.get("returncode"))
    if code is not None:
        why = str(extra.get("exception_info") or "")
        if why and (any(mark in why for mark in _TIMED_OUT) or _KILLED[1] in text):
            return exited(None if code == -1 else code, timed_out=True)
        return _coded(code, EndSource.FIELD)
    if text.lstrip().startswith(_KILLED[0]) and _KILLED[1] in text:
        return Termination(kind=EndKind.TIMEOUT, timed_out=True, source=EndSource.TEXT)
    if found := _CODE.match(text):
        return _coded(int(found.group(1)), EndSource.TEXT)
    if _SUBMIT in command:
        # The run ends in the submission itself: its output is taken, its status is written down nowhere.
        return Termination(kind=EndKind.UNKNOWN, source=EndSource.INFERRED)
    if "<output>" in text or not text.strip():
        return UNKNOWN
    return None


def _coded(code: int, source: EndSource) -> Termination:
    # The code is Python's: a signal death is its negative number, and -1 stands for no code at all.
    if code == -1:
        return Termination(kind=EndKind.UNKNOWN, source=source)
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else None
        return Termination(kind=EndKind.SIGNAL, exit_code=code, signal=name, source=source)
    return exited(code, source=source)


def _output(text: str) -> str:
    found = _OUTPUT.search(text)
    return "\n".join(part for part in found.groups() if part) if found else ""


def _limits(agent: Mapping[str, Any]) -> Mapping[str, float] | None:
    named = {"budget_usd": "cost_limit", "turns": "step_limit"}
    found = {name: limit for name, key in named.items() if (limit := number(agent.get(key)))}
    return found or None

"""Codex rollouts, whatever their age: one reader, since an envelope only wraps what the flat files held bare."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Blocked,
    CommandIssued,
    Compacted,
    Event,
    InjectedMessage,
    Location,
    PolicyChanged,
    SessionStarted,
)
from transcript_lint.readers.base import Reader, Sample, parse_time, text_of
from transcript_lint.readers.codex.asks import TOLD_TOOLS, Asks
from transcript_lint.readers.codex.calls import CallBook
from transcript_lint.readers.codex.head import approval_policy, is_interactive, stated_policy, sub_agent
from transcript_lint.readers.codex.provider import ProviderFacts
from transcript_lint.readers.codex.speakers import Agent, Person, injected_as, summary_in, summary_of, why_injected
from transcript_lint.readers.codex.vocabulary import ENVELOPES, EVENTS, ITEMS, THREAD_ITEMS, UNUSED, UNUSED_ENVELOPES
from transcript_lint.readers.publish import published_by_shell, published_by_tool
from transcript_lint.readers.shapes import mapping, objects, room, words

Common = dict[str, Any]
Handler = Callable[[Mapping[str, Any], Common], Iterable[Event]]

SEEN_RECORDS = 65536
_UNUSED = re.compile(
    rb'\{"timestamp": ?"[^"]{1,40}", ?(?:"ordinal": ?\d{1,12}, ?)?"type": ?"(?:%b'
    rb'|(?:response_item|event_msg)", ?"payload": ?\{"type": ?"(?:%b))"'
    % ("|".join(sorted(UNUSED_ENVELOPES)).encode(), "|".join(sorted(UNUSED)).encode())
)
_FLAT_HEAD = {"id", "timestamp", "instructions"}


class CodexReader(Reader):
    """Reads `rollout-*.jsonl` of the Codex CLI, its editor and desktop clients."""

    name = "codex"
    title = "OpenAI Codex"
    decides: ClassVar[Decides] = {
        "command ends": "partly: inside a code-mode script only where a structured record joins it",
        "background ends": "partly: where a later look at the process shows the end",
        "compaction summary": "partly: summaries made by the provider are encrypted",
        "human vs injected": "yes",
        "approvals asked": "partly: questions, and calls that ask to leave the sandbox",
        "approvals answered": "partly: answers and refusals; an approval that was granted is never written",
        "usage": "yes: except in versions before 0.3x",
        "window": "yes: beside the usage",
        "meters": "yes: beside the usage",
        "errors": "partly: older and command-line versions do not write provider errors down",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._calls = CallBook()
        self._asks = Asks()
        self._agent = Agent()
        self._person = Person()
        self._provider = ProviderFacts()
        self._name = "main"
        self._session_id: str | None = None
        self._turn: str | None = None
        self._policy = "unknown"
        self._started = False
        self._boundary = False
        self._newest = ""
        self._seen: dict[tuple[Any, ...], None] = {}
        self._handlers: dict[tuple[str, str | None], Handler] = {
            ("turn_context", None): self._turn_context,
            ("compacted", None): self._compacted,
            ("token_usage_record", None): self._provider.recorded,
            ("inter_agent_communication", None): self._teammate,
            ("response_item", "message"): self._message,
            ("response_item", "function_call"): self._call,
            ("response_item", "custom_tool_call"): self._call,
            ("response_item", "local_shell_call"): self._call,
            ("response_item", "function_call_output"): self._output,
            ("response_item", "custom_tool_call_output"): self._output,
            ("event_msg", "token_count"): self._provider.counted,
            ("event_msg", "agent_message"): self._agent_message,
            ("event_msg", "user_message"): self._user_message,
            ("event_msg", "task_started"): self._turn_started,
            ("event_msg", "turn_started"): self._turn_started,
            ("event_msg", "task_complete"): self._turn_complete,
            ("event_msg", "turn_complete"): self._turn_complete,
            ("event_msg", "turn_aborted"): self._turn_aborted,
            ("event_msg", "error"): self._provider.failed,
            ("event_msg", "stream_error"): self._provider.failed,
            ("event_msg", "exec_command_end"): self._command_ended,
            ("event_msg", "patch_apply_end"): self._calls.patched,
            ("event_msg", "mcp_tool_call_end"): self._calls.served,
            ("event_msg", "context_compacted"): self._context_compacted,
            ("event_msg", "item_completed"): self._item_completed,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        best = 0
        for d in sample.objects():
            kind = d.get("type")
            if kind in ENVELOPES and isinstance(d.get("payload"), dict):
                return 95
            if d.keys() >= _FLAT_HEAD and "type" not in d:
                best = 85
            elif best and (kind in ITEMS or "record_type" in d):
                return 92
        return best

    @classmethod
    def beside(cls, sample: Sample) -> str | None:
        first = next(sample.objects(), {})
        if first.keys() == {"session_id", "ts", "text"}:
            return "Codex's history of prompts"
        return "Codex's index of sessions" if first.keys() == {"id", "thread_name", "updated_at"} else None

    def skips(self, data: bytes) -> bool:
        # A torn record is not skipped: one must end as a record does and hold no second beginning. Damage in its
        # middle is not looked for.
        return _UNUSED.match(data) is not None and data.endswith(b"}") and data.find(b'{"timestamp"', 1) < 0

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        kind, payload, stamp = document.get("type"), document.get("payload"), document.get("timestamp")
        if isinstance(payload, dict):
            if kind == "session_meta":
                return self._session(payload, at, parse_time(stamp))
            inner = payload.get("type")
            handler = self._handlers.get((kind, inner)) or self._handlers.get((kind, None))
            if handler is None:
                self._count(kind, inner)
                return ()
            if self._copied(stamp, inner, payload):
                return ()
            if "metadata" in document and mapping(document["metadata"]).get("compaction_output") is True:
                # The summary as the model wrote it; the boundary's own record carries it.
                return ()
            time = parse_time(stamp)
        elif "record_type" in document:
            return ()
        elif document.keys() >= _FLAT_HEAD:
            return self._session(document, at, parse_time(stamp))
        else:
            payload, time, handler = document, None, self._handlers.get(("response_item", kind))
            if handler is None:
                self._count("response_item", kind)
                return ()
        common = {"at": at, "time": time, "session_id": self._session_id, "turn": self._turn, "agent": self._name}
        events = handler(payload, common)
        return events if self._started else self._late_start(events, at, time)

    def finish(self) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.finish()

    def _count(self, kind: Any, inner: Any) -> None:
        """No event comes of this type; count it when it is not even known."""
        known = {"response_item": ITEMS, "event_msg": EVENTS, "item_completed": THREAD_ITEMS}.get(kind)
        if known is None:
            if kind not in ENVELOPES:
                self.unknown[str(kind)] += 1
        elif inner not in known:
            self.unknown[f"{kind}/{inner}"] += 1

    def _copied(self, stamp: Any, inner: Any, payload: Mapping[str, Any]) -> bool:
        """Whether this is a record that a resumed session carries along: its time is old and it was read before."""
        if not isinstance(stamp, str):
            return False
        key = (stamp, inner, payload.get("call_id"), payload.get("role"))
        if stamp >= self._newest:
            self._newest = stamp
        elif key in self._seen:
            return True
        room(self._seen, SEEN_RECORDS)[key] = None
        return False

    def _settle(self) -> Iterator[Event]:
        if self._person.undecided:
            yield from self._person.flush()
        if self._agent.held is not None:
            yield from self._agent.flush()

    def _late_start(self, events: Iterable[Event], at: Location, time: float | None) -> Iterator[Event]:
        """The file does not begin with a head, so what came before is out of sight."""
        self._started = True
        yield SessionStarted(at=at, time=time, format=self.name, agent_name="codex", complete=False)
        yield from events

    def _session(self, meta: Mapping[str, Any], at: Location, time: float | None) -> Iterator[Event]:
        if self._started:
            # A later head belongs to a copied parent, or to a resumed part of this same session.
            return
        self._started = True
        self._session_id = words(meta.get("id")) or words(meta.get("session_id"))
        self._provider.provider = words(meta.get("model_provider")) or ""
        source = meta.get("source")
        self._name, parent = sub_agent(source, meta.get("thread_source"))
        yield SessionStarted(
            at=at,
            time=time,
            session_id=self._session_id,
            agent=self._name,
            format=self.name,
            agent_name="codex",
            version=words(meta.get("cli_version")),
            parent_session_id=parent,
            continued_from=words(meta.get("forked_from_id")),
            interactive=is_interactive(source, meta.get("originator")),
            cwd=words(meta.get("cwd")),
        )

    def _turn_context(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        self._provider.model = words(payload.get("model")) or self._provider.model
        self._turn = words(payload.get("turn_id")) or self._turn
        yield from self._policy_is(approval_policy(payload), {**common, "turn": self._turn})

    def _policy_is(self, policy: str, common: Common) -> Iterator[Event]:
        if policy != self._policy:
            self._policy = policy
            yield PolicyChanged(**common, policy=policy)

    def _turn_started(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        yield from self._settle()
        self._turn = words(payload.get("turn_id")) or self._turn
        self._agent.new_turn()
        self._provider.new_turn()

    def _turn_complete(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.flush()
        if (text := words(payload.get("last_agent_message"))) and text.strip():
            yield from self._agent.last(AgentText(**common, text=text))
        if payload.get("error"):
            yield from self._provider.failed(payload["error"], common)

    def _turn_aborted(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.interrupted(common)
        if payload.get("reason") == "budget_limited":
            yield Blocked(**common, kind="budget", layer="harness", reason="budget_limited")

    def _compacted(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        yield from self._settle()
        self._boundary = True
        history = payload.get("replacement_history")
        summary, pointer = summary_of(payload.get("message")), "/payload/message"
        if summary is None:
            summary, pointer = summary_in(history), "/payload/replacement_history"
        carried = self._calls.carried(history)
        yield Compacted(
            **common,
            summary=summary,
            summary_at=common["at"].field(pointer) if summary else None,
            readable=bool(summary or carried),
            carried=carried,
        )

    def _context_compacted(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        told, self._boundary = self._boundary, False
        if not told:
            yield Compacted(**common, readable=False)

    def _teammate(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        text = next((t for key in ("content", "message", "text") if (t := text_of(payload.get(key)))), "")
        if text:
            yield InjectedMessage(**common, text=text, why="teammate")

    def _message(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        text, role = text_of(payload.get("content")), payload.get("role")
        if not text or text.isspace():
            return
        if role == "assistant":
            yield from self._person.flush()
            yield from self._calls.flush()
            # A guardian's texts are verdicts in JSON.
            where = "other" if self._name == "guardian" else "prose"
            yield from self._agent.item(AgentText(**common, text=text, where=where))
        elif role == "user":
            yield from self._user(payload, text, common)
        else:
            yield InjectedMessage(**common, text=text, why="reminder")

    def _user(self, payload: Mapping[str, Any], text: str, common: Common) -> Iterator[Event]:
        kinds = mapping(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
        if isinstance(kinds, list) and kinds:
            content = objects(payload.get("content"))
            typed = [c for c, k in zip(content, kinds, strict=False) if isinstance(k, str) and k.startswith("user.")]
            if typed:
                yield from self._person.marked(text_of(typed), common)
            else:
                yield InjectedMessage(**common, text=text, why=injected_as(text) or why_injected(kinds))
        elif (why := injected_as(text)) is not None:
            yield InjectedMessage(**common, text=text, why=why)
        else:
            yield from self._person.item(text, common)
        if text.startswith("<environment_context>") and (policy := stated_policy(text)) is not None:
            yield from self._policy_is(policy, common)
        elif text.startswith("<user_shell_command>"):
            yield from self._calls.ran_by_person(text, common)
        elif text.startswith("<turn_aborted>") and "were terminated" in text:
            yield from self._calls.terminated_sessions(common)

    def _call(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        yield from self._settle()
        name = payload.get("name")
        if name in TOLD_TOOLS:
            yield from self._asks.call(payload, common)
            return
        for event in self._calls.issue(payload, common):
            yield event
            if isinstance(event, CommandIssued):
                said = (
                    published_by_shell(event.command)
                    if event.command
                    else published_by_tool(event.tool, event.arguments)
                )
                for where, text in said:
                    yield AgentText(**common, text=text, where=where, call_id=event.call_id)

    def _output(self, payload: Mapping[str, Any], common: Common) -> Iterable[Event]:
        if self._asks.owns(payload.get("call_id")):
            return self._asks.output(payload, common)
        return self._calls.output(payload, common)

    def _agent_message(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        text = words(payload.get("message"))
        if text and text.strip():
            yield from self._person.flush()
            yield from self._agent.echo(AgentText(**common, text=text))

    def _user_message(self, payload: Mapping[str, Any], common: Common) -> Iterator[Event]:
        text = payload.get("message")
        if isinstance(text, str) and payload.get("kind", "plain") == "plain" and injected_as(text) is None:
            yield from self._person.announced(text, common)

    def _command_ended(self, payload: Mapping[str, Any], common: Common) -> Iterable[Event]:
        return self._calls.structured(payload, common, str(payload.get("call_id")))

    def _item_completed(self, payload: Mapping[str, Any], common: Common) -> Iterable[Event]:
        item = mapping(payload.get("item"))
        kind = item.get("type")
        if kind == "CommandExecution":
            return self._calls.structured(item, common, str(item.get("id")))
        if kind == "UserMessage":
            return self._user_message({"message": text_of(item.get("content"))}, common)
        if kind == "AgentMessage":
            return self._agent_message({"message": text_of(item.get("content"))}, common)
        if kind == "ContextCompaction":
            return self._context_compacted(item, common)
        self._count("item_completed", kind)
        return ()

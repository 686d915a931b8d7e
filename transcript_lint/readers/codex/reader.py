"""Codex rollouts, whatever their age: one reader, since an envelope only wraps what the flat files held bare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.events import (
    AgentText,
    Blocked,
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
from transcript_lint.readers.codex.head import approval_policy, is_interactive, sub_agent
from transcript_lint.readers.codex.provider import ProviderFacts
from transcript_lint.readers.codex.speakers import Agent, Person, injected_as, summary_of, why_injected
from transcript_lint.readers.codex.vocabulary import ENVELOPES, EVENTS, ITEMS, THREAD_ITEMS

_UNUSED = tuple(
    f'"type":{gap}"{kind}"'.encode()
    for kind in (
        "reasoning",
        "agent_reasoning",
        "world_state",
        "web_search_call",
        "web_search_end",
        "tool_search_call",
        "tool_search_output",
        "thread_settings_applied",
    )
    for gap in ("", " ")
)
SEEN_RECORDS = 65536


class CodexReader(Reader):
    """Reads `rollout-*.jsonl` of the Codex CLI, its editor and desktop clients."""

    name = "codex"
    title = "OpenAI Codex"
    decides: ClassVar[Mapping[str, str]] = {
        "termination": "partly: commands run inside a code-mode script have no end unless a structured record joins it",
        "compaction": "partly: summaries made by the provider are encrypted",
        "blocked": "partly: older and command-line versions do not write provider errors down",
        "approval": "partly: questions and refusals only, granted approvals are never written",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._calls = CallBook()
        self._agent = Agent()
        self._person = Person()
        self._provider = ProviderFacts()
        self._name = "main"
        self._session_id: str | None = None
        self._turn: str | None = None
        self._policy = "unknown"
        self._started = False
        self._boundary = False
        self._asks = Asks()
        self._newest = 0.0
        self._seen: dict[int, None] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        best = 0
        for d in sample.objects():
            kind = d.get("type")
            if kind in ENVELOPES and isinstance(d.get("payload"), dict):
                return 95
            if d.keys() >= {"id", "timestamp", "instructions"} and "type" not in d:
                best = 85
            elif best and (kind in ITEMS or "record_type" in d):
                return 92
        return best

    def skips(self, data: bytes) -> bool:
        # In the head of a record these bytes can only be its own type: inside a string the quotes are escaped.
        # A torn record is never skipped: it must end as a record does and hold no second beginning.
        head = data[:160]
        return (
            any(unused in head for unused in _UNUSED)
            and data.endswith(b"}")
            and data.startswith(b'{"timestamp"')
            and data.find(b'{"timestamp"', 1) < 0
        )

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        kind, payload = document.get("type"), document.get("payload")
        time = parse_time(document.get("timestamp"))
        if isinstance(payload, dict):
            if kind == "session_meta":
                return self._session(payload, at, time, complete=True)
            if time is not None and self._copied(document, payload, time):
                return ()
            handler = getattr(self, f"_on_{kind}", None) if kind in ENVELOPES else None
        elif "record_type" in document:
            return ()
        elif kind in ITEMS:
            payload, handler, time = document, self._on_response_item, None
        elif document.keys() >= {"id", "timestamp", "instructions"}:
            return self._session(document, at, time, complete=True)
        else:
            handler = None
        if handler is None:
            self.unknown[str(kind)] += 1
            return ()
        common = {"at": at, "time": time, "session_id": self._session_id, "turn": self._turn, "agent": self._name}
        events: Iterator[Event] = handler(payload, common)
        if self._started:
            return events
        return self._late_start(events, at, time)

    def finish(self) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.finish()

    def _settle(self) -> Iterator[Event]:
        yield from self._person.flush()
        yield from self._agent.flush()

    def _copied(self, document: Mapping[str, Any], payload: Mapping[str, Any], time: float) -> bool:
        """Whether this is a record that a resumed session carries along: its time is old and it was read before."""
        content = payload.get("content")
        first = content[0] if isinstance(content, list) and content else None
        text = first.get("text") if isinstance(first, dict) else payload.get("message")
        key = hash((time, document.get("type"), payload.get("type"), payload.get("call_id"), str(text)))
        if time < self._newest and key in self._seen:
            return True
        self._newest = max(self._newest, time)
        self._seen[key] = None
        if len(self._seen) > SEEN_RECORDS:
            self._seen.pop(next(iter(self._seen)))
        return False

    def _late_start(self, events: Iterator[Event], at: Location, time: float | None) -> Iterator[Event]:
        yield from self._session({}, at, time, complete=False)
        yield from events

    def _session(self, meta: Mapping[str, Any], at: Location, time: float | None, complete: bool) -> Iterator[Event]:
        if self._started:
            # A later head belongs to a copied parent or to a resumed part of this same session.
            return
        self._started = True
        self._session_id = meta.get("id") or meta.get("session_id")
        self._provider.provider = str(meta.get("model_provider") or "")
        source = meta.get("source")
        parent = None
        if isinstance(source, dict):
            self._name, parent = sub_agent(source)
        elif isinstance(meta.get("thread_source"), str) and meta["thread_source"] not in ("user", "cli"):
            self._name = meta["thread_source"]
        yield SessionStarted(
            at=at,
            time=time,
            session_id=self._session_id,
            agent=self._name,
            format=self.name,
            agent_name="codex",
            version=meta.get("cli_version"),
            parent_session_id=parent,
            continued_from=meta.get("forked_from_id"),
            interactive=is_interactive(source, meta.get("originator")),
            cwd=meta.get("cwd"),
            complete=complete,
        )

    def _on_turn_context(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if isinstance(payload.get("model"), str):
            self._provider.model = payload["model"]
        if isinstance(payload.get("turn_id"), str):
            self._turn = payload["turn_id"]
        policy = approval_policy(payload)
        if policy != self._policy:
            self._policy = policy
            yield PolicyChanged(**common, policy=policy)

    def _on_world_state(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        return iter(())

    def _on_token_usage_record(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if isinstance(payload.get("response_id"), str):
            self._provider.response_id = payload["response_id"]
        return iter(())

    def _on_inter_agent_communication(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = text_of(payload.get("content")) or text_of(payload.get("message")) or text_of(payload.get("text"))
        if text:
            yield InjectedMessage(**common, text=text, why="teammate")

    def _on_compacted(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._settle()
        message = payload.get("message")
        summary = summary_of(message) if isinstance(message, str) and message.strip() else None
        self._boundary = True
        yield Compacted(
            **common,
            summary=summary,
            summary_at=common["at"].field("/payload/message") if summary else None,
            readable=summary is not None,
        )

    def _on_response_item(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "message":
            return self._message(payload, common)
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            return self._call(payload, common)
        if kind in ("function_call_output", "custom_tool_call_output"):
            return self._output(payload, common)
        if kind not in ITEMS:
            self.unknown[f"response_item/{kind}"] += 1
        return iter(())

    def _message(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = text_of(payload.get("content"))
        if not text.strip():
            return
        role = payload.get("role")
        if role == "assistant":
            yield from self._person.flush()
            yield from self._calls.flush()
            yield from self._agent.item(AgentText(**common, text=text))
        elif role == "user":
            yield from self._user(payload, text, common)
        else:
            yield InjectedMessage(**common, text=text, why="reminder")

    def _user(self, payload: Mapping[str, Any], text: str, common: dict[str, Any]) -> Iterator[Event]:
        mark = payload.get("internal_chat_message_metadata_passthrough")
        kinds = mark.get("content_item_kinds") if isinstance(mark, dict) else None
        if isinstance(kinds, list) and kinds:
            if any(isinstance(k, str) and k.startswith("user.") for k in kinds):
                yield from self._person.marked(text, common)
            else:
                yield InjectedMessage(**common, text=text, why=injected_as(text) or why_injected(kinds))
        elif (why := injected_as(text)) is not None:
            yield InjectedMessage(**common, text=text, why=why)
        else:
            yield from self._person.item(text, common)
        if text.startswith("<turn_aborted>") and "were terminated" in text:
            yield from self._calls.terminated_sessions(common)

    def _call(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._settle()
        name = payload.get("name")
        if name in TOLD_TOOLS:
            yield from self._asks.call(payload, common)
            return
        yield from self._calls.issue(payload, common)

    def _output(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if self._asks.owns(payload.get("call_id")):
            yield from self._asks.output(payload, common)
        else:
            yield from self._calls.output(payload, common)

    def _on_event_msg(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        kind = payload.get("type")
        handler = getattr(self, f"_event_{kind}", None) if kind in EVENTS else None
        if handler is not None:
            events: Iterator[Event] = handler(payload, common)
            return events
        if kind not in EVENTS:
            self.unknown[f"event_msg/{kind}"] += 1
        return iter(())

    def _event_token_count(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        return self._provider.counted(payload, common)

    def _event_agent_message(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = payload.get("message")
        if isinstance(text, str) and text.strip():
            yield from self._person.flush()
            yield from self._agent.echo(AgentText(**common, text=text))

    def _event_user_message(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = payload.get("message")
        if isinstance(text, str) and payload.get("kind", "plain") == "plain" and injected_as(text) is None:
            yield from self._person.announced(text, common)

    def _event_task_started(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._settle()
        if isinstance(payload.get("turn_id"), str):
            self._turn = payload["turn_id"]
        self._agent.new_turn()
        self._provider.new_turn()

    _event_turn_started = _event_task_started

    def _event_task_complete(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.flush()
        text = payload.get("last_agent_message")
        if isinstance(text, str) and text.strip():
            yield from self._agent.last(AgentText(**common, text=text))
        if payload.get("error"):
            yield from self._provider.failed(payload["error"], common)

    _event_turn_complete = _event_task_complete

    def _event_turn_aborted(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._settle()
        yield from self._calls.interrupted(common)
        if payload.get("reason") == "budget_limited":
            yield Blocked(**common, kind="budget", layer="harness", reason="budget_limited")

    def _event_error(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        return self._provider.failed(payload, common)

    _event_stream_error = _event_error

    def _event_exec_command_end(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        return self._calls.structured(payload, common, str(payload.get("call_id")))

    def _event_patch_apply_end(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if isinstance(payload.get("success"), bool):
            text = text_of(payload.get("stdout")) + text_of(payload.get("stderr"))
            self._calls.finished(str(payload.get("call_id")), not payload["success"], text, common)
        return iter(())

    def _event_mcp_tool_call_end(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        result = payload.get("result")
        if isinstance(result, dict) and ("Ok" in result or "Err" in result):
            good = result.get("Ok")
            failed = not isinstance(good, dict) or good.get("isError", good.get("is_error")) is True
            self._calls.finished(str(payload.get("call_id")), failed, "", common)
        return iter(())

    def _event_context_compacted(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        told, self._boundary = self._boundary, False
        if not told:
            yield Compacted(**common, readable=False)

    def _event_item_completed(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        item = payload["item"]
        kind = item.get("type")
        if kind == "CommandExecution":
            return self._calls.structured(item, common, str(item.get("id")))
        if kind == "UserMessage":
            return self._event_user_message({"message": text_of(item.get("content"))}, common)
        if kind == "AgentMessage":
            return self._event_agent_message({"message": text_of(item.get("content"))}, common)
        if kind == "ContextCompaction":
            return self._event_context_compacted(item, common)
        if kind not in THREAD_ITEMS:
            self.unknown[f"item_completed/{kind}"] += 1
        return iter(())

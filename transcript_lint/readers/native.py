"""The native event schema: one event a line, the format of our own records and of converted logs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, get_type_hints

import msgspec
import orjson
from msgspec import structs

from transcript_lint.capabilities import CAPABILITIES, Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CarriedRun,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    EndSource,
    Event,
    Guarded,
    HumanMessage,
    InjectedMessage,
    Location,
    Meter,
    PolicyChanged,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
    Termination,
    Usage,
    Verified,
)
from transcript_lint.readers.base import Reader, Sample, parse_time
from transcript_lint.readers.provider import finish_kind, provider_error
from transcript_lint.readers.sound import sound

EVENTS = frozenset(
    [
        "session",
        "command",
        "carried",
        "command_started",
        "command_ended",
        "message",
        "request",
        "awaiting_human",
        "human_reply",
        "compaction",
        "block",
        "verification",
        "guard",
        "end",
    ]
)


class NativeReader(Reader):
    """Reads the project's own event lines."""

    name = "native"
    title = "native events and feedback records"
    decides: ClassVar[Decides] = dict.fromkeys(CAPABILITIES, "yes: where the record states it")

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        hits = sum(d.get("v") == 1 and d.get("event") in EVENTS for d in sample.objects())
        return 95 if hits else 0

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        event = document.get("event")
        if document.get("v") != 1 or event not in EVENTS:
            self.unknown[str(event)] += 1
            return ()
        common = {
            "at": _origin(document, at),
            "time": parse_time(document.get("at") or document.get("started_at")),
            "session_id": document.get("session_id"),
            "turn": document.get("turn"),
            "request_id": document.get("request_id"),
            "agent": document.get("agent") or "main",
        }
        convert = getattr(self, f"_{event}")
        also = document.get("also")
        told: Iterator[Event] = convert(document, common)
        return self._sound((_with(item, also) for item in told) if isinstance(also, dict) else told, at)

    def _sound(self, told: Iterator[Event], at: Location) -> Iterator[Event]:
        for event in told:
            fixed = sound(event)
            if fixed is not event:
                message = "A field of the record is of another type than its schema says: it counts as not recorded."
                yield RecordProblem(at=at, problem="wrong_shape", message=message, lost=False)
            yield fixed

    def _session(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if d.get("change") == "policy":
            policy = str(d.get("approval_policy") or "unknown")
            yield PolicyChanged(**common, policy=policy, interactive=d.get("interactive"))
            return
        yield SessionStarted(
            **common,
            format=self.name,
            agent_name=str(d.get("agent") or "native"),
            version=d.get("agent_version"),
            parent_session_id=d.get("parent_session_id"),
            continued_from=d.get("continued_from"),
            approval_policy=d.get("approval_policy") or "unknown",
            interactive=d.get("interactive"),
            standing_approvals=tuple(d.get("standing_approvals") or ()),
            tools=tuple(d.get("tools") or ()),
            limits={k: v for k, v in (d.get("limits") or {}).items() if v is not None} or None,
            cwd=d.get("cwd"),
            complete=d.get("continued_from") is None,
        )

    def _command(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield from self._command_started(d, common)
        yield from self._command_ended(d, {**common, "time": parse_time(d.get("ended_at")) or common["time"]})

    def _command_started(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield CommandIssued(
            **common,
            call_id=str(d["command_id"]),
            tool=str(d["tool"]),
            command=d.get("command"),
            argv=tuple(map(str, d["argv"])) if d.get("argv") else None,
            arguments=d.get("arguments"),
            arguments_sha256=d.get("arguments_sha256") or arguments_hash(d),
            cwd=d.get("cwd"),
            timeout_ms=d.get("timeout_ms"),
            background=d.get("background"),
            note=d.get("agent_note"),
            parent_command_id=d.get("parent_command_id"),
        )

    def _command_ended(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        error = d.get("error")
        yield CommandEnded(
            **common,
            call_id=str(d["command_id"]),
            termination=parse_termination(d["termination"]),
            stdout=d.get("stdout_tail") or "",
            stderr=d.get("stderr_tail") or "",
            truncated=d.get("truncated"),
            error=error if isinstance(error, str) or error is None else orjson.dumps(error).decode(),
            must_rerun=d.get("must_rerun"),
            observed_markers=tuple(d.get("observed_markers") or ()),
            note=d.get("agent_note"),
        )

    def _carried(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """Open runs that a rotation carried over from the file it dropped; each keeps its own time."""
        for run in d.get("runs") or ():
            time = parse_time(run.get("started_at")) or common["time"]
            yield from self._command(run, {**common, "time": time})

    def _message(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        text = str(d["text"])
        if isinstance(d.get("problem"), str):
            yield RecordProblem(**common, problem=d["problem"], message=text, lost=d.get("lost") is not False)
        elif d["source"] == "agent":
            where = d.get("where") or "prose"
            changed = tuple(done_items(text)) if where == "task_state" else ()
            yield AgentText(**common, text=text, where=where, call_id=d.get("command_id"), changed=changed)
        elif d["source"] == "system" or d.get("injected"):
            yield InjectedMessage(**common, text=text, why=d.get("injected") or "reminder")
        elif d["source"] == "user":
            yield HumanMessage(**common, text=text)
        else:  # whoever else it may be, it is no person
            message = f"source is {str(d['source'])[:40]!r}, not agent, user or system: the message was left out"
            yield RecordProblem(**common, problem="wrong_shape", message=message, lost=True)

    def _request(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        usage = d.get("usage")
        total = None
        if usage is not None:
            given = usage.get("input_tokens")
            if given is not None and d.get("usage_basis") == "uncached":
                given += usage.get("cached_tokens") or 0
            total = Usage(
                input=given,
                output=usage.get("output_tokens"),
                cached=usage.get("cached_tokens"),
                reasoning=usage.get("reasoning_tokens"),
                cost_usd=usage.get("cost_usd"),
            )
        error = d.get("error")
        yield ProviderResponded(
            **{**common, "request_id": common["request_id"] or d.get("response_id") or d.get("id")},
            provider=str(d["provider"]),
            model=str(d["model"]),
            response_id=d.get("response_id"),
            finish_reason=d.get("finish_reason"),
            finish=finish_kind(d.get("finish_reason")),
            block_reason=d.get("block_reason"),
            refusal=d.get("refusal"),
            usage=total,
            cap=d.get("max_output_tokens"),
            window=d.get("context_window"),
            has_text=d.get("has_text"),
            tool_call_ids=tuple(d.get("tool_call_ids") or ()),
            cached_response=d.get("cached_response"),
            error=None
            if error is None
            else provider_error(
                type=error.get("type"),
                code=error.get("code"),
                http_status=error.get("http_status"),
                message=error.get("message"),
            ),
            meters=tuple(
                Meter(
                    name=str(m["name"]),
                    used_percent=m.get("used_percent"),
                    resets_at=parse_time(m.get("resets_at")),
                    read_at=parse_time(m.get("read_at")) or common["time"],
                    credits=m.get("credits"),
                )
                for m in d.get("rate_limits") or ()
            ),
        )

    def _awaiting_human(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        gated = d.get("command_id") or d.get("tool") or d.get("arguments_sha256")
        yield ApprovalAsked(
            **common,
            slot_id=str(d["slot_id"]),
            gate="permission" if gated else "question",
            call_id=d.get("command_id"),
            tool=d.get("tool"),
            arguments_sha256=d.get("arguments_sha256"),
            question=d.get("question"),
            options=tuple(d.get("options") or ()),
            timeout_ms=d.get("timeout_ms"),
            on_timeout=d.get("on_timeout"),
        )

    def _human_reply(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield ApprovalAnswered(
            **common,
            slot_id=str(d["slot_id"]),
            outcome=str(d["outcome"]),
            by=str(d["by"]),
            text=d.get("text"),
            user_consent=d.get("user_consent"),
            arguments_sha256=d.get("arguments_sha256"),
            latency_ms=d.get("latency_ms"),
            written_at=parse_time(d.get("written_at")),
        )

    def _compaction(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        summary, carried = d.get("summary"), d.get("carried_terminations") or ()
        readable = d.get("readable")
        yield Compacted(
            **common,
            trigger=d.get("trigger"),
            tokens_before=d.get("tokens_before"),
            tokens_after=d.get("tokens_after"),
            forgotten_ids=tuple(d.get("forgotten_ids") or ()),
            summary=summary,
            summary_at=common["at"].field("/summary"),
            readable=bool(summary or carried) if readable is None else readable,
            carried=tuple(
                CarriedRun(
                    call_id=str(c["command_id"]),
                    termination=parse_termination(c["termination"]) if c.get("termination") else None,
                    status=c.get("status"),
                    must_rerun=c.get("must_rerun"),
                    stdout=c.get("stdout_tail_observed"),
                    markers=tuple(c.get("success_like_markers_observed") or ()),
                    notes=c.get("notes"),
                )
                for c in carried
            ),
        )

    def _block(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield Blocked(
            **common,
            kind=str(d["kind"]),
            layer=str(d["layer"]),
            reason=d.get("reason"),
            refers_to=d.get("request_id") or d.get("command_id"),
            limit=d.get("limit"),
            observed=d.get("observed"),
            resets_at=parse_time(d.get("resets_at")),
        )

    def _verification(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield Verified(
            **common, call_id=str(d["command_id"]), verdict=str(d["verdict"]), by=d.get("by"), reason=d.get("reason")
        )

    def _guard(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        yield Guarded(
            **common,
            blocked=bool(d["blocked"]),
            call_id=d.get("command_id"),
            field=d.get("field"),
            reason=d.get("reason"),
            promotion=d.get("promotion"),
        )

    def _end(self, d: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if d.get("claim"):
            yield AgentText(**{**common, "at": common["at"].field("/claim")}, text=d["claim"], where="closing")
        yield SessionEnded(**common, status=str(d["status"]), claim=d.get("claim"))


def _origin(document: Mapping[str, Any], at: Location) -> Location:
    """Where the event really comes from: a converted log names the original record."""
    origin = document.get("origin")
    if not isinstance(origin, dict) or not isinstance(origin.get("line"), int) or origin["line"] < 1:
        return at
    return Location(
        path=str(origin.get("path") or at.path),
        line=origin["line"],
        offset=origin.get("offset") or 0,
        length=origin.get("length") or 0,
        pointer=origin.get("pointer") or "",
        inner=origin.get("inner"),
    )


@cache
def _types(kind: type[Event]) -> dict[str, Any]:
    return get_type_hints(kind)


def _with(event: Event, also: Mapping[str, Any]) -> Event:
    """The event with the fields of a converted record that the schema has no key for. Raises ValueError, KeyError."""
    types = _types(type(event))
    return structs.replace(event, **{field: msgspec.convert(value, types[field]) for field, value in also.items()})


def parse_termination(value: Mapping[str, Any]) -> Termination:
    """A termination object of the schema. A signal or a time-out outranks a zero exit code recorded beside it."""
    kind = EndKind(value.get("kind") or "unknown")
    code, signal, timed_out = value.get("exit_code"), value.get("signal"), value.get("timed_out")
    contradiction = None
    if timed_out and kind in (EndKind.OK, EndKind.NONZERO):
        contradiction = f"recorded as {kind.value} (exit {code}) and as timed out"
        kind = EndKind.TIMEOUT
    elif signal and kind in (EndKind.OK, EndKind.NONZERO):
        contradiction = f"recorded as {kind.value} (exit {code}) and as killed by {signal}" if not code else None
        kind = EndKind.SIGNAL
    elif kind in (EndKind.TIMEOUT, EndKind.SIGNAL) and code == 0:
        contradiction = f"recorded as {kind.value} and with exit 0"
    elif kind is EndKind.OK and code not in (None, 0):
        contradiction = f"recorded as ok and with exit {code}"
        kind = EndKind.NONZERO
    elif kind is EndKind.NONZERO and code == 0:
        contradiction = "recorded as nonzero_exit and with exit 0"
    return Termination(
        kind=kind,
        exit_code=code,
        signal=signal,
        timed_out=timed_out,
        duration_ms=value.get("duration_ms"),
        masked=value.get("masked"),
        source=EndSource(value.get("source") or "field"),
        contradiction=contradiction,
    )


def arguments_hash(record: Mapping[str, Any]) -> str | None:
    """SHA-256 of the canonical JSON (sorted keys) of a call's arguments, command line or argv; None without any."""
    for key in ("arguments", "command", "argv"):
        if record.get(key) is not None:
            value = record[key]
            return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return None


def done_items(text: str) -> Iterator[str]:
    """The ticked items of a markdown checklist."""
    for line in text.splitlines():
        item = line.strip()
        if item[:5].lower() in ("- [x]", "* [x]"):
            yield item[5:].strip()

"""Requests to the model: one API message is written as several records, each with a copy of its usage."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from transcript_lint import patterns as re
from transcript_lint.events import Event, Location, Meter, ProviderError, ProviderResponded, Usage
from transcript_lint.readers.base import parse_time
from transcript_lint.readers.claude_code import shapes
from transcript_lint.readers.claude_code.shapes import Line, Message
from transcript_lint.readers.provider import error_of, finish_kind, provider_error

PROVIDER = "anthropic"
_STATUS = re.compile(r"API Error: (\d{3})\b|\((\d{3})\)")
_PLAN_LIMIT = re.compile(r"hit your [\w ]{0,30}limit|(?:usage|session|weekly|5-hour) limit reached", re.IGNORECASE)
_TAIL = 240


class _Open(msgspec.Struct, gc=False):
    message: Message
    line: Line
    at: Location
    agent: str
    output: int | None = None
    stop: str | None = None
    tail: str | None = None
    tools: tuple[str, ...] = ()


class Requests:
    """Collects the records of one message until the next message begins; `common` makes the fields of its event."""

    def __init__(self, common: Callable[[Line, Location], dict[str, Any]]) -> None:
        self._common = common
        self._open: dict[str, _Open] = {}
        self._told: deque[str] = deque(maxlen=64)
        self._model = ""

    def see(self, message: Message, line: Line, at: Location, agent: str) -> ProviderResponded | None:
        """Take in a record of a message; the response before it when this one begins another."""
        known = self._open.get(agent)
        closed = None
        if known is None or known.message.id != message.id or message.id is None:
            closed = self._close(known) if known is not None else None
            if message.id in self._told:
                self._open.pop(agent, None)
                return closed
            known = self._open[agent] = _Open(message, line, at, agent)
        if agent == "main" and message.model:
            self._model = message.model
        known.message, known.line, known.at = message, line, at
        known.stop = message.stop_reason or known.stop
        output = message.usage.output_tokens if message.usage is not None else None
        if output is not None and (known.output is None or output > known.output):
            known.output = output
        if isinstance(message.content, list):
            for block in message.content:
                if block.text and block.type == "text":
                    known.tail = block.text[-_TAIL:]
                elif block.id is not None:
                    known.tools += (block.id,)
        return closed

    def flush(self, agent: str | None = None) -> Iterator[Event]:
        """The response still open (of one agent, or of all)."""
        for name in list(self._open) if agent is None else (agent,):
            known = self._open.pop(name, None)
            if known is not None:
                yield self._close(known)

    def _close(self, known: _Open) -> ProviderResponded:
        message = known.message
        common = self._common(known.line, known.at)
        if message.id is not None:
            self._told.append(message.id)
            common["request_id"] = common["request_id"] or message.id
        return ProviderResponded(
            **common,
            provider=PROVIDER,
            model=message.model or "",
            response_id=message.id,
            finish_reason=known.stop,
            finish=finish_kind(known.stop),
            usage=total(message.usage, known.output),
            has_text=known.tail is not None,
            text_tail=known.tail,
            tool_call_ids=known.tools,
        )

    def failed(self, line: Line, text: str, common: dict[str, Any]) -> ProviderResponded:
        """A synthetic record that tells a person that the request failed; its zero usage says nothing."""
        status = line.apiErrorStatus
        if status is None and (told := _STATUS.search(text[:300])):
            status = int(told[1] or told[2])
        told_kind = line.error if isinstance(line.error, str) and line.error != "unknown" else None
        # `rate_limit` is said of a plan's used-up quota too; there the words decide.
        kind = "usage_limit_reached" if _PLAN_LIMIT.search(text[:200]) else told_kind
        error = provider_error(type=kind, http_status=status, message=text[:1000])
        return self._error(msgspec.structs.replace(error, type=told_kind), line, common)

    def retried(self, line: Line, common: dict[str, Any]) -> ProviderResponded:
        """A request that failed and will be tried again."""
        error = line.error if isinstance(line.error, dict) else {}
        cause = error.get("cause")
        status = error.get("status", line.error_status)
        found = error_of(
            cause if isinstance(cause, dict) else line.error, status if isinstance(status, int) else None
        ) or provider_error(http_status=status if isinstance(status, int) else None)
        return self._error(found, line, common, _headers(error.get("headers"), common["time"]))

    def metered(self, line: Line, common: dict[str, Any]) -> ProviderResponded | None:
        """A rate-limit record of the stream; None when it holds no figure."""
        told = line.rate_limit_info if isinstance(line.rate_limit_info, dict) else {}
        used = told.get("utilization")
        if not isinstance(used, int | float):
            return None
        meter = Meter(
            name=str(told.get("rateLimitType") or "limit"),
            used_percent=used * 100 if used <= 1 else float(used),
            resets_at=parse_time(told.get("resetsAt")),
            read_at=common["time"],
        )
        return ProviderResponded(**common, provider=PROVIDER, model=self._model, meters=(meter,))

    def _error(
        self, error: ProviderError, line: Line, common: dict[str, Any], meters: tuple[Meter, ...] = ()
    ) -> ProviderResponded:
        model = line.message.model if line.message is not None else None
        return ProviderResponded(
            **common,
            provider=PROVIDER,
            model=self._model if model in (None, "<synthetic>") else model,
            finish="error",
            error=error,
            meters=meters,
        )


def total(usage: shapes.Usage | None, output: int | None) -> Usage | None:
    """Token counts with everything that was read from a cache or written to one; `output` as known by now."""
    if usage is None:
        return None
    counts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    given = [c for c in counts if c is not None]
    details = usage.output_tokens_details
    reasoning = details.get("thinking_tokens") if isinstance(details, dict) else None
    return Usage(
        input=sum(given) if usage.input_tokens is not None else None,
        output=output,
        cached=usage.cache_read_input_tokens,
        reasoning=reasoning if isinstance(reasoning, int) else None,
    )


def _headers(headers: Any, read_at: float | None) -> tuple[Meter, ...]:
    if not isinstance(headers, dict):
        return ()
    meters = []
    for name, value in headers.items():
        if not isinstance(name, str) or not name.startswith("anthropic-ratelimit-"):
            continue
        stem, _, field = name.rpartition("-")
        used = None
        if field == "utilization":
            used = _number(value)
            used = used * 100 if used is not None else None
        elif field == "remaining":
            limit, left = _number(headers.get(f"{stem}-limit")), _number(value)
            used = 100 * (1 - left / limit) if limit and left is not None else None
        if used is not None:
            reset = headers.get(f"{stem}-reset")
            when = parse_time(reset) or parse_time(_number(reset))
            short = stem.removeprefix("anthropic-ratelimit-")
            meters.append(Meter(name=short, used_percent=used, resets_at=when, read_at=read_at))
    return tuple(meters)


def _number(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None

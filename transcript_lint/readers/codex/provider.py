"""Codex's figures about the provider: usage, windows, meters, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import Blocked, Event, Meter, ProviderError, ProviderResponded, Usage
from transcript_lint.readers.base import parse_time
from transcript_lint.readers.provider import provider_error
from transcript_lint.readers.shapes import mapping, number, whole, words

_HARNESS_ERRORS = {"sandboxerror": "tool", "toomanydenials": "permission"}


class ProviderFacts:
    """Token counts and rate limits as they come; a count that only repeats the one before is told once."""

    def __init__(self) -> None:
        self.provider = ""
        self.model = ""
        self.response_id: str | None = None
        self._total: Any = None
        self._limit: str | None = None
        self._errors: set[str | None] = set()

    def new_turn(self) -> None:
        """Errors are told once a turn."""
        self._errors.clear()

    def recorded(self, payload: Mapping[str, Any], common: dict[str, Any]) -> tuple[Event, ...]:
        """A `token_usage_record` comes before the count of the same response and names it."""
        self.response_id = words(payload.get("response_id"))
        return ()

    def counted(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """A `token_count` event."""
        info = payload.get("info")
        usage = window = None
        if isinstance(info, dict):
            window = whole(info.get("model_context_window"))
            total, last = info.get("total_token_usage"), info.get("last_token_usage")
            if isinstance(last, dict) and total != self._total:
                self._total = total
                usage = usage_of(last)
                if usage is None and window and whole(last.get("total_tokens")) == window:
                    # No request: so the harness notes that the provider found the context too long.
                    yield Blocked(**common, kind="context", layer="harness", limit=window, observed=window)
        limits = payload.get("rate_limits")
        meters = tuple(read_meters(limits, common["time"])) if isinstance(limits, dict) else ()
        response_id = self.response_id if usage is not None else None
        if usage is not None:
            self.response_id = None
        if usage is not None or meters:
            yield ProviderResponded(
                **common,
                request_id=response_id,
                response_id=response_id,
                provider=self.provider,
                model=self.model,
                usage=usage,
                window=window,
                meters=meters,
            )
        reached = limits.get("rate_limit_reached_type") if isinstance(limits, dict) else None
        if reached and reached != self._limit:
            resets = max((m.resets_at for m in meters if m.resets_at is not None), default=None)
            yield Blocked(**common, kind="quota", layer="provider", reason=str(reached), resets_at=resets)
        self._limit = reached

    def failed(self, error: Any, common: dict[str, Any]) -> Iterator[Event]:
        """An `error` event, or the error a turn ended with."""
        text = words(error) or words(mapping(error).get("message"))
        name, status = _named(mapping(error).get("codex_error_info"))
        if (text or name) in self._errors:
            return
        self._errors.add(text or name)
        plain = (name or "").replace("_", "").lower()
        if plain in _HARNESS_ERRORS:
            yield Blocked(**common, kind=_HARNESS_ERRORS[plain], layer="harness", reason=text or name)
            return
        found: ProviderError = provider_error(type=name, http_status=status, message=text)
        if found.kind == "other" and plain in _KINDS:
            found = ProviderError(kind=_KINDS[plain], type=name, http_status=status, message=text)
        yield ProviderResponded(**common, provider=self.provider, model=self.model, finish="error", error=found)


_KINDS = {
    "contextwindowexceeded": "context",
    "sessionbudgetexceeded": "budget",
    "usagelimitexceeded": "quota",
    "ratelimitexceeded": "rate",
    "serveroverloaded": "overload",
    "cyberpolicy": "content",
    "biopolicy": "content",
    "unauthorized": "auth",
    "badrequest": "request",
    "internalservererror": "server",
    "httpconnectionfailed": "network",
    "responsestreamconnectionfailed": "network",
    "responsestreamdisconnected": "network",
    "responsetoomanyfailedattempts": "network",
}


def _named(info: Any) -> tuple[str | None, int | None]:
    """The name of a `codex_error_info` and its HTTP status; a string, or an object of one name with details."""
    if isinstance(info, str):
        return info, None
    for name, value in mapping(info).items():
        details = mapping(value)
        return str(name), whole(details.get("httpStatusCode", details.get("http_status_code")))
    return None, None


def usage_of(counts: Mapping[str, Any]) -> Usage | None:
    """A usage object; None where it stands for no request (nothing in, nothing out, only an estimate of the total)."""
    given, out = whole(counts.get("input_tokens")), whole(counts.get("output_tokens"))
    if not given and not out and whole(counts.get("total_tokens")):
        return None
    return Usage(
        input=given,
        output=out,
        cached=whole(counts.get("cached_input_tokens")),
        reasoning=whole(counts.get("reasoning_output_tokens")),
    )


def read_meters(limits: Mapping[str, Any], now: float | None) -> Iterator[Meter]:
    """The primary and the secondary meter of a `rate_limits` snapshot."""
    credits = mapping(limits.get("credits"))
    has_credits = any(credits.get(k) is True for k in ("has_credits", "unlimited")) if credits else None
    for name in ("primary", "secondary"):
        meter = limits.get(name)
        if not isinstance(meter, dict):
            continue
        left = number(meter.get("resets_in_seconds"))
        at = parse_time(meter.get("resets_at"))
        if at is None and now is not None and left is not None:
            at = now + left
        minutes = whole(meter.get("window_minutes"))
        yield Meter(
            name=name if minutes is None else f"{name} ({minutes} min)",
            used_percent=number(meter.get("used_percent")),
            resets_at=at,
            read_at=now,
            credits=has_credits,
        )

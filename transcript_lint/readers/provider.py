"""Provider facts in one vocabulary: finish reasons, errors and token totals of every provider's own words."""

from __future__ import annotations

from transcript_lint.events import ProviderError

_FINISH = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "complete": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool",
    "tool_use": "tool",
    "tooluse": "tool",
    "function_call": "tool",
    "tool-calls": "tool",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
    "refusal": "refusal",
    "error": "error",
    "failed": "error",
}


def finish_kind(reason: str | None) -> str | None:
    """A provider's finish reason as stop, length, tool, content_filter, refusal, error or other; None stays None."""
    if reason is None:
        return None
    return _FINISH.get(str(reason).lower(), "other")


def provider_error(
    *,
    type: str | None = None,
    code: str | int | None = None,
    http_status: int | None = None,
    message: str | None = None,
) -> ProviderError:
    """A provider's error with its normalised kind."""
    words = " ".join(str(x).lower() for x in (type, code, message) if x is not None)
    return ProviderError(
        kind=_error_kind(words, http_status),
        type=type,
        code=None if code is None else str(code),
        http_status=http_status,
        message=message,
    )


def _error_kind(words: str, status: int | None) -> str:
    for kind, hints in _ERROR_HINTS:
        if any(hint in words for hint in hints):
            return kind
    return _BY_STATUS.get(status or 0, "server" if status and status >= 500 else "other")


_ERROR_HINTS = (
    ("context", ("context_length", "context length", "context window", "prompt is too long", "contextwindow", "too many tokens in")),
    ("overload", ("overloaded", "serveroverloaded", "at capacity")),
    ("quota", ("insufficient_quota", "quota", "usage_limit", "usage limit", "usagelimit", "session limit")),
    ("budget", ("budget", "billing", "credit balance")),
    ("rate", ("rate_limit", "rate limit", "ratelimit", "too many requests", "throttl")),
    ("auth", ("authentication", "unauthorized", "invalid api key", "invalid_api_key", "oauth", "expired")),
    ("model", ("model_not_found", "does not exist", "model not found", "not_found_error")),
    ("permission", ("permission", "forbidden", "access denied")),
    ("content", ("content_filter", "content policy", "safety", "cyberpolicy", "biopolicy")),
    ("network", ("connection", "timed out", "timeout", "econn", "socket")),
)
_BY_STATUS = {400: "request", 401: "auth", 402: "quota", 403: "permission", 404: "model", 408: "network", 413: "context", 429: "rate", 503: "overload", 529: "overload"}

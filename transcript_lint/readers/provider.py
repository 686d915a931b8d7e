"""Provider facts in one vocabulary: finish reasons, blocks, errors, token totals and meters of every provider.

`finish_kind` and `provider_error` are for any reader; whole response objects are read in `responses`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import Meter, ProviderError, Usage
from transcript_lint.readers.shapes import whole


def _words(kind: str, words: str) -> dict[str, str]:
    return dict.fromkeys(words.split(), kind)


_FINISH = {
    # A stop at a stop sequence and a finished Responses status are plain stops.
    **_words(
        "stop", "stop end_turn stop_sequence completed complete finish finished stop_criteria_met success eos eos_token"
    ),
    **_words("length", "length max_tokens max_output_tokens max_completion_tokens model_length"),
    **_words("tool", "tool_calls tool_call tool_use tooluse function_call function_calls"),
    **_words("content_filter", "content_filter content_filtered guardrail_intervened safety recitation blocklist"),
    **_words("content_filter", "prohibited_content spii image_safety image_prohibited_content image_recitation"),
    **_words("content_filter", "model_armor response_rejected prohibited_input_content"),
    **_words("content_filter", "image_prohibited_input_content unsafe_prompt_for_image_generation"),
    "refusal": "refusal",
    "input_required": "other",
    **_words("error", "error failed malformed_function_call unexpected_tool_call too_many_tool_calls"),
    **_words("error", "missing_thought_signature malformed_response malformed_model_output malformed_tool_use"),
}


def finish_kind(reason: str | None) -> str | None:
    """A provider's finish reason as stop, length, tool, content_filter, refusal, error or other; None stays None.

    What only pauses, hands over or hits another bound (pause_turn, compaction, the window, a cancelled or queued
    response) is `other`: it is neither an end of the answer nor the output cap.
    """
    if reason is None:
        return None
    word = str(reason).lower().replace("-", "_")
    # Gemini Live names what was wrong with which side.
    return _FINISH.get(word) or ("content_filter" if word.startswith(_LIVE_SIDES) else "other")


_LIVE_SIDES = ("input_", "generated_", "output_image_")


def provider_error(
    *,
    type: str | None = None,
    code: str | int | None = None,
    http_status: int | None = None,
    message: str | None = None,
) -> ProviderError:
    """A provider's error with its normalised kind: its own code first, then its words, then the HTTP status."""
    return ProviderError(
        kind=_error_kind(type, code, http_status, message),
        type=type,
        code=None if code is None else str(code),
        http_status=http_status,
        message=message,
    )


def error_of(value: Any, http_status: int | None = None) -> ProviderError | None:
    """The error in a response body or a log field, whatever its shape: an object, a wrapped object, or words."""
    if isinstance(value, str):
        return provider_error(message=value, http_status=http_status) if value else None
    if not isinstance(value, Mapping) or not value:
        return None
    inner = value.get("error")
    if isinstance(inner, Mapping | str) and inner:
        return error_of(inner, http_status)
    status, code = value.get("status"), value.get("code")
    number = whole(status) or whole(code) or whole(value.get("status_code"))
    name = value.get("type") or value.get("__type") or (status if isinstance(status, str) else None)
    return provider_error(
        type=None if name is None else str(name).rpartition("#")[2],
        code=code if isinstance(code, str | int) else None,
        http_status=number if number and 300 <= number < 600 else http_status,
        message=next((str(value[k]) for k in ("message", "Message", "detail") if value.get(k)), None),
    )


def _error_kind(type: str | None, code: str | int | None, status: int | None, message: str | None) -> str:
    names = [_name(x) for x in (code, type) if x is not None]
    for name in names:
        if name in _BY_NAME:
            return _BY_NAME[name]
        if name.startswith(_OF_THE_REQUEST):
            return "request"
    words = " ".join(str(x).lower() for x in (type, code, message) if x is not None)
    for kind, hints in _ERROR_HINTS:
        if any(hint in words for hint in hints):
            return kind
    told = (status if status is not None else whole(code)) or 0
    by_status = _BY_STATUS.get(told, "server" if told >= 500 else "other")
    general = next((_GENERAL[name] for name in names if name in _GENERAL), by_status)
    # A name that says little yields to a status that says more.
    return general if by_status in ("request", "server", "other") else by_status


def _name(value: str | int) -> str:
    return str(value).lower().replace("_", "").replace("-", "").removesuffix("exception").removesuffix("error")


# A name that says by itself what is wrong. Names are compared without `_`, `-`, `Error` and `Exception`.
_BY_NAME = {
    **_words("rate", "ratelimitexceeded ratelimit throttling toomanyrequests apiratelimit"),
    **_words("quota", "insufficientquota servicequotaexceeded usagelimitreached usagelimitexceeded apiusagelimit"),
    **_words("budget", "billing billinghardlimitreached budgetexceeded paymentrequired"),
    **_words("overload", "overloaded serviceunavailable modelnotready unavailable serveroverloaded"),
    **_words("context", "contextlengthexceeded contextwindowexceeded contextoverflow requesttoolarge promptoolong"),
    **_words(
        "auth", "authentication invalidapikey providerauth unauthenticated unauthorized expiredtoken unrecognizedclient"
    ),
    **_words("permission", "permission permissiondenied accessdenied"),
    **_words("model", "modelnotfound deploymentnotfound resourcenotfound notfound"),
    **_words("content", "contentfilter contentpolicyviolation responsibleaipolicyviolation biopolicy"),
    **_words("content", "misalignmentpolicyviolation imagecontentpolicyviolation agentsafetyrefusal"),
    **_words("network", "timeout deadlineexceeded modeltimeout apiconnection apitimeout"),
    "vectorstoretimeout": "server",
}
# What was wrong with an image, or with a file of the memory tool.
_OF_THE_REQUEST = (
    *("image", "invalidimage", "invalidbase64image", "emptyimage", "failedtodownloadimage", "unsupportedimage"),
    "memory",
)
# A name that says little: the words of the message come first.
_GENERAL = {
    **_words("server", "server api internal internalserver modelstream model"),
    **_words("request", "invalidrequest invalidprompt invalidargument validation conflict failedprecondition"),
    **_words("request", "dataresidencymismatch badrequest unknownparameter invalidimageurl invalidimage"),
    **_words("rate", "resourceexhausted"),
}
_ERROR_HINTS = (
    (
        "context",
        (
            "context_length",
            "context length",
            "context window",
            "prompt is too long",
            "input is too long",
            "contextwindow",
            "too many tokens in",
            "exceeds the maximum number of tokens",
            "input token count",
        ),
    ),
    ("overload", ("overloaded", "serveroverloaded", "at capacity")),
    ("quota", ("insufficient_quota", "quota", "usage_limit", "usage limit", "usagelimit", "session limit")),
    ("budget", ("budget", "billing", "credit balance")),
    ("rate", ("rate_limit", "rate limit", "ratelimit", "too many requests", "throttl")),
    (
        "auth",
        (
            "authentication",
            "unauthorized",
            "invalid api key",
            "invalid_api_key",
            "invalid subscription key",
            "oauth",
            "expired",
        ),
    ),
    ("model", ("model_not_found", "does not exist", "model not found", "not_found_error")),
    ("permission", ("permission", "forbidden", "access denied")),
    ("content", ("content_filter", "content policy", "usage policy", "safety", "cyberpolicy", "biopolicy")),
    ("network", ("connection", "timed out", "timeout", "econn", "socket")),
)
_BY_STATUS = {
    400: "request",
    401: "auth",
    402: "quota",
    403: "permission",
    404: "model",
    408: "network",
    413: "context",
    422: "request",
    429: "rate",
    503: "overload",
    529: "overload",
}


def usage_of(value: Any) -> Usage | None:
    """Token totals of a usage object in any provider's shape; None when there is none. Null is never zero.

    Input is all that was sent, cached or not; output all that was made, hidden reasoning included.
    """
    if not isinstance(value, Mapping):
        return None
    get = _Counts(value)
    if get.any("promptTokenCount", "candidatesTokenCount", "responseTokenCount", "prompt_token_count"):  # Gemini
        made = get("candidatesTokenCount", "responseTokenCount")
        reasoning = get("thoughtsTokenCount")
        input, output = get("promptTokenCount"), _sum(made, reasoning)
        cached = get("cachedContentTokenCount")
    elif get.any("inputTokens", "outputTokens"):  # Bedrock Converse
        cached = get("cacheReadInputTokens", "cacheReadInputTokenCount")
        written = get("cacheWriteInputTokens", "cacheWriteInputTokenCount")
        input, output, reasoning = _on_top(get("inputTokens"), cached, written), get("outputTokens"), None
    elif get.any("prompt_tokens", "completion_tokens"):  # OpenAI, Azure, OpenRouter, LiteLLM
        prompt, completion = get.inside("prompt_tokens_details"), get.inside("completion_tokens_details")
        input, output = get("prompt_tokens"), get("completion_tokens")
        cached, reasoning = prompt("cached_tokens"), completion("reasoning_tokens")
    elif get.any("cache_read_input_tokens", "cache_creation_input_tokens"):  # Anthropic
        cached = get("cache_read_input_tokens")
        written = get("cache_creation_input_tokens")
        input, output, reasoning = _on_top(get("input_tokens"), cached, written), get("output_tokens"), None
    elif get.any("input_tokens_cache_read", "input_tokens_cache_write"):  # Inspect
        cached, reasoning = get("input_tokens_cache_read"), get("reasoning_tokens")
        input = _on_top(get("input_tokens"), cached, get("input_tokens_cache_write"))
        output = get("output_tokens")
    else:  # OpenAI Responses, LangChain, plain counts
        given = get.inside("input_tokens_details") or get.inside("input_token_details")
        made_details = get.inside("output_tokens_details") or get.inside("output_token_details")
        input, output = get("input_tokens"), get("output_tokens")
        cached, reasoning = given("cached_tokens", "cache_read"), made_details("reasoning_tokens", "reasoning")
        reasoning = get("reasoning_tokens") if reasoning is None else reasoning
    cost = next((value[k] for k in ("cost", "total_cost") if isinstance(value.get(k), int | float)), None)
    if all(x is None for x in (input, output, cached, reasoning, cost)):
        return None
    return Usage(input=input, output=output, cached=cached, reasoning=reasoning, cost_usd=cost)


class _Counts:
    """Token counts of one object by key, under camelCase or snake_case names; None where none is written."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._value = value

    def __call__(self, *keys: str) -> int | None:
        for key in keys:
            for name in (key, _snake(key)):
                number = whole(self._value.get(name))
                if number is not None and number >= 0:
                    return number
        return None

    def __bool__(self) -> bool:
        return bool(self._value)

    def any(self, *keys: str) -> bool:
        return any(k in self._value for k in keys)

    def inside(self, key: str) -> _Counts:
        found = self._value.get(key)
        return _Counts(found if isinstance(found, Mapping) else {})


def _snake(key: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in key)


def _sum(*counts: int | None) -> int | None:
    known = [c for c in counts if c is not None]
    return sum(known) if known else None


def _on_top(base: int | None, *parts: int | None) -> int | None:
    # Without the base the total is unknown, however much of it was cached.
    return None if base is None else _sum(base, *parts)


def meters_of(headers: Any, read_at: float | None) -> tuple[Meter, ...]:
    """Rate meters in response headers (`x-ratelimit-*`, `anthropic-ratelimit-*`), as percent used."""
    if not isinstance(headers, Mapping):
        return ()
    flat = {str(k).lower(): v for k, v in headers.items()}
    return tuple(_meters(flat, read_at))


def _meters(flat: Mapping[str, Any], read_at: float | None) -> Iterator[Meter]:
    for key, value in flat.items():
        if "ratelimit" not in key or "remaining" not in key:
            continue
        limit, remaining = _number(flat.get(key.replace("remaining", "limit"))), _number(value)
        if not limit or remaining is None:
            continue
        name = key.replace("x-", "").replace("ratelimit-", "").replace("remaining-", "").replace("-remaining", "")
        yield Meter(name=name, used_percent=round(100 * (1 - remaining / limit), 2), read_at=read_at)


def _number(value: Any) -> float | None:
    value = value[0] if isinstance(value, list) and value else value
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


_BLOCK_KINDS = {
    **_words("budget", "exitcost limitsexceeded cost budgetexceeded maxbudget"),
    **_words("context", "exitcontext context contextwindowexceeded"),
    **_words("output_cap", "outputtokenexceeded token"),
    **_words("rate", "apiratelimit ratelimit"),
    **_words("quota", "apiusagelimit quota"),
    **_words("content", "agentsafetyrefusal contentfilter"),
    **_words("time", "exittotalexecutiontime exitcommandtimeout timeexceeded agenttimeout time working timeout"),
    **_words("turns", "message turn steplimit maxturns maxiterations"),
    **_words("auth", "auth authentication"),
    **_words("other", "exitapi exitenvironment exit exitformat repeatedformat operator custom"),
}


def block_kind(status: str) -> str | None:
    """What a harness's exit status, limit type or exception type says it stopped for, as a kind of `Blocked`.

    None where it names no limit and no block. The name is a harness's claim, not a provider's fact.
    """
    return _BLOCK_KINDS.get(_name(status))

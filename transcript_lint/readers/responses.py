"""Whole provider responses as one `ProviderResponded`: OpenAI chat and Responses, Anthropic, Gemini, Bedrock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transcript_lint.events import ProviderResponded, Usage
from transcript_lint.readers.base import text_of
from transcript_lint.readers.provider import error_of, finish_kind, meters_of, usage_of
from transcript_lint.readers.shapes import mapping, objects, whole, words

TAIL = 400
_MEDIA = ('"image', '"input_image', '"inlineData', '"inline_data', '"document"', '"input_audio', '"input_file')


def shape_of(response: Mapping[str, Any]) -> str | None:
    """Which provider's response this is: chat, completion, responses, anthropic, gemini, bedrock, error; else None."""
    kind = response.get("object")
    if kind == "response" or ("output" in response and isinstance(response.get("status"), str)):
        return "responses"
    if isinstance(response.get("choices"), list):
        return "chat"
    if "candidates" in response or "promptFeedback" in response:
        return "gemini"
    if "stopReason" in response:
        return "bedrock"
    if "stop_reason" in response and "content" in response:
        return "anthropic"
    if isinstance(response.get("results"), list) and "inputTextTokenCount" in response:
        return "titan"
    if response.get("error") or response.get("type") == "error" or "__type" in response:
        return "error"
    return None


def responded(
    response: Mapping[str, Any],
    request: Mapping[str, Any] | None = None,
    *,
    http_status: int | None = None,
    headers: Any = None,
    media: bool = False,
    **common: Any,
) -> ProviderResponded | None:
    """The facts of one response beside its request; None if it is no response of a known provider.

    `common` are the event's own fields (`at`, `time`, …).
    """
    request = request or {}
    shape = shape_of(response)
    if shape is None:
        return None
    facts: dict[str, Any] = {
        "provider": "",
        "model": words(response.get("model")) or words(request.get("model")) or "",
        "response_id": words(response.get("id")),
        "usage": usage_of(response.get("usage")),
        "cap": _cap(request, response),
        "window": whole(request.get("context_window")),
        "error": error_of(
            response.get("error") or (response if shape == "error" else None),
            http_status if (http_status or 0) >= 400 else None,
        ),
        "meters": meters_of(headers, common.get("time")),
        "media": media,
        "cached_response": bool(response["cached"]) if isinstance(response.get("cached"), bool) else None,
    }
    facts |= _SHAPES[shape](response)
    if facts["error"] is not None and facts["error"].kind == "content":
        details = response.get("error")
        param = details.get("param") if isinstance(details, Mapping) else None
        facts |= {
            "block_reason": facts["error"].code or facts["error"].type,
            "block_side": "prompt" if param == "prompt" or "prompt" in (facts["error"].message or "") else None,
        }
    facts["finish"] = facts.get("finish") or finish_kind(facts.get("finish_reason"))
    common.setdefault("request_id", facts["response_id"])
    return ProviderResponded(**{**common, "request_id": common["request_id"] or facts["response_id"]}, **facts)


def has_media(request: Any) -> bool:
    """Whether a request carries images, audio or documents, whose tokens no text length tells."""
    spelled = str(request).replace("'", '"')
    return any(mark in spelled for mark in _MEDIA)


def _chat(response: Mapping[str, Any]) -> dict[str, Any]:
    choices = [c for c in response["choices"] if isinstance(c, Mapping)]
    choice = choices[0] if choices else {}
    message = choice.get("message")
    facts: dict[str, Any] = {
        "provider": words(response.get("provider")) or _openai_like(response),
        "finish_reason": words(choice.get("finish_reason")) or words(choice.get("native_finish_reason")),
    }
    filtered = _filtered(choice.get("content_filter_results"))
    if filtered:
        facts |= {"block_reason": filtered, "block_side": "output"}
    prompt = [_filtered(r.get("content_filter_results")) for r in objects(response.get("prompt_filter_results"))]
    if any(prompt) and not filtered:
        facts |= {"block_reason": next(p for p in prompt if p), "block_side": "prompt"}
    if isinstance(message, Mapping):
        calls = objects(message.get("tool_calls"))
        body = text_of(message.get("content"))
        facts |= {
            "refusal": words(message.get("refusal")),
            "tool_call_ids": tuple(str(c.get("id")) for c in calls) or (("",) if message.get("function_call") else ()),
            **_body(body),
        }
        if facts["refusal"]:
            facts["finish"] = "refusal"
    elif isinstance(choice.get("text"), str):
        facts |= _body(choice["text"])
    elif choices:
        facts["has_text"] = False
    return facts


def _openai_like(response: Mapping[str, Any]) -> str:
    if "prompt_filter_results" in response:
        return "azure"
    return "openai" if str(response.get("id") or "").startswith(("chatcmpl-", "cmpl-", "resp_")) else ""


def _responses(response: Mapping[str, Any]) -> dict[str, Any]:
    items = objects(response.get("output"))
    parts = [p for i in items if i.get("type") == "message" for p in objects(i.get("content"))]
    refusal = next((words(p.get("refusal")) for p in parts if p.get("type") == "refusal"), None)
    calls = tuple(str(i.get("call_id") or i.get("id")) for i in items if str(i.get("type")).endswith("_call"))
    details = response.get("incomplete_details")
    reason = words(mapping(details).get("reason"))
    status = words(response.get("status"))
    facts: dict[str, Any] = {
        "provider": "openai",
        "finish_reason": reason or status,
        "refusal": refusal,
        "tool_call_ids": calls,
        **_body("\n".join(p["text"] for p in parts if isinstance(p.get("text"), str))),
    }
    if refusal:
        facts["finish"] = "refusal"
    elif status == "completed" and any(i.get("type") == "function_call" for i in items):
        facts["finish"] = "tool"
    if reason == "content_filter":
        facts |= {"block_reason": reason, "block_side": "output"}
    return facts


def _anthropic(response: Mapping[str, Any]) -> dict[str, Any]:
    blocks = objects(response.get("content"))
    details = response.get("stop_details")
    category = words(mapping(details).get("category"))
    body = text_of(response.get("content"))
    refused = response.get("stop_reason") == "refusal"
    return {
        "provider": "anthropic",
        "finish_reason": words(response.get("stop_reason")),
        "refusal": (category or body or "refusal") if refused else None,
        "block_reason": category if refused else None,
        "tool_call_ids": tuple(str(b.get("id")) for b in blocks if str(b.get("type")).endswith("tool_use")),
        **_body(body),
    }


def _gemini(response: Mapping[str, Any]) -> dict[str, Any]:
    candidates = objects(response.get("candidates"))
    first = candidates[0] if candidates else {}
    content = first.get("content")
    parts = objects(content.get("parts")) if isinstance(content, Mapping) else []
    feedback = response.get("promptFeedback")
    prompt_block = words(feedback.get("blockReason")) if isinstance(feedback, Mapping) else None
    calls = [p["functionCall"] for p in parts if isinstance(p.get("functionCall"), Mapping)]
    reason = words(first.get("finishReason"))
    finish = finish_kind(reason)
    facts: dict[str, Any] = {
        "provider": "google",
        "model": words(response.get("modelVersion")) or words(response.get("model")) or "",
        "response_id": words(response.get("responseId")),
        "finish_reason": reason,
        "usage": usage_of(response.get("usageMetadata")),
        "tool_call_ids": tuple(str(c.get("id") or c.get("name") or "") for c in calls),
        **_body("".join(p["text"] for p in parts if isinstance(p.get("text"), str) and not p.get("thought"))),
    }
    if finish == "stop" and calls:
        facts["finish"] = "tool"
    if prompt_block:
        facts |= {"block_reason": prompt_block, "block_side": "prompt"}
    elif finish == "content_filter":
        facts |= {"block_reason": reason, "block_side": "output"}
    return facts


def _bedrock(response: Mapping[str, Any]) -> dict[str, Any]:
    output = response.get("output")
    message = output.get("message") if isinstance(output, Mapping) else None
    blocks = objects(message.get("content")) if isinstance(message, Mapping) else []
    reason = words(response.get("stopReason"))
    facts: dict[str, Any] = {
        "provider": "bedrock",
        "finish_reason": reason,
        "tool_call_ids": tuple(
            str(b["toolUse"].get("toolUseId")) for b in blocks if isinstance(b.get("toolUse"), Mapping)
        ),
        **_body(text_of(blocks)),
    }
    if reason == "guardrail_intervened":
        facts |= _guardrail(response)
    return facts


def _guardrail(response: Mapping[str, Any]) -> dict[str, Any]:
    """A guardrail that only masked words delivered the answer all the same: that is no block."""
    trace = response.get("trace")
    guardrail = trace.get("guardrail") if isinstance(trace, Mapping) else None
    if not isinstance(guardrail, Mapping):
        return {}
    sides = {
        "prompt": _actions(guardrail.get("inputAssessment")),
        "output": _actions(guardrail.get("outputAssessments")),
    }
    for side, actions in sides.items():
        if "BLOCKED" in actions:
            return {"block_reason": "guardrail", "block_side": side}
    masked = "ANONYMIZED" in sides["prompt"] | sides["output"]
    return {"finish": "stop"} if masked else {}


def _actions(value: Any, depth: int = 0) -> set[str]:
    if depth > 8:
        return set()
    if isinstance(value, Mapping):
        own = {value["action"]} if isinstance(value.get("action"), str) else set()
        return own.union(*(_actions(v, depth + 1) for v in value.values()))
    if isinstance(value, list):
        return set().union(*(_actions(v, depth + 1) for v in value))
    return set()


def _titan(response: Mapping[str, Any]) -> dict[str, Any]:
    results = objects(response["results"])
    made = [n for r in results if (n := whole(r.get("tokenCount"))) is not None]
    return {
        "provider": "bedrock",
        "finish_reason": words(results[0].get("completionReason")) if results else None,
        "usage": Usage(input=whole(response.get("inputTextTokenCount")), output=sum(made) if made else None),
        **_body(" ".join(str(r.get("outputText") or "") for r in results)),
    }


def _error(response: Mapping[str, Any]) -> dict[str, Any]:
    return {"finish": "error"}


_SHAPES = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "titan": _titan,
    "error": _error,
}


def _body(text: str) -> dict[str, Any]:
    return {"has_text": bool(text.strip()), "text_tail": text[-TAIL:] or None}


def _filtered(results: Any) -> str | None:
    if not isinstance(results, Mapping):
        return None
    hit = [str(k) for k, v in results.items() if isinstance(v, Mapping) and v.get("filtered") is True]
    return ", ".join(hit) or None


def _cap(request: Mapping[str, Any], response: Mapping[str, Any]) -> int | None:
    inference, generation = request.get("inferenceConfig"), request.get("generationConfig")
    for holder, keys in (
        (response, ("max_output_tokens",)),
        (request, ("max_completion_tokens", "max_output_tokens", "max_tokens")),
        (inference, ("maxTokens",)),
        (generation, ("maxOutputTokens",)),
    ):
        for key in keys:
            if isinstance(holder, Mapping) and whole(holder.get(key)):
                return whole(holder.get(key))
    return None

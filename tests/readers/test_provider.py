"""Every provider's words for how a response ended, what it cost and what went wrong."""

from __future__ import annotations

import pytest

from transcript_lint.events import Location, Usage
from transcript_lint.readers.provider import (
    block_kind,
    error_of,
    finish_kind,
    meters_of,
    provider_error,
    usage_of,
)
from transcript_lint.readers.responses import responded

FINISH = {
    "openai chat": "stop=stop length=length tool_calls=tool content_filter=content_filter function_call=tool",
    "openai responses": "completed=stop failed=error in_progress=other cancelled=other queued=other incomplete=other "
    "max_output_tokens=length max_messages=other content_filter=content_filter steered=other",
    "openai assistants": "max_completion_tokens=length max_prompt_tokens=other",
    "anthropic": "end_turn=stop max_tokens=length stop_sequence=stop tool_use=tool pause_turn=other refusal=refusal "
    "model_context_window_exceeded=other compaction=other",
    "gemini": "FINISH_REASON_UNSPECIFIED=other STOP=stop MAX_TOKENS=length SAFETY=content_filter "
    "RECITATION=content_filter LANGUAGE=other OTHER=other BLOCKLIST=content_filter PROHIBITED_CONTENT=content_filter "
    "SPII=content_filter MALFORMED_FUNCTION_CALL=error UNEXPECTED_TOOL_CALL=error TOO_MANY_TOOL_CALLS=error "
    "MISSING_THOUGHT_SIGNATURE=error MALFORMED_RESPONSE=error IMAGE_SAFETY=content_filter "
    "IMAGE_PROHIBITED_CONTENT=content_filter IMAGE_OTHER=other NO_IMAGE=other IMAGE_RECITATION=content_filter "
    "ESCALATION=other PUP_LIMITED_DISABLED=other CONTINUATION=other MODEL_ARMOR=content_filter",
    "gemini live": "TURN_COMPLETE_REASON_UNSPECIFIED=other MALFORMED_FUNCTION_CALL=error NEED_MORE_INPUT=other "
    "MAX_REGENERATION_REACHED=other "
    + " ".join(
        f"{word}=content_filter"
        for word in (
            *("RESPONSE_REJECTED", "PROHIBITED_INPUT_CONTENT", "IMAGE_PROHIBITED_INPUT_CONTENT", "BLOCKLIST"),
            *("INPUT_TEXT_CONTAIN_PROMINENT_PERSON_PROHIBITED", "INPUT_IMAGE_CELEBRITY", "INPUT_TEXT_NCII_PROHIBITED"),
            *("INPUT_IMAGE_PHOTO_REALISTIC_CHILD_PROHIBITED", "INPUT_IP_PROHIBITED", "INPUT_OTHER"),
            *("UNSAFE_PROMPT_FOR_IMAGE_GENERATION", "GENERATED_IMAGE_SAFETY", "GENERATED_CONTENT_SAFETY"),
            *("GENERATED_AUDIO_SAFETY", "GENERATED_VIDEO_SAFETY", "GENERATED_CONTENT_PROHIBITED", "GENERATED_OTHER"),
            *("GENERATED_CONTENT_BLOCKLIST", "GENERATED_IMAGE_PROHIBITED", "GENERATED_IMAGE_CELEBRITY"),
            *("GENERATED_IMAGE_PROMINENT_PEOPLE_DETECTED_BY_REWRITER", "GENERATED_IMAGE_IDENTIFIABLE_PEOPLE"),
            *("GENERATED_IMAGE_MINORS", "OUTPUT_IMAGE_IP_PROHIBITED"),
        )
    ),
    "bedrock agents": "USER_CONFIRMATION=other INPUT_REQUIRED=other SUCCESS=stop",
    "bedrock converse": "end_turn=stop tool_use=tool max_tokens=length stop_sequence=stop "
    "guardrail_intervened=content_filter content_filtered=content_filter malformed_model_output=error "
    "malformed_tool_use=error model_context_window_exceeded=other",
    "bedrock invoke": "FINISH=stop FINISHED=stop LENGTH=length CONTENT_FILTERED=content_filter STOP_CRITERIA_MET=stop "
    "RAG_QUERY_WHEN_RAG_DISABLED=other",
    "azure": "stop=stop length=length content_filter=content_filter tool_calls=tool",
    "openrouter": "STOP=stop stop=stop tool_calls=tool error=error",
    "inspect": "stop=stop max_tokens=length model_length=length tool_calls=tool content_filter=content_filter "
    "unknown=other",
    "opentelemetry": "stop=stop length=length content_filter=content_filter tool_call=tool compaction=other "
    "error=error",
    "autogen": "stop=stop length=length function_calls=tool content_filter=content_filter unknown=other",
}
ERRORS = {
    "openai": "server_error=server rate_limit_exceeded=rate invalid_prompt=request data_residency_mismatch=request "
    "bio_policy=content misalignment_policy_violation=content vector_store_timeout=server insufficient_quota=quota "
    "context_length_exceeded=context invalid_api_key=auth model_not_found=model content_policy_violation=content "
    "billing_hard_limit_reached=budget image_content_policy_violation=content "
    + " ".join(
        f"{code}=request"
        for code in (
            *("image_too_large", "image_too_small", "image_parse_error", "image_file_too_large"),
            *("image_file_not_found", "invalid_image", "invalid_image_format", "invalid_image_mode"),
            *("invalid_image_url", "invalid_base64_image", "empty_image_file", "failed_to_download_image"),
            "unsupported_image_media_type",
        )
    ),
    "anthropic": "invalid_request_error=request authentication_error=auth billing_error=budget "
    "permission_error=permission not_found_error=model rate_limit_error=rate timeout_error=network api_error=server "
    "overloaded_error=overload conflict_error=request request_too_large=context "
    "memory_not_found_error=request memory_path_conflict_error=request memory_precondition_failed_error=request",
    "google": "RESOURCE_EXHAUSTED=rate UNAVAILABLE=overload INTERNAL=server DEADLINE_EXCEEDED=network "
    "INVALID_ARGUMENT=request PERMISSION_DENIED=permission UNAUTHENTICATED=auth NOT_FOUND=model",
    "bedrock": "AccessDeniedException=permission ModelErrorException=server ModelNotReadyException=overload "
    "ModelStreamErrorException=server ModelTimeoutException=network ServiceQuotaExceededException=quota "
    "ServiceUnavailableException=overload ThrottlingException=rate ValidationException=request "
    "ResourceNotFoundException=model InternalServerException=server",
    "azure": "content_filter=content ResponsibleAIPolicyViolation=content DeploymentNotFound=model",
}


def rows(table):
    return [(who, *pair.split("=")) for who, words in table.items() for pair in words.split()]


@pytest.mark.parametrize(("who", "reason", "kind"), rows(FINISH))
def test_finish_reasons(who, reason, kind):
    assert finish_kind(reason) == kind


def test_a_missing_finish_reason_stays_missing():
    assert finish_kind(None) is None


@pytest.mark.parametrize(("who", "name", "kind"), rows(ERRORS))
def test_error_names(who, name, kind):
    assert provider_error(type=name).kind == kind
    assert provider_error(code=name).kind == kind


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens"}}, 400, "context"),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your quota"}}, None, "quota"),
        ({"error": {"code": "401", "message": "Access denied due to invalid subscription key"}}, 401, "auth"),
        ({"error": {"message": "", "code": None}}, 429, "rate"),
        ({"message": "Too many requests", "__type": "a.b#ThrottlingException"}, 400, "rate"),
        ({"error": "upstream connect error: connection reset"}, None, "network"),
        ({"error": {"message": "teapot"}}, 500, "server"),
        ({"type": "APIError", "message": "slow down"}, 429, "rate"),
        ({"type": "APIError", "message": "boom"}, 502, "server"),
        ({"error": {"type": "invalid_request_error", "message": "no such deployment"}}, 404, "model"),
        ({"error": {"type": "invalid_request_error", "message": "bad field"}}, 400, "request"),
    ],
)
def test_error_bodies(body, status, kind):
    error = error_of(body, status)
    assert error is not None
    assert error.kind == kind


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 80},
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(input=100, output=50, cached=80, reasoning=30),
        ),
        (
            {"input_tokens": 100, "output_tokens": 50, "output_tokens_details": {"reasoning_tokens": 7}},
            Usage(input=100, output=50, reasoning=7),
        ),
        (
            {"input_tokens": 4, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 20, "output_tokens": 5},
            Usage(input=34, output=5, cached=10),
        ),
        (
            {"promptTokenCount": 9, "cachedContentTokenCount": 3, "candidatesTokenCount": 20, "thoughtsTokenCount": 30},
            Usage(input=9, output=50, cached=3, reasoning=30),
        ),
        (
            {"inputTokens": 7, "outputTokens": 8, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 10},
            Usage(input=117, output=8, cached=100),
        ),
        (
            {"input_tokens": 5, "input_tokens_cache_read": 50, "output_tokens": 6, "total_cost": 0.5},
            Usage(input=55, output=6, cached=50, cost_usd=0.5),
        ),
        ({"prompt_token_count": 3, "candidates_token_count": 4}, Usage(input=3, output=4)),
        ({"prompt_tokens": 12, "completion_tokens": 1, "cost": 0.01}, Usage(input=12, output=1, cost_usd=0.01)),
        ({"prompt_tokens": None, "completion_tokens": None}, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(input=0, output=0)),
        ({"output_tokens": 5, "cache_read_input_tokens": 9}, Usage(output=5, cached=9)),
        ({}, None),
        (None, None),
        ({"prompt_tokens": "many"}, None),
    ],
)
def test_token_totals(usage, total):
    assert usage_of(usage) == total


AT = Location(path="x", line=1)


def fact(response, request=None, **more):
    found = responded(response, request, at=AT, **more)
    assert found is not None
    return found


def chat(**choice):
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": {"completion_tokens": 19}}


def test_a_refusal_may_wear_stop():
    found = fact(chat(finish_reason="stop", message={"content": None, "refusal": "I can't help"}))
    assert (found.finish, found.refusal, found.has_text) == ("refusal", "I can't help", False)


def test_a_router_that_gives_the_native_reason_alone():
    assert fact(chat(finish_reason=None, native_finish_reason="MAX_TOKENS")).finish == "length"
    assert fact(chat(finish_reason="stop", native_finish_reason="MAX_TOKENS")).finish == "stop"


AZURE = ["hate", "self_harm", "sexual", "violence", "jailbreak", "protected_material_text", "protected_material_code"]


@pytest.mark.parametrize("category", AZURE)
def test_each_filter_category_of_azure_on_either_side(category):
    hit = {category: {"filtered": True, "detected": True}, "profanity": {"filtered": False, "detected": True}}
    cut = fact(chat(finish_reason="content_filter", content_filter_results=hit))
    assert (cut.block_reason, cut.block_side) == (category, "output")
    prompt = {**chat(finish_reason="stop"), "prompt_filter_results": [{"content_filter_results": hit}]}
    assert (fact(prompt).block_reason, fact(prompt).block_side) == (category, "prompt")


def test_an_output_filter_with_billed_tokens_is_on_the_output_side():
    hit = {"hate": {"filtered": True, "severity": "high"}, "violence": {"filtered": False}}
    found = fact(chat(finish_reason="content_filter", content_filter_results=hit))
    assert (found.finish, found.block_reason, found.block_side) == ("content_filter", "hate", "output")
    assert found.has_text is False


def test_a_prompt_filter_may_come_with_status_200():
    body = {"error": {"code": "content_filter", "param": "prompt", "message": "filtered", "status": 400}}
    found = fact(body, http_status=200)
    assert (found.block_side, found.block_reason, found.finish) == ("prompt", "content_filter", "error")
    assert found.error is not None and found.error.kind == "content" and found.error.http_status == 400


PROMPT_BLOCKS = (
    "BLOCKED_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY MODEL_ARMOR JAILBREAK"
)


@pytest.mark.parametrize("reason", PROMPT_BLOCKS.split())
def test_each_block_reason_of_a_gemini_prompt(reason):
    found = fact({"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 5}})
    assert (found.block_reason, found.block_side, found.finish) == (reason, "prompt", None)


def test_a_gemini_prompt_block_and_an_output_block():
    blocked = fact({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 5}})
    assert (blocked.block_reason, blocked.block_side, blocked.finish) == ("SAFETY", "prompt", None)
    assert blocked.usage == Usage(input=5)
    cut = fact({"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"promptTokenCount": 5}})
    assert (cut.block_reason, cut.block_side) == ("SAFETY", "output")


@pytest.mark.parametrize(
    ("action", "finish", "reason", "side"),
    [("ANONYMIZED", "stop", None, None), ("BLOCKED", "content_filter", "guardrail", "output")],
)
def test_a_guardrail_that_masked_is_no_block(action, finish, reason, side):
    policy = [{"sensitiveInformationPolicy": {"piiEntities": [{"action": action, "type": "ADDRESS"}]}}]
    found = fact(
        {
            "stopReason": "guardrail_intervened",
            "output": {"message": {"role": "assistant", "content": [{"text": "{ADDRESS} it is."}]}},
            "usage": {"inputTokens": 28, "outputTokens": 26},
            "trace": {"guardrail": {"outputAssessments": {"g1": policy}}},
        }
    )
    assert (found.finish, found.block_reason, found.block_side) == (finish, reason, side)
    assert found.has_text is True


def test_responses_status_and_its_details():
    cut = fact(
        {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [],
        },
        {"max_output_tokens": 16},
    )
    assert (cut.finish, cut.finish_reason, cut.cap) == ("length", "max_output_tokens", 16)
    call = {"object": "response", "status": "completed", "output": [{"type": "function_call", "call_id": "c1"}]}
    assert fact(call).finish == "tool"
    failed = fact(
        {"object": "response", "status": "failed", "error": {"code": "server_error", "message": "x"}, "output": []}
    )
    assert failed.error is not None and failed.error.kind == "server"


@pytest.mark.parametrize("category", ["cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms", None])
def test_anthropic_refusal_names_its_category(category):
    told = {"stop_reason": "refusal", "stop_details": {"category": category}}
    found = fact({"type": "message", "content": [], "usage": {}, **told})
    assert (found.finish, found.refusal, found.usage) == ("refusal", category or "refusal", None)
    assert found.block_reason == category


def test_meters_stand_in_headers():
    meters = meters_of({"X-RateLimit-Limit-Requests": "200", "x-ratelimit-remaining-requests": "150"}, 5.0)
    assert [(m.name, m.used_percent, m.read_at) for m in meters] == [("requests", 25.0, 5.0)]
    assert meters_of({"x-ratelimit-remaining-tokens": "5"}, None) == ()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("exit_cost", "budget"),
        ("exit_context", "context"),
        ("ContextWindowExceededError", "context"),
        ("AgentTimeoutError", "time"),
        ("ApiRateLimitError", "rate"),
        ("TimeExceeded", "time"),
        ("submitted", None),
        ("NonZeroAgentExitCodeError", None),
    ],
)
def test_exit_words_of_harnesses(status, kind):
    assert block_kind(status) == kind

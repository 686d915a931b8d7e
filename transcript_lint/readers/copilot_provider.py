"""What GitHub Copilot CLI records of the model's provider: usage, window, errors, credit limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import Blocked, Event, ProviderError, ProviderResponded, Usage
from transcript_lint.readers.provider import finish_kind, provider_error
from transcript_lint.readers.shapes import number, objects, whole, words

PROVIDER = "copilot"
Data = Mapping[str, Any]
Common = dict[str, Any]


class Provider:
    """The model in use, and the responses whose output was already told."""

    def __init__(self) -> None:
        self.model = ""
        self._told: dict[str, None] = {}

    def switch(self, d: Data, common: Common) -> Iterator[Event]:
        """From here on another model answers."""
        self.model = words(d.get("newModel")) or self.model
        return iter(())

    def message(self, d: Data, text: str | None, common: Common) -> Iterator[Event]:
        """The response behind an assistant message: its output tokens, once a response."""
        self.model = words(d.get("model")) or self.model
        response = words(d.get("apiCallId")) or words(d.get("messageId"))
        output = whole(d.get("outputTokens"))
        if output is None or not self._first(response):
            return
        yield ProviderResponded(
            **{**common, "request_id": words(d.get("requestId"))},
            provider=PROVIDER,
            model=self.model,
            response_id=response,
            usage=Usage(output=output),
            has_text=bool(text and text.strip()),
            tool_call_ids=tuple(id for r in objects(d.get("toolRequests")) if (id := words(r.get("toolCallId")))),
        )

    def usage(self, d: Data, common: Common) -> Iterator[Event]:
        """A usage record; the output is left out where the message told it."""
        response, finish = words(d.get("apiCallId")), words(d.get("finishReason"))
        output = whole(d.get("outputTokens")) if self._first(response) else None
        yield ProviderResponded(
            **{**common, "request_id": words(d.get("serviceRequestId"))},
            provider=PROVIDER,
            model=words(d.get("model")) or self.model,
            response_id=response,
            finish_reason=finish,
            finish=finish_kind(finish),
            usage=Usage(
                input=whole(d.get("inputTokens")),
                output=output,
                cached=whole(d.get("cacheReadTokens")),
                reasoning=whole(d.get("reasoningTokens")),
            ),
            cap=whole(d.get("maxOutputTokens")),
        )

    def window(self, d: Data, common: Common) -> Iterator[Event]:
        """How full the context is, and how large."""
        usage = Usage(input=whole(d.get("currentTokens")))
        yield ProviderResponded(
            **common, provider=PROVIDER, model=self.model, usage=usage, window=whole(d.get("tokenLimit"))
        )

    def error(self, d: Data, common: Common) -> Iterator[Event]:
        """An error that ended a turn."""
        yield self._failed(
            provider_error(
                type=words(d.get("errorType")),
                code=words(d.get("errorCode")),
                http_status=whole(d.get("statusCode")),
                message=words(d.get("message")),
            ),
            common,
        )

    def call_failure(self, d: Data, common: Common) -> Iterator[Event]:
        """One request that failed; it may be tried again."""
        yield ProviderResponded(
            **{**common, "request_id": words(d.get("serviceRequestId"))},
            provider=PROVIDER,
            model=words(d.get("model")) or self.model,
            response_id=words(d.get("apiCallId")),
            cap=whole(d.get("maxOutputTokens")),
            error=provider_error(
                type=words(d.get("errorType")) or words(d.get("failureKind")),
                code=words(d.get("errorCode")) or words(d.get("badRequestKind")),
                http_status=whole(d.get("statusCode")),
                message=words(d.get("errorMessage")),
            ),
        )

    def compaction_failed(self, d: Data, common: Common) -> Iterator[Event]:
        """A compaction that did not come about; the context is as it was."""
        if words(d.get("error")):
            yield self._failed(provider_error(http_status=whole(d.get("statusCode")), message=d["error"]), common)

    def limit(self, d: Data, common: Common) -> Iterator[Event]:
        """The session's credits are used up."""
        yield Blocked(
            **common,
            kind="budget",
            layer="harness",
            reason="AI credits of the session are used up",
            limit=number(d.get("maxAiCredits")),
            observed=number(d.get("usedAiCredits")),
        )

    def _failed(self, error: ProviderError, common: Common) -> Event:
        return ProviderResponded(**common, provider=PROVIDER, model=self.model, error=error)

    def _first(self, response: str | None) -> bool:
        if response is None:
            return True
        if response in self._told:
            return False
        if len(self._told) >= 4096:
            del self._told[next(iter(self._told))]
        self._told[response] = None
        return True

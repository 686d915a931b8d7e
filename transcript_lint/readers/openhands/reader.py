"""The reader of OpenHands logs: which generation, and what stands around the events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint.capabilities import Decides
from transcript_lint.events import Event, Location, SessionEnded, SessionStarted
from transcript_lint.readers.base import Sample
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.openhands import legacy, sdk
from transcript_lint.readers.openhands.terminal import Tally
from transcript_lint.readers.responses import has_media, responded
from transcript_lint.readers.shapes import mapping, number, objects, words


class OpenHandsReader(DocumentReader):
    """Reads V0 events (a list, one a line, or the `history` of an output), V1 events and recorded model calls."""

    name = "openhands"
    title = "OpenHands"
    decides: ClassVar[Decides] = {
        "command ends": "yes: exit codes; out of patience means still running",
        "background ends": "partly: where a later look at the terminal shows the end",
        "compaction summary": "yes: condensations name what they forget",
        "human vs injected": "partly: by source; a benchmark's task wears the user's",
        "approvals asked": "partly: V0 by agent state; V1 only where rejected",
        "approvals answered": "partly: V0 states them; V1 logs rejections only",
        "usage": "partly: where the model's response is kept",
        "window": "partly: V1 statistics and recorded calls only",
        "meters": "no: not recorded",
        "errors": "partly: by the harness's own words",
    }
    arrays = ("", "/history")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._tally: Tally | None = None

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        head = mapping(next(iter(first), None)) if isinstance(first, list) else mapping(first)
        history = head.get("history")
        seen = [head, *sample.objects(), *objects(history)[:5]]
        if isinstance(history, list) and history and isinstance(history[0], list):
            seen += objects(history[0])
        if any(sdk.is_event(e) for e in seen):
            return 94
        if any(legacy.is_event(e) for e in seen):
            return 92
        return 90 if _is_state(head) or _is_call(head) else 0

    @classmethod
    def beside(cls, sample: Sample) -> str | None:
        first = opening(sample)
        head = mapping(next(iter(first), None)) if isinstance(first, list) else mapping(first)
        return "a list of predictions for a benchmark" if head.keys() >= {"instance_id", "model_patch"} else None

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if isinstance(value, list):
            yield from self._begin(document.at, {})
            for element, at in document.items(""):
                yield from self._element(element, at)
        elif "history" in value:
            yield from self._begin(document.at, value)
            for element, at in document.items("/history"):
                yield from self._element(element, at)
            yield from _outcome(value, document.at)
        else:
            if self._tally is None:
                yield from self._begin(document.at, value if _is_state(value) else {})
            if _is_call(value):
                yield from _model_call(value, document.at)
            elif not _is_state(value):
                yield from self._guarded(value, document.at)

    def _element(self, element: Any, at: Location) -> Iterator[Event]:
        # The oldest outputs keep [action, observation] pairs.
        pairs = isinstance(element, list)
        for index, part in enumerate(element if pairs else [element]):
            yield from self._guarded(part, at.field(f"{at.pointer}/{index}") if pairs else at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        tally = self._tally or Tally()
        if "kind" in document:
            if document["kind"] not in sdk.KINDS:
                self.unknown[str(document["kind"])] += 1
            else:
                yield from sdk.events(document, at, tally)
        elif "action" in document or "observation" in document:
            yield from legacy.events(document, at, tally)
        else:
            self.unknown["record"] += 1

    def _begin(self, at: Location, given: Mapping[str, Any]) -> Iterator[Event]:
        self._tally = Tally(benchmark="history" in given)
        metadata = mapping(given.get("metadata"))
        budget = number(given.get("max_budget_per_run")) or number(metadata.get("max_budget_per_task"))
        policy = sdk.POLICIES.get(str(mapping(given.get("confirmation_policy")).get("kind")))
        yield SessionStarted(
            at=at,
            session_id=words(given.get("instance_id")) or words(given.get("id")),
            format=self.name,
            independent=True,
            agent_name=self.name,
            approval_policy=policy or ("never" if self._tally.benchmark else "unknown"),
            interactive=False if self._tally.benchmark else None,
            limits={"budget_usd": budget} if budget else None,
        )


def _outcome(value: Mapping[str, Any], at: Location) -> Iterator[Event]:
    if error := words(value.get("error")):
        yield SessionEnded(at=at.field("/error"), status="failure", reason=error)
    elif isinstance(value.get("success"), bool):
        reason = words(value.get("result_explanation"))
        yield SessionEnded(at=at.field("/success"), status="success" if value["success"] else "failure", reason=reason)


def _model_call(value: Mapping[str, Any], at: Location) -> Iterator[Event]:
    request = {**mapping(value.get("kwargs")), "context_window": value.get("context_window") or None}
    media = has_media(value.get("messages"))
    if fact := responded(mapping(value["response"]), request, at=at, media=media):
        yield fact


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and "confirmation_policy" in value and "execution_status" in value


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and "latency_sec" in value and isinstance(value.get("response"), dict)

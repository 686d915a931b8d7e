"""ATIF trajectories (v1.0 to v1.8), with the result of a Harbor trial beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import orjson

from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    Blocked,
    CommandEnded,
    Compacted,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    ProviderResponded,
    SessionEnded,
    SessionStarted,
    Termination,
    Usage,
)
from transcript_lint.readers.base import Sample, parse_time, text_of
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.ends import exited
from transcript_lint.readers.plain_calls import ended, issued, shell_line
from transcript_lint.readers.provider import block_kind, finish_kind
from transcript_lint.readers.shapes import mapping, number, objects, whole, words

_RESULT = "result.json"
_RESULT_LIMIT = 4 << 20
_INTERRUPTED = "[interrupted] True"


class AtifReader(DocumentReader):
    """Reads `steps`. Copied context and what follows a compaction wear the user's name and are no person's."""

    name = "atif"
    title = "ATIF trajectories"
    decides: ClassVar[Decides] = {
        "command ends": "partly: no field; what the producer wrote into text or extras",
        "background ends": "no: not recorded",
        "compaction summary": "partly: the hand-off after a compaction step",
        "human vs injected": "yes: by source, copies and compaction",
        "approvals asked": "no: not recorded",
        "approvals answered": "no: not recorded",
        "usage": "yes: metrics of a step",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "partly: exception types of a trial, told by words in the output",
    }
    arrays = ("/steps",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._continued = False
        self._acted = False
        self._cut: dict[str, Any] | None = None
        self._agent: Mapping[str, Any] = {}

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = mapping(opening(sample))
        return 98 if str(first.get("schema_version")).startswith("ATIF-v1.") else 88 if _is_trial(first) else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = mapping(document.value)
        if _is_trial(value):
            yield SessionStarted(
                at=document.at, session_id=words(value.get("trial_name")), format=self.name, independent=True
            )
            yield from _trial(value, document.at)
            return
        self._agent = mapping(value.get("agent"))
        self._continued = ".cont-" in Path(self.path).name or "-cont-" in Path(self.path).name
        self._acted, self._cut = False, None
        yield SessionStarted(
            at=document.at,
            session_id=words(value.get("session_id")) or words(value.get("trajectory_id")),
            format=self.name,
            independent=not self._continued,
            agent_name=words(self._agent.get("name")) or "",
            version=words(self._agent.get("version")),
            interactive=False,
            complete=not self._continued,
        )
        for step, at in document.items("/steps"):
            yield from self._guarded(step, at)
        if (trial := _sibling(self.path)) is not None:
            place, result = trial
            yield from _trial(result, Location(path=place, line=1))

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        source = document.get("source")
        extra = mapping(document.get("extra"))
        common: dict[str, Any] = {
            "at": at,
            "turn": whole(document.get("step_id")),
            "time": parse_time(document.get("timestamp")),
        }
        text = text_of(document.get("message"))
        copied = document.get("is_copied_context") is True
        if copied or source in ("user", "system"):
            yield from self._given(source, text, extra, copied, common)
            return
        if source != "agent":
            self.unknown[str(source)] += 1
            return
        if self._cut is not None:  # nothing was handed on in words
            yield Compacted(**self._cut, trigger="auto", readable=False)
        self._acted, self._cut = True, None
        yield from self._request(document, extra, text, common)
        if text.strip():
            yield AgentText(**common, text=text)
        shells: dict[str, bool] = {}
        for call in objects(document.get("tool_calls")):
            tool, call_id = words(call.get("function_name")) or "", words(call.get("tool_call_id")) or ""
            shells[call_id] = any(shell_line(tool, call.get("arguments")))
            yield from issued(call_id, tool, call.get("arguments"), **common)
        for result in objects(mapping(document.get("observation")).get("results")):
            yield _result(result, extra, shells, common)

    def _given(
        self, source: Any, text: str, extra: Mapping[str, Any], copied: bool, common: dict[str, Any]
    ) -> Iterator[Event]:
        if mapping(extra.get("context_management")).get("type") == "compaction":
            self._cut = common
        elif self._cut is not None and source == "user" and not copied:
            yield Compacted(
                **self._cut,
                trigger="auto",
                summary=text,
                summary_at=common["at"].field(f"{common['at'].pointer}/message"),
                readable=bool(text.strip()),
            )
            self._cut = None
            yield InjectedMessage(**common, text=text, why="handoff")
        elif copied:
            yield InjectedMessage(**common, text=text, why="copied_context")
        elif source == "system":
            yield InjectedMessage(**common, text=text, why="reminder")
        elif self._continued and not self._acted:
            yield InjectedMessage(**common, text=text, why="handoff")
        else:
            yield HumanMessage(**common, text=text)

    def _request(
        self, step: Mapping[str, Any], extra: Mapping[str, Any], text: str, common: dict[str, Any]
    ) -> Iterator[Event]:
        metrics = mapping(step.get("metrics"))
        if not metrics or step.get("llm_call_count") == 0:
            return
        reason = words(extra.get("finish_reason")) or words(extra.get("stop_reason"))
        yield ProviderResponded(
            **common,
            model=words(step.get("model_name")) or words(self._agent.get("model_name")) or "",
            finish_reason=reason,
            finish=finish_kind(reason),
            usage=Usage(
                input=whole(metrics.get("prompt_tokens")),
                output=whole(metrics.get("completion_tokens")),
                cached=whole(metrics.get("cached_tokens")),
                cost_usd=number(metrics.get("cost_usd")),
            ),
            has_text=bool(text.strip()),
            text_tail=text[-400:] or None,
            tool_call_ids=tuple(str(c.get("tool_call_id")) for c in objects(step.get("tool_calls"))),
        )


def _result(
    result: Mapping[str, Any], step_extra: Mapping[str, Any], shells: Mapping[str, bool], common: dict[str, Any]
) -> CommandEnded:
    call_id = words(result.get("source_call_id")) or next(iter(shells), "")
    extra = {**step_extra, **mapping(result.get("extra"))}
    told = mapping(extra.get("tool_metadata"))
    failed = extra.get("tool_result_is_error")
    metadata = mapping(extra.get("tool_result_metadata"))
    failed = failed if isinstance(failed, bool) else metadata.get("is_error")
    found = ended(
        call_id,
        result.get("content"),
        shell=shells.get(call_id, True),
        failed=failed if isinstance(failed, bool) else None,
        **common,
    )
    if (code := whole(told.get("exit_code"))) is None:
        return found
    seconds = number(told.get("duration_seconds"))
    end: Termination = exited(code, duration_ms=None if seconds is None else int(seconds * 1000))
    return CommandEnded(**common, call_id=call_id, termination=end, stdout=found.stdout, stderr=found.stderr)


def _is_trial(value: Mapping[str, Any]) -> bool:
    return "trial_name" in value and "exception_info" in value


def _sibling(path: str) -> tuple[str, Mapping[str, Any]] | None:
    """The result of the trial a trajectory belongs to: beside it or one folder up."""
    for folder in list(Path(path).parents)[:2]:
        place = folder / _RESULT
        try:
            if not place.is_file() or place.stat().st_size > _RESULT_LIMIT:
                continue
            found = orjson.loads(place.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            continue
        if isinstance(found, dict) and _is_trial(found):
            return str(place), found
    return None


def _trial(value: Mapping[str, Any], at: Location) -> Iterator[Event]:
    """What the trial says for itself. Its exception types are guessed from words: claims, no provider's facts."""
    exception = mapping(value.get("exception_info"))
    kind = words(exception.get("exception_type"))
    time = parse_time(exception.get("occurred_at"))
    if kind and (block := block_kind(kind)):
        reason = words(exception.get("exception_message")) or kind
        yield Blocked(at=at.field("/exception_info"), time=time, kind=block, layer="harness", reason=reason)
    yield SessionEnded(at=at, time=time, status="failure" if kind else "unknown", reason=kind)

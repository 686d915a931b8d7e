"""Compaction payloads that are no log: compacted tools, lists of them, a summary with carried ends, or bare prose."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transcript_lint.events import CarriedGate, CarriedRun, Compacted, Event, Location
from transcript_lint.readers.base import MISSHAPEN, text_of
from transcript_lint.readers.native import NativeReader, parse_termination

MAX_DEPTH = 8
_IDS = ("command_id", "call_id", "tool_call_id", "id")
_SLOT = "slot_id"
_TEXTS = ("summary", "compact_summary", "text", "content")

Item = tuple[str, Mapping[str, Any], Location]


def runs(path: str, data: bytes) -> Iterator[Event]:
    """What a payload says of commands and gates, as the events of their ends: the side before a compaction."""
    reader = NativeReader(path)
    for id, item, at in _items(path, data):
        for record in _gate_records(item) if _SLOT in item else (_command_record(id, item),):
            with contextlib.suppress(*MISSHAPEN):
                yield from reader.record(record, at)


def _command_record(id: str, item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "v": 1,
        "event": "command",
        "tool": str(item.get("tool") or "run"),
        "stdout_tail": item.get("stdout_tail_observed"),
        "observed_markers": item.get("success_like_markers_observed"),
        **_timed(item),
        "command_id": id,
    }


def _gate_records(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A gate that was asked, and what closed it where something did."""
    yield {**_timed(item), "v": 1, "event": "awaiting_human"}
    if isinstance(item.get("outcome"), str):
        reply = item.get("text", item.get("reply"))
        yield {"by": "harness", **_timed(item), "v": 1, "event": "human_reply", "text": reply}


def _timed(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item without what is no time: facts name a place by `at`."""
    return item if isinstance(item.get("at"), str | None) else {k: v for k, v in item.items() if k != "at"}


def compacted(path: str, data: bytes) -> Compacted:
    """A payload as the replacement of a context: its prose and the ends that it carries, by call id."""
    at = Location(path=path, line=1, length=len(data))
    documents = list(_documents(data))
    if not documents:
        prose = data.decode("utf-8", "replace")
        return Compacted(at=at, summary=(prose.strip() and prose) or None, summary_at=at, readable=bool(prose.strip()))
    items = list(_items(path, data))
    carried = tuple(_carried(id, item) for id, item, _ in items if _SLOT not in item)
    gates = tuple(_gate(item) for _, item, _ in items if _SLOT in item)
    texts = [text for _, document in documents for text in _texts(document)]
    summary = "\n\n".join(texts) or None
    return Compacted(
        at=at, summary=summary, summary_at=at, carried=carried, gates=gates, readable=bool(items or summary)
    )


def _gate(item: Mapping[str, Any]) -> CarriedGate:
    outcome = "approved" if item.get("user_consent") is True else item.get("outcome")
    return CarriedGate(slot_id=str(item[_SLOT]), outcome=outcome if isinstance(outcome, str) else None)


def _carried(id: str, item: Mapping[str, Any]) -> CarriedRun:
    termination = item.get("termination")
    must_rerun, status = item.get("must_rerun"), item.get("status")
    stdout = item.get("stdout_tail_observed", item.get("stdout_tail"))
    markers = item.get("success_like_markers_observed")
    end = None
    if isinstance(termination, Mapping):
        with contextlib.suppress(*MISSHAPEN):
            end = parse_termination(termination)
    return CarriedRun(
        call_id=id,
        termination=end,
        status=status if isinstance(status, str) else None,
        must_rerun=must_rerun if isinstance(must_rerun, bool) else None,
        stdout=stdout if isinstance(stdout, str) else None,
        markers=tuple(m for m in markers if isinstance(m, str)) if isinstance(markers, list) else (),
        notes=text_of(item.get("notes")) or None,
    )


def _documents(data: bytes) -> Iterator[tuple[int, Any]]:
    """(line, document) of one JSON document or of JSON lines; nothing when it is prose."""
    with contextlib.suppress(orjson.JSONDecodeError):
        whole = orjson.loads(data)
        if isinstance(whole, dict | list):
            yield 1, whole
            return
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            document = orjson.loads(line)
        except orjson.JSONDecodeError:
            return
        if not isinstance(document, dict | list):
            return
        found.append((number, document))
    yield from found


def _items(path: str, data: bytes) -> Iterator[Item]:
    """Every compacted tool and gate of a payload with its id; a tool without one is the n-th of its kind (`bash#1`)."""
    seen: Counter[str] = Counter()
    for line, document in _documents(data):
        for pointer, item in _walk(document, ""):
            id = next((str(item[k]) for k in _IDS if item.get(k) is not None), "")
            if not id and _SLOT not in item:
                tool = str(item.get("tool") or "run")
                seen[tool] += 1
                id = f"{tool}#{seen[tool]}"
            yield id, item, Location(path=path, line=line, pointer=pointer)


def _walk(value: Any, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if pointer.count("/") > MAX_DEPTH:
        return
    if isinstance(value, list):
        for number, child in enumerate(value):
            yield from _walk(child, f"{pointer}/{number}")
    elif isinstance(value, dict):
        run = "termination" in value or isinstance(value.get("must_rerun"), bool)
        if run or ("status" in value and "tool" in value) or isinstance(value.get(_SLOT), str | int):
            yield pointer, value
            return
        for key, child in value.items():
            yield from _walk(child, f"{pointer}/{key}")


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        yield from (text for key in _TEXTS if (text := text_of(document.get(key))).strip())

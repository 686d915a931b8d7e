"""Tools that put a question to a person, by their name, and what their results say of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from transcript_lint import patterns as re
from transcript_lint.claims.approval import Reply, read_reply
from transcript_lint.claims.concepts import CAMEL, sentinels
from transcript_lint.events import CommandEnded, CommandIssued

_ASKS = re.compile(
    r"(?:^|_)(?:ask|request|get|obtain|seek|need|await|wait_for|collect|solicit|prompt|query|require)_(?:\w+_)?"
    r"(?:human|user|person|operator|owner|approval|approve|sign_?off|signoff|confirmation|consent|permission|go_?ahead"
    r"|clearance|authori[sz]ation|human_input|user_input|feedback|decision|ok)(?:_|$)"
    r"|(?:^|_)(?:human|user|manual|manager)_(?:input|approval|feedback|review|confirmation|decision|in_the_loop|consent)(?:_|$)"
    r"|(?:^|_)(?:approval|confirmation|consent|sign_?off|signoff)_(?:request|gate|step|prompt)(?:_|$)"
    r"|(?:^|_)(?:confirm|clarify|check)_with_(?:human|user|owner|person|operator|\w+)(?:_|$)|^(?:ask|ask_?human|ask_?user)$"
)
_WORD_FIELDS = ("question", "text", "message", "prompt", "body", "title", "summary", "content", "description", "action")
_STATE_FIELDS = ("status", "state", "outcome", "decision", "result", "resolution", "verdict")
_ANSWER_FIELDS = (
    "answer",
    "response",
    "reply",
    "choice",
    "selected",
    "value",
    "decision",
    "input",
    "feedback",
    "comment",
)
_FLAG_FIELDS = ("approved", "confirmed", "accepted", "granted", "allowed", "consent", "signed_off", "signed")
_SILENT = frozenset(
    [
        "expired",
        "timeout",
        "timed_out",
        "timedout",
        "no_response",
        "no_reply",
        "no_answer",
        "unanswered",
        "unreachable",
        "away",
        "ignored",
        "lapsed",
        "none",
        "elapsed",
        "not_answered",
        "no_decision",
        "undecided",
        "abandoned",
        "deadline_exceeded",
    ]
)
_YES = frozenset(
    [
        "approved",
        "approve",
        "accepted",
        "accept",
        "confirmed",
        "confirm",
        "granted",
        "yes",
        "ok",
        "okay",
        "allowed",
        "allow",
        "signed",
        "signed_off",
    ]
)
_NO = frozenset(
    [
        "denied",
        "deny",
        "rejected",
        "reject",
        "declined",
        "decline",
        "refused",
        "no",
        "disallowed",
        "forbidden",
        "vetoed",
    ]
)


def asks_person(event: CommandIssued) -> bool:
    """Whether a call puts something to a person, by its tool's name."""
    return event.command is None and event.argv is None and _asks(event.tool)


@lru_cache(maxsize=256)
def _asks(tool: str) -> bool:
    return _ASKS.search(CAMEL.sub("_", tool).lower()) is not None


def question_of(event: CommandIssued) -> tuple[str, tuple[str, ...]]:
    """What a call asks, and the options it offers; the tool's name where its arguments hold no words."""
    arguments = event.arguments if isinstance(event.arguments, Mapping) else {}
    said = [str(arguments[key]) for key in _WORD_FIELDS if isinstance(arguments.get(key), str)]
    offered: Any = arguments.get("options") or arguments.get("choices")
    options = tuple(str(o) for o in offered if isinstance(o, str))[:20] if isinstance(offered, list) else ()
    return " ".join(said)[:2000] or event.tool, options


def answer_of(event: CommandEnded) -> tuple[str, str | None]:
    """How a question ended by the result of its call: timeout, none, approved, denied, answered or unknown; the words.

    A null where the answer should stand is none; a result that only tells that the question was sent is unknown.
    """
    text = event.stdout.strip()
    record = _record(text)
    if record is None:
        folded = text.casefold()
        if text and len(text) < 300 and any(s in folded for s in sentinels()):
            return "timeout", None
        return ("unknown", None) if not text else _by_words(text)
    states = {_folded(v) for key, v in _fields(record, _STATE_FIELDS) if isinstance(v, str)}
    answers = [v for key, v in _fields(record, _ANSWER_FIELDS) if _folded(v) not in _SILENT]
    said = next((v for v in answers if isinstance(v, str) and v.strip()), None)
    flags = [v for _, v in _fields(record, _FLAG_FIELDS) if isinstance(v, bool)]
    if states & _SILENT:
        return "timeout", None
    if states & _NO or (flags and not any(flags) and said):
        return "denied", said
    if states & _YES or any(flags):
        return "approved", said
    if said is not None:
        return "answered", said
    asked_null = any(v is None or v in ("", [], {}) for _, v in _fields(record, _ANSWER_FIELDS))
    return ("none", None) if asked_null and not states else ("unknown", None)


def _by_words(text: str) -> tuple[str, str | None]:
    read = read_reply(text)
    if len(text) > 2000 or (read is Reply.OTHER and "sent" in text.casefold()):
        return "unknown", None
    return "answered", text


def _record(text: str) -> Mapping[str, Any] | None:
    if not text.startswith("{") or len(text) > 100_000:
        return None
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _fields(record: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The fields of these names, at the top and one level down."""
    for holder in (record, *(v for v in record.values() if isinstance(v, dict))):
        for name in names:
            if name in holder and not isinstance(holder[name], dict):
                yield name, holder[name]


def _folded(value: object) -> str:
    return str(value).strip().casefold().replace(" ", "_").replace("-", "_")

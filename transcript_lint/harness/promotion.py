"""Nothing is promoted in a compaction: what had to be run again before it still has to be after it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from transcript_lint.harness import store
from transcript_lint.redact import Redactor

Json = Any

FORBIDDEN_FIELDS = frozenset(("confirmed", "verified", "user_approved"))
"""Fields that no compacted form has, since a compressor is no verifier."""
_QUOTED_FIELDS = frozenset(
    (
        *("stdout_tail_observed", "success_like_markers_observed", "stdout_tail", "stderr_tail", "observed_markers"),
        *("termination", "tool", "argv", "command", "command_id", "status"),
    )
)
_END_FIELDS = ("kind", "exit_code", "signal", "timed_out")
_UNANSWERED = frozenset(("timeout", "none", "auto", "rejected", "escalated", None))


class Promotion(Struct, frozen=True, kw_only=True):
    """One thing that a compaction would have raised. `field` is its JSON pointer; `promotion` as in guard records."""

    field: str
    promotion: str
    reason: str
    command_id: str | None = None


class FalseConfirmation(Exception):  # noqa: N818 - the public name
    """A compaction promotes what was not confirmed; `promotions` names every offending field."""

    def __init__(self, promotions: Sequence[Promotion]) -> None:
        super().__init__("; ".join(f"{p.field or '/'}: {p.reason}" for p in promotions))
        self.promotions = tuple(promotions)


def compact_observation(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fixed, safe form of one feedback record, for a compaction to carry."""
    must_rerun = _must_rerun(record)
    return {
        "command_id": record.get("command_id"),
        "tool": record.get("tool"),
        "status": "failed_or_incomplete" if must_rerun else "succeeded",
        "termination": record.get("termination"),
        "must_rerun": must_rerun,
        "stdout_tail_observed": record.get("stdout_tail") or "",
        "success_like_markers_observed": list(record.get("observed_markers") or ()),
        "notes": "must be run again; what it printed proves nothing" if must_rerun else "",
    }


def assert_no_false_confirmation(summary: Json) -> None:
    """Raise FalseConfirmation if a compaction contradicts itself or claims success while something must be re-run.

    `summary` is prose, one compacted tool, a list of them, or a compaction record with a `summary` and
    `carried_terminations`.
    """
    if promotions := list(_within(summary)):
        raise FalseConfirmation(promotions)


def guard(pre: Json, post: Json, *, record_file: str | Path | None = None) -> None:
    """Raise FalseConfirmation if `post` promotes anything that `pre` left open; each stop goes into `record_file`.

    `pre` are the records (or compacted tools) that the compaction replaces, `post` is what replaces them.
    """
    promotions = promotions_between(pre, post)
    if not promotions:
        return
    if record_file is not None:
        for promotion in promotions:
            store.append(record_file, _guard_record(promotion))
    raise FalseConfirmation(promotions)


def promotions_between(pre: Json, post: Json) -> list[Promotion]:
    """Everything that a compaction raises: against what stood before it, and within itself."""
    before = {str(item["command_id"]): item for _, item in _items(pre) if item.get("command_id") is not None}
    still_open = {id for id, item in before.items() if _must_rerun(item)} - _cleared(pre)
    found = list(_within(post, before=pre, still_open=still_open))
    carried: set[str] = set()
    for pointer, item in _items(post):
        id = str(item.get("command_id"))
        if id in before:
            carried.add(id)
            found += _changed(pointer, item, before[id], id, id in still_open)
    if carried:
        found += (
            Promotion(
                field="", promotion="must_rerun_dropped", reason=f"{id} must be re-run and is gone", command_id=id
            )
            for id in sorted(still_open - carried)
        )
    found += _consents(pre, post)
    return list(dict.fromkeys(found))


def _within(summary: Json, *, before: Json = None, still_open: Iterable[str] | None = None) -> Iterator[Promotion]:
    items = list(_items(summary))
    for pointer, item in items:
        yield from _self_contradiction(pointer, item)
    must_rerun = bool(still_open) or any(_must_rerun(item) for _, item in items)
    if must_rerun or still_open is None:
        claiming = must_rerun or (isinstance(summary, str) and still_open is None)
        for pointer, text in _prose(summary):
            if claiming:
                yield from _banned(pointer, text, before)


def _self_contradiction(pointer: str, item: Mapping[str, Any]) -> Iterator[Promotion]:
    id = item.get("command_id")
    must_rerun = _must_rerun(item)
    if must_rerun and item.get("status") == "succeeded":
        yield Promotion(
            field=f"{pointer}/status", promotion="status", reason="succeeded beside must_rerun", command_id=id
        )
    for name in FORBIDDEN_FIELDS & item.keys():
        kind = "consent" if name == "user_approved" else "status"
        yield Promotion(
            field=f"{pointer}/{name}", promotion=kind, reason=f"a compaction has no field {name!r}", command_id=id
        )
    if item.get("must_rerun") is False and _ended_badly(item.get("termination")):
        yield Promotion(
            field=f"{pointer}/must_rerun",
            promotion="must_rerun_dropped",
            reason="false beside a termination that did not succeed",
            command_id=id,
        )


def _changed(
    pointer: str, item: Mapping[str, Any], was: Mapping[str, Any], id: str, still_open: bool
) -> Iterator[Promotion]:
    end, before = item.get("termination"), was.get("termination")
    if before and not end:
        yield Promotion(
            field=f"{pointer}/termination", promotion="termination_removed", reason="the end is gone", command_id=id
        )
    elif before and end:
        for name in _END_FIELDS:
            if before.get(name) != end.get(name):
                yield Promotion(
                    field=f"{pointer}/termination/{name}",
                    promotion="termination_changed",
                    reason=f"was {before.get(name)!r}, is {end.get(name)!r}",
                    command_id=id,
                )
    if still_open and item.get("must_rerun") is not True:
        yield Promotion(
            field=f"{pointer}/must_rerun",
            promotion="must_rerun_dropped",
            reason=f"was true, is {item.get('must_rerun')!r}",
            command_id=id,
        )


def _banned(pointer: str, text: str, before: Json) -> Iterator[Promotion]:
    """Success that prose asserts and no run before it carries."""
    from transcript_lint.claims import extract_text
    from transcript_lint.events import AgentText, Location
    from transcript_lint.evidence import Grade, weigh
    from transcript_lint.harness.history import ledger_of
    from transcript_lint.settings import Settings

    said = AgentText(at=Location(path="summary", line=1, pointer=pointer), text=text)
    claims = [c for c in extract_text(text, said, Settings()) if c.polarity == "success" and not c.admits]
    if not claims:
        return
    ledger = ledger_of(item for _, item in _items(before)) if before is not None else None
    for claim in claims:
        if ledger is not None and weigh(claim, ledger).grade in (Grade.TERMINATED, Grade.VERIFIED):
            continue
        quoted = Redactor().text(claim.text.strip())[:160]
        yield Promotion(
            field=pointer, promotion="banned_word", reason=f"claims {quoted!r} while something must be run again"
        )


def _consents(pre: Json, post: Json) -> Iterator[Promotion]:
    """A person's silence turned into consent."""
    slots: dict[str, Any] = {}
    for _, item in _dicts(pre):
        if item.get("event") == "awaiting_human" or (item.get("slot_id") is not None and "outcome" not in item):
            slots.setdefault(str(item.get("slot_id")), None)
        elif item.get("slot_id") is not None:
            slots[str(item["slot_id"])] = item.get("outcome")
    silent = {slot for slot, outcome in slots.items() if outcome in _UNANSWERED}
    for pointer, item in _dicts(post):
        slot = str(item.get("slot_id"))
        approves = item.get("user_consent") is True or item.get("outcome") in ("approved", "edited")
        if approves and (slot in silent or item.get("outcome") in ("timeout", "none", "auto")):
            field = f"{pointer}/{'user_consent' if item.get('user_consent') is True else 'outcome'}"
            yield Promotion(field=field, promotion="consent", reason=f"nobody answered {slot}")
    if not silent:
        return
    from transcript_lint.claims.approval import Kind, sayings

    for pointer, text in _prose(post):
        for saying in sayings(text):
            if saying.kind in (Kind.YES, Kind.SILENCE):
                quoted = Redactor().text(saying.text.strip())[:160]
                yield Promotion(field=pointer, promotion="consent", reason=f"{quoted!r}, and nobody answered")


def _items(value: Json) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every run in a value, compacted or not, with its JSON pointer."""
    for pointer, item in _dicts(value):
        if "termination" in item or "must_rerun" in item or (FORBIDDEN_FIELDS & item.keys()):
            yield pointer, item


def _dicts(value: Json, pointer: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        yield pointer, value
        children: Iterable[tuple[Any, Any]] = ((k, v) for k, v in value.items() if k != "termination")
    elif isinstance(value, list | tuple):
        children = enumerate(value)
    else:
        return
    for key, child in children:
        if pointer.count("/") < 16:
            yield from _dicts(child, f"{pointer}/{_escape(key)}")


def _prose(value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every text that says something in the summariser's own words."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, child in value.items():
            if key not in _QUOTED_FIELDS and pointer.count("/") < 16:
                yield from _prose(child, f"{pointer}/{_escape(key)}")
    elif isinstance(value, list | tuple):
        for number, child in enumerate(value):
            yield from _prose(child, f"{pointer}/{number}")


def _escape(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _must_rerun(item: Mapping[str, Any]) -> bool:
    stated = item.get("must_rerun")
    return stated if isinstance(stated, bool) else _ended_badly(item.get("termination"))


def _ended_badly(termination: Any) -> bool:
    """True unless it is known to have succeeded, unmasked; without a termination nothing is known here."""
    if not isinstance(termination, Mapping):
        return False
    return termination.get("kind") != "ok" or bool(termination.get("masked"))


def _cleared(pre: Json) -> set[str]:
    """Runs that a later run of the same target ended ok for, as far as the records hold their commands."""
    from transcript_lint.harness.history import ledger_of
    from transcript_lint.harness.standing import standing

    records = [item for _, item in _items(pre)]
    if not any(item.get("argv") or item.get("command") for item in records):
        return set()
    return {s.command_id for s in standing(ledger_of(records)) if s.cleared_by is not None}


def _guard_record(promotion: Promotion) -> dict[str, Any]:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "v": 1,
        "event": "guard",
        "at": now,
        "blocked": True,
        "command_id": promotion.command_id,
        "field": promotion.field,
        "reason": promotion.reason,
        "promotion": promotion.promotion,
    }

"""Human slots: a question that waits for a person, and what closed it. Silence closes it as a no, never as a yes."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from transcript_lint.harness import store

ON_TIMEOUT = {"reject": ("deny", "rejected"), "escalate": ("escalate", "escalated")}
_CONSENT = {"approved": True, "edited": True, "denied": False, "rejected": False, "escalated": False}


class Slot(Struct, frozen=True, kw_only=True):
    """An open question. `deadline` is a moment in UTC, None for one that waits without end."""

    slot_id: str
    question: str
    on_timeout: str
    asked_at: datetime.datetime
    deadline: datetime.datetime | None
    record_file: Path
    arguments_sha256: str | None = None


def ask(
    question: str,
    *,
    gates: Mapping[str, Any] | Sequence[str] | None = None,
    timeout: float | None = None,
    on_timeout: str = "reject",
    options: Sequence[str] = (),
    record_file: str | Path = store.DEFAULT_FILE,
) -> Slot:
    """Open a slot and write it down. `gates` is what waits: an argument vector, or `command_id`, `tool`, `arguments`.

    `timeout` in seconds; when it passes the slot is rejected or escalated. Raises ValueError on any other `on_timeout`.
    """
    if on_timeout not in ON_TIMEOUT:
        raise ValueError(f"on_timeout is 'reject' or 'escalate', not {on_timeout!r}: silence never approves")
    from transcript_lint.readers.native import arguments_hash

    gated: Mapping[str, Any] = {} if gates is None else gates if isinstance(gates, Mapping) else {"argv": list(gates)}
    sha = gated.get("arguments_sha256") or arguments_hash(gated)
    now = datetime.datetime.now(datetime.UTC)
    slot = Slot(
        slot_id=uuid.uuid4().hex,
        question=question,
        on_timeout=on_timeout,
        asked_at=now,
        deadline=None if timeout is None else now + datetime.timedelta(seconds=timeout),
        record_file=Path(record_file),
        arguments_sha256=sha,
    )
    record = {
        "v": 1,
        "event": "awaiting_human",
        "at": _rfc3339(now),
        "slot_id": slot.slot_id,
        "question": question,
        "command_id": gated.get("command_id"),
        "tool": gated.get("tool") or ("run" if "argv" in gated else None),
        "arguments_sha256": sha,
        "options": list(options),
        "timeout_ms": None if timeout is None else round(timeout * 1000),
        "on_timeout": ON_TIMEOUT[on_timeout][0],
    }
    store.append(slot.record_file, record)
    return slot


def answer(slot: Slot, outcome: str | None, *, by: str = "human", text: str | None = None) -> dict[str, Any]:
    """Close a slot and write down how: `approved`, `denied`, `edited`, `answered` or `auto`; None when nobody answered.

    Nobody's answer, and any that comes after the deadline, is recorded as rejected or escalated, by the harness.
    Only a person approves: raises ValueError when anybody else is said to.
    """
    if outcome in ("approved", "edited") and by != "human":
        raise ValueError(f"{by} cannot approve; record it as outcome 'auto'")
    now = datetime.datetime.now(datetime.UTC)
    late = slot.deadline is not None and now >= slot.deadline
    if outcome is None or late:
        outcome, by = ON_TIMEOUT[slot.on_timeout][1], "harness"
    record = {
        "v": 1,
        "event": "human_reply",
        "at": _rfc3339(now),
        "slot_id": slot.slot_id,
        "outcome": outcome,
        "by": by,
        "text": text,
        "user_consent": _CONSENT.get(outcome),
        "arguments_sha256": slot.arguments_sha256,
        "latency_ms": round((now - slot.asked_at).total_seconds() * 1000),
    }
    store.append(slot.record_file, record)
    return record


def _rfc3339(moment: datetime.datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

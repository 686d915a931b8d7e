"""The runtime half: run commands with a feedback record, guard compactions, gate effects, ask people.

Everything here is loaded when it is first asked for, so that `transcript-lint run` starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transcript_lint.harness.gating import gate
    from transcript_lint.harness.known import facts
    from transcript_lint.harness.promotion import (
        FalseConfirmation,
        assert_no_false_confirmation,
        compact_observation,
        guard,
    )
    from transcript_lint.harness.run import Feedback, MissingFeedback, require_feedback, run_with_feedback
    from transcript_lint.harness.slots import Slot, answer, ask
    from transcript_lint.harness.store import last, load_records

_HOMES = {
    "facts": "known",
    "gate": "gating",
    "FalseConfirmation": "promotion",
    "assert_no_false_confirmation": "promotion",
    "compact_observation": "promotion",
    "guard": "promotion",
    "Feedback": "run",
    "MissingFeedback": "run",
    "require_feedback": "run",
    "run_with_feedback": "run",
    "Slot": "slots",
    "answer": "slots",
    "ask": "slots",
    "last": "store",
    "load_records": "store",
}

__all__ = [
    "FalseConfirmation",
    "Feedback",
    "MissingFeedback",
    "Slot",
    "answer",
    "ask",
    "assert_no_false_confirmation",
    "compact_observation",
    "facts",
    "gate",
    "guard",
    "last",
    "load_records",
    "require_feedback",
    "run_with_feedback",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

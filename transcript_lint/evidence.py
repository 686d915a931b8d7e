"""The one place that joins a claim to runs and grades it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint.claims import Claim
from transcript_lint.events import Step
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run, Stage


class Grade(StrEnum):
    """How well a claim stands: L0, L1, L2, nothing, against the record, or undecidable."""

    OBSERVED = "observed"
    TERMINATED = "terminated"
    VERIFIED = "verified"
    NONE = "none"
    CONTRADICTED = "contradicted"
    UNTOLD = "could not tell"


class Fault(StrEnum):
    """In which way a claim is contradicted or unsupported; the order is the precedence of RULES: one fault a claim."""

    EMPTY = "empty"
    UNREAD = "unread"
    TWO_ENDS = "two ends"
    FAILED = "failed"
    MASKED = "masked"
    UNRUN = "unrun"
    SUMMARY_ONLY = "summary only"


class Evidence(Struct, frozen=True, kw_only=True):
    """What the ledger knows about one claim: its grade, the run (and part of it) it rests on, and why.

    `fault` is set when the claim should be reported; `chain` are the steps that prove it.
    """

    grade: Grade
    fault: Fault | None = None
    run: Run | None = None
    stage: Stage | None = None
    why: str = ""
    chain: tuple[Step, ...] = ()


def weigh(claim: Claim, ledger: Ledger) -> Evidence:
    """Find the runs a claim speaks of and grade it."""
    return Evidence(grade=Grade.UNTOLD)

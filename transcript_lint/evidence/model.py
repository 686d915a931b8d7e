"""What the ledger knows about a claim: the grade, and the fault if there is one."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from transcript_lint.events import Step
from transcript_lint.ledger.runs import Run, Stage

Pair = tuple[Run, Stage]


class Grade(StrEnum):
    """How well a claim stands: L0, L1, L2, nothing, against the record, or undecidable."""

    OBSERVED = "observed"
    TERMINATED = "terminated"
    VERIFIED = "verified"
    NONE = "none"
    CONTRADICTED = "contradicted"
    UNTOLD = "could not tell"


class Fault(StrEnum):
    """In which way a claim is contradicted or unsupported: one fault a claim, chosen by the precedence of the rules."""

    EMPTY = "empty"
    UNREAD = "unread"
    NOTIFIED = "notified"
    TWO_ENDS = "two ends"
    FAILED = "failed"
    MASKED = "masked"
    UNRUN = "unrun"
    MISCOUNTED = "miscounted"
    SUMMARY_ONLY = "summary only"


class Evidence(Struct, frozen=True, kw_only=True):
    """What the ledger knows about one claim: its grade, the run and the command of it that it rests on, and why.

    `fault` is set when the claim should be reported; `chain` are the steps that prove it. `doubt` says in words what
    keeps a fault from being certain ("a command of unknown kind ran before it"). `tentative`: only nearness joins the
    claim to its run.
    """

    grade: Grade
    fault: Fault | None = None
    run: Run | None = None
    stage: Stage | None = None
    why: str = ""
    doubt: str = ""
    tentative: bool = False
    chain: tuple[Step, ...] = ()

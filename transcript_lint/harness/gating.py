"""No critical effect on an open check: is everything that guards it ok, by the latest run of each target?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from transcript_lint.commandline import VERIFYING, Kind, parse
from transcript_lint.events import EndKind, Step
from transcript_lint.harness.history import ledger_of, read_log
from transcript_lint.harness.standing import Standing, standing, targets
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import UNANSWERED, Ask
from transcript_lint.ledger.guards import guards
from transcript_lint.settings import Settings

ANY_CHECK = VERIFYING | {Kind.SCRIPT, Kind.MIGRATE, Kind.DEPLOY, Kind.INSTALL, Kind.OTHER}


class Block(Struct, frozen=True, kw_only=True):
    """One thing that is not ok: what is required, why it blocks, and the records that show it.

    `escalate`: the run timed out again when it was repeated; ask a person, not for one more summary.
    """

    target: str
    reason: str
    chain: tuple[Step, ...] = ()
    escalate: bool = False


class Verdict(Struct, frozen=True, kw_only=True):
    """The answer of the gate: open only if nothing blocks."""

    blocks: tuple[Block, ...]

    @property
    def ok(self) -> bool:
        """Whether the effect may be brought about."""
        return not self.blocks


def gate(
    records: str | Path | Iterable[Mapping[str, Any]],
    *,
    require: Sequence[str] = (),
    purpose: str | None = None,
    settings: Settings | None = None,
) -> Verdict:
    """Judge a record file with its older parts, any readable log, or records in memory.

    `require` names targets that must have run and ended ok (a command, a program, or a kind such as `test`);
    `purpose` an effect, whose usual verifiers must not be open. With neither, every run must have ended ok.
    Raises UnreadableLog.
    """
    if isinstance(records, str | Path):
        ledger = Ledger(settings)
        for event in read_log(str(records)):
            ledger.update(event)
    else:
        ledger = ledger_of(records, settings)
    return judge(ledger, require=require, purpose=purpose)


def judge(ledger: Ledger, *, require: Sequence[str] = (), purpose: str | None = None) -> Verdict:
    """The gate over a ledger that has seen everything."""
    runs = standing(ledger)
    blocks: list[Block] = []
    for name in require:
        matching = [s for s in runs if _names(name, s)]
        if not matching:
            blocks.append(Block(target=name, reason="never ran"))
        elif matching[-1].open:
            blocks.append(_block(matching[-1], runs))
        else:
            blocks += (_block(s, runs) for s in matching if s.open)
    if not require or purpose is not None:
        kinds = _kinds(purpose, ledger.settings)
        blocks += (_block(s, runs) for s in runs if s.open and _counts(s, kinds, purpose))
        blocks += (_open_slot(ask) for ask in ledger.asks.slots.values() if _undecided(ask))
    return Verdict(blocks=tuple(dict.fromkeys(blocks)))


def _kinds(purpose: str | None, settings: Settings) -> frozenset[Kind]:
    if purpose is None:
        return ANY_CHECK
    kinds = guards(purpose, settings.guards) or VERIFYING
    # A script may be the check: better one question too many before what cannot be undone.
    return kinds if purpose in settings.guards else kinds | {Kind.SCRIPT}


def _counts(one: Standing, kinds: frozenset[Kind], purpose: str | None) -> bool:
    """Whether a run can block: by its kind, or (with no purpose named) because its own record says so."""
    return any(part.kind in kinds for part in one.run.line.parts) or (
        purpose is None and bool(one.run.stated_must_rerun)
    )


def _names(name: str, run: Standing) -> bool:
    if name in (part.kind.value for part in run.run.line.parts):
        return True
    wanted = [part.target for part in parse(name).parts]
    return any(
        target.program == one.program and set(one.scope) <= set(target.scope)
        for one in wanted
        for target in targets(run.run)
    )


def _block(one: Standing, runs: Sequence[Standing]) -> Block:
    attempts = [s for s in runs if s.open and s.run.line.text == one.run.line.text and s.run.index <= one.run.index]
    timeouts = [s for s in attempts if s.run.termination is not None and s.run.termination.kind is EndKind.TIMEOUT]
    escalate = len(timeouts) > 1 and timeouts[-1] is one
    reason = f"{one.why} and was not run again"
    if escalate:
        reason = f"timed out {len(timeouts)} times: ask a person"
    return Block(target=one.run.name, reason=reason, chain=one.run.chain, escalate=escalate)


def _undecided(ask: Ask) -> bool:
    """Whether a recorded gate waits for a person still, or was passed on to one. A person's no is a decision."""
    if ask.asked is None:
        return False
    return ask.standing in UNANSWERED or (ask.last is not None and ask.last.outcome == "escalated")


def _open_slot(ask: Ask) -> Block:
    answer = ask.last
    how = f"closed as {answer.outcome} by {answer.by}" if answer else "nobody answered"
    return Block(target=ask.question or ask.slot, reason=how, chain=ask.chain)

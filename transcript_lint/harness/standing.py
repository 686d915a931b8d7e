"""Where each run stands now: ok, to be run again, or not known, and what cleared it."""

from __future__ import annotations

from msgspec import Struct

from transcript_lint.commandline import INERT, Target, covers
from transcript_lint.events import Step
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.runs import Stage
from transcript_lint.ledger.verdicts import CONTRARY, Verdict


class Standing(Struct, kw_only=True):
    """One run. `state`: ok, must_rerun, unknown (no end, masked without a result, still going).

    Unknown counts as must-rerun here: nothing may be built on it. `cleared_by` is the step of a later run of the same
    target that ended ok, or of an L2 record.
    """

    command_id: str
    run: Run
    state: str
    why: str
    cleared_by: Step | None = None

    @property
    def open(self) -> bool:
        """Whether nothing may be built on it."""
        return self.state != "ok" and self.cleared_by is None


def standing(ledger: Ledger) -> list[Standing]:
    """Every shell run that can carry a result, in order."""
    found: list[Standing] = []
    for run in reversed(list(ledger.runs.latest())):
        # A listing is no result, unless its own record says that it must be run again.
        if not run.shell or (not run.stated_must_rerun and all(part.kind in INERT for part in run.line.parts)):
            continue
        one = _judge(run)
        found.append(one)
        if one.state == "ok":
            for earlier in found[:-1]:
                if earlier.open and covers_run(run, earlier.run):
                    earlier.cleared_by = (
                        Step(run.ended.at, f"ran again and ended ok: {run.name}") if run.ended else None
                    )
    return found


def _judge(run: Run) -> Standing:
    stages = [stage for stage in run.stages if not stage.part.expects_failure]
    cleared = _cleared(stages)
    if run.stopped_on_purpose:
        state, why = "ok", "was stopped on purpose"
    elif run.termination is None:
        state, why = "unknown", "has no recorded end"
    elif contrary := [stage for stage in stages if stage.verdict in CONTRARY]:
        state, why = "must_rerun", contrary[-1].why
    elif run.stated_must_rerun:
        state, why = "must_rerun", "its record says it must be run again"
    elif all(stage.verdict is Verdict.OK for stage in stages):
        state, why = "ok", run.termination.describe()
    else:
        state, why = "unknown", next(stage.why for stage in stages if stage.verdict is not Verdict.OK)
    return Standing(command_id=run.call_id, run=run, state=state, why=why or "has no recorded end", cleared_by=cleared)


def _cleared(stages: list[Stage]) -> Step | None:
    """What cleared a run that ended badly, if all of it is cleared."""
    bad = [stage for stage in stages if stage.verdict is not Verdict.OK]
    return bad[-1].cleared if bad and all(stage.cleared is not None for stage in bad) else None


def targets(run: Run) -> list[Target]:
    """What a run works on; inert commands count only where there is nothing else."""
    return [part.target for part in run.line.parts if part.kind not in INERT] or [p.target for p in run.line.parts]


def covers_run(later: Run, earlier: Run) -> bool:
    """Whether a later run stands for an earlier one: the same targets, or wider ones."""
    return all(any(covers(target, old) for target in targets(later)) for old in targets(earlier))

"""TL601: something outward was done while the check that guards it was open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.commandline import Kind, Part, pushes_shared
from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Event
from transcript_lint.finding import Abstention, Level, Outcome, Pending
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.acts import act_of
from transcript_lint.ledger.runs import Stage
from transcript_lint.ledger.verdicts import Verdict
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, human, says, session
from transcript_lint_rules.effect.checks import guarding_kinds, kind_of, open_check, overridden

MOST_PENDING = 1_000
DRAFT_WITHIN = 16
"""How many events may lie between a push to a branch of one's own and the draft it was made for."""
_CHECK_ROW = re.compile(r"^(?P<name>[^\t\n]+)\t(?P<state>\w+)\t", re.M)


class SideEffectOnOpenCheck(Rule):
    """Something was pushed, merged, published, deployed or deleted while the check that guards it had to be run again.

    What it does
    ------------
    Looks at each outward act. It reports when the latest verifier of a kind that guards such an act, in the same
    working folder, ended by a failure, a time-out, a kill or an interrupt and nothing has cleared it: tests, builds,
    linters, type checks and checks before a push to a shared branch, a merge, a publication or a deployment; a plan
    too before an apply; a backup, a rehearsal or a check before a migration or a deletion. The configuration may name
    other guards. A push to a branch of one's own is a warning.

    Why it matters
    --------------
    The one moment when a false "it passed" costs something is the act that builds on it.

    What clears it
    --------------
    The check runs again and ends ok, the person says to do it anyway, or only a draft is made. A search that found
    nothing is no failed check, and a check of something else guards nothing here.

    References
    ----------
    `transcript-lint gate` stops the same acts while they can still be stopped.
    """

    id = "TL601"
    name = "side-effect-on-open-check"
    family = "effect"
    level = Level.ERROR
    needs = ("command ends",)
    examples = (
        Example(
            "published after a failed suite",
            (session(), command("npm test", "Tests: 2 failed, 31 passed, 33 total", exit=1), command("npm publish")),
            reports=(3,),
        ),
        Example(
            "merged after a killed build",
            (session(), command("cargo build --release", kind="timeout"), command("gh pr merge 7 --squash")),
            reports=(3,),
        ),
        Example(
            "pushed to a branch of its own",
            (session(), command("pytest", "1 failed in 2s", exit=1), command("git push -u origin feat/rounding")),
            reports=(3,),
            level="warning",
        ),
        Example(
            "run again first",
            (
                session(),
                command("pytest", "1 failed in 2s", exit=1),
                command("pytest", "9 passed in 2s", id="again"),
                command("git push origin main"),
            ),
        ),
        Example(
            "the person said to do it anyway",
            (
                session(),
                command("make lint", "3 problems", exit=2),
                says("The linter fails in three places."),
                human("I know, push it anyway."),
                command("git push origin main"),
            ),
        ),
        Example(
            "a draft, and a search that found nothing",
            (
                session(),
                command("grep -c TODO src", "0", exit=1),
                command("git push origin main"),
                command("pytest", "1 failed in 2s", exit=1),
                command("gh pr create --draft --title x --body 'pytest fails'"),
            ),
        ),
        Example(
            "a branch of one's own is pushed for a draft in the same line",
            (
                session(),
                command("pytest", "1 failed in 2s", exit=1),
                command("git push -u origin fix/x && gh pr create --draft --title x --body 'pytest fails'"),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._pending: set[str] = set()

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        self._pending.discard(event.call_id)
        if "\tpending\t" in event.stdout and len(self._pending) < MOST_PENDING:
            rows = {row["name"]: row["state"] for row in _CHECK_ROW.finditer(event.stdout)}  # the last one stands
            if "pending" in rows.values():
                self._pending.add(event.call_id)

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Outcome]:
        act = ledger.runs.get(event.call_id)
        if act is None or not act.shell:
            return
        for number, part in enumerate(act.line.parts):
            if part.effect is None or part.draft or (part.effect == "push" and _for_draft(act.line.parts[number:])):
                continue
            checked = {p.kind for p in act.line.parts[:number] if p.mask is None}
            outcome = self._judge(event, act, part, guarding_kinds(part, ledger) - checked, ledger)
            if outcome is not None:
                yield outcome
                return

    def _judge(
        self, event: CommandIssued, act: Run, part: Part, guarding: frozenset[Kind], ledger: Ledger
    ) -> Pending | Abstention | None:
        found = open_check(act, part, guarding, self._pending, ledger)
        if found is None:
            return None
        run, stage = found
        if overridden(event, run, ledger):
            return None
        if stage.perhaps:
            return self.abstain("whether a later run stands for the open check could not be told", at=event)
        shared = part.effect != "push" or pushes_shared(part)
        finding = self.finding(
            f"'{act.name}' ran while the last {kind_of(stage).value} before it, '{run.name}', {_ended(run, stage)} "
            "and was not run again.",
            at=event,
            because=run.chain,
            about=f"{act.line.text} | {run.line.text}",
            level=Level.ERROR if shared else Level.WARNING,
        )
        # What was refused or never started has had no effect.
        if not shared:
            return Pending(finding=finding, cancel=partial(_drafted, event.call_id, ledger), events=DRAFT_WITHIN)
        return Pending(finding=finding, cancel=partial(_never_ran, event.call_id), confirm=partial(_ran, event.call_id))


def _ended(run: Run, stage: Stage) -> str:
    if stage.verdict is Verdict.FAILED or run.termination is None:
        return "failed"
    return run.termination.describe() if stage.must_rerun else "showed checks that were still pending"


def _for_draft(parts: Sequence[Part]) -> bool:
    """Whether a push to a branch of one's own goes on to a draft in the same line."""
    return not pushes_shared(parts[0]) and any(part.effect == "pull_request" and part.draft for part in parts)


def _drafted(call_id: str, ledger: Ledger, event: Event) -> bool:
    """True when a push never ran, or when the branch is shown as a draft right after it."""
    if isinstance(event, CommandIssued):
        line = act_of(event, ledger.settings).line
        return line is not None and any(part.effect == "pull_request" and part.draft for part in line.parts)
    return _never_ran(call_id, event)


def _never_ran(call_id: str, event: Event) -> bool:
    return isinstance(event, CommandEnded) and event.call_id == call_id and event.termination.kind is EndKind.NOT_RUN


def _ran(call_id: str, event: Event) -> bool:
    return isinstance(event, CommandEnded) and event.call_id == call_id

"""TL111."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from transcript_lint.claims.failures import failures, states_failure
from transcript_lint.events import AgentText, CommandEnded, HumanMessage, InjectedMessage, Step
from transcript_lint.evidence import weigh
from transcript_lint.finding import Confidence, Level
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run, Verdict
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says
from transcript_lint.successes import success_words
from transcript_lint.wording import short

MAX_SHOWN = 64
TAIL = 4_000
TROUBLE = (
    "fail",
    "Fail",
    "FAIL",
    "rror",
    "ERROR",
    "regress",
    "crash",
    "失败",
    "错误",
    "失敗",
    "エラー",
    "실패",
    "오류",
)


class SuccessCalledFailure(Rule):
    """A run that ended with exit 0 and a success line is told as a failure.

    What it does
    ------------
    Notes a sentence that states the failure of a run whose recorded end is ok and whose output shows success, while no
    record of the session, no output and no person's words tell of any failure.

    Why it matters
    --------------
    Work that was done is thrown away or done again, and the reader looks for a fault that is not there.

    What clears it
    --------------
    Any record of a failure before it. Commands for which non-zero is a normal answer, wishes, conditions and failures
    of the past are not reported, nor is one that the person brought up.

    References
    ----------
    Public reports of agents that report a failed build after a good one.
    """

    id = "TL111"
    name = "success-called-failure"
    family = "termination"
    level = Level.NOTE
    confidence = Confidence.MEDIUM
    needs = ("command ends",)
    examples = (
        Example(
            "a good build told as failed",
            (
                human("build it"),
                command("pnpm build", out="✓ built in 21.40s"),
                says("The build failed on the new import."),
            ),
            (3,),
        ),
        Example(
            "another language",
            (
                human("集計して"),
                command("php artisan report:monthly", out="正常終了"),
                says("集計は途中で異常終了しました。"),
            ),
            (3,),
        ),
        Example(
            "innocent: it did fail",
            (human("build it"), command("pnpm build", out="error during build", exit=1), says("The build failed.")),
        ),
        Example(
            "innocent: nothing was found, and that is the wanted answer",
            (
                human("any left?"),
                command("grep -rn TODO src", exit=1),
                says("The search did not fail; nothing is left."),
            ),
        ),
        Example(
            "innocent: the person spoke of the failure",
            (
                human("the build failed in CI"),
                command("pnpm build", out="✓ built in 2s"),
                says("The build failed in CI."),
            ),
        ),
        Example(
            "innocent: another outcome is told",
            (
                human("test it"),
                command("pytest", out="4 passed in 1s"),
                command("npm run e2e", out="1 failed", exit=1),
                says("The e2e tests failed."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._shown: dict[str, str] = {}
        self._trouble = False

    def on_human_message(self, event: HumanMessage, ledger: Ledger) -> None:
        self._trouble = self._trouble or states_failure(event.text[:TAIL])

    def on_injected_message(self, event: InjectedMessage, ledger: Ledger) -> None:
        self._trouble = self._trouble or (event.why != "reminder" and states_failure(event.text[:TAIL]))

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        run = ledger.runs.get(event.call_id)
        if run is None or self._trouble:
            return
        if event.termination.must_rerun and not _expected(run):
            self._trouble = True
        elif run.shell and event.termination.succeeded and (shown := _success(run, event)) is not None:
            self._shown[event.call_id] = shown
            if len(self._shown) > MAX_SHOWN:
                del self._shown[next(iter(self._shown))]
        self._trouble = self._trouble or _tells_trouble(run, event)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        if self._trouble or not self._shown:
            return
        for claim in failures(event):
            found = weigh(claim, ledger)
            run, stage = found.run, found.stage
            if run is None or stage is None or stage.verdict is not Verdict.OK or run.call_id not in self._shown:
                continue
            shown = short(self._shown[run.call_id], 60)
            yield self.finding(
                f"'{short(claim.text)}' tells a failure of '{run.name}', which ended ok and shows '{shown}'.",
                at=event,
                because=(*found.chain, Step(event.at, f"told: {short(claim.text, 100)}", event.time)),
                about=claim.text,
            )
            return


def _success(run: Run, event: CommandEnded) -> str | None:
    """The line of an output that shows success: a tool's own closing line, else a line with a word for it."""
    closing = (s.said.line for s in run.stages if s.said is not None and s.said.outcome == "success")
    return next(chain(closing, success_words(event.stdout[-TAIL:], 1)), None)


def _expected(run: Run) -> bool:
    return run.shell and bool(run.stages) and all(s.part.expects_failure for s in run.stages)


def _tells_trouble(run: Run, event: CommandEnded) -> bool:
    """Whether an output tells of any failure; counts of none ("0 failures") are a tool's good result."""
    if run.hint or any(s.said is not None and s.said.outcome == "failure" for s in run.stages):
        return True
    if run.shell and any(s.said is not None and s.said.outcome == "success" for s in run.stages):
        return False
    return any(word in event.stdout or word in event.stderr for word in TROUBLE)

"""TL202: the same call carries another end after a compaction or a resume."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import CommandEnded, CommandIssued, Compacted, SessionStarted, Step, Termination
from transcript_lint.evidence.carried import Turn, rewritten
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.open_facts import end_of
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, ended, session, started
from transcript_lint_rules.compaction.support import turned_facts

KEEP = 2_000


class TerminationRewritten(Rule):
    """After a compaction or a resume the same call carries another end than the one that was recorded.

    What it does
    ------------
    Compares the end of a call with what a structured compaction carries under the same id, and with the record of
    that id when a session is resumed or its history replayed. It reports when a time-out became an exit 0 or nothing,
    an error a result, an abort a success, or one exit code another.

    Why it matters
    --------------
    The end of a process is the one fact in a log that no model wrote. Once it is rewritten, everything later is
    consistent with a run that never succeeded.

    What clears it
    --------------
    The id was really run again, or its later end is recorded before the boundary. A time-out told as exit 124 and a
    kill told as 137 or 143 are the same end.

    References
    ----------
    mastra-ai/mastra#15569, where a stored state "result" replaced "output-error"; QwenLM/qwen-code#6869, where a
    replay lost the exit code and called it a success.
    """

    id = "TL202"
    name = "termination-rewritten"
    family = "compaction"
    level = Level.ERROR
    needs = ("command ends",)

    examples = (
        Example(
            "a time-out became exit 0",
            (
                session(),
                command("make package", "unit 6/16 OK", kind="timeout", id="c1"),
                compaction(carried_terminations=[{"command_id": "c1", "termination": {"kind": "ok", "exit_code": 0}}]),
            ),
            reports=(3,),
        ),
        Example(
            "a resumed session replays another end",
            (
                session(),
                command("sh check.sh", "bad", exit=3, id="c1"),
                session(continued_from="s0"),
                ended("c1", "bad", exit=None, kind="ok"),
            ),
            reports=(4,),
        ),
        Example(
            "the same end in other words",
            (
                session(),
                command("make package", "unit 6/16 OK", kind="timeout", id="c1"),
                compaction(
                    carried_terminations=[
                        {
                            "command_id": "c1",
                            "must_rerun": True,
                            "termination": {"kind": "nonzero_exit", "exit_code": 124},
                        }
                    ]
                ),
            ),
        ),
        Example(
            "a later end of that call was recorded",
            (
                session(),
                started("make package", id="c1"),
                ended("c1", "unit 6/16", kind="running"),
                ended("c1", "built", exit=0),
                compaction(carried_terminations=[{"command_id": "c1", "termination": {"kind": "ok", "exit_code": 0}}]),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._bad: OrderedDict[str, tuple[Step, Termination]] = OrderedDict()
        self._resumed: dict[str, tuple[Step, Termination]] = {}

    def on_session_started(self, event: SessionStarted, ledger: Ledger) -> None:
        self._resumed = dict(self._bad)

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> None:
        self._bad.pop(event.call_id, None)

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Iterator[Outcome]:
        run = ledger.runs.get(event.call_id)
        known = self._resumed.pop(event.call_id, None)
        if run is not None and known is not None and (now := rewritten(known[1], event.termination)) is not None:
            message = f"The replayed record of '{run.name}' says it {now}; when it ran it {known[1].describe()}."
            yield self.finding(message, at=event, because=(run.issued, known[0]), about=run.line.text or run.tool)
        elif event.termination.must_rerun:
            step = Step(event.at, f"it {event.termination.describe()}", event.time)
            self._bad[event.call_id] = (step, event.termination)
            if len(self._bad) > KEEP:
                self._bad.popitem(last=False)

    def on_compacted(self, event: Compacted, ledger: Ledger) -> Iterator[Outcome]:
        for run, fact, step in turned_facts(event, ledger, Turn.REWRITTEN):
            message = f"The compaction turned the end of '{run.name}': it {end_of(run)}, and afterwards {fact.now}."
            yield self.finding(message, at=event, because=(*run.chain, step), about=run.line.text or run.tool)

"""TL402: a gate waits for a person, nobody replies, and the gated act runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import ApprovalAnswered, CommandIssued
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.acts import Act
from transcript_lint.ledger.asks import Ask, cut
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import asks, command, human, reply, says, session
from transcript_lint_rules.approval.support import LATE, gated, injected_yes, outcome, takes_back


class GatedActWithoutReply(Rule):
    """An act that waited for a person's reply runs, and no reply stands in the log.

    What it does
    ------------
    Joins each call to the gates that are open before it: by call id or arguments (error), or, within the next five
    acts, by what it does (warning): the command line that the question names, or a push, deletion, publication and
    the like of which the question speaks.

    Why it matters
    --------------
    The gate was there to let a person stop it. A time-out is not a person.

    What clears it
    --------------
    A reply, also one stored late with an earlier time; a standing permission; a policy under which nobody is asked.
    A harmless path (reading, testing, a dry run) is no gated act. Where the format does not log replies the rule
    abstains.

    References
    ----------
    NousResearch/hermes-agent#24912, google/adk-python#3018, openai/openai-agents-js#647
    """

    id = "TL402"
    name = "gated-act-without-reply"
    family = "approval"
    level = Level.ERROR
    needs = ("approvals asked", "approvals answered")

    examples = (
        Example(
            "the gate timed out and its call runs",
            (
                session(),
                asks("g1", question="Remove the old branch?", command_id="c1", timeout_ms=60000, on_timeout="deny"),
                reply("g1", "timeout", "harness"),
                command("git push origin --delete old", id="c1"),
            ),
            reports=(4,),
            level="error",
        ),
        Example(
            "a question in prose, no reply, and the push follows",
            (
                session(),
                says("The fix is committed. Shall I push it to main?"),
                command("git push origin main"),
            ),
            reports=(3,),
            level="warning",
        ),
        Example(
            "a branch is deleted though nobody answered",
            (
                session(),
                says("Everything is merged. Shall I delete the branch spike?"),
                command("git -C api branch -D spike"),
            ),
            reports=(3,),
            level="warning",
        ),
        Example(
            "the branches are only listed",
            (
                session(),
                says("Everything is merged. Shall I delete the branch spike?"),
                command("git -C api branch --merged main"),
            ),
        ),
        Example(
            "a harmless path is taken",
            (
                session(),
                asks("g1", question="Remove the old branch?", command_id="c1", timeout_ms=60000, on_timeout="deny"),
                reply("g1", "timeout", "harness"),
                command("git branch -a", id="c2"),
            ),
        ),
        Example(
            "permission was given ahead",
            (
                session(),
                human("Fix it and push when it is green, no need to ask."),
                says("Green. Shall I push it to main?"),
                command("git push origin main"),
            ),
        ),
        Example(
            "the reply is stored late, with an earlier time",
            (
                session(),
                asks("g1", question="Deploy now?", command_id="c1", at="2026-03-02T09:00:01Z"),
                command("make deploy", id="c1", at="2026-03-02T09:00:30Z"),
                reply("g1", written_at="2026-03-02T09:00:20Z", at="2026-03-02T09:00:40Z"),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._seen: set[tuple[str, str]] = set()

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Outcome]:
        act = ledger.asks.act(event.call_id)
        if act is None or act.idle:
            return
        for ask, exact in gated(act, ledger):
            if injected_yes(ask) is not None or (ask.slot, act.text) in self._seen:
                return
            self._seen.add((ask.slot, act.text))
            yield self._finding(act, ask, exact)
            return

    def on_approval_answered(self, event: ApprovalAnswered, ledger: Ledger) -> Iterator[Outcome]:
        if event.outcome == "unknown":
            yield self.abstain("the format does not log how the gate was answered", at=event)

    def _finding(self, act: Act, ask: Ask, exact: bool) -> Outcome:
        how = "the act that" if exact else "what"
        message = f"`{act.text}` is {how} {cut(ask.question)} asks a person to allow, and {outcome(ask)}."
        finding = self.finding(
            message,
            at=act.step.at,
            because=(*ask.chain, act.step),
            about=f"{ask.question}|{act.text}",
            level=Level.ERROR if exact else Level.WARNING,
            confidence=Confidence.HIGH if exact else Confidence.MEDIUM,
        )
        return self.pending(finding, cancel=takes_back(act, (ask,)), events=LATE)

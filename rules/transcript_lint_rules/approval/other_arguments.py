"""TL408: what runs is not what was approved."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.events import CommandIssued
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.asks import Ask, Standing, cut
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import asks, command, reply, session
from transcript_lint_rules.approval.support import takes_back


class ApprovedOtherArguments(Rule):
    """A call runs with other arguments than those a person approved.

    What it does
    ------------
    Compares the hash of the arguments in the gate, or in the reply, with that of the call of the same id when it
    runs (SHA-256 over canonical JSON, so that formatting makes no difference).

    Why it matters
    --------------
    Consent to one thing is not consent to another: "transfer 100" became "transfer 999".

    What clears it
    --------------
    Equal arguments; a call that the person edited and that runs as edited.

    References
    ----------
    google/adk-go#1499
    """

    id = "TL408"
    name = "approved-other-arguments"
    family = "approval"
    level = Level.WARNING
    needs = ("approvals asked", "approvals answered")

    examples = (
        Example(
            "approved 100, ran 999",
            (
                session(),
                asks("g1", question="Transfer 100?", command_id="c1", arguments_sha256="aa11"),
                reply("g1"),
                command("transfer --amount 999", id="c1", arguments_sha256="bb22"),
            ),
            reports=(4,),
        ),
        Example(
            "the same call",
            (
                session(),
                asks("g1", question="Transfer 100?", command_id="c1", arguments_sha256="aa11"),
                reply("g1"),
                command("transfer --amount 100", id="c1", arguments_sha256="aa11"),
            ),
        ),
        Example(
            "edited by the person",
            (
                session(),
                asks("g1", question="Transfer 100?", command_id="c1", arguments_sha256="aa11"),
                reply("g1", "edited", text="make it 90"),
                command("transfer --amount 90", id="c1", arguments_sha256="cc33"),
            ),
        ),
    )

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Outcome]:
        act = ledger.asks.act(event.call_id)
        if act is None or act.sha256 is None:
            return
        for ask in ledger.asks.slots_of(event.call_id):
            approved = _approved(ask)
            if approved is None or approved == act.sha256:
                continue
            message = f"`{act.text}` runs with other arguments than those a person approved at {cut(ask.question)}."
            finding = self.finding(
                message, at=event, because=(*ask.chain, act.step), about=f"{ask.question}|{act.text}"
            )
            yield self.pending(finding, cancel=takes_back(act, (ask,)), events=8)


def _approved(ask: Ask) -> str | None:
    """The hash of the arguments that a person approved, None where it is not recorded."""
    answer = ask.last
    if ask.gate != "permission" or ask.standing is not Standing.CONSENT or answer is None or ask.asked is None:
        return None
    if answer.outcome == "edited":
        return answer.arguments_sha256 if answer.arguments_sha256 != ask.asked.arguments_sha256 else None
    return answer.arguments_sha256 or ask.asked.arguments_sha256

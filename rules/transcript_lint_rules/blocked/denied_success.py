"""TL310: the envelope says success while a denial of the very tool it claims to have used stands in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.events import CommandEnded, CommandIssued, EndKind, SessionEnded, Step
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import asks, end, reply, session, tool_call
from transcript_lint_rules.blocked.base import step
from transcript_lint_rules.blocked.work import ADMITS, TARGET, did, same_work, told_done, words_of, work_of


class DeniedButSuccessful(Rule):
    """The session ends as a success and claims what a denied call was to do.

    What it does
    ------------
    When a closing record says success, looks at the denials it lists itself and at those recorded before it. It
    reports an error when the closing claim names what a denied call was to touch, or tells of the kind of work the
    denied tool does, or tells in one sentence, as done, of the words, ids or deeds of the denied call, and no
    other call did that work.

    Why it matters
    --------------
    Whoever reads only the envelope takes for done what was never allowed to run.

    What clears it
    --------------
    A later call that did the work in an allowed way; a closing text that owns up to the denial; an end that is no
    success.

    References
    ----------
    Shapes: the result record with permission_denials of print mode; native gates answered by policy.
    """

    id = "TL310"
    name = "denied-but-successful"
    family = "blocked"
    level = Level.ERROR
    needs = ("approvals answered",)
    examples = (
        Example(
            "A tool with a name of its own was denied; its ticket is said to be closed.",
            (
                session(approval_policy="never"),
                tool_call("desk_close", {"ticket": "QA-712"}, id="c1", kind="not_run", out="Denied by a policy rule."),
                end(claim="Nothing else is open. QA-712 has been closed."),
            ),
            (3,),
            "error",
        ),
        Example(
            "The ticket is said to be open still.",
            (
                session(approval_policy="never"),
                tool_call("desk_close", {"ticket": "QA-712"}, id="c1", kind="not_run", out="Denied by a policy rule."),
                end(claim="The disk was checked. QA-712 is still open."),
            ),
        ),
        Example(
            "The file is said to be written, and the write was denied.",
            (
                session(approval_policy="never"),
                asks("s1", command_id="c1", question="Run: write out/report.txt"),
                reply("s1", "denied", "policy"),
                end(claim="out/report.txt has been written with the new content."),
            ),
            (4,),
            "error",
        ),
        Example(
            "It ends as a failure and says so.",
            (
                session(approval_policy="never"),
                asks("s1", command_id="c1", question="Run: write out/report.txt"),
                reply("s1", "denied", "policy"),
                end("failure", "Writing out/report.txt was denied by a rule."),
            ),
        ),
        Example(
            "Done in another way, which was allowed.",
            (
                session(approval_policy="never"),
                asks("s1", command_id="c1", question="Run: write out/report.txt"),
                reply("s1", "denied", "policy"),
                tool_call("Write", {"file_path": "tmp/out/report.txt"}, id="c2", out="File created."),
                end(claim="out/report.txt has been written."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._issued: dict[str, CommandIssued] = {}
        self._done: list[CommandIssued] = []

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Outcomes | None:
        self._issued[event.call_id] = event
        if len(self._issued) > 256:
            del self._issued[next(iter(self._issued))]
        return None

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes | None:
        issued = self._issued.get(event.call_id)
        if issued is not None and event.termination.kind is EndKind.OK:
            self._done = [*self._done[-63:], issued]
        return None

    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes:
        claim = event.claim or (ledger.provider.last_text.text if ledger.provider.last_text else "")
        if event.status != "success" or not claim or ADMITS.search(claim):
            return
        for tool, what, because in self._denied(event, ledger):
            targets = TARGET.findall(what)
            named = any(target in claim or target.rsplit("/", 1)[-1] in claim for target in targets)
            does = work_of(tool, what)
            if named or (does is not None and not targets and does.search(claim)):
                if any(same_work(done, tool, targets) for done in self._done):
                    continue
            else:
                shared = told_done(claim, tool, what)
                if shared is None or any(did(done, shared, tool, ledger.settings) for done in self._done):
                    continue
            yield self.finding(
                f"The session ends as a success (“{claim[:100]}”), but the call that was to do it"
                f"{f' ({tool})' if tool else ''} was denied.",
                at=event,
                because=because,
                about=f"denied {tool}: {claim[:200]}",
            )
            return

    def _denied(self, event: SessionEnded, ledger: Ledger) -> Iterator[tuple[str, str, tuple[Step, ...]]]:
        """(tool, what it was to do, chain) of each denial the end must own up to."""
        recorded = {d.call_id: d for d in ledger.provider.denials}
        for tool, call_id in event.denials:
            issued = self._issued.get(call_id or "")
            known = recorded.get(call_id)
            what = words_of(issued) if issued else known.what if known else ""
            yield tool, what, (step(known.event, f"{tool} was denied"),) if known else ()
        listed = {call_id for _, call_id in event.denials}
        for denial in reversed(ledger.provider.denials):
            if denial.call_id in listed:
                continue
            ask = ledger.asks.slots.get(getattr(denial.event, "slot_id", ""))
            asked = ask.asked if ask else None
            question = asked.question or "" if asked else ""
            tool = denial.tool or (asked.tool or "" if asked else "")
            yield tool, f"{denial.what} {question}".strip(), (step(denial.event, f"denied by {denial.by}"),)

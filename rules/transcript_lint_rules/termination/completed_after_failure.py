"""TL107."""

from collections.abc import Mapping
from typing import Any

from transcript_lint.claims.items import checklist, is_a_look, says_verified
from transcript_lint.claims.lexicon import lexicon, spoken
from transcript_lint.claims.mention import mention
from transcript_lint.claims.prose import sentences
from transcript_lint.events import AgentText, CommandEnded, Step
from transcript_lint.evidence import Grade, weigh
from transcript_lint.evidence.tasks import against
from transcript_lint.finding import Level
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says
from transcript_lint.wording import short

MAX_ITEMS = 50


class CompletedStateAfterFailure(Rule):
    """A task turns completed although the run that its own words name failed.

    What it does
    ------------
    Joins each item of a task list that turns done to the latest run it names, by command, kind of work or words, and
    reports it when that run ended badly and was not run again to an ok end. Also reports "verified" or "tested" over
    a checklist whose own items for that are still open.

    Why it matters
    --------------
    Task lists outlive the context: after a compaction, or for the next agent, the tick is all that is left.

    What clears it
    --------------
    Running it again to an ok end, leaving the item open, or saying beside it that it failed. Items about writing,
    reading or planning are done when that is done, and a test that is meant to fail may fail.

    References
    ----------
    Public reports of task lists ticked to the end over a broken build.
    """

    id = "TL107"
    name = "completed-state-after-failure"
    family = "termination"
    level = Level.WARNING
    needs = ("command ends",)
    examples = (
        Example(
            "the build failed, its item is ticked",
            (
                human("check the iOS build"),
                command("xcodebuild -scheme App build", out="** BUILD FAILED **", exit=65),
                says("- [x] Fix header path\n- [x] Test iOS build", where="task_state"),
            ),
            (3,),
        ),
        Example(
            "an item that is a command",
            (
                human("los"),
                command("python abgleich.py --pruefen", exit=1),
                says("- [x] python abgleich.py --pruefen (Abgleich)", where="task_state"),
            ),
            (3,),
        ),
        Example(
            "verified over open checks",
            (
                human("fix it"),
                command("viewer --check", exit=1),
                says("The view is fixed and verified.\n\n- [x] Edit\n- [ ] Screenshot check", where="task_state"),
            ),
            (3,),
        ),
        Example(
            "innocent: only another item turned done",
            (
                human("check the build"),
                command("make build", exit=2),
                says("- [x] Fix header path\n- [ ] Test the build", where="task_state"),
            ),
        ),
        Example(
            "innocent: run again to an ok end",
            (
                human("go"),
                command("make build", exit=2),
                command("make build", id="again"),
                says("- [x] Run the build", where="task_state"),
            ),
        ),
        Example(
            "innocent: the failing test was to be written",
            (
                human("write the failing test"),
                command("pytest tests/test_a.py", out="1 failed", exit=1),
                says("- [x] Write the failing test\n- [ ] Fix total()", where="task_state"),
            ),
        ),
        Example(
            "innocent: the failure is told beside it",
            (
                human("go"),
                command("pytest", out="1 failed", exit=1),
                says("One test fails, as it did before."),
                says("- [x] Run the tests", where="task_state"),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._said: list[str] = []

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        self._said.clear()

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        if event.where != "pull_request" and "[ ]" in event.text:
            yield from self._verified(event, ledger)
        if event.where != "task_state":
            if len(self._said) < MAX_ITEMS:
                self._said.append(event.text)
            return
        if event.changed and any(map(_owns_up, self._said)):
            return
        said: set[str] = set()
        for item in event.changed[:MAX_ITEMS]:
            found = against(item, event, ledger)
            if found is None or found.run is None or found.run.call_id in said:
                continue
            said.add(found.run.call_id)
            yield self.finding(
                f"The task '{short(item, 80)}' turned completed, but '{found.run.name}' did not end ok: {found.why}.",
                at=event,
                because=(*found.chain, Step(event.at, f"completed: {short(item, 80)}", event.time)),
                about=item,
            )

    def _verified(self, event: AgentText, ledger: Ledger) -> Outcomes:
        """Look for "verified" in the words over a list whose own checks are open."""
        boxes = checklist(event.text)
        looks = [item for item in boxes.open if is_a_look(item)]
        undone = next((item for item in looks if not _ran_well(item, event, ledger)), None)
        if undone is None:
            return
        for sentence in sentences(boxes.around):
            if sentence.kind != "heading" and says_verified(sentence.text) and not _owns_up(sentence.text):
                yield self.finding(
                    f"'{short(sentence.raw)}' stands over a check that is still open: '{short(undone, 80)}'.",
                    at=event,
                    because=(Step(event.at, f"open: {short(undone, 80)}", event.time),),
                    about=sentence.raw,
                )
                return


def _ran_well(item: str, event: AgentText, ledger: Ledger) -> bool:
    return weigh(mention(item, event), ledger).grade in (Grade.VERIFIED, Grade.TERMINATED)


def _owns_up(text: str) -> bool:
    return any(lexicon(lang).admit.holds(text) for lang in spoken(text))

"""TL109."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from transcript_lint.claims import Claim
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, Location, Step
from transcript_lint.evidence import Evidence, Grade
from transcript_lint.evidence.stored import MAX_RUNS, Shelf, Stored, owns_age
from transcript_lint.finding import Finding, Level
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run
from transcript_lint.rule import Example, Outcomes, Rule
from transcript_lint.samples import command, human, says, tool_call
from transcript_lint.wording import short
from transcript_lint_rules.termination.base import WAYS

OLD = '{"generated": "2026-01-04", "command": "pytest api/tests", "result": "55 passed in 8.71s"}'


class StaleEvidence(Rule):
    """A result is taken from a file or a cache that the failed run did not write.

    What it does
    ------------
    Remembers the files with results that are read in a session. A success that names such a file, or follows on
    reading it, is reported when the run it is about failed and the file cannot be of that run: it was read before, it
    bears an earlier date, or its name says so. Also reports a success after a failure that rests on a run answered
    wholly from a cache.

    Why it matters
    --------------
    The numbers are real and the run is not: last week's report says nothing of today's code.

    What clears it
    --------------
    A new run to an ok end, or saying that the result is an old one. A file that a run or an edit of this session wrote
    is not stale; where no date, order or name tells its age, nothing is reported.

    References
    ----------
    Public reports of agents that open the last good report after a red run.
    """

    id = "TL109"
    name = "stale-evidence"
    family = "termination"
    level = Level.WARNING
    needs = ("command ends",)
    examples = (
        Example(
            "the report of another day",
            (
                human("test it"),
                command("pytest api/tests", out="1 failed, 54 passed", exit=1),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                says("The log shows that all API tests pass (`reports/nightly.json`)."),
            ),
            (4,),
        ),
        Example(
            "answered from the cache after a failure",
            (
                human("test it"),
                command("go test ./api", out="--- FAIL: TestA\nFAIL\tapi 0.2s", exit=1),
                command("go test ./api", out="ok  \tapi\t(cached)", id="again"),
                says("All tests pass."),
            ),
            (4,),
        ),
        Example(
            "innocent: this run wrote it",
            (
                human("test it"),
                command("pytest api/tests --report reports/now.json", out="1 failed, 54 passed", exit=1),
                command("pytest api/tests --report reports/now.json", out="55 passed in 8s", id="again"),
                tool_call("read", {"path": "reports/now.json"}, id="r", out=OLD),
                says("All API tests pass (`reports/now.json`)."),
            ),
        ),
        Example(
            "innocent: told as the old one",
            (
                human("test it"),
                command("pytest api/tests", out="1 failed, 54 passed", exit=1),
                tool_call("read", {"path": "reports/nightly.json"}, id="r", out=OLD),
                says("The previous run in `reports/nightly.json` had all checks pass; today one fails."),
            ),
        ),
        Example(
            "innocent: a cached result named as cached",
            (
                human("test it"),
                command("go test ./api", out="--- FAIL: TestA\nFAIL\tapi 0.2s", exit=1),
                command("go test ./api", out="ok  \tapi\t(cached)", id="again"),
                says("All tests pass, served from the cache."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._shelf = Shelf()
        self._told: AgentText | None = None

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> None:
        if (run := ledger.runs.get(event.call_id)) is not None:
            self._shelf.issued(event, run)

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> None:
        if (run := ledger.runs.get(event.call_id)) is not None:
            self._shelf.ended(event, run)

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes:
        self._told = None
        if event.where == "task_state":
            return
        for sentence, stored, failed, why in self._shelf.quoted(event, ledger):
            self._told = event
            yield self._finding(sentence, event, failed, f"'{stored.name}' cannot be of it: {why}", stored.at)
            return

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes:
        if claim.event is self._told:
            return
        if claim.strength == "weak" or claim.admits or evidence.fault is not None or owns_age(claim.text):
            return
        run = evidence.run
        if (
            run is not None
            and run.call_id in self._shelf.cached
            and (failed := _failed_before(run, ledger)) is not None
        ):
            yield self._finding(claim.text, claim.event, failed, f"'{run.name}' was answered from a cache", run.ended)
            return
        if not (failures := list(islice(ledger.runs.open_failures(), MAX_RUNS))):
            return
        for stored in self._shelf.results().values():
            named = stored.name in claim.paragraph or stored.path in claim.paragraph
            if not named and not self._follows(stored, claim, ledger):
                continue
            for failed in failures:
                why = stored.older_than(failed) if failed.shell and _about(failed, stored, evidence, named) else None
                if why is not None:
                    yield self._finding(
                        claim.text, claim.event, failed, f"'{stored.name}' cannot be of it: {why}", stored.at
                    )
                    return

    def _follows(self, stored: Stored, claim: Claim, ledger: Ledger) -> bool:
        """Whether the file was the last thing looked at before the claim."""
        return stored.order == ledger.runs.count

    def _finding(self, text: str, event: AgentText, failed: Run, why: str, step: Step | None) -> Finding:
        steps = (*failed.chain, *((step,) if step is not None else ()))
        end = failed.termination.describe() if failed.termination is not None else "did not end ok"
        return self.finding(
            f"'{short(text)}'{WAYS.get(event.where, '')} rests on an older result: '{failed.name}' {end}, and {why}.",
            at=event,
            because=(*steps, Step(event.at, f"claimed: {short(text, 100)}", event.time)),
            about=text,
        )


def _about(failed: Run, stored: Stored, evidence: Evidence, named: bool) -> bool:
    """Whether a failed run is the one that a stored result is used for."""
    if evidence.run is failed:
        return True
    good = evidence.grade in (Grade.VERIFIED, Grade.TERMINATED)
    return stored.of(failed) and (named or evidence.run is None) and not (good and evidence.run is not None)


def _failed_before(run: Run, ledger: Ledger) -> Run | None:
    """The failed run that this one is said to have cleared."""
    for other in ledger.runs.latest():
        if other.index < run.index and any(s.cleared is not None and s.cleared.at == _at(run) for s in other.stages):
            return other
    return None


def _at(run: Run) -> Location | None:
    return run.ended.at if run.ended is not None else None

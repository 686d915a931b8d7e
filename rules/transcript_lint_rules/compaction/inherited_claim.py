"""TL206: a result known only from a summary is asserted without a new run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.claims import Claim, Subject
from transcript_lint.events import CommandIssued, Compacted, Step
from transcript_lint.evidence import Evidence, Fault, Grade
from transcript_lint.evidence.retelling import Promotion
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.acts import act_of, asks_for
from transcript_lint.ledger.open_facts import end_of
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, compaction, human, says, session
from transcript_lint_rules.compaction.support import checks, quoted, retold, spoken_since

OUTWARD = frozenset({"publish", "deploy", "apply", "migrate", "pay", "merge", "delete", "send"})
CHECKED = frozenset({Subject.TESTS, Subject.BUILD, Subject.LINT, Subject.TYPES, Subject.CHECK})


class InheritedClaimNotReverified(Rule):
    """A result known only from a summary is asserted, or acted on, and nothing was run again.

    What it does
    ------------
    After a boundary, or in the next session of a chain, it asks for every claim what it rests on. A claim that no run
    speaks to but that an earlier summary states is a warning; when the record that the summary replaced shows a
    failure or a kill, an error. An act that cannot be taken back and follows such a summary with no check of its own
    is a warning too.

    Why it matters
    --------------
    A summary is hearsay. arXiv 2607.13071 saw a result that never was travel over session boundaries because each
    session took the one before as its source. browser-use/browser-use#4403 met agents that reported as done what only
    their compacted memory said, and now marks that memory as unverified.

    What clears it
    --------------
    The check runs again first; the result is told as the summary's and not re-checked; the history in sight holds the
    run that ended ok; a person asked for the act.

    References
    ----------
    arXiv 2607.13071; anthropics/claude-code#76584; browser-use/browser-use#4403
    """

    id = "TL206"
    name = "inherited-claim-not-reverified"
    family = "compaction"
    level = Level.WARNING
    needs = ("compaction summary",)

    examples = (
        Example(
            "the replaced record says otherwise",
            (
                session(),
                command("pytest", "tests/test_a.py ....", kind="timeout"),
                compaction("All tests pass."),
                says("As verified before, all tests pass, so I write the changelog."),
            ),
            reports=(4,),
            level="error",
        ),
        Example(
            "nobody here ran it",
            (session(complete=False), compaction("All unit tests pass."), says("All unit tests pass.")),
            reports=(3,),
            level="warning",
        ),
        Example(
            "published on the summary's word",
            (session(complete=False), compaction("All tests pass."), command("npm publish", "+ widget@2.1.0")),
            reports=(3,),
            level="warning",
        ),
        Example(
            "run again first",
            (
                session(complete=False),
                compaction("All unit tests pass."),
                command("pytest tests/unit", "40 passed in 3s"),
                says("All unit tests pass."),
            ),
        ),
        Example(
            "told as the summary's",
            (
                session(complete=False),
                compaction("All unit tests pass."),
                says("According to the summary the unit tests passed; I have not re-run them."),
            ),
        ),
        Example(
            "the person asked for it",
            (
                session(complete=False),
                compaction("All tests pass."),
                human("Publish it now."),
                command("npm publish", "+ widget@2.1.0"),
            ),
        ),
        Example(
            "the run is in sight",
            (
                session(),
                command("pytest", "40 passed in 3s"),
                compaction("All tests pass."),
                says("All tests pass."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._promoted: tuple[Promotion, ...] = ()

    def on_compacted(self, event: Compacted, ledger: Ledger) -> None:
        if (found := retold(event, ledger)) is not None:
            self._promoted = found[1].promoted

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Iterator[Outcome]:
        if claim.admits or claim.attributed in ("summary", "log"):
            return
        repeated = self._repeated(claim)
        if repeated is not None:
            evidence = repeated.evidence
        elif evidence.fault is not Fault.SUMMARY_ONLY or spoken_since(evidence, ledger):
            return
        told = ledger.summaries.handed_on(claim)
        because = (*(step for step in evidence.chain if step not in told), *told)
        run = evidence.run
        if evidence.grade is Grade.CONTRADICTED and run is not None:
            message = f"{quoted(claim.text)} rests on a summary alone; before the boundary '{run.name}' {end_of(run)}."
            yield self.finding(message, at=claim.at, because=because, about=claim.text, level=Level.ERROR)
        else:
            message = f"{quoted(claim.text)} is known only from a summary; nothing was run again since."
            yield self.finding(message, at=claim.at, because=because, about=claim.text, confidence=Confidence.MEDIUM)

    def _repeated(self, claim: Claim) -> Promotion | None:
        """The false claim of the last summary that this one repeats word for word, if its run is still open."""
        for promotion in self._promoted:
            sentence = promotion.claim.text.rpartition(": ")[2].strip()
            run = promotion.evidence.run
            if len(sentence) > 12 and sentence in claim.text and run is not None and (run.must_rerun or not run.read):
                return promotion
        return None

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Iterator[Outcome]:
        run, boundary = ledger.runs.get(event.call_id), ledger.summaries.last
        if run is None or boundary is None or boundary.told is None or event.agent != boundary.event.agent:
            return
        act = next((p for p in run.line.parts if p.effect in OUTWARD and not p.draft), None)
        if act is None or any(r is not run and checks(r) for r in ledger.runs.latest()):
            return  # a run in sight speaks for itself, here and in the rules on open checks
        stated = next((c for c in boundary.told.claims if set(c.subjects) & CHECKED and not c.admits), None)
        if stated is None or self._asked_for(event, ledger, boundary.at.line):
            return
        told = Step(stated.at, f"the summary says {quoted(stated.text)}", stated.event.time)
        message = f"'{run.name}' was done on the word of a summary ({quoted(stated.text)}); no check was run since."
        yield self.finding(
            message, at=event, because=(boundary.step, told), about=run.line.text, confidence=Confidence.MEDIUM
        )

    def _asked_for(self, event: CommandIssued, ledger: Ledger, line: int) -> bool:
        """Whether a person asked for this act since the boundary."""
        act = act_of(event, ledger.settings)
        since = (m for m in reversed(ledger.people.said) if m.at.path != event.at.path or m.at.line > line)
        return any(asks_for(message.text, act) for message in since)

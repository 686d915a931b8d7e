"""TL503: of several attempts only the last is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint.claims import Claim
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, HumanMessage
from transcript_lint.evidence import Evidence
from transcript_lint.finding import Finding, Level
from transcript_lint.ledger import Ledger, Run
from transcript_lint.rule import Example, Rule
from transcript_lint.samples import command, says, session, tool_call
from transcript_lint_rules.feedback.attempts import (
    WRITES,
    figures_of,
    may_change,
    same_attempt,
    speaks_of,
    tells_failures,
)

MOST_CHAINS = 512


class RetryChainHidden(Rule):
    """The last of several attempts is told alone; that the same command failed before is not said.

    What it does
    ------------
    Follows attempts at the same target. When one ends ok right after failed ones, with nothing changed in between (or
    when the record itself names it a retry), a success claim that rests on it is noted if neither the message nor an
    earlier one since tells of the failures; so is a last word that gives its figures or names what it worked on. In
    feedback records it also notes a retry that does not name the attempt
    before it.

    Why it matters
    --------------
    Three runs and one success is another result than one success. It may be chance.

    What clears it
    --------------
    A word about the earlier failures, or a change made between the failure and the success.

    References
    ----------
    `transcript-lint run --retry-of last` writes the chain down.
    """

    id = "TL503"
    name = "retry-chain-hidden"
    family = "feedback"
    level = Level.NOTE
    needs = ("command ends",)
    examples = (
        Example(
            "two failures left out",
            (
                session(),
                command("pnpm build", "error during build", exit=1, id="a"),
                command("pnpm build", "error during build", exit=1, id="b"),
                command("pnpm build", "built in 21 s", id="c"),
                says("The build succeeded."),
            ),
            reports=(5,),
        ),
        Example(
            "a retry that names no parent",
            (
                session(),
                command("make check", exit=2, id="a", must_rerun=True),
                command("make check", id="b", must_rerun=False),
            ),
            reports=(3,),
        ),
        Example(
            "told",
            (
                session(),
                command("pnpm build", "error during build", exit=1, id="a"),
                command("pnpm build", "built in 21 s", id="b"),
                says("It failed once and passed on the second try. The build succeeded."),
            ),
        ),
        Example(
            "fixed in between",
            (
                session(),
                command("pnpm build", "error during build", exit=1, id="a"),
                tool_call("edit", {"path": "a.ts"}, id="e"),
                command("pnpm build", "built in 21 s", id="b"),
                says("The build succeeded."),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._failed: list[Run] = []
        self._chains: dict[str, tuple[Run, ...]] = {}
        self._figures: dict[str, frozenset[str]] = {}
        self._words: deque[AgentText] = deque(maxlen=8)

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> None:
        self._words.clear()
        run = ledger.runs.get(event.call_id)
        if run is None or not self._failed:
            return
        repeats = any(same_attempt(run, failed) for failed in self._failed)
        if WRITES.search(run.line.text) or (may_change(run) and not repeats):
            self._failed.clear()

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Iterator[Finding]:
        run = ledger.runs.get(event.call_id)
        if run is None or not run.shell or event.via == "notification":
            return
        before = tuple(failed for failed in self._failed if failed is not run and same_attempt(run, failed))
        named = ledger.runs.get(run.parent_command_id)
        if named is not None and named not in before and named.termination is not None and named.termination.must_rerun:
            before = (*self._chains.get(named.call_id, ()), named, *before)
        if event.must_rerun is not None and before and run.parent_command_id is None:
            yield self._unnamed(run, before[-1], event)
        if event.termination.must_rerun:
            self._failed.append(run)
            self._remember(run, before)
        elif event.termination.succeeded and before:
            self._failed = [failed for failed in self._failed if failed not in before]
            self._remember(run, before)
            self._figures[event.call_id] = figures_of(event.stdout[-4000:])

    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Iterator[Finding]:
        run = evidence.run
        if run is None or claim.polarity != "success" or claim.strength != "strong" or run.must_rerun:
            return
        before = self._chains.pop(run.call_id, ())
        if not before or claim.admits or tells_failures(claim.event.text):
            return
        times = "once" if len(before) == 1 else f"{len(before)} times"
        yield self.finding(
            f"It is said that '{claim.text.strip()}', but not that '{run.name}' failed {times} before it passed.",
            at=claim.at,
            because=(*(step for failed in before for step in failed.chain), *run.chain),
            about=f"{run.line.text} | {claim.text}",
        )

    def on_agent_text(self, event: AgentText, ledger: Ledger) -> None:
        if self._chains and event.where != "task_state":
            self._words.append(event)

    def on_human_message(self, event: HumanMessage, ledger: Ledger) -> Iterator[Finding]:
        return self._last_words(ledger)

    def on_finish(self, ledger: Ledger) -> Iterator[Finding]:
        return self._last_words(ledger)

    def _last_words(self, ledger: Ledger) -> Iterator[Finding]:
        """The texts after the last command, where no claim was judged: a result told without a success word."""
        texts, chains = list(self._words), self._chains
        self._words.clear()
        if not texts:
            return
        self._chains = {}
        if any(tells_failures(text.text) for text in texts):
            return
        for call_id, before in chains.items():
            run = ledger.runs.get(call_id)
            if not before or run is None or run.termination is None or not run.termination.succeeded:
                continue
            figures = self._figures.get(call_id, frozenset())
            text = next((text for text in texts if speaks_of(text.text, run, figures)), None)
            if text is not None:
                yield self._alone(run, before, text)

    def _alone(self, run: Run, before: tuple[Run, ...], event: AgentText) -> Finding:
        times = "once" if len(before) == 1 else f"{len(before)} times"
        return self.finding(
            f"The result of '{run.name}' is told, but not that it failed {times} before it passed.",
            at=event,
            because=(*(step for failed in before for step in failed.chain), *run.chain),
            about=f"{run.line.text} | told alone",
        )

    def _unnamed(self, run: Run, parent: Run, event: CommandEnded) -> Finding:
        return self.finding(
            f"'{run.name}' repeats a failed attempt without naming it as its parent.",
            at=event,
            because=parent.chain,
            about=f"{run.line.text} | no parent",
        )

    def _remember(self, run: Run, before: tuple[Run, ...]) -> None:
        if len(self._chains) >= MOST_CHAINS:
            self._figures.pop(oldest := next(iter(self._chains)), None)
            self._chains.pop(oldest)
        self._chains[run.call_id] = before[-20:]

"""Run the rules over one chain of sessions: ledger first, then events, then claims; settle what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from transcript_lint import claims, evidence
from transcript_lint.dispatch import handlers, overrides
from transcript_lint.events import AgentText, Event, Location, SessionStarted
from transcript_lint.finding import Abstention, Finding, Outcome, Pending
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Outcomes, Rule
from transcript_lint.settings import Settings

MAX_PENDING = 512


class RuleFailure(Struct, frozen=True, kw_only=True):
    """A rule crashed: which, where, and the exception in words. The rule is switched off for the rest of the chain."""

    rule: str
    at: Location
    error: str


class Audit(Struct, kw_only=True):
    """What the audit of one chain brought: findings in the order found, and what could not be decided."""

    findings: list[Finding] = field(default_factory=list)
    abstentions: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[RuleFailure] = field(default_factory=list)
    events: int = 0


class Engine:
    """One engine audits one chain of sessions; feed it every event in order, then `finish`.

    `input` is the name of the first input.
    """

    def __init__(self, rules: Sequence[type[Rule]], settings: Settings | None = None, input: str = "") -> None:
        self.settings = settings or Settings()
        self.audit = Audit()
        self._classes = list(rules)
        self._pending: list[tuple[Pending, int]] = []
        self._last = Location(path=input, line=1)
        self._input = input
        self._begin()

    def _begin(self) -> None:
        """Know nothing yet: a ledger and rules of a chain's own."""
        self.ledger = Ledger(self.settings)
        self._rules = list(self._made())
        self._handlers = handlers(self._rules, Rule)
        self._on_claim = [rule.on_claim for rule in self._rules if overrides(rule, "on_claim", Rule)]
        self._on_finish = [rule.on_finish for rule in self._rules if overrides(rule, "on_finish", Rule)]

    def _made(self) -> Iterator[Rule]:
        for rule in tuple(self._classes):
            try:
                yield rule(self.settings.rule_options.get(rule.id))
            except Exception as error:  # as with everything a rule does
                self._classes.remove(rule)
                self._fail(rule.id, error)

    def feed(self, events: Iterable[Event], input: str | None = None) -> None:
        """Audit a stretch of the chain, one input's worth; `input` is its name where it is another one."""
        self._input = self._input if input is None else input
        for event in events:
            self.see(event)

    def see(self, event: Event) -> None:
        """Audit one event. A session that has nothing to do with what was before it begins a chain of its own."""
        if isinstance(event, SessionStarted) and event.independent and self.ledger.session.started is not None:
            self.finish()
            self._begin()
        self.audit.events += 1
        self._last = event.at
        if self._pending:
            self._settle(event)
        self.ledger.update(event)
        self._ask(self._handlers[type(event)], event, self.ledger)
        if isinstance(event, AgentText) and self._on_claim:
            for claim, found in self._weighed(event):
                self._ask(self._on_claim, claim, found, self.ledger)

    def _weighed(self, event: AgentText) -> list[tuple[claims.Claim, evidence.Evidence]]:
        """The claims of a text with their evidence; a text that breaks the extraction is told, and costs no other."""
        try:
            return [(claim, evidence.weigh(claim, self.ledger)) for claim in claims.extract(event, self.settings)]
        except Exception as error:
            if not any(failure.rule == "claims" for failure in self.audit.failures):
                self._fail("claims", error)
            return []

    def finish(self) -> Audit:
        """Close the chain: the rules' last words, then what still waits is settled."""
        self._ask(self._on_finish, self.ledger)
        for pending, _ in self._pending:
            if pending.report_on_expiry:
                self.audit.findings.append(pending.finding)
        self._pending.clear()
        return self.audit

    def _ask(self, handlers: Sequence[Callable[..., Outcomes | None]], *arguments: object) -> None:
        """Ask each rule, and take note of what it says."""
        crashed: list[Rule] = []
        for handler in handlers:
            try:
                if outcomes := handler(*arguments):
                    for outcome in outcomes:
                        self._note(outcome)
            except Exception as error:  # a rule of anyone's may do anything; the others must go on
                rule: Rule = handler.__self__  # type: ignore[attr-defined]
                self._fail(rule.id, error)
                crashed.append(rule)
        for rule in crashed:
            self._switch_off(rule)

    def _fail(self, rule: str, error: Exception) -> None:
        what = f"{type(error).__name__}: {error}"
        self.audit.failures.append(RuleFailure(rule=rule, at=self._last, error=what[:300]))

    def _switch_off(self, rule: Rule) -> None:
        self._classes = [c for c in self._classes if c is not type(rule)]
        for bound in (*self._handlers.values(), self._on_claim):
            bound[:] = [h for h in bound if getattr(h, "__self__", None) is not rule]

    def _note(self, outcome: Outcome) -> None:
        if isinstance(outcome, Finding):
            self.audit.findings.append(self._found(outcome))
        elif isinstance(outcome, Abstention):
            self.audit.abstentions[outcome.rule, outcome.reason] += 1
        else:
            if len(self._pending) >= MAX_PENDING:
                oldest, _ = self._pending.pop(0)
                self.audit.abstentions[oldest.finding.rule, "too much was waiting for later records"] += 1
            instead = outcome.instead and self._found(outcome.instead)
            waiting = replace(outcome, finding=self._found(outcome.finding), instead=instead)
            self._pending.append((waiting, self.audit.events))

    def _found(self, finding: Finding) -> Finding:
        return replace(finding, input=self._input)

    def _settle(self, event: Event) -> None:
        waiting: list[tuple[Pending, int]] = []
        for pending, born in self._pending:
            expired = (pending.events is not None and self.audit.events - born > pending.events) or (
                pending.seconds is not None
                and pending.since is not None
                and event.time is not None
                and event.time - pending.since > pending.seconds
            )
            if expired:
                if pending.report_on_expiry:
                    self.audit.findings.append(pending.finding)
            elif pending.cancel is not None and pending.cancel(event):
                if pending.instead is not None:
                    self.audit.findings.append(pending.instead)
            elif pending.confirm is not None and pending.confirm(event):
                self.audit.findings.append(pending.finding)
            else:
                waiting.append((pending, born))
        self._pending = waiting

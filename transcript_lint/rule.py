"""What a rule is: a class that subscribes to events by overriding `on_<event>`, with its own docs and examples."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from transcript_lint.capabilities import Needs
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    Event,
    Guarded,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
    Step,
    Verified,
)
from transcript_lint.finding import Abstention, Confidence, Finding, Level, Outcome, Pending

if TYPE_CHECKING:
    from transcript_lint.claims import Claim
    from transcript_lint.evidence import Evidence
    from transcript_lint.ledger import Ledger

Outcomes = Iterable[Outcome]


class Example(Struct, frozen=True):
    """A small native log and the lines the rule must report. A record is a dict (see `transcript_lint.samples`), or the
    bytes of a broken line.

    `reports` is empty for an innocent look-alike. Examples are the rule's tests and its documentation.
    """

    title: str
    records: tuple[Mapping[str, Any] | bytes, ...]
    reports: tuple[int, ...] = ()
    level: str | None = None


class Rule:
    """Base of every rule. One instance audits one chain of sessions, so plain attributes are safe state.

    A subclass sets the class attributes, writes a docstring with the headings `What it does`, `Why it matters`,
    `What clears it` and `References`, and overrides the handlers it wants. A handler yields findings, pending
    findings or abstentions. The ledger has seen the event before the rule does. `on_finish` comes after the last
    event of the chain.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[str]
    level: ClassVar[Level]
    confidence: ClassVar[Confidence] = Confidence.HIGH
    needs: ClassVar[Needs | None] = None
    """What a log must hold so that the rule can decide; None is not stated, `()` no more than any log holds."""
    since: ClassVar[str] = "0.1.0"
    preview: ClassVar[bool] = False
    former: ClassVar[tuple[str, ...]] = ()
    """Ids and names it had before; they still select it, with a notice."""
    examples: ClassVar[tuple[Example, ...]] = ()
    options: ClassVar[Mapping[str, Any]] = {}
    """Option names with their defaults; a configuration may set these and no others."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.option: dict[str, Any] = {**self.options, **(options or {})}

    def finding(
        self,
        message: str,
        *,
        at: Event | Location,
        because: Iterable[Step] = (),
        about: str = "",
        level: Level | None = None,
        confidence: Confidence | None = None,
    ) -> Finding:
        """A finding of this rule. `about` is the content that identifies it: the command, the claim, never an id."""
        return Finding(
            rule=self.id,
            name=self.name,
            level=level or self.level,
            confidence=confidence or self.confidence,
            message=message,
            at=at if isinstance(at, Location) else at.at,
            because=tuple(because),
            about=about,
        )

    def pending(self, finding: Finding, **terms: Any) -> Pending:
        """A finding of this rule that waits; `terms` as in `Pending`."""
        return Pending(finding=finding, **terms)

    def abstain(self, reason: str, *, at: Event | Location) -> Abstention:
        """Say that this rule could not decide here, and why."""
        return Abstention(rule=self.id, reason=reason, at=at if isinstance(at, Location) else at.at)

    @classmethod
    def documentation(cls) -> str:
        """The docstring, dedented: the page of the rule."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the docstring on one line."""
        first = cls.documentation().split("\n\n", 1)[0]
        return " ".join(first.split())

    def on_session_started(self, event: SessionStarted, ledger: Ledger) -> Outcomes | None: ...
    def on_policy_changed(self, event: PolicyChanged, ledger: Ledger) -> Outcomes | None: ...
    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Outcomes | None: ...
    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes | None: ...
    def on_agent_text(self, event: AgentText, ledger: Ledger) -> Outcomes | None: ...
    def on_human_message(self, event: HumanMessage, ledger: Ledger) -> Outcomes | None: ...
    def on_injected_message(self, event: InjectedMessage, ledger: Ledger) -> Outcomes | None: ...
    def on_approval_asked(self, event: ApprovalAsked, ledger: Ledger) -> Outcomes | None: ...
    def on_approval_answered(self, event: ApprovalAnswered, ledger: Ledger) -> Outcomes | None: ...
    def on_compacted(self, event: Compacted, ledger: Ledger) -> Outcomes | None: ...
    def on_provider_responded(self, event: ProviderResponded, ledger: Ledger) -> Outcomes | None: ...
    def on_blocked(self, event: Blocked, ledger: Ledger) -> Outcomes | None: ...
    def on_verified(self, event: Verified, ledger: Ledger) -> Outcomes | None: ...
    def on_guarded(self, event: Guarded, ledger: Ledger) -> Outcomes | None: ...
    def on_session_ended(self, event: SessionEnded, ledger: Ledger) -> Outcomes | None: ...
    def on_record_problem(self, event: RecordProblem, ledger: Ledger) -> Outcomes | None: ...
    def on_claim(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Outcomes | None: ...
    def on_finish(self, ledger: Ledger) -> Outcomes | None: ...

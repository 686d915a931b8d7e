"""Where we are: format, policy, how complete the history is, and the count of events."""

from __future__ import annotations

from transcript_lint.events import Compacted, HumanMessage, PolicyChanged, SessionEnded, SessionStarted


class SessionBook:
    """The state of the session itself.

    `approval_policy`: ask, auto, never, unknown; `interactive` None is unknown; `boundaries` counts the compactions
    that replaced the context; `complete` is False when history before the first record is out of sight; `turn`
    counts the messages of persons.
    """

    def __init__(self) -> None:
        self.started: SessionStarted | None = None
        self.format = ""
        self.approval_policy = "unknown"
        self.interactive: bool | None = None
        self.standing_approvals: tuple[str, ...] = ()
        self.limits: dict[str, float] = {}
        self.cwd: str | None = None
        self.complete = True
        self.boundaries = 0
        self.turn = 0
        self.ended: SessionEnded | None = None

    def on_session_started(self, event: SessionStarted) -> None:
        if self.started is None:
            self.started = event
            self.complete = event.complete
        self.format = event.format
        self.approval_policy = event.approval_policy
        if event.interactive is not None:
            self.interactive = event.interactive
        self.standing_approvals += event.standing_approvals
        self.limits.update(event.limits or {})
        self.cwd = event.cwd or self.cwd

    def on_policy_changed(self, event: PolicyChanged) -> None:
        self.approval_policy = event.policy
        if event.interactive is not None:
            self.interactive = event.interactive

    def on_human_message(self, event: HumanMessage) -> None:
        self.turn += 1

    def on_compacted(self, event: Compacted) -> None:
        if event.kind == "summary":
            self.boundaries += 1

    def on_session_ended(self, event: SessionEnded) -> None:
        self.ended = event

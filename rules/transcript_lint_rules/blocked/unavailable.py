"""TL305: a model, a login or a tool is called unavailable, and it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.claims.blocked import TOOLS, BlockClaim, names_provider, names_tool
from transcript_lint.events import (
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    EndKind,
    Event,
    HumanMessage,
    PolicyChanged,
    ProviderResponded,
    SessionStarted,
)
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.provider import answered, cause_of, same_model
from transcript_lint.rule import Example
from transcript_lint.samples import block, command, human, request, says, session, tool_call
from transcript_lint_rules.blocked.base import BlockRule, about, confidence, contrary_cause, quoted, said, step, who
from transcript_lint_rules.blocked.tools import NAMES, uses

_OK: dict[str, Any] = {"finish_reason": "stop", "usage": {"input_tokens": 400, "output_tokens": 120}, "has_text": True}
_MODEL = re.compile(r"[a-z][\w.]*-[\w.-]*\d[\w.-]*", re.I)
_CHANGES = (HumanMessage, PolicyChanged, SessionStarted, ApprovalAsked)


class UnavailableContradicted(BlockRule):
    """Something is called unavailable for good, and the record shows it working.

    What it does
    ------------
    Takes claims that the model, the login or a tool of the agent (shell, network, files) cannot be used at all. It
    reports an error when the claim is linked to a request that was answered, and a warning when the same model or the
    same tool, also one that is called by its name, answers within a minute with nothing changed in between.

    Why it matters
    --------------
    Work is handed back undone, or checks are skipped, for a lack that does not exist.

    What clears it
    --------------
    A transient overload or time-out; another model that answered instead; a person or a policy that changed something
    in between; a tool that was really gone.

    References
    ----------
    Reports in public: viktor-svirsky/todoist-ai-agent#196, openkursar/hello-halo#397.
    """

    id = "TL305"
    name = "unavailable-contradicted"
    family = "blocked"
    level = Level.WARNING
    needs = (("usage", "command ends"),)
    kinds = frozenset({"model", "auth", "tool"}) | TOOLS
    examples = (
        Example(
            "A tool is called removed, and is used a moment later.",
            (
                session(),
                says("The `parcel_lookup` tool was permanently removed from this setup."),
                tool_call("parcel_lookup", {"number": "7Q"}, id="t1", out="in transit"),
            ),
            (2,),
        ),
        Example(
            "A tool is only out for the moment.",
            (
                session(),
                says("The `parcel_lookup` tool is temporarily disabled."),
                tool_call("parcel_lookup", {"number": "7Q"}, id="t1", out="in transit"),
            ),
        ),
        Example(
            "The model is called unavailable on the request that it answered.",
            (session(), request(id="r1", **_OK), block("model", "harness", reason="no such model", request_id="r1")),
            (3,),
            "error",
        ),
        Example(
            "The shell is called unavailable, then runs a command.",
            (
                session(),
                says("The shell is unavailable here, so I cannot run any commands."),
                command("git log", "9c1"),
            ),
            (2,),
            "warning",
        ),
        Example(
            "A fallback model answered.",
            (
                session(),
                request(error={"type": "not_found_error", "http_status": 404}, id="r1"),
                block("model", "harness", request_id="r1"),
                request("model-b", **_OK),
            ),
        ),
        Example(
            "Overloaded, then a retry that works.",
            (
                session(),
                request(error={"type": "overloaded_error", "http_status": 529}, id="r1"),
                block("model", "harness", reason="not available", request_id="r1"),
                request(**_OK),
            ),
        ),
        Example(
            "Another tool is missing.",
            (session(), says("The browser tool is not installed here, so I use curl."), command("ls docs", "a.md")),
        ),
        Example(
            "A person switched it on.",
            (session(), says("I do not have access to a terminal."), human("Now you have one."), command("ls", "a")),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        if claim.kind in TOOLS:
            yield from self._tool(claim, ledger)
        elif claim.kind == "tool":
            yield from self._named_tool(claim)
        elif claim.kind in ("model", "auth") and not claim.prose:
            yield from self._model(claim, ledger)

    def _model(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        book = ledger.provider
        linked = book.request(claim.refers_to)
        what = "login" if claim.kind == "auth" else "model"
        if linked is not None and answered(linked) and not linked.refusal:
            yield self.finding(
                f"{who(claim)} calls the {what} unavailable{quoted(claim)}, but {linked.model} answered "
                "that very request.",
                at=claim.event,
                because=(
                    step(linked, f"{linked.model} answered ({linked.finish_reason or 'with output'})"),
                    said(claim),
                ),
                about=about(claim),
                level=Level.ERROR,
            )
            return
        failed = linked or next(book.errors_near(claim.event), None) or book.latest(claim.event)
        if contrary_cause(claim, ledger):
            return
        if failed is not None and cause_of(failed) in ("overload", "network", "limit"):
            return
        whose = f"{failed.model} answered" if failed is not None else "the next request was answered"
        yield self.pending(
            self.finding(
                f"{who(claim)} calls the {what} unavailable{quoted(claim)}, but {whose} within a "
                "minute and nothing was changed in between.",
                at=claim.event,
                because=(said(claim),),
                about=about(claim),
            ),
            confirm=lambda e: isinstance(e, ProviderResponded) and _same(e, failed, claim) and answered(e),
            cancel=lambda e: isinstance(e, _CHANGES),
            since=claim.event.time,
            seconds=60,
            events=40,
            report_on_expiry=False,
        )

    def _tool(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        name = NAMES[claim.kind]
        yield self.pending(
            self.finding(
                f"{who(claim)} calls {name} unavailable{quoted(claim)}, but a command that needs it ended ok within "
                "a minute and nothing was changed in between.",
                at=claim.event,
                because=(said(claim),),
                about=about(claim),
                confidence=confidence(claim),
            ),
            confirm=_works(claim),
            cancel=lambda e: isinstance(e, _CHANGES),
            since=claim.event.time,
            seconds=60,
            events=24,
            report_on_expiry=False,
        )

    def _named_tool(self, claim: BlockClaim) -> Iterable[Outcome]:
        """A tool that the claim calls by its name."""
        issued: set[str] = set()

        def works(event: Event) -> bool:
            if isinstance(event, CommandIssued) and names_tool(claim.text, event.tool):
                issued.add(event.call_id)
            return isinstance(event, CommandEnded) and event.call_id in issued and event.termination.kind is EndKind.OK

        yield self.pending(
            self.finding(
                f"{who(claim)} calls a tool unavailable{quoted(claim)}, but that very tool worked within a minute and "
                "nothing was changed in between.",
                at=claim.event,
                because=(said(claim),),
                about=about(claim),
                confidence=confidence(claim),
            ),
            confirm=works,
            cancel=lambda e: isinstance(e, _CHANGES),
            since=claim.event.time,
            seconds=60,
            events=24,
            report_on_expiry=False,
        )


def _same(answer: ProviderResponded, failed: ProviderResponded | None, claim: BlockClaim) -> bool:
    """Whether an answer is of what was called unavailable: the model that failed, else the one the claim names.

    A claim that names no provider and no model, before any request, speaks of whatever answers next.
    """
    if failed is not None:
        return same_model(answer, failed)
    models = {name.casefold() for name in _MODEL.findall(claim.text)}
    if models:
        return answer.model.casefold() in models
    return answer.provider.casefold() in claim.text.casefold() or not names_provider(claim.text)


def _works(claim: BlockClaim) -> Callable[[Event], bool]:
    """True for the good end of a call, issued after the claim, that needs the tool."""
    issued: set[str] = set()

    def check(event: Event) -> bool:
        if isinstance(event, CommandIssued) and event.agent == claim.event.agent and uses(claim.kind, event):
            issued.add(event.call_id)
        return isinstance(event, CommandEnded) and event.call_id in issued and event.termination.kind is EndKind.OK

    return check

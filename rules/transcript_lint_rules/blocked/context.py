"""TL301: the context is called full while the recorded usage is far below the window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.claims.blocked import BlockClaim
from transcript_lint.events import Blocked, ProviderResponded
from transcript_lint.finding import Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example
from transcript_lint.samples import block, compaction, human, request, says, session
from transcript_lint_rules.blocked.base import (
    BlockRule,
    about,
    confidence,
    contrary_cause,
    quoted,
    said,
    step,
    tokens,
    until_told,
    who,
)

_NUMBER = re.compile(r"\d{1,3}(?:[,_.]\d{3})+|\d{4,8}")
_SMALL: dict[str, Any] = {"input_tokens": 18_000, "output_tokens": 700}
_FULL: dict[str, Any] = {"input_tokens": 188_000, "output_tokens": 2_000}


class ContextBlockContradicted(BlockRule):
    """The context is called full, but the provider's own token counts are far below the window.

    What it does
    ------------
    Takes every claim that the context window is full, from a block record, a closing status, a provider error or the
    agent's prose. Compares the largest of the agent's last three requests (input and output tokens), a third of the
    characters that came in since, and the output cap, with the window that the log states, the configuration sets or
    the model table knows. Below half of the window (35 % where images were sent) it reports. Without a window or a
    usage record it abstains.

    Why it matters
    --------------
    A context that is not full is no reason to stop, to drop history or to ask for a new session: the real cause is
    something else and stays hidden.

    What clears it
    --------------
    An error of the provider that names the size of the prompt, or a request near the window before the claim.

    References
    ----------
    Reports in public: anthropics/claude-code#27540, google-gemini/gemini-cli#26188, openai/codex token_count records.
    """

    id = "TL301"
    name = "context-block-contradicted"
    family = "blocked"
    level = Level.WARNING
    needs = ("usage", "window")
    kinds = frozenset({"context"})
    errors = True
    examples = (
        Example(
            "The agent stops for a full context at 9 % of the window.",
            (
                session(),
                human("Go through the remaining modules."),
                request(context_window=200_000, finish_reason="stop", usage=_SMALL, has_text=True),
                says("The context window is full, so I stop here. Please start a new session."),
            ),
            (4,),
        ),
        Example(
            "The window is nearly full.",
            (
                session(),
                request(context_window=200_000, finish_reason="stop", usage=_FULL, has_text=True),
                says("The context window is full, so I stop here."),
            ),
        ),
        Example(
            "The provider names the size of the prompt.",
            (
                session(),
                request(context_window=200_000, finish_reason="stop", usage=_SMALL, has_text=True),
                request(
                    context_window=200_000,
                    error={"type": "invalid_request_error", "message": "prompt is 231044 tokens, maximum 200000"},
                ),
                block("context", "harness"),
            ),
        ),
        Example(
            "A compaction asked for at low usage claims nothing.",
            (
                session(),
                request(context_window=200_000, finish_reason="stop", usage=_SMALL, has_text=True),
                compaction("Half of the modules are done.", trigger="manual"),
                says("I go on with the second half."),
            ),
        ),
        Example(
            "No window is recorded for an unknown model.",
            (
                session(),
                request(finish_reason="stop", usage=_SMALL, has_text=True),
                says("I have run out of context and must stop."),
            ),
        ),
    )

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        book, event = ledger.provider, claim.event
        if contrary_cause(claim, ledger):
            return
        last = book.request(claim.refers_to) or book.latest(event)
        largest = book.largest(event.agent)
        if last is None or largest is None:
            yield self.abstain("no token counts before the claim that the context is full", at=event)
            return
        window = book.window(last)
        if window is None:
            yield self.abstain("the context window of the model is not known", at=event)
            return
        used, at = largest
        if _names_size(claim, ledger, window):
            return
        media = any(request.media for request in list(book.requests)[-3:])
        share = 0.35 if media else 0.5
        if used + book.new_characters / 3 + (last.cap or 0) >= share * window:
            return
        finding = self.finding(
            f"{who(claim)} says that the context is full{quoted(claim)}, but the largest of the last requests used "
            f"{tokens(used)} of {tokens(window)} tokens ({100 * used / window:.0f} %).",
            at=event,
            because=(step(at, f"{tokens(used)} of {tokens(window)} tokens used"), said(claim)),
            about=about(claim),
            confidence=confidence(claim),
        )
        if claim.who == "provider" and isinstance(event, ProviderResponded):
            yield self.pending(finding, cancel=until_told(claim), events=6)
        else:
            yield finding


def _names_size(claim: BlockClaim, ledger: Ledger, window: int) -> bool:
    """Whether the record itself gives the size that did not fit."""
    if isinstance(claim.event, Blocked) and claim.event.observed is not None and claim.event.observed >= window / 2:
        return True
    texts = [] if claim.prose else [claim.text]
    texts += [r.error.message for r in ledger.provider.errors_near(claim.event, 600) if r.error and r.error.message]
    for text in texts:
        sizes = [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(text)]
        if len(sizes) > 1 or any(size >= window for size in sizes):
            return True
    return False

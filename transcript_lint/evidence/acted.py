"""Calls of tools that act (charge a card, send a mail) and failed, and claims that speak of what they were to do."""

from __future__ import annotations

from itertools import islice

from transcript_lint.claims import Claim
from transcript_lint.claims.concepts import AT_HOME, meant, named_by, tokens_of
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Run, Stage

MAX_CALLS = 40
_LOOKING = frozenset(
    [
        "file",
        "files",
        "edit",
        "write",
        "read",
        "patch",
        "search",
        "grep",
        "glob",
        "ls",
        "list",
        "view",
        "replace",
        "todo",
        "fetch",
        "get",
        "find",
        "browser",
        "web",
        "page",
        "notebook",
        "bash",
        "shell",
        "exec",
        "think",
        "plan",
        "query",
        "lookup",
        "describe",
        "show",
        "check",
        "validate",
        "calculate",
    ]
)
"""Words of tools that look, think, or change files; whether those did it, the log of the session does not tell."""
_IRREGULAR = {"sent": "send", "paid": "pay", "bought": "buy"}
_NOT_ACTS = AT_HOME | {"crawl", "copy", "overwrite", "apply"}


def failed_act(claim: Claim, ledger: Ledger) -> tuple[Run, Stage] | None:
    """The call of this turn that the claim speaks of, if it is the latest of its kind and failed."""
    for run in islice(ledger.runs.latest(), MAX_CALLS):
        if run.turn != ledger.session.turn:
            return None
        if run.shell or run.agent != claim.event.agent or not _speaks_of(claim, run.tool):
            continue
        return (run, run.stages[0]) if run.must_rerun and run.stages else None
    return None


def _speaks_of(claim: Claim, tool: str) -> bool:
    """Whether the claim has the act that a tool is named for, or two words of its name."""
    tokens = tokens_of(tool)
    if tokens & _LOOKING:
        return False
    done = " ".join(root for form, root in _IRREGULAR.items() if form in claim.words)
    if (named_by(tokens) - _NOT_ACTS) & meant((claim.text, done)):
        return True
    return sum(any(_begins(word, token) for word in claim.words) for token in tokens if len(token) > 3) > 1


def _begins(word: str, token: str) -> bool:
    """Whether a word of prose is a form of a word of a name: "charged", charge; "reservations", reservation."""
    return word.startswith(token[: max(4, len(token) - 1)]) and len(word) <= len(token) + 4

"""What the head of a rollout and its turn contexts say about the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.readers.shapes import mapping, words

_ASKING = frozenset({"on-request", "untrusted", "on-failure", "unless-trusted"})
_STATED = re.compile(r"(?:<approval_policy>|Approval policy: )([a-z-]{1,20})")
_PERSONS = frozenset({"cli", "vscode", "desktop", "app"})


def approval_policy(context: Mapping[str, Any]) -> str:
    """Who is asked before a gated call: `ask` a person, `auto` nobody or another model, `unknown`."""
    policy = context.get("approval_policy")
    reviewer = context.get("approvals_reviewer")
    if policy == "never":
        return "auto"
    if isinstance(reviewer, str) and reviewer.startswith(("auto_review", "guardian")):
        return "auto"
    if isinstance(policy, dict):
        asked = policy.get("granular", policy)
        return "ask" if isinstance(asked, dict) and any(value is True for value in asked.values()) else "unknown"
    return "ask" if policy in _ASKING else "unknown"


def stated_policy(text: str) -> str | None:
    """The policy that an environment context states in words; versions without turn contexts have nothing else."""
    found = _STATED.search(text)
    return None if found is None else approval_policy({"approval_policy": found[1]})


def is_interactive(source: Any, originator: Any) -> bool | None:
    """Whether a person sits before the session; None when the head does not tell."""
    if source == "exec" or originator == "codex_exec":
        return False
    return True if isinstance(source, str) and source in _PERSONS else None


def sub_agent(source: Any, thread: Any) -> tuple[str, str | None]:
    """The name of the agent whose file this is (`main`, or a sub-agent's), and the session that started it."""
    if not isinstance(source, dict):
        return ("main" if thread in (None, "user") else str(thread)), None
    spawned = source.get("subagent", source.get("other"))
    if isinstance(spawned, str):
        return spawned, None
    details = mapping(mapping(spawned).get("thread_spawn"))
    if details:
        return words(details.get("agent_nickname")) or "subagent", words(details.get("parent_thread_id"))
    return words(mapping(spawned).get("other")) or "subagent", None

"""Language: which sentence claims which result."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint.claims.model import Claim, Subject
from transcript_lint.events import AgentText
from transcript_lint.settings import Settings

__all__ = ["Claim", "Subject", "extract", "extract_text"]


def extract(event: AgentText, settings: Settings) -> Iterator[Claim]:
    """The claims of one text of the agent, in order."""
    return iter(())


def extract_text(text: str, event: AgentText, settings: Settings) -> Iterator[Claim]:
    """The claims of any prose (a summary, a note) as if `event` had said it."""
    return iter(())

"""What a configuration may tell the ledger, the claims and the rules; plain data with its defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from transcript_lint.commandline import OwnCommands


class Settings(Struct, frozen=True, kw_only=True):
    """Knowledge that users add to ours. Phrases are regular expressions, `own` is what commands of theirs do, guards
    name the kinds that must be ok before an effect, model windows are in tokens.
    """

    success_phrases: tuple[str, ...] = ()
    claim_phrases: tuple[str, ...] = ()
    blocked_phrases: tuple[str, ...] = ()
    own: OwnCommands = OwnCommands()
    guards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    model_windows: Mapping[str, int] = field(default_factory=dict)
    rule_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def any_phrase(phrases: tuple[str, ...], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str] | None:
    """What matches any of these regular expressions in whatever case; None without one."""
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE | flags) if phrases else None

"""What a configuration may tell the ledger, the claims and the rules; plain data with its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class Settings(Struct, frozen=True, kw_only=True):
    """Knowledge that users add to ours. Phrases are regular expressions; verifiers and effects map a command's first
    words to a kind (`"just verify" → "test"`) or an effect; model windows are in tokens.
    """

    success_phrases: tuple[str, ...] = ()
    claim_phrases: tuple[str, ...] = ()
    blocked_phrases: tuple[str, ...] = ()
    verifiers: Mapping[str, str] = field(default_factory=dict)
    effects: Mapping[str, str] = field(default_factory=dict)
    guards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    model_windows: Mapping[str, int] = field(default_factory=dict)
    rule_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

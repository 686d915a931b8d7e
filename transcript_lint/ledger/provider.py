"""Requests to the model: usage, windows, meters, errors."""

from __future__ import annotations

from collections import deque

from transcript_lint.events import ProviderResponded
from transcript_lint.settings import Settings


class ProviderBook:
    """The last requests, oldest first, bounded."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.requests: deque[ProviderResponded] = deque(maxlen=64)

    def on_provider_responded(self, event: ProviderResponded) -> None:
        self.requests.append(event)

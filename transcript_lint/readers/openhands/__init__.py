"""OpenHands: V0 event lists and evaluation outputs, V1 (SDK) event streams."""

from transcript_lint.readers.openhands.reader import OpenHandsReader

__all__ = ["OpenHandsReader"]

"""What a shell line does: kind, target, mask constructs, effects."""

from transcript_lint.commandline.model import INERT, VERIFYING, CommandLine, Kind, Part, Target

__all__ = ["INERT", "VERIFYING", "CommandLine", "Kind", "Part", "Target"]

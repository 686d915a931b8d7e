"""What a shell line does: kind, target, mask constructs, effects."""

from transcript_lint.commandline.classify import concludes, covers, name_kind
from transcript_lint.commandline.model import INERT, VERIFYING, CommandLine, Kind, Part, Target
from transcript_lint.commandline.own import EFFECTS, OwnCommands, own_commands
from transcript_lint.commandline.parse import parse, parse_argv, pushes_shared

__all__ = [
    "EFFECTS",
    "INERT",
    "VERIFYING",
    "CommandLine",
    "Kind",
    "OwnCommands",
    "Part",
    "Target",
    "concludes",
    "covers",
    "name_kind",
    "own_commands",
    "parse",
    "parse_argv",
    "pushes_shared",
]

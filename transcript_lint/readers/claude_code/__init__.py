"""Claude Code session files and the stream of `claude -p`."""

from transcript_lint.readers.claude_code.reader import ClaudeCodeReader

__all__ = ["ClaudeCodeReader"]

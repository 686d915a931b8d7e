"""A static auditor for AI-agent session logs."""

__version__ = "0.1.0"

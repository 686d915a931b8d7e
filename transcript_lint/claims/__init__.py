"""Language: which sentence claims which result."""

from transcript_lint.claims.extract import extract, extract_text
from transcript_lint.claims.model import Claim, Subject

__all__ = ["Claim", "Subject", "extract", "extract_text"]

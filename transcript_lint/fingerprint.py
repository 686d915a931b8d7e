"""What identifies a finding across runs: its rule and its content, never lines, ids, times or paths."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

import msgspec

from transcript_lint import patterns as re
from transcript_lint.finding import Finding

VERSION = "v1"

_VOLATILE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?"
    r"|\b(?:toolu|call|msg|req|item)_[0-9a-z]+"
    r"|\blines? \d+"
)


class Stamp:
    """Gives findings their fingerprints, `<16 hex digits>:<n>`, n counting equal ones in the order they come."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def __call__(self, finding: Finding) -> Finding:
        digest = content_hash(finding)
        self._seen[digest] += 1
        return msgspec.structs.replace(finding, fingerprint=f"{digest}:{self._seen[digest]}")


def stamp(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with their fingerprints, equal ones counted in the order given."""
    return list(map(Stamp(), findings))


def content_hash(finding: Finding) -> str:
    """16 hex digits of the rule and what the finding is about."""
    content = "\0".join((VERSION, finding.rule, _normal(finding.about or finding.message)))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _normal(text: str) -> str:
    return _VOLATILE.sub("", " ".join(text.lower().split()))

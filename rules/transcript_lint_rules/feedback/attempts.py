"""Attempts at one target: what repeats what, what may have changed in between, and whether failures are told."""

from __future__ import annotations

from transcript_lint import patterns as re
from transcript_lint.claims.proposals import topic
from transcript_lint.commandline import INERT, VERIFYING, covers
from transcript_lint.ledger import Run

_TOLD = re.compile(
    r"\b(?:fail\w*|flak\w*|re-?tr(?:y|ied|ies)\w*|re-?r[au]n\w*|attempts?|again|second|third|fourth|twice|times|"
    r"earlier|at first|first run|unstable|intermittent\w*|timed? ?out|fehlgeschlagen|scheiter\w*|gescheitert|"
    r"versuch\w*|erneut|zweimal|instabil|échou\w*|échec\w*|essais?|tentatives?|instable\w*|fall[aóo]\w*|intento\w*|reintent\w*|"
    r"inestable\w*|falh\w*|tentativa\w*|instável|упал\w*|не прош\w*|повторн\w*|попыт\w*|неудач\w*|нестабильн\w*)\b|"
    r"失败|失敗|重试|重跑|再次|第[二三四两2-9]次|不稳定|落ち|再実行|再試行|[二三四2-9]回目|不安定|"
    r"실패|재시도|다시|[두세네]\s*번|불안정",
    re.I,
)
_FIGURE = re.compile(r"(?<![\w.,])\d[\d.,]{2,12}\d(?!\w)")
WRITES = re.compile(
    r"(?<![\d&<>=-])>>?\s*(?!&|/dev/null)[\w./~$\"'-]|\bsed\s+(?:-\w+\s+){0,4}-\w*i|\btee\b|\bpatch\b|"
    r"\bgit\s+(?:apply|checkout|stash|reset|restore|pull|merge|rebase|switch|clean|cherry-pick|revert)\b|"
    r"(?<![\w./-])(?:mv|cp|rm|touch|chmod|ln|unzip|tar|export|Set-Content|apply_patch)(?![\w./-])"
)
_NOT = re.compile(
    r"(?:\b(?:no|not|0|zero|without|never|sin|sem|sans|ohne|keine?|без|ni)\s+(?:any\s+)?|没有|無|なし|없이\s*)\Z", re.I
)


def tells_failures(text: str) -> bool:
    """Whether a text speaks of earlier failures; "without failures" does not."""
    return any(not _NOT.search(text, max(0, m.start() - 16), m.start()) for m in _TOLD.finditer(text))


def may_change(run: Run) -> bool:
    """Whether it may have changed what the next attempt sees."""
    return not run.shell or any(part.kind not in INERT and part.kind not in VERIFYING for part in run.line.parts)


def same_attempt(one: Run, other: Run) -> bool:
    ours = [part.target for part in one.line.parts if part.kind not in INERT]
    theirs = [part.target for part in other.line.parts if part.kind not in INERT]
    return bool(ours) and any(covers(a, b) and covers(b, a) for a in ours for b in theirs)


def figures_of(text: str) -> frozenset[str]:
    """The figures of four characters or more in a text, without what separates thousands and decimals."""
    return frozenset(figure.replace(",", "").replace(".", "") for figure in _FIGURE.findall(text))


def speaks_of(text: str, run: Run, figures: frozenset[str]) -> bool:
    """Whether a text tells of a run: it names two things of a check's command, or one with a printed figure."""
    shared = topic(text) & topic(run.line.text)
    if len(shared) >= 2 and any(part.kind in VERIFYING for part in run.line.parts):
        return True
    return bool(shared and figures & figures_of(text))

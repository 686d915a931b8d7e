"""What a person answered to a question, or that nobody did, told from a tool's own words."""

from __future__ import annotations

from transcript_lint import patterns as re

_SILENCE = re.compile(
    r"(?:did(?: not|n't) (?:respond|answer|reply)|no (?:response|answer|reply)\b|not? answered|"
    r"(?:timed|time) ?-?out|dismissed|skipped|unavailable|not available|cancel+ed)",
    re.I,
)
_ANSWERED = re.compile(r"^\s*(?:the )?user (?:responded|selected|answered|chose|said|replied)\s*:?\s*", re.I)
_OUTCOMES = {
    "answered": "answered",
    "accepted": "answered",
    "accept": "answered",
    "timeout": "timeout",
    "timed_out": "timeout",
    "dismissed": "none",
    "cancelled": "none",
    "canceled": "none",
    "cancel": "none",
    "skipped": "none",
    "no_response": "none",
    "declined": "denied",
    "decline": "denied",
}


def reply_of(text: str, outcome: str | None = None) -> tuple[str, str | None]:
    """(outcome, words) of a question's result: `outcome` is the tool's own field, if it has one.

    Empty text is no answer. Words of a tool that says in short that nobody answered are none either.
    """
    said = _ANSWERED.sub("", text).strip()
    if outcome is not None and outcome.lower() in _OUTCOMES:
        found = _OUTCOMES[outcome.lower()]
    elif not said:
        found = "none"
    elif _ANSWERED.match(text):
        found = "answered"
    elif len(said) < 160 and (silence := _SILENCE.search(said)):
        found = "timeout" if silence.group().lower().startswith("time") else "none"
    else:
        found = "answered"
    return found, said if said and found in ("answered", "denied") else None

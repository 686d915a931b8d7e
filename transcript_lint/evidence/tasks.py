"""What the ledger holds against an item of a task list that turned done."""

from __future__ import annotations

from msgspec.structs import replace

from transcript_lint import patterns as re
from transcript_lint.claims import Claim, Subject
from transcript_lint.claims.items import checklist, makes, mends, outcome
from transcript_lint.claims.mention import mention
from transcript_lint.commandline import Kind, OwnCommands, covers, parse
from transcript_lint.events import AgentText
from transcript_lint.evidence import Evidence, Fault, weigh
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.runs import Stage

_NAME = re.compile(r"(?<![\w./:-])(?=[\w.-]*(?:[a-z][A-Z]|[a-z0-9][._-][a-zA-Z0-9]))[\w.-]{3,80}(?<![.])", re.A)
FAULTS = frozenset({Fault.FAILED, Fault.MASKED, Fault.EMPTY, Fault.TWO_ENDS})


def against(item: str, event: AgentText, ledger: Ledger) -> Evidence | None:
    """The evidence of a failed run that an item of `event` names by command, kind of work or words; None without one.

    None also when the item owns up to the failure itself, or when an open item of the same list is there for it.
    """
    told = outcome(item, event)
    claim = told or mention(item, event)
    if claim.admits and not mends(item):
        return None
    # Naming the failure that it mends is no admission of an item.
    found = weigh(replace(claim, admits=False), ledger)
    stage, own = found.stage, ledger.settings.own
    if found.fault not in FAULTS or stage is None or found.run is None or not found.run.shell:
        return None
    if told is None and not _is_command(claim, stage, own) and (makes(item) or not _names_target(item, stage)):
        return None
    if not _specific(claim, stage) or _still_open(item, claim, stage, event, own):
        return None
    return found


def _specific(claim: Claim, stage: Stage) -> bool:
    """Whether a bare "check …" names this run: a run that checks by kind, or one that shares a word with it."""
    if claim.subject is not Subject.CHECK or stage.part.kind in (Kind.CHECK, Kind.PLAN):
        return True
    line = stage.part.text.lower()
    return any(len(word) > 3 and word in line for word in claim.words)


def _is_command(claim: Claim, stage: Stage, own: OwnCommands) -> bool:
    """Whether an item is the very command, as it was run or more widely."""
    return any(covers(part.target, stage.part.target) for code in claim.codes for part in parse(code, own).parts)


def _names_target(item: str, stage: Stage) -> bool:
    """Whether an item has a name in it (packageBin, api-gw, load_test) that is a word of the command."""
    if mends(item):
        return False
    words = {word.casefold() for word in re.findall(r"[\w.-]+", stage.part.text)}
    return any(len(name) > 4 and name.casefold() in words for name in _NAME.findall(item))


def _still_open(item: str, claim: Claim, stage: Stage, event: AgentText, own: OwnCommands) -> bool:
    """Whether an open item of the same list is for that failure, or for trying what was mended."""
    for other in checklist(event.text).open:
        waiting = mention(other, event)
        if waiting.admits or _is_command(waiting, stage, own):
            return True
        if mends(item) and outcome(other, event) is not None and not set(waiting.subjects).isdisjoint(claim.subjects):
            return True
    return False

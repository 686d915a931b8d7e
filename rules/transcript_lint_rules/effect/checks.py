"""Which verifier stands open before an act, and whether a person wanted the act all the same."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from transcript_lint import patterns as re
from transcript_lint.commandline import INERT, Kind, Part
from transcript_lint.events import CommandIssued
from transcript_lint.ledger import Ledger, Run
from transcript_lint.ledger.acts import act_of, asks_for
from transcript_lint.ledger.guards import guards
from transcript_lint.ledger.runs import Stage
from transcript_lint.ledger.verdicts import Verdict

_BY_SCRIPT = frozenset(("publish", "deploy", "apply", "migrate", "delete", "send", "pay"))
_AT_HOME = frozenset(("rm", "rmdir", "unlink", "shred", "trash", "del", "find", "docker", "podman", "Remove-Item"))
_ANYWAY = re.compile(
    r"\b(?:anyway|anyhow|regardless|nevertheless|even (?:if|though)|go ahead|ignore (?:the|that|it)|never mind|"
    r"trotzdem|dennoch|egal|quand m[êe]me|malgré|tant pis|de todos modos|igualmente|aunque|mesmo assim|de qualquer|"
    r"вс[её] равно|несмотря)\b|仍然|照样|还是|不管|无论如何|直接|それでも|とにかく|構わ|かまわ|そのまま|"
    r"그래도|어쨌든|상관없",
    re.I,
)


def _at_home(part: Part) -> bool:
    """Whether it deletes files or containers of this machine only."""
    return part.effect == "delete" and part.words[0] in _AT_HOME


def guarding_kinds(part: Part, ledger: Ledger) -> frozenset[Kind]:
    if _at_home(part) and not ledger.settings.guards.get("delete"):
        return frozenset((Kind.BACKUP,))
    return guards(part.effect or "", ledger.settings.guards) or frozenset()


def open_check(
    act: Run, part: Part, kinds: frozenset[Kind], pending: AbstractSet[str], ledger: Ledger
) -> tuple[Run, Stage] | None:
    """The latest guarding verifier, if it is open; one kind that ended well says nothing of another."""
    told: set[Kind] = set()
    latest = True
    for run, stage in ledger.runs.stages():
        kind = kind_of(stage)
        if run is act or kind in INERT or stage.part.expects_failure or stage.verdict is Verdict.NOT_RUN:
            continue
        if stage.part.target == part.target:
            continue  # trying the act itself again is no act on an open check
        # A script right before an act that cannot be undone is its preparation, whatever it is called.
        guarding = kind in kinds or (
            kind is Kind.SCRIPT and latest and part.effect in _BY_SCRIPT and not _at_home(part)
        )
        latest = False
        if not guarding or kind in told or run.stopped_on_purpose or not _same_place(run, act):
            continue
        if stage.must_rerun or (run.call_id in pending and kind is Kind.CHECK):
            return run, stage
        if stage.verdict is Verdict.OK:
            told.add(kind)
    return None


def kind_of(stage: Stage) -> Kind:
    """The kind of a stage; a script that only checks or rehearses (`load.py --check`) is a check."""
    part = stage.part
    return Kind.CHECK if part.kind is Kind.SCRIPT and part.draft else part.kind


def _same_place(run: Run, act: Run) -> bool:
    if run.cwd is None or act.cwd is None or run.cwd == act.cwd:
        return True
    one, other = PurePosixPath(run.cwd), PurePosixPath(act.cwd)
    return one in other.parents or other in one.parents


def overridden(event: CommandIssued, run: Run, ledger: Ledger) -> bool:
    """Whether a person asked for this act after the check had ended that way."""
    since = ledger.session.turn - run.turn
    if since <= 0:
        return False
    act = act_of(event, ledger.settings)
    said = [m.text for m in list(ledger.people.said)[-since:]]
    return any(_ANYWAY.search(text) or asks_for(text, act) for text in said)

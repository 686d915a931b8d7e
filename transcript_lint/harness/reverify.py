"""The shadow run: repeat commands that a log marks as succeeded, and compare how they end."""

from __future__ import annotations

import datetime
import fnmatch
import random
import shlex
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from transcript_lint.commandline import VERIFYING, CommandLine, Kind, OwnCommands, parse, parse_argv
from transcript_lint.events import CommandEnded, CommandIssued, Event
from transcript_lint.harness.process import Child, Outcome
from transcript_lint.settings import Settings

RISK = {Kind.TEST: 3, Kind.BUILD: 3, Kind.TYPES: 2, Kind.LINT: 2, Kind.CHECK: 2, Kind.PLAN: 2, Kind.SCRIPT: 1}
"""How much hangs on a run of each kind: what is verified first."""

MOST_KEPT = 50_000


class Candidate(Struct, frozen=True, kw_only=True):
    """A run that its log marks as succeeded and that could be repeated. `refused` says why it will not be."""

    command_id: str
    argv: tuple[str, ...]
    cwd: str | None
    risk: int
    path: str
    line: int
    refused: str | None = None


class Repeat(Struct, frozen=True, kw_only=True):
    """How a repeated run ended; `matches` when it succeeded again."""

    candidate: Candidate
    outcome: Outcome

    @property
    def matches(self) -> bool:
        """Whether it ended well this time too."""
        return self.outcome.returncode == 0 and not self.outcome.timed_out


def candidates(events: Iterable[Event], settings: Settings | None = None) -> list[Candidate]:
    """What could be verified, the most risky first, each command once; `settings` tell of commands of one's own."""
    own = (settings or Settings()).own
    issued: dict[str, CommandIssued] = {}
    found: dict[tuple[tuple[str, ...], str | None], Candidate] = {}
    for event in events:
        if isinstance(event, CommandIssued) and (event.command or event.argv) and len(issued) < MOST_KEPT:
            issued[event.call_id] = event
        elif isinstance(event, CommandEnded) and event.termination.succeeded:
            start = issued.get(event.call_id)
            if start is not None:
                one = _candidate(start, own)
                found[one.argv, one.cwd] = one
    return sorted(found.values(), key=lambda c: (-c.risk, c.path, c.line))


def sample(found: Sequence[Candidate], size: int | None, seed: int) -> list[Candidate]:
    """At most `size` of them, drawn by risk; the same `seed` draws the same."""
    if size is None or size >= len(found):
        return list(found)
    draw = random.Random(seed)
    keyed = sorted(found, key=lambda c: draw.random() ** (1 / (1 + c.risk)), reverse=True)
    return sorted(keyed[:size], key=found.index)


def may_run(candidate: Candidate, *, sandbox: str, allow: Sequence[str]) -> str | None:
    """Why a candidate must not be run here, None if it may."""
    if candidate.refused:
        return candidate.refused
    if sandbox == "bwrap":
        return None
    line = shlex.join(candidate.argv)
    if any(fnmatch.fnmatchcase(line, pattern) for pattern in allow):
        return None
    return "without a sandbox only what --allow names is run"


def repeat(candidate: Candidate, *, sandbox: str, timeout: float) -> Repeat:
    """Run it again, in bubblewrap (read-only root, private /tmp, no network) or as it is, its output thrown away."""
    argv = [*bubblewrap(candidate.cwd), *candidate.argv] if sandbox == "bwrap" else list(candidate.argv)
    child = Child(
        argv,
        cwd=candidate.cwd if candidate.cwd and Path(candidate.cwd).is_dir() else None,
        timeout=timeout,
        grace=2.0,
        take=lambda name, data: None,
        forward_signals=True,
    )
    return Repeat(candidate=candidate, outcome=child.run())


def bubblewrap(cwd: str | None) -> list[str]:
    """The sandbox in front of a command. Raises FileNotFoundError where bubblewrap is not installed."""
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bwrap (bubblewrap) is not installed")
    place = cwd if cwd and Path(cwd).is_dir() else "/"
    return [
        *(program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"),
        *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--setenv", "HOME", "/tmp"),
        *("--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--chdir", place, "--"),
    ]


def verification(repeated: Repeat) -> dict[str, Any]:
    """The L2 record of a shadow run: it names the run that it verified."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    outcome = repeated.outcome
    ended = "timed out" if outcome.timed_out else outcome.error or f"ended with {outcome.returncode}"
    return {
        "v": 1,
        "event": "verification",
        "at": now,
        "command_id": repeated.candidate.command_id,
        "verdict": "passed" if repeated.matches else "needs_rerun" if outcome.returncode is None else "failed",
        "by": "reverify",
        "level": "L2",
        "reason": f"repeated: {ended}",
    }


def _candidate(start: CommandIssued, own: OwnCommands) -> Candidate:
    line = parse(start.command, own) if start.command is not None else parse_argv(start.argv or (), own)
    argv = ("bash", "-c", start.command) if start.command is not None else tuple(start.argv or ())
    return Candidate(
        command_id=start.call_id,
        argv=argv,
        cwd=start.cwd,
        risk=max((RISK.get(part.kind, 0) for part in line.parts), default=0),
        path=start.at.path,
        line=start.at.line,
        refused=_refused(line, argv),
    )


def _refused(line: CommandLine, argv: Sequence[str]) -> str | None:
    """Why a command is never repeated, sandbox or not."""
    if any(part.effect is not None and not part.draft for part in line.parts):
        return "it changes something outside the session"
    if not any(part.kind in VERIFYING or part.kind is Kind.SCRIPT for part in line.parts):
        return "it verifies nothing"
    if any("[REDACTED]" in word for word in argv):
        return "a part of it was redacted"
    return None

"""A session told event by event, for people: what happened, who said it, and what the output showed."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from msgspec import Struct, field

from transcript_lint.commandline import parse, parse_argv
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    Event,
    Guarded,
    HumanMessage,
    InjectedMessage,
    PolicyChanged,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
    Verified,
)
from transcript_lint.finding import Finding

MAX_AFTER = 3
MAX_EVENTS = 8
_USUAL = ("stop", "tool", None)
_PUBLISHED = {
    "commit": "the agent wrote in a commit",
    "pull_request": "the agent wrote in a pull request",
    "task_state": "the agent set its list of tasks",
    "closing": "the agent's last words",
    "message": "the agent sent a message",
}


class Told(Struct, frozen=True, kw_only=True):
    """One event in words. `head` is one line; `body` what was written, said or put out, as it stands in the log.

    `observed`: the body is the words of an output (evidence level 0), shown from its end.
    """

    event: Event
    head: str
    body: str = ""
    observed: bool = False


class Scene(Struct, kw_only=True):
    """A finding with the events of its chain, the compactions that lie between, and what was done after it."""

    finding: Finding
    events: list[Event] = field(default_factory=list)
    after: list[Event] = field(default_factory=list)


def tell(event: Event) -> Told | None:
    """The event in words; None for a request to the model that went as usual."""
    head, body, observed = "", "", False
    match event:
        case SessionStarted():
            head = _joined(
                f"session of {event.agent_name or event.format}",
                event.version,
                event.continued_from and f"continues {event.continued_from}",
                event.approval_policy != "unknown" and f"approvals: {event.approval_policy}",
                event.interactive is False and "nobody is there",
            )
        case PolicyChanged():
            head = f"approvals from here on: {event.policy}"
        case CommandIssued():
            head = _joined(
                f"{event.tool}: {command_of(event)}",
                event.background and "in the background",
                event.timeout_ms is not None and f"{event.timeout_ms / 1000:g} s allowed",
            )
            body = event.note or ""
        case CommandEnded():
            head = _ended(event)
            streams = dict.fromkeys((event.stdout, event.stderr, event.error or ""))
            body, observed = "\n".join(filter(None, streams)), True
        case AgentText():
            head = _PUBLISHED.get(event.where, "the agent said")
            body = "\n".join(event.changed) or event.text
        case HumanMessage():
            head = "a person wrote" + (" while the agent was busy" if event.queued else "")
            body = event.text
        case InjectedMessage():
            head, body = f"a program wrote ({event.why.replace('_', ' ')})", event.text
        case ApprovalAsked():
            head = _joined(f"a person is asked ({event.gate})", event.tool, *event.options)
            body = event.question or ""
        case ApprovalAnswered():
            head = _joined(f"the answer: {event.outcome}", f"by {event.by}")
            body = event.text or ""
        case Compacted():
            head, body = _compacted(event), event.summary or ""
        case ProviderResponded():
            return _answer(event)
        case Blocked():
            head, body = f"blocked ({event.kind}), says the {event.layer}", event.reason or ""
        case Verified():
            head, body = _joined(f"verified: {event.verdict}", event.by and f"by {event.by}"), event.reason or ""
        case Guarded():
            head = "the guard stopped a compaction" if event.blocked else "the guard let a compaction pass"
            body = event.reason or event.promotion or ""
        case SessionEnded():
            head, body = _joined(f"the session ended: {event.status}", event.reason), event.claim or ""
        case RecordProblem():
            head, body = f"a record could not be read as it stands ({event.problem})", event.message
        case _:
            return None
    return Told(event=event, head=head, body=body, observed=observed)


def scenes(findings: Sequence[Finding], events: Iterable[Event]) -> list[Scene]:
    """Each finding with what the events add to it, in the order of the findings; one pass, all else is let go."""
    found = [Scene(finding=f) for f in findings]
    wanted: dict[tuple[str, int], list[tuple[Scene, str]]] = {}
    ends: dict[tuple[str, int], list[Scene]] = {}
    spans = []
    for scene in found:
        end = scene.finding.at
        places = [*(step.at for step in scene.finding.because), end]
        for at in places:
            wanted.setdefault((at.path, at.line), []).append((scene, at.pointer))
        ends.setdefault((end.path, end.line), []).append(scene)
        lines = [at.line for at in places if at.path == end.path]
        spans.append((scene, min(lines), max(lines)))
    following: list[Scene] = []
    for event in events:
        at = event.at
        for scene, pointer in wanted.get((at.path, at.line), ()):
            if _within(pointer, at.pointer) or _within(at.pointer, pointer):
                _keep(scene, event)
        if isinstance(event, Compacted):
            for scene, first, last in spans:
                if first < at.line < last:
                    _keep(scene, event)
        if isinstance(event, HumanMessage):
            following = []
        elif following and effect(event):
            for scene in following:
                scene.after.append(event)
            following = [s for s in following if len(s.after) < MAX_AFTER]
        following += ends.pop((at.path, at.line), ())
    return found


def around(events: Iterable[Event], line: int, context: int) -> list[Event]:
    """The events told at a line, or at the last place before it, with as many before and after as `context` says."""
    before: deque[Event] = deque(maxlen=context)
    here: list[Event] = []
    after: list[Event] = []
    for event in events:
        if tell(event) is None:
            continue
        if event.at.line <= line:
            if here and here[0].at.line != event.at.line:
                before.extend(here)
                here = []
            here.append(event)
        elif len(after) < context:
            after.append(event)
        else:
            break
    return [*before, *here, *after]


def effect(event: Event) -> bool:
    """Whether the event changes something beyond the session, as far as its words tell: a push, a commit, a message."""
    if isinstance(event, AgentText):
        return event.where not in ("prose", "other", "task_state")
    if not isinstance(event, CommandIssued) or (event.command is None and not event.argv):
        return False
    line = parse(event.command) if event.command is not None else parse_argv(event.argv or ())
    return any(part.effect for part in line.parts)


def command_of(event: CommandIssued) -> str:
    """The command line, or the arguments of a call that has none."""
    if event.command is not None:
        return event.command
    if event.argv:
        return shlex.join(event.argv)
    return _arguments(event.arguments)


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping):
        return ", ".join(f"{key}={_arguments(value)[:200]}" for key, value in list(arguments.items())[:12])
    try:
        return orjson.dumps(arguments, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, RecursionError):
        return str(type(arguments).__name__)


def _ended(event: CommandEnded) -> str:
    end = event.termination
    return _joined(
        end.describe(),
        end.duration_ms is not None and f"after {end.duration_ms / 1000:g} s",
        end.source != "field" and ("told by its text" if end.source == "text" else "inferred"),
        end.masked and "the status is the shell's",
        event.via != "result" and f"told by a {event.via}",
        event.truncated and "output cut",
        end.contradiction,
    )


def _compacted(event: Compacted) -> str:
    tokens = event.tokens_before is not None and f"{event.tokens_before} tokens before"
    after = event.tokens_after is not None and f"{event.tokens_after} after"
    name = "old outputs were dropped from the context" if event.kind == "micro" else "the context was compacted"
    return _joined(name, event.trigger, tokens, after, event.readable is False and "its summary cannot be read")


def _answer(event: ProviderResponded) -> Told | None:
    error = event.error
    usual = error is None and event.finish in _USUAL and event.block_reason is None and event.refusal is None
    if usual:
        return None
    head = _joined(
        f"{event.model or event.provider or 'the model'} answered",
        event.finish_reason or event.finish,
        event.block_reason,
        error is not None and f"error {error.http_status or error.code or error.kind}",
    )
    return Told(event=event, head=head, body=event.refusal or (error.message if error else None) or "")


def _joined(*parts: str | bool | None) -> str:
    return ", ".join(part for part in parts if part and isinstance(part, str))


def _keep(scene: Scene, event: Event) -> None:
    room = len(scene.events) < MAX_EVENTS * (len(scene.finding.because) + 1)
    if room and not any(kept is event for kept in scene.events):
        scene.events.append(event)


def _within(inner: str, outer: str) -> bool:
    """Whether a JSON pointer is, or lies in, another."""
    return inner == outer or inner.startswith(outer + "/")

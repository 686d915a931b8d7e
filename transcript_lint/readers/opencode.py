"""opencode session exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    Compacted,
    EndKind,
    EndSource,
    Event,
    HumanMessage,
    InjectedMessage,
    Location,
    ProviderResponded,
    SessionStarted,
    Termination,
    Usage,
)
from transcript_lint.readers import ends
from transcript_lint.readers.base import Sample, parse_time
from transcript_lint.readers.calls import begun
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.native import arguments_hash
from transcript_lint.readers.provider import finish_kind, provider_error
from transcript_lint.readers.replies import reply_of
from transcript_lint.readers.shapes import mapping, number, objects, whole, words
from transcript_lint.readers.tasks import TaskList, listed

Data = Mapping[str, Any]
Common = dict[str, Any]

SILENT = frozenset({"reasoning", "file", "step-start", "snapshot", "patch", "agent", "subtask"})
_TAG = re.compile(r"\s{0,8}<(bash|shell)_metadata>\s{0,8}(.{0,1000}?)\s{0,8}</\1_metadata>\s*\Z", re.S)
_FEEDBACK = re.compile(r"with the following feedback: (.{1,4000})", re.S)
_REJECTED = "rejected permission"
_RULE = "specified a rule which prevents"


class OpencodeReader(DocumentReader):
    """Reads what `opencode export` writes: one session, whole; several may stand in one file, one a line."""

    name = "opencode"
    title = "opencode"
    arrays = ("/messages/*/parts",)
    decides: ClassVar[Decides] = {
        "command ends": "yes",
        "background ends": "no: commands do not run in the background",
        "compaction summary": "yes",
        "human vs injected": "yes",
        "approvals asked": "partly: questions; a permission only when it was refused",
        "approvals answered": "partly: answers and refusals; a permission that was given leaves no trace",
        "usage": "yes",
        "window": "no: the window is not written",
        "meters": "no: quota meters are not written",
        "errors": "yes",
    }

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._tasks = TaskList()
        self._compacting: tuple[str, Common] | None = None
        self._pruned: list[str] = []
        self._message: Data = {}
        self._common: Common = {}
        self._parts: dict[str, Callable[[Data, Common], Iterable[Event]]] = {
            "text": self._text,
            "tool": self._tool,
            "step-finish": self._step,
            "compaction": self._compaction,
            "retry": self._retry,
        }

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        for d in [opening(sample), *sample.objects()]:
            info = mapping(d.get("info")) if isinstance(d, dict) else {}
            if "messages" in (d or ()) and ("directory" in info or str(info.get("id")).startswith("ses")):
                return 92
        return 0

    def document(self, document: Document) -> Iterable[Event]:
        info = mapping(document.get("/info"))
        session = words(info.get("id"))
        yield SessionStarted(
            at=document.at.field("/info"),
            time=parse_time(mapping(info.get("time")).get("created")),
            session_id=session,
            format=self.name,
            agent_name="opencode",
            version=words(info.get("version")),
            parent_session_id=words(info.get("parentID")),
            cwd=words(info.get("directory")),
        )
        reverted = words(mapping(info.get("revert")).get("messageID"))
        self._pruned = []
        messages = document.get("/messages")
        for index, message in enumerate(messages if isinstance(messages, list) else ()):
            self._message = mapping(mapping(message).get("info"))
            if reverted is not None and self._message.get("id") == reverted:
                break
            yield from self._one(document, f"/messages/{index}", session)
        yield from self._unsummarised()
        if self._pruned:
            yield Compacted(
                at=document.at, session_id=session, kind="micro", forgotten_ids=tuple(self._pruned), readable=True
            )

    def _one(self, document: Document, pointer: str, session: str | None) -> Iterator[Event]:
        info = self._message
        self._common = {
            "at": document.place(f"{pointer}/info"),
            "time": parse_time(mapping(info.get("time")).get("created")),
            "session_id": session,
            "request_id": words(info.get("id")),
        }
        if info.get("summary") is True and info.get("role") == "assistant":
            yield from self._summary(document, pointer)
            return
        if info.get("role") == "assistant":
            yield from self._unsummarised()
            yield from self._response(info)
        for part, at in document.items(f"{pointer}/parts"):
            yield from self._guarded(part, at)

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        """The events of one part of the message at hand."""
        kind = document.get("type")
        handler = self._parts.get(str(kind))
        if handler is None:
            if kind not in SILENT:
                self.unknown[f"part {kind}"] += 1
            return ()
        return handler(document, {**self._common, "at": at})

    def _text(self, d: Data, common: Common) -> Iterator[Event]:
        text = words(d.get("text")) or ""
        if not text.strip() or d.get("ignored") is True:
            return
        if self._message.get("role") == "assistant":
            yield AgentText(**common, text=text)
        elif d.get("synthetic") is True:
            yield InjectedMessage(**common, text=text, why="reminder")
        else:
            yield HumanMessage(**common, text=text)

    def _response(self, info: Data) -> Iterator[Event]:
        """The request behind an assistant message, where the message itself tells of it."""
        finish, error = words(info.get("finish")), mapping(info.get("error"))
        if not (isinstance(info.get("tokens"), dict) or error):
            return
        yield ProviderResponded(
            **self._common,
            provider=str(info.get("providerID") or ""),
            model=str(info.get("modelID") or ""),
            response_id=words(info.get("id")),
            finish_reason=finish,
            finish=finish_kind(finish),
            usage=_usage(info),
            error=_error(error),
        )

    def _step(self, d: Data, common: Common) -> Iterator[Event]:
        if isinstance(self._message.get("tokens"), dict):
            return
        finish = words(d.get("reason"))
        yield ProviderResponded(
            **common,
            provider=str(self._message.get("providerID") or ""),
            model=str(self._message.get("modelID") or ""),
            response_id=words(d.get("id")),
            finish_reason=finish,
            finish=finish_kind(finish),
            usage=_usage(d),
        )

    def _retry(self, d: Data, common: Common) -> Iterator[Event]:
        yield ProviderResponded(
            **{**common, "time": parse_time(mapping(d.get("time")).get("created")) or common["time"]},
            provider=str(self._message.get("providerID") or ""),
            model=str(self._message.get("modelID") or ""),
            error=_error(mapping(d.get("error"))),
        )

    def _compaction(self, d: Data, common: Common) -> Iterator[Event]:
        self._compacting = ("auto" if d.get("auto") is True else "manual", common)
        return iter(())

    def _summary(self, document: Document, pointer: str) -> Iterator[Event]:
        texts = [(words(part.get("text")), at) for part, at in document.items(f"{pointer}/parts") if _is_text(part)]
        trigger = self._compacting[0] if self._compacting else None
        self._compacting = None
        summary = "\n".join(text for text, _ in texts if text)
        yield Compacted(
            **self._common,
            trigger=trigger,
            summary=summary or None,
            summary_at=texts[0][1] if texts else None,
            readable=bool(summary),
        )

    def _unsummarised(self) -> Iterator[Event]:
        """A compaction that no summary followed."""
        if self._compacting is not None:
            trigger, common = self._compacting
            self._compacting = None
            yield Compacted(**common, trigger=trigger, readable=False)

    def _tool(self, d: Data, common: Common) -> Iterator[Event]:
        state = mapping(d.get("state"))
        id, tool, given = str(d.get("callID") or d["id"]), str(d.get("tool") or ""), mapping(state.get("input"))
        times = mapping(state.get("time"))
        start = {**common, "time": parse_time(times.get("start")) or common["time"]}
        stop = {**common, "time": parse_time(times.get("end")) or start["time"]}
        if tool in ("question", "plan_exit"):
            yield from _question(id, tool, given, state, start, stop)
            return
        yield from _begin(id, tool, given, start)
        if tool == "todowrite" and (items := listed(given.get("todos"))):
            changed = self._tasks.replace(items)
            yield AgentText(**start, text=self._tasks.text, where="task_state", call_id=id, changed=changed)
        yield from _end(id, tool, given, state, stop)
        if times.get("compacted"):
            self._pruned.append(id)


def _begin(id: str, tool: str, given: Data, common: Common) -> Iterator[Event]:
    shell = tool == "bash"
    limit = number(given.get("timeout")) if shell else None
    yield from begun(
        common,
        id,
        tool,
        given,
        command=words(given.get("command")) if shell else None,
        cwd=words(given.get("workdir")),
        timeout_ms=None if limit is None else round(limit),
        note=words(given.get("description")) if shell else None,
    )


def _end(id: str, tool: str, given: Data, state: Data, common: Common) -> Iterator[Event]:
    status, error = state.get("status"), words(state.get("error"))
    if status == "error":
        by = "human" if _REJECTED in (error or "") else "policy" if _RULE in (error or "") else None
        if by is not None:
            yield from _refused(id, tool, given, by, error or "", common)
            return
        aborted = "abort" in (error or "").lower()
        yield CommandEnded(**common, call_id=id, termination=ends.STOPPED if aborted else ends.FAILED, error=error)
    elif status == "running":
        yield CommandEnded(**common, call_id=id, termination=Termination(kind=EndKind.RUNNING))
    elif status == "completed":
        data = mapping(state.get("metadata"))
        output = words(state.get("output")) or words(data.get("output")) or ""
        end, text = _shell_end(output, state) if tool == "bash" else (ends.OK, output)
        cut = data.get("truncated") if isinstance(data.get("truncated"), bool) else None
        yield CommandEnded(**common, call_id=id, termination=end, stdout=text, truncated=cut)


def _shell_end(output: str, state: Data) -> tuple[Termination, str]:
    """The exit code of the metadata; the tag that the tool puts at the end of the output outranks it."""
    code, times = whole(mapping(state.get("metadata")).get("exit")), mapping(state.get("time"))
    start, stop = whole(times.get("start")), whole(times.get("end"))
    took = stop - start if start is not None and stop is not None else None
    found = _TAG.search(output)
    tag = found[2].lower() if found else ""
    text = output[: found.start()] if found else output
    if "timeout" in tag or "timed out" in tag:
        source = EndSource.FIELD if code is not None else EndSource.TEXT
        return ends.exited(code, timed_out=True, duration_ms=took, source=source), text
    if "aborted" in tag:
        return Termination(kind=EndKind.INTERRUPTED, duration_ms=took, source=EndSource.TEXT), text
    return ends.exited(code, duration_ms=took), text


def _refused(id: str, tool: str, given: Data, by: str, why: str, common: Common) -> Iterator[Event]:
    line = words(given.get("command")) if tool == "bash" else None
    digest = arguments_hash({"command": line} if line else {"arguments": given})
    said = _FEEDBACK.search(why)
    yield ApprovalAsked(**common, slot_id=id, call_id=id, tool=tool, arguments_sha256=digest)
    yield ApprovalAnswered(
        **common, slot_id=id, outcome="denied", by=by, text=said[1].strip() if said else None, call_id=id
    )
    yield CommandEnded(**common, call_id=id, termination=ends.NOT_RUN, error=why)


def _question(id: str, tool: str, given: Data, state: Data, start: Common, stop: Common) -> Iterator[Event]:
    questions = objects(given.get("questions"))
    options = (o.get("label") for q in questions for o in objects(q.get("options")))
    yield ApprovalAsked(
        **start,
        slot_id=id,
        gate="plan" if tool == "plan_exit" else "question",
        question="\n".join(q["question"] for q in questions if words(q.get("question"))) or None,
        options=tuple(o for o in options if isinstance(o, str)),
    )
    status = state.get("status")
    if status not in ("completed", "error"):
        return
    answers = mapping(state.get("metadata")).get("answers")
    said: str | None = None
    if isinstance(answers, list):
        given_words = (a for answer in answers for a in (answer if isinstance(answer, list) else [answer]))
        said = "\n".join(a for a in given_words if isinstance(a, str) and a.strip()) or None
        outcome = "answered" if said else "none"
    elif status == "error":
        outcome = "denied" if tool == "plan_exit" and "rejected" in str(state.get("error")) else "none"
    else:
        outcome, said = reply_of(words(state.get("output")) or "")
    by = "human" if outcome in ("answered", "denied") else "harness"
    waited = round((stop["time"] - start["time"]) * 1000) if start["time"] and stop["time"] else None
    yield ApprovalAnswered(**stop, slot_id=id, outcome=outcome, by=by, text=said, latency_ms=waited)


def _usage(d: Data) -> Usage | None:
    if not isinstance(d.get("tokens"), dict):
        return None
    tokens, cache = d["tokens"], mapping(d["tokens"].get("cache"))
    given, output, reasoning = (whole(tokens.get(k)) for k in ("input", "output", "reasoning"))
    read, written = whole(cache.get("read")), whole(cache.get("write"))
    total_in = None if given is None else given + (read or 0) + (written or 0)
    total = whole(tokens.get("total"))
    if total is not None and total_in is not None:
        output = max(total - total_in, output or 0)
    elif output is not None and reasoning and output < reasoning:
        output += reasoning
    cost = number(d.get("cost"))
    return Usage(input=total_in, output=output, cached=read, reasoning=reasoning, cost_usd=cost or None)


def _error(error: Data) -> Any:
    name, data = words(error.get("name")), mapping(error.get("data"))
    if name is None or name == "MessageAbortedError":
        return None
    return provider_error(type=name, http_status=whole(data.get("statusCode")), message=words(data.get("message")))


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"

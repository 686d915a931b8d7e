"""tau-bench and tau2 results: runs of one array, the user played by a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from transcript_lint import patterns as re
from transcript_lint.capabilities import Decides
from transcript_lint.events import Event, Location, SessionEnded, SessionStarted
from transcript_lint.readers.base import Sample
from transcript_lint.readers.document import Document, DocumentReader, opening
from transcript_lint.readers.openai_messages import OpenAIMessagesReader
from transcript_lint.readers.shapes import mapping, objects, words

_TURN = re.compile(r"\n(?=(?:user|assistant|tool): )")


class TauBenchReader(DocumentReader):
    """Reads arrays of `{task_id, trial, reward, traj}` and `{simulations: [{messages}]}`. No message is a person's."""

    name = "tau-bench"
    title = "tau-bench"
    decides: ClassVar[Decides] = {
        "command ends": "no: tools state no end",
        "background ends": "no: not recorded",
        "compaction summary": "no: never cut",
        "human vs injected": "yes: the user is always simulated",
        "approvals asked": "no: there is no person to ask",
        "approvals answered": "no: only by the simulated user",
        "usage": "no: only costs of the run",
        "window": "no: not recorded",
        "meters": "no: not recorded",
        "errors": "no: not recorded",
    }
    arrays = ("/*/traj", "/simulations/*/messages", "/traj")

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._messages = OpenAIMessagesReader(path)

    @classmethod
    def sniff(cls, sample: Sample) -> int:
        first = opening(sample)
        if isinstance(first, dict) and _is_tau2(first):
            return 92
        run = mapping(next(iter(objects(first)), None)) if isinstance(first, list) else mapping(first)
        return 92 if ("traj" in run and "task_id" in run) or "messages_display" in run else 0

    def document(self, document: Document) -> Iterable[Event]:
        value = document.value
        if isinstance(value, dict) and "messages_display" in value:
            self._messages.restart(simulated=True)
            yield SessionStarted(
                at=document.at, format=self.name, independent=True, agent_name=self.name, interactive=False
            )
            for role, text in _spoken(str(value["messages_display"])):
                yield from self._messages.record({"role": role, "content": text}, document.at)
            return
        if isinstance(value, list):
            runs = [(run, f"/{i}", "traj") for i, run in enumerate(value)]
        elif "traj" in value:
            runs = [(value, "", "traj")]
        else:
            runs = [(run, f"/simulations/{i}", "messages") for i, run in enumerate(value.get("simulations") or ())]
        for run, pointer, key in runs:
            at = document.place(pointer)
            self._messages.restart(simulated=True)
            yield SessionStarted(
                at=at,
                session_id=f"{run.get('task_id')}.{run.get('trial', 0)}",
                format=self.name,
                independent=True,
                agent_name=self.name,
                approval_policy="never",
                interactive=False,
            )
            for message, place in document.items(f"{pointer}/{key}"):
                yield from self._guarded(message, place)
            yield SessionEnded(at=at, status="unknown", reason=words(run.get("termination_reason")))

    def record(self, document: Any, at: Location) -> Iterable[Event]:
        return self._messages.record(document, at)


def _spoken(dialogue: str) -> Iterator[tuple[str, str]]:
    """The turns of a dialogue kept as text for display; tools' turns have no call there to belong to."""
    for turn in _TURN.split(dialogue):
        role, _, text = turn.partition(": ")
        if role in ("user", "assistant") and text.strip() not in ("", "None"):
            yield role, text


def _is_tau2(value: Mapping[str, Any]) -> bool:
    runs = objects(value.get("simulations"))
    return bool(runs) and "messages" in runs[0] and "task_id" in runs[0]

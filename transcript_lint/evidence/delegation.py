"""Delegated work: what a sub-agent reported, and what its own runs say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.claims import Claim, Subject, extract_text
from transcript_lint.claims.failures import states_failure
from transcript_lint.claims.lexicon import lexicon, spoken
from transcript_lint.claims.mention import mention
from transcript_lint.claims.prose import Sentence, sentences
from transcript_lint.commandline import INERT
from transcript_lint.events import AgentText, CommandEnded, CommandIssued, EndKind, Step
from transcript_lint.evidence import Evidence, Grade
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.output import stems
from transcript_lint.ledger.runs import DELEGATE, Run
from transcript_lint.settings import Settings

KEEP = 32
MAX_REPORT = 4_000
MAX_LINES = 60

_CLAUSE = re.compile(r"[,;:，；：、]")
_LIMIT = re.compile(
    r"\bmax(?:imum)?[_ ](?:number of )?(?:turns?|steps?|iterations?|rounds?|tool calls?)\b"
    r"|\b(?:turn|step|iteration|recursion) limit\b"
    r"|\bran out of (?:turns|steps|iterations)\b|\b(?:turns|steps|iterations) (?:exhausted|exceeded)\b",
    re.I,
)
_DIED = re.compile(
    r"^\W*(?:(?:agent|sub-?agent|task|worker|reviewer|error|fatal|execution)\b[^\n]{0,40}: *)?"
    r"(?:API[ _]Error|API (?:call|request) failed|Prompt is too long|no tokens used|overloaded_error|rate_limit_error"
    r"|Internal server error|Service unavailable|Bad gateway|Gateway time-?out"
    r"|Connection (?:error|refused|reset|closed)"
    r"|(?:HTTP )?(?:status )?(?:429|5\d\d)\b[^\n]{0,40}(?:error|unavailable|overloaded|too many|time-?out|gateway)"
    r"|(?:context|prompt|input)[^\n]{0,30}(?:too long|length exceeded|window exceeded)|quota exceeded"
    r"|request was aborted)",
    re.I,
)


class Report(Struct, frozen=True, kw_only=True):
    """What a report speaks of: its `subjects`, its `words` (hashed stems), the words of each of its sentences.

    `bad` when it tells of nothing but failure.
    """

    subjects: frozenset[Subject] = frozenset()
    words: frozenset[int] = frozenset()
    lines: tuple[frozenset[int], ...] = ()
    bad: bool = False


class Delegated(Struct, kw_only=True):
    """Work handed to a sub-agent: the call's `run`, the names of the `agents` that worked meanwhile, and the end.

    `last` is the number of runs when it ended; `why` says what contradicts a good report, "" while nothing does;
    `said` is what it told, or the `task` itself where no report came; `report` is what that speaks of, once read.
    """

    run: Run
    agents: set[str]
    last: int = 0
    why: str = ""
    steps: tuple[Step, ...] = ()
    task: str = ""
    died: bool = False
    said: AgentText | None = None
    report: Report | None = None


class Delegations:
    """The work that was handed over in a session, the latest last; bounded."""

    def __init__(self) -> None:
        self._open: dict[str, Delegated] = {}
        self._ended: list[Delegated] = []

    def issued(self, event: CommandIssued, run: Run) -> None:
        """A call begins: it may hand work over, or be a sub-agent's own."""
        for delegated in self._open.values():
            if event.agent != delegated.run.agent:
                delegated.agents.add(event.agent)
        if not run.shell:
            self._open[event.call_id] = Delegated(run=run, agents=set(), task=_words_of(event.arguments))
            if len(self._open) > KEEP:
                del self._open[next(iter(self._open))]

    def ended(self, event: CommandEnded, ledger: Ledger) -> None:
        """A call ends: if it was a sub-agent's work, look at what it reported and what its runs say."""
        delegated = self._open.get(event.call_id)
        if delegated is None or event.termination.kind is EndKind.RUNNING:
            return
        del self._open[event.call_id]
        worked = bool(delegated.agents) or DELEGATE.search(delegated.run.tool) is not None
        if not worked and not event.termination.must_rerun:
            return
        limit = _LIMIT.search(f"{event.error or ''}\n{event.stdout[:200]}\n{event.stdout[-200:]}")
        if not worked and limit is None:
            return
        delegated.last = ledger.runs.count
        delegated.why, delegated.steps = _against(delegated, event, limit is not None, ledger)
        delegated.died = _died(event)
        text = delegated.task if delegated.died else event.stdout[:MAX_REPORT]
        delegated.said = AgentText(at=event.at, text=text)
        self._ended = [*self._ended[-KEEP:], delegated]

    def _told(self, settings: Settings) -> Iterator[tuple[Delegated, Report]]:
        """The work whose report tells of more than failure, the latest first; nothing where no report is contradicted.

        Reports are long and most of them true: they are read only when one is not.
        """
        if not any(delegated.why for delegated in self._ended):
            return
        for delegated in reversed(self._ended):
            if delegated.report is None and delegated.said is not None:
                delegated.report = _read(delegated.said, delegated.died, settings)
            if delegated.report is not None and not delegated.report.bad:
                yield delegated, delegated.report

    def repeated(self, claim: Claim, evidence: Evidence, ledger: Ledger) -> Delegated | None:
        """The contradicted report that a claim repeats, unless the claim has evidence of its own since."""
        for delegated, report in self._told(ledger.settings):
            if delegated.run.agent != claim.event.agent or not _same_matter(claim, delegated, report):
                continue
            if not delegated.why or (delegated.run.turn != ledger.session.turn and claim.attributed != "subagent"):
                return None
            good = evidence.grade in (Grade.VERIFIED, Grade.TERMINATED, Grade.OBSERVED)
            own = evidence.run is not None and evidence.run.agent not in delegated.agents
            if own and good and evidence.run is not None and evidence.run.index > delegated.run.index:
                return None
            return None if _looked_itself(delegated, ledger) else delegated
        return None

    def word_for_word(self, event: AgentText, ledger: Ledger) -> tuple[Sentence, Delegated] | None:
        """A sentence that passes on a sentence of a contradicted report, if the text owns up to nothing.

        A report that is passed on is recognised by its words, whichever way they tell that something is good.
        """
        waiting = [
            (d, report)
            for d, report in self._told(ledger.settings)
            if d.why and not d.died and d.run.agent == event.agent and d.run.turn == ledger.session.turn
        ]
        if not waiting or _owns_up(event.text):
            return None
        for delegated, report in waiting:
            if _looked_itself(delegated, ledger):
                continue
            for sentence in sentences(event.text):
                if sentence.kind != "heading" and _passes_on(sentence, event, report):
                    return sentence, delegated
        return None


def _read(report: AgentText, died: bool, settings: Settings) -> Report:
    text = report.text
    whole = mention(text, report)
    bad = not died and (whole.admits or states_failure(text))
    if bad and all(claim.admits for claim in extract_text(text, report, settings)):
        return Report(bad=True)
    lines = tuple(stems(s.text) for s in sentences(text))[:MAX_LINES]
    return Report(subjects=frozenset(whole.subjects) - {Subject.WORK}, words=stems(text), lines=lines)


def _passes_on(sentence: Sentence, event: AgentText, report: Report) -> bool:
    """Whether a sentence has most of the words of a sentence of the report, and speaks of something that is run."""
    if sentence.text.rstrip().endswith(("?", "？")):
        return False
    for words in _clauses(sentence.text):
        near = (len(words & line) for line in report.lines if len(words & line) >= max(3, 0.6 * len(words)))
        if any(near):
            return not report.subjects.isdisjoint(mention(sentence.raw, event).subjects)
    return False


def _clauses(text: str) -> Iterator[frozenset[int]]:
    yield stems(text)
    for part in _CLAUSE.split(text):
        yield stems(part)


def _owns_up(text: str) -> bool:
    """Whether a text tells of a failure, of a limit or of a missing look anywhere."""
    return states_failure(text) or any(lexicon(lang).admit.holds(text) for lang in spoken(text))


def _words_of(arguments: Any) -> str:
    """What a call asks for in words: its texts, bounded."""
    if isinstance(arguments, str):
        return arguments[:MAX_REPORT]
    if not isinstance(arguments, Mapping):
        return ""
    return "\n".join(value for value in arguments.values() if isinstance(value, str))[:MAX_REPORT]


def _same_matter(claim: Claim, delegated: Delegated, report: Report) -> bool:
    """Whether a claim is about what a report told, or about what was asked of an agent that told nothing."""
    named = set(claim.subjects) - {Subject.WORK}
    if claim.attributed == "subagent" and delegated.died:
        return True
    return not named.isdisjoint(report.subjects) or len(stems(claim.text) & report.words) > 1


def _looked_itself(delegated: Delegated, ledger: Ledger) -> bool:
    """Whether the agent ran something to a good end after the report came."""
    for run in ledger.runs.latest():
        if run.index <= delegated.last:
            return False
        if run.agent == delegated.run.agent and run.shell and run.termination is not None and run.termination.succeeded:
            return True
    return False


def _against(delegated: Delegated, event: CommandEnded, limit: bool, ledger: Ledger) -> tuple[str, tuple[Step, ...]]:
    """What contradicts a good report: its end, or its runs; "" when nothing does."""
    end = Step(event.at, f"the report of {delegated.run.tool}", event.time)
    if limit:
        return "it stopped at its turn limit", (end,)
    if _died(event):
        return "it died of an error of its provider", (end,)
    if event.termination.must_rerun:
        return f"it {event.termination.describe()}", (end,)
    runs = list(_acts(delegated, ledger))
    if runs and all(run.must_rerun for run in runs):
        steps = tuple(step for run in reversed(runs[:4]) for step in run.chain)
        return f"none of its {len(runs)} runs ended ok" if len(runs) > 1 else "its only run failed", (*steps, end)
    if event.tool_uses == 0:
        return "it used no tool at all", (end,)
    return "", ()


def _died(event: CommandEnded) -> bool:
    return _DIED.match(event.error or "") is not None or _DIED.match(event.stdout) is not None


def _acts(delegated: Delegated, ledger: Ledger) -> Iterator[Run]:
    """The sub-agent's runs that do something, the latest first."""
    for run in ledger.runs.latest():
        if run.index <= delegated.run.index:
            return
        acts = any(part.kind not in INERT and not part.expects_failure for part in run.line.parts)
        if run.shell and acts and run.agent in delegated.agents and run.termination is not None:
            yield run

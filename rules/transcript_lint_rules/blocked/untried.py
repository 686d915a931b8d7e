"""TL308: the agent closes with a blocker that it never met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.claims.blocked import TOOLS, BlockClaim, mentioned
from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Event, HumanMessage, InjectedMessage
from transcript_lint.finding import Confidence, Level, Outcome
from transcript_lint.ledger import Ledger
from transcript_lint.rule import Example, Outcomes
from transcript_lint.samples import command, end, human, says, session
from transcript_lint_rules.blocked.base import BlockRule, about, quoted, said
from transcript_lint_rules.blocked.tools import NAMES, uses

CALLS_OF_A_CLOSE = 2
"""How many calls may still follow a closing message: a submission, a last status update."""

_NETWORK_FAILED = re.any_of(
    [
        r"could not resolve|name or service not known|network is unreachable|temporary failure in name|enotfound|"
        r"econnrefused|connection (?:refused|timed out|reset)|no route to host|proxy error|dns"
    ],
    re.I,
)


_TURNED_AWAY = re.any_of(
    [
        r"denied|forbidden|refused|rejected|unauthori[sz]ed|permission|credential|log ?in|unreachable|timed? ?out",
        r"not (?:authori[sz]ed|permitted|allowed|logged|found|reachable)|no route|resolve|expired|payment|unavailable",
        r"offline|vpn|read-only|access|(?<!\d)(?:40[1237]|429|50[0234])(?!\d)",
    ],
    re.I,
)


class BlockedWithoutAttempt(BlockRule):
    """The agent closes with a blocker of a kind that it never tried in this session.

    What it does
    ------------
    Notes a closing message that says there is no shell, no network, no access to files or no reachable model, when
    the session holds no call and no request of that kind, by the agent or its sub-agents. The same for a service that
    is said to let the agent not in (no permission, no login, a refused connection), when no call went outside and no
    output speaks of being turned away.

    Why it matters
    --------------
    Many such blockers are guesses; one attempt would have shown whether they are true.

    What clears it
    --------------
    A real attempt, also one made later; a person or a system message that said so before.

    References
    ----------
    Reports in public: Lexus2016/hermes-agent-evolution#722.
    """

    id = "TL308"
    name = "blocked-without-attempt"
    family = "blocked"
    level = Level.NOTE
    confidence = Confidence.MEDIUM
    needs = ("human vs injected",)
    kinds = TOOLS | {"model", "access"}
    examples = (
        Example(
            "No terminal, it says, and never tried one.",
            (
                session(tools=["terminal"]),
                human("List the failing jobs."),
                end("blocked", "I do not have access to a terminal, so I cannot list the jobs."),
            ),
            (3,),
        ),
        Example(
            "It tried, and says what happened.",
            (
                session(),
                command("curl -sS https://pkg.example.test", "curl: (6) Could not resolve host", 6),
                says("I'm blocked: there is no network access in this environment."),
            ),
        ),
        Example(
            "The archive lets nobody in, it says, and never knocked.",
            (
                session(),
                command("tar czf scans.tgz scans"),
                says("The scans are packed. I could not deposit them: the archive account has no write access."),
            ),
            (3,),
        ),
        Example(
            "The archive did turn it away.",
            (
                session(),
                command("curl -T scans.tgz https://archive.example.test", "403 Forbidden", 22),
                says("The upload failed with 403: I cannot go on, the archive account has no write access."),
            ),
        ),
        Example(
            "The person said so.",
            (
                session(),
                human("Fix the report. Note that there is no network access here."),
                says("I'm blocked: there is no network access in this environment."),
            ),
        ),
        Example(
            "It tries right afterwards.",
            (
                session(),
                says("There is no network access here."),
                command("curl -sS https://pkg.example.test", "curl: (6) Could not resolve host", 6),
            ),
        ),
    )

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self._tried: set[str] = set()
        self._told: set[str] = set()

    def on_command_issued(self, event: CommandIssued, ledger: Ledger) -> Outcomes | None:
        self._tried.update(kind for kind in (TOOLS | {"access"}) - self._tried if uses(kind, event))
        return None

    def on_command_ended(self, event: CommandEnded, ledger: Ledger) -> Outcomes | None:
        if "access" not in self._tried and (
            event.termination.kind is EndKind.NOT_RUN or _TURNED_AWAY.holds(ledger.provider.outputs[-1])
        ):
            self._tried.add("access")
        if "network" not in self._tried and _NETWORK_FAILED.holds(ledger.provider.outputs[-1]):
            self._tried.add("network")
        return None

    def on_human_message(self, event: HumanMessage, ledger: Ledger) -> Outcomes | None:
        self._listen(event.text)
        return None

    def on_injected_message(self, event: InjectedMessage, ledger: Ledger) -> Outcomes | None:
        self._listen(event.text)
        return None

    def _listen(self, text: str) -> None:
        self._told |= mentioned(text[:20_000], self.kinds - self._told)

    def judge(self, claim: BlockClaim, ledger: Ledger) -> Iterable[Outcome]:
        kind = claim.kind
        if not claim.prose or kind in self._tried or kind in self._told or not ledger.session.complete:
            return
        if kind == "model" and ledger.provider.count:
            return
        if kind == "access" and ledger.provider.denials:
            return
        yield self.pending(
            self.finding(
                f"The agent closes with a blocker{quoted(claim)}, but never tried: no call that needs "
                f"{NAMES[kind]} stands in the session.",
                at=claim.event,
                because=(said(claim),),
                about=about(claim),
            ),
            cancel=_goes_on(kind),
        )


def _goes_on(kind: str) -> Callable[[Event], bool]:
    """True when the agent tries after all, or when so many calls follow that it did not close."""
    calls = 0

    def check(event: Event) -> bool:
        nonlocal calls
        if not isinstance(event, CommandIssued):
            return False
        calls += 1
        return calls > CALLS_OF_A_CLOSE or uses(kind, event)

    return check

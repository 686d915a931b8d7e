"""Events in words, as `trace` and `show` tell them."""

import pytest

from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    EndKind,
    EndSource,
    Guarded,
    HumanMessage,
    InjectedMessage,
    Location,
    PolicyChanged,
    ProviderError,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
    Termination,
    Verified,
)
from transcript_lint.story import around, command_of, effect, tell

AT = Location(path="log", line=1)
FAILED = Termination(kind=EndKind.NONZERO, exit_code=1, duration_ms=1500, source=EndSource.TEXT, masked=True)


@pytest.mark.parametrize(
    ("event", "head", "body"),
    [
        (
            SessionStarted(at=AT, format="native", continued_from="s0", approval_policy="ask", interactive=False),
            "session of native, continues s0, approvals: ask, nobody is there",
            "",
        ),
        (PolicyChanged(at=AT, policy="never"), "approvals from here on: never", ""),
        (
            CommandIssued(at=AT, call_id="c", tool="bash", command="make", background=True, timeout_ms=90_000),
            "bash: make, in the background, 90 s allowed",
            "",
        ),
        (HumanMessage(at=AT, text="Go.", queued=True), "a person wrote while the agent was busy", "Go."),
        (InjectedMessage(at=AT, text="Hm.", why="tool_result"), "a program wrote (tool result)", "Hm."),
        (AgentText(at=AT, text="Done."), "the agent said", "Done."),
        (
            ApprovalAsked(at=AT, slot_id="s", gate="question", question="Drop?", options=("yes", "no")),
            "a person is asked (question), yes, no",
            "Drop?",
        ),
        (
            ApprovalAnswered(at=AT, slot_id="s", outcome="denied", by="human", text="No."),
            "the answer: denied, by human",
            "No.",
        ),
        (
            Compacted(at=AT, kind="summary", trigger="auto", tokens_before=90, tokens_after=9, readable=False),
            "the context was compacted, auto, 90 tokens before, 9 after, its summary cannot be read",
            "",
        ),
        (Compacted(at=AT, kind="micro"), "old outputs were dropped from the context", ""),
        (Blocked(at=AT, kind="rate", layer="agent", reason="Wait."), "blocked (rate), says the agent", "Wait."),
        (Verified(at=AT, call_id="c", verdict="passed", by="ci"), "verified: passed, by ci", ""),
        (Guarded(at=AT, blocked=True, reason="Lost."), "the guard stopped a compaction", "Lost."),
        (Guarded(at=AT, blocked=False), "the guard let a compaction pass", ""),
        (SessionEnded(at=AT, status="failure", reason="stuck"), "the session ended: failure, stuck", ""),
        (RecordProblem(at=AT, problem="torn", message="cut"), "a record could not be read as it stands (torn)", "cut"),
        (
            ProviderResponded(at=AT, model="m", error=ProviderError(http_status=529, message="Busy.")),
            "m answered, error 529",
            "Busy.",
        ),
        (ProviderResponded(at=AT, finish="refusal", refusal="No."), "the model answered, refusal", "No."),
    ],
)
def test_an_event_in_words(event, head, body):
    told = tell(event)
    assert told is not None
    assert (told.head, told.body) == (head, body)


def test_how_a_run_ended_and_how_that_is_known():
    told = tell(
        CommandEnded(at=AT, call_id="c", termination=FAILED, stdout="boom", stderr="boom", via="poll", truncated=True)
    )
    assert told is not None and told.observed and told.body == "boom"
    assert told.head.split(", ")[1:] == [
        "after 1.5 s",
        "told by its text",
        "the status is the shell's",
        "told by a poll",
        "output cut",
    ]


def test_a_usual_answer_is_not_worth_a_line():
    answer = ProviderResponded(at=AT, model="m", finish="stop")
    assert tell(answer) is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"argv": ("ls", "a b")}, "ls 'a b'"),
        ({"arguments": "free text"}, "free text"),
        ({"arguments": {"path": "a", "lines": [1, 2]}}, "path=a, lines=[1,2]"),
        ({"arguments": None}, "null"),
    ],
)
def test_what_was_called(fields, words):
    assert command_of(CommandIssued(at=AT, call_id="c", tool="t", **fields)) == words


def test_what_reaches_beyond_the_session():
    assert effect(CommandIssued(at=AT, call_id="c", tool="bash", command="git push"))
    assert effect(CommandIssued(at=AT, call_id="c", tool="exec", argv=("npm", "publish")))
    assert effect(AgentText(at=AT, text="x", where="commit"))
    assert not effect(CommandIssued(at=AT, call_id="c", tool="bash", command="ls"))
    assert not effect(CommandIssued(at=AT, call_id="c", tool="read", arguments={"path": "a"}))
    assert not effect(AgentText(at=AT, text="x"))
    assert not effect(HumanMessage(at=AT, text="git push"))


@pytest.mark.parametrize(
    ("line", "context", "lines"),
    [(3, 0, [3]), (3, 1, [2, 3, 4]), (1, 1, [1, 2]), (9, 1, [4, 5]), (5, 9, [1, 2, 3, 4, 5])],
)
def test_what_stands_around_a_line(line, context, lines):
    events = [AgentText(at=Location(path="log", line=n), text=str(n)) for n in range(1, 6)]
    assert [e.at.line for e in around(events, line, context)] == lines

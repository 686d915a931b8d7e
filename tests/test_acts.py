"""What one call does, and whether it does what was asked or what another did, as tables say."""

import pytest

from transcript_lint.events import CommandIssued, Location, Step
from transcript_lint.ledger.acts import (
    Act,
    act_of,
    asks_for,
    carries_out,
    does,
    equivalent,
    names,
    repeats,
    same_subject,
)
from transcript_lint.ledger.deeds import act_in, deeds_of, same_deed
from transcript_lint.settings import Settings

AT = Location(path="log", line=1)


def act(call) -> Act:
    """A shell line, or a tool with its arguments, as an act."""
    if isinstance(call, str):
        return act_of(CommandIssued(at=AT, call_id="c", tool="bash", command=call), Settings())
    tool, arguments = call
    digest = str(sorted(arguments.items()))
    return act_of(
        CommandIssued(at=AT, call_id="c", tool=tool, arguments=arguments, arguments_sha256=digest), Settings()
    )


def tool(name, **arguments):
    return name, arguments


@pytest.mark.parametrize(
    ("call", "idle", "deeds"),
    [
        ("ls", True, set()),
        ("git status && cd x", True, set()),
        ("find . -name x", True, set()),
        ("find . -delete", False, set()),
        ("cat a | xargs rm -rf b", False, set()),
        ("git push", False, {"push"}),
        ("pytest", False, set()),
        (tool("read_file"), True, set()),
        (tool("webSearch"), True, set()),
        (tool("taskList"), True, set()),
        (tool("delete_file"), False, {"delete"}),
        (tool("deploy"), False, {"deploy"}),
    ],
)
def test_what_a_call_does(call, idle, deeds):
    assert act(call).idle is idle
    assert deeds <= does(act(call)) and deeds <= deeds_of(act(call))
    assert bool(does(act(call))) is bool(deeds)


@pytest.mark.parametrize(
    ("call", "question", "named", "carried"),
    [
        ("git push origin main", "Shall I run `git push origin main`?", True, True),
        ("rm  -rf   out", "May I `rm -rf out`?", True, True),
        ("ls -la", "run ls -la?", False, False),
        ("make x", "run make x?", True, True),
        ("git push", "Shall I push?", False, True),
        ("git push", "Delete it?", False, False),
        ("git push", "Is it fine?", False, True),
        ("git push --dry-run", "Shall I push?", False, False),
        ("pytest", "Shall I run the tests?", False, False),
        ("rm -rf x", "Delete x?", False, True),
        ("find x -delete", "Delete x?", False, True),
        ("git reset --hard", "Revert it?", False, True),
        ("make release", "Publish it?", False, True),
        ("terraform plan", "Apply it?", False, False),
        ("./load.sh orders customers", "Shall I take orders and customers over?", False, True),
        (tool("send_mail"), "Send the mail?", False, True),
        (tool("read_mail"), "Read the mail?", False, False),
        (tool("send_mail"), "Delete it?", False, False),
        (tool("deploy"), "deploy?", False, True),
    ],
)
def test_whether_a_call_is_what_was_asked(call, question, named, carried):
    assert names(act(call), question) is named
    assert carries_out(act(call), question) is carried


def test_options_are_asked_too():
    assert not carries_out(act("rm x"), "Push or what?")
    assert carries_out(act("rm x"), "Push or what?", ("Delete", "Keep"))


def test_words_that_ask_for_an_act():
    asked = {
        words: asks_for(words, act("git push")) for words in ("yes", "Do push it once the docs are in their place.")
    }
    assert asked == dict.fromkeys(asked, True)
    assert not asks_for("Please mind the style of the docs too.", act("git push"))
    assert not asks_for("delete it", act("git push"))


@pytest.mark.parametrize(
    ("call", "question", "same"),
    [
        ("./load.sh orders", "The orders?", True),
        ("./load.sh --check orders", "The orders?", False),
        ("cat orders", "The orders?", False),
        ("pytest orders", "The orders?", False),
        ("git push --dry-run orders", "The orders?", False),
        (tool("edit", path="orders.txt"), "The orders?", True),
        (tool("read", path="orders.txt"), "The orders?", False),
        (tool("edit", path="x"), "The orders?", False),
        (tool("edit", paths=[{"a": "orders.txt"}]), "The orders?", True),
    ],
)
def test_whether_a_call_is_about_what_was_asked(call, question, same):
    assert same_subject(act(call), question) is same


@pytest.mark.parametrize(
    ("one", "other", "again", "effect", "deed"),
    [
        ("git push", "git push", True, True, False),
        ("cd a && git push", "git push", True, True, False),
        ("git push", "cd a && git push && make", False, True, False),
        ("bash -c 'git push'", "git push", True, True, False),
        ("ls", "ls", True, False, False),
        ("ls", "pwd", False, False, False),
        (tool("pay", n=1), tool("pay", n=1), True, False, True),
        (tool("pay", n=1), tool("pay", n=2), False, False, False),
        (tool("pay", n=1), "pay 1", False, False, True),
        ("rm -r out/a", "find out/a -delete", False, True, False),
        ("rm -r out/a", "rm -r out/b", False, False, False),
        ("git push origin main", "git push origin topic", False, False, False),
        ("git push -f origin main", "git push origin main", False, True, True),
        ("rm x", "unlink x", False, True, False),
        ("gh pr merge 12", "gh pr merge 13", False, False, False),
        ("terraform apply", "terraform plan", False, False, False),
        (tool("send_mail", to="a@x.test"), tool("mail_send", to="a@x.test"), False, False, True),
        (tool("send_mail", to="a@x.test"), tool("mail_send", to="b@x.test"), False, False, False),
    ],
)
def test_whether_two_calls_are_the_same(one, other, again, effect, deed):
    assert repeats(act(one), act(other)) is again
    assert equivalent(act(one), act(other)) is effect
    assert same_deed(act(one), act(other)) is deed


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Run `git push origin main`?", "git push origin main"),
        ("git push origin main?", "git push origin main"),
        ("`ls`?", "ls"),
        ("May I run `make test`?", "make test"),
        ("Shall I push?", None),
        ("Run `frob x`?", None),
    ],
)
def test_the_act_that_a_question_shows(question, line):
    found = act_in(question, Step(AT, "asked"))
    assert (found and found.line and found.line.text) == line


def test_what_a_message_shows_of_an_act_is_cut():
    long = act("echo " + "x" * 300)
    assert len(long.text) == 160
    assert len(long.step.what) == len("the agent runs ``") + 120
    assert act(tool("pay", to="x")).text == "pay"


def test_a_vector_of_arguments_is_a_line_too():
    pushed = act_of(CommandIssued(at=AT, call_id="c", tool="exec", argv=("git", "push", "origin", "main")), Settings())
    assert pushed.text == "git push origin main" and not pushed.idle
    assert repeats(pushed, act("git push origin main"))

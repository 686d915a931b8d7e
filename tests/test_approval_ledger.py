"""Gates and acts: where a gate stands, which words were a person's, and which act carries out what was asked."""

import pytest

from transcript_lint.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CommandEnded,
    CommandIssued,
    EndKind,
    HumanMessage,
    Location,
    Termination,
)
from transcript_lint.ledger import Ledger
from transcript_lint.ledger.acts import act_of, carries_out, equivalent, repeats
from transcript_lint.ledger.asking_tools import answer_of, asks_person, question_of
from transcript_lint.ledger.asks import Standing
from transcript_lint.ledger.deeds import same_deed
from transcript_lint.settings import Settings

AT = Location(path="log", line=1)


def act(line):
    return act_of(CommandIssued(at=AT, call_id=line, tool="bash", command=line), Settings())


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("Shall I deploy to production now?", "fly deploy --remote-only"),
        ("Darf ich das Bucket leeren oder alles löschen?", "aws s3 rm s3://logs --recursive"),
        ("要不要把旧镜像删掉？", "docker image prune -af"),
        ("메일을 발송해도 될까요?", "python send_newsletter.py --all"),
        ("Можно удалить старые логи?", "find /var/log/app -mtime +30 -delete"),
        ("Run `make wipe-all` now?", "make wipe-all"),
        ("Proceed?", "git push origin main"),
    ],
)
def test_an_act_carries_out_what_was_asked(asked, line):
    assert carries_out(act(line), asked)


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("Shall I deploy?", "npm test"),
        ("Shall I deploy to production?", "npm run build -- --mode production"),
        ("Shall I deploy?", "cat deploy.sh"),
        ("Should I push?", "git log origin/main..HEAD"),
        ("Should I push?", "git commit -am wip"),
        ("Should I publish?", "npm publish --dry-run"),
        ("能合并这个 PR 吗？", "gh pr view 31"),
    ],
)
def test_a_harmless_path_is_no_gated_act(asked, line):
    assert not carries_out(act(line), asked)


def test_the_same_act_another_way():
    assert repeats(act("bash -c 'gh pr merge 7 --squash'"), act("gh pr merge 7 --squash"))
    assert equivalent(act("find out/cache -delete"), act("rm -rf out/cache/"))
    assert not equivalent(act("git push origin topic"), act("git push origin main"))
    assert not equivalent(act("rm -rf /srv/b"), act("rm -rf /srv/a"))


def test_a_call_without_a_line_is_the_same_only_with_the_same_arguments():
    def call(number, **arguments):
        return act_of(
            CommandIssued(at=AT, call_id=str(number), tool="mail", arguments_sha256=arguments["to"]), Settings()
        )

    assert repeats(call(1, to="a"), call(2, to="a"))
    assert not repeats(call(1, to="a"), call(2, to="b"))
    assert not repeats(call(1, to="a"), act("mail --to a"))
    assert not equivalent(call(1, to="a"), call(2, to="a"))


def test_what_an_act_touches_decides_whether_it_has_the_same_effect():
    assert equivalent(act("git push --force origin main"), act("git push origin main"))
    assert equivalent(act("npm publish"), act("npm publish --tag next"))
    assert not equivalent(act("npm publish --dry-run"), act("npm publish"))
    assert not equivalent(act("pytest"), act("pytest"))
    assert not equivalent(act("terraform plan -destroy"), act("terraform destroy"))
    assert equivalent(act("kubectl delete pod web-1"), act("kubectl delete pod/web-1 pod web-1"))
    assert not equivalent(act("kubectl delete pod web-1"), act("kubectl delete job web-2"))


def mail(to, **fields):
    event = CommandIssued(at=AT, call_id=to, tool="send_mail", arguments={"to": to}, **fields)
    return act_of(event, Settings())


def test_the_same_deed_names_the_same_things_by_whatever_program():
    assert same_deed(act("gh api -X DELETE /repos/acme/x/releases/7"), act("gh release delete 7"))
    assert not same_deed(act("rm -rf /srv/b"), act("rm -rf /srv/a/old"))
    assert not same_deed(act("ls /srv/a/old"), act("rm -rf /srv/a/old"))
    assert same_deed(mail("a@example.org"), mail("a@example.org"))
    assert not same_deed(mail("b@example.org"), mail("a@example.org"))


def test_to_revert_may_be_done_by_a_git_command_that_is_no_effect_elsewhere():
    assert carries_out(act("git reset --hard HEAD~1"), "Shall I revert the last commit?")
    assert carries_out(act("git stash drop"), "Shall I delete the stash?")
    assert not carries_out(act("echo revert"), "Shall I revert it?")


@pytest.mark.parametrize(
    ("result", "outcome", "words"),
    [
        ("", "unknown", None),
        ("yes, ship it", "answered", "yes, ship it"),
        ("Your request was sent to the on-call person.", "unknown", None),
        ("No response from user.", "timeout", None),
        ('{"status": "timed out"}', "timeout", None),
        ('{"status": "approved", "comment": "fine by me"}', "approved", "fine by me"),
        ('{"data": {"decision": "Rejected"}}', "denied", "Rejected"),
        ('{"approved": true}', "approved", None),
        ('{"approved": false, "comment": "not on a Friday"}', "denied", "not on a Friday"),
        ('{"approved": false}', "unknown", None),
        ('{"answer": "the second one"}', "answered", "the second one"),
        ('{"answer": null}', "none", None),
        ('{"answer": ""}', "none", None),
        ('{"answer": null, "status": "sent"}', "unknown", None),
        ('{"message_id": 7}', "unknown", None),
        ('{"answer": "cut off', "answered", '{"answer": "cut off'),
    ],
)
def test_how_a_tool_that_asks_was_answered(result, outcome, words):
    end = CommandEnded(at=AT, call_id="q", termination=Termination(kind=EndKind.OK, exit_code=0), stdout=result)
    assert answer_of(end) == (outcome, words)


@pytest.mark.parametrize(
    ("arguments", "question", "options"),
    [
        ({"question": "Drop it?", "options": ["yes", "no", 3]}, "Drop it?", ("yes", "no")),
        ({"title": "Deploy", "message": "to production?"}, "to production? Deploy", ()),
        ({"choices": "yes"}, "ask_user", ()),
        ("drop?", "ask_user", ()),
    ],
)
def test_what_a_tool_asks(arguments, question, options):
    event = CommandIssued(at=AT, call_id="q", tool="ask_user", arguments=arguments)
    assert asks_person(event)
    assert question_of(event) == (question, options)


@pytest.mark.parametrize(
    "tool", ["requestApproval", "human_in_the_loop", "get_sign_off", "mcp__ops__confirm_with_owner"]
)
def test_tools_that_ask_a_person(tool):
    assert asks_person(CommandIssued(at=AT, call_id="q", tool=tool))
    assert not asks_person(CommandIssued(at=AT, call_id="q", tool=tool, command="echo"))


@pytest.mark.parametrize("tool", ["ask_docs", "user_list", "approval_rate", "read_feedback_file"])
def test_tools_that_ask_nobody(tool):
    assert not asks_person(CommandIssued(at=AT, call_id="q", tool=tool))


def standing(*events):
    ledger = Ledger()
    ledger.update(ApprovalAsked(at=AT, slot_id="s", gate="question", question="Drop it?", timeout_ms=60000))
    for event in events:
        ledger.update(event)
    return ledger.asks.slots["s"].standing


def answer(outcome, by, **fields):
    return ApprovalAnswered(at=AT, slot_id="s", outcome=outcome, by=by, **fields)


@pytest.mark.parametrize(
    ("events", "where"),
    [
        ([], Standing.OPEN),
        ([answer("timeout", "harness")], Standing.SILENT),
        ([answer("answered", "human", text="")], Standing.SILENT),
        ([answer("answered", "human", text="No response from user.")], Standing.SILENT),
        ([answer("denied", "human", latency_ms=60000)], Standing.SILENT),
        ([answer("denied", "human", latency_ms=4000)], Standing.DENIED),
        ([answer("denied", "policy")], Standing.REFUSED),
        ([answer("auto", "harness", text="Drop")], Standing.AUTOMATIC),
        ([answer("answered", "harness", text="Drop")], Standing.SYNTHETIC),
        ([answer("answered", "human", text="Drop", latency_ms=40)], Standing.SYNTHETIC),
        ([answer("answered", "human", text="Drop", latency_ms=4000)], Standing.CONSENT),
        ([answer("answered", "human", text="no, keep it", latency_ms=4000)], Standing.DENIED),
        ([answer("unknown", "harness")], Standing.UNKNOWN),
        ([answer("none", "harness"), HumanMessage(at=AT, text="what about backups?")], Standing.SILENT),
        ([answer("none", "harness"), HumanMessage(at=AT, text="ok, drop it")], Standing.CONSENT),
        ([answer("denied", "human", latency_ms=9), HumanMessage(at=AT, text="ok, drop it now")], Standing.CONSENT),
        ([answer("timeout", "harness"), HumanMessage(at=AT, text="no!")], Standing.DENIED),
    ],
)
def test_where_a_gate_stands(events, where):
    assert standing(*events) is where


def test_an_option_that_does_nothing_is_a_no():
    ledger = Ledger()
    options = ("Drop the table", "Keep it")
    ledger.update(ApprovalAsked(at=AT, slot_id="s", gate="question", question="Drop the old table?", options=options))
    ledger.update(answer("answered", "human", text="Keep it", latency_ms=5000))
    assert ledger.asks.slots["s"].standing is Standing.DENIED


def test_words_are_looked_up_as_people_wrote_them():
    ledger = Ledger()
    ledger.update(HumanMessage(at=AT, text="Yes — go ahead,\nand don’t forget the docs"))
    assert ledger.people.wrote("yes go ahead and don't forget the docs...") is True
    assert ledger.people.wrote("yes, force-push it") is False
    ledger.update(HumanMessage(at=AT, text="はい、お願いします"))
    assert ledger.people.wrote("yes, force-push it") is None


def test_most_words_of_a_quotation_in_one_passage_will_do():
    ledger = Ledger()
    ledger.update(HumanMessage(at=AT, text="Yes, please deploy the billing service tonight, after the backup is done."))
    assert ledger.people.wrote("please deploy the billing service right tonight") is True
    assert ledger.people.wrote("please delete the staging database tonight") is False
    assert ledger.people.wrote("… .") is None


def test_words_that_were_forgotten_cannot_be_denied():
    ledger = Ledger()
    for number in range(60):
        ledger.update(HumanMessage(at=AT, text=f"message {number}: " + "word " * 3990))
    assert ledger.people.wrote("message 59") is True
    assert ledger.people.wrote("message 0:") is None
    ledger = Ledger()
    ledger.update(HumanMessage(at=AT, text="word " * 5000))
    assert ledger.people.wrote("go ahead") is None

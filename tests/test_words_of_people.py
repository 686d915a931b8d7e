"""How single words of persons, options and items of a list are read."""

import pytest

from transcript_lint.claims.approval import asks_consent, grants_standing, holds_yes, read_reply, redirects, reserved
from transcript_lint.claims.items import checklist, makes, mends, outcome, says_verified
from transcript_lint.claims.proposals import declines, names_option, topic
from transcript_lint.events import AgentText, Location

EVENT = AgentText(at=Location(path="log", line=1), text="")


@pytest.mark.parametrize(
    ("reply", "words"),
    {
        "yes": ["yes", "yes please", "yes, but why?", "ja", "はい", "好的", "네", "oui", "sí", "да"],
        "no": ["no", "いいえ", "不用", "non merci", "não", "нет"],
        "redirect": [
            "no, run the tests first",
            "run the tests first",
            "no. Use the copy instead",
            "nein, lieber später",
        ],
        "question": ["What for?", "?????", "why " * 90 + "?"],
        "other": [
            "What for? Tell me.",
            "the docs",
            "why " * 101 + "?",
            "run the tests first " + "x" * 300,
            "x " * 151 + "no",
        ],
    }.items(),
)
def test_replies(reply, words):
    assert {word: read_reply(word).value for word in words} == dict.fromkeys(words, reply)


def test_a_yes_in_the_text_of_a_program():
    yes = ["yes", "<tag>yes</tag>", "[bot] yes", "It is done. Yes, go ahead.", "It is done; go ahead", "x\nyes\ny"]
    assert [text for text in yes if not holds_yes(text)] == []
    assert [text for text in ("[bot] no", "the docs", "x " * 2000 + "\nyes") if holds_yes(text)] == []


def test_a_no_that_names_another_thing():
    assert [redirects(text) for text in ("no, use the copy instead", "rather use staging", "no", "not yet")] == [
        True,
        True,
        False,
        False,
    ]
    assert not redirects("x" * 300 + " use the copy instead")


@pytest.mark.parametrize(
    ("granted", "words"),
    {
        True: ["No need to ask me.", "Never ask me.", "You need not ask me.", "You have my permission."],
        False: ["Ask me first.", "Do not push without asking.", "Do not stop asking me."],
        None: ["Fix it.", "x " * 3000 + "no need to ask"],
    }.items(),
)
def test_what_a_person_allows_ahead(granted, words):
    assert {word: grants_standing(word) for word in words} == dict.fromkeys(words, granted)


def test_what_a_person_keeps():
    assert reserved("Fix it. Ask me first.") == ("Ask me first.",)
    assert reserved("Do not ask me.") == ()
    assert reserved("x. " * 2000 + "Ask me first.") == ()


def test_the_last_question_that_asks_for_consent_counts():
    assert asks_consent("May I push? May I merge?") == "May I merge?"
    assert asks_consent("Shall I push? Yes.") == "Shall I push?"
    assert asks_consent("Done.") is None is asks_consent("why")


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        ("I took Blue.", ("Blue", "Dark blue"), "Blue"),
        ("I took dark blue.", ("Blue", "Dark blue"), "Dark blue"),
        ("Bluetooth is on.", ("Blue",), None),
        ("The airblue one.", ("Blue",), None),
        ("ok", ("ok",), "ok"),
        ("I took a.", ("a",), None),
        ("用了蓝色的。", ("蓝色",), "蓝色"),
        ("Publish it.", ("Publish (recommended)",), "Publish (recommended)"),
        ("x", (), None),
    ],
)
def test_the_option_that_a_text_names(text, options, named):
    assert names_option(text, options) == named


@pytest.mark.parametrize(
    ("option", "question", "options", "nothing"),
    [
        ("Wait", "Publish now?", ("Publish", "Wait"), True),
        ("Publish", "Publish now?", ("Publish", "Wait"), False),
        ("Wait", "Publish now?", ("Wait",), False),
        ("Hold", "Publish now?", ("Publish", "Wait"), False),
        ("No", "Blue?", ("No", "Keep it"), False),
        ("No", "Blue?", ("No", "Red"), True),
        ("Keep", "Delete it?", ("Delete", "Keep"), True),
        ("red", "Which?", ("red", "blue"), False),
    ],
)
def test_the_option_that_does_nothing(option, question, options, nothing):
    assert declines(option, question, options) is nothing


def test_topics():
    assert topic("Delete the uploads folder") == {"delet", "uploa", "folde"}
    assert topic("naïve résumé, cat, this") == {"naive", "resum"}
    assert topic("部署する") >= {"部署"}


@pytest.mark.parametrize(
    ("item", "subject"),
    [
        ("Run the tests", "tests"),
        ("Test the parser", "tests"),
        ("Build", "build"),
        ("Build the app", "build"),
        ("Fix the build", "build"),
        ("Lint", "lint"),
        ("Deploy to staging", "deploy"),
        ("Run the import and write the docs", "script"),
        ("Write tests", None),
        ("Write the docs", None),
        ("Fix the failing test in parser.py", None),
        ("Reproduce the failing test", None),
        ("Make the build faster", None),
        ("Failing lint", None),
    ],
)
def test_what_an_item_that_turned_done_says(item, subject):
    found = outcome(item, EVENT)
    assert (found and (found.subject.value, found.text)) == (subject and (subject, item))


def test_a_checklist():
    found = checklist("- [x] a\n* [ ] b\n+ [~] c\n- [X] d\n- [>] e\nwords\n- item")
    assert (found.ticked, found.open, found.around) == (("a", "d"), ("b", "c", "e"), "words\n- item")
    assert makes("Write the docs") and not makes("Fix the bug") and mends("Fix the bug") and not mends("Run it")
    assert says_verified("It is verified.") and not says_verified("Not verified yet.")

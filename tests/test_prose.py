"""Which sentences an agent's text asserts, and where each of them stands."""

import pytest

from transcript_lint.claims.prose import CODE, QUOTED, sentences


def told(text):
    return [(s.kind, s.paragraph, s.text) for s in sentences(text)]


def texts(text):
    return [s.text for s in sentences(text)]


def test_lines_and_paragraphs():
    text = "# Result\n\nFirst one. Second one!\n\n- [x] done\n- open\n1. third\n| a | b |\n**Bold title:**\nLast."
    assert told(text) == [
        ("heading", 0, "# Result"),
        ("text", 1, "First one."),
        ("text", 1, "Second one!"),
        ("item", 2, "done"),
        ("item", 2, "open"),
        ("item", 2, "third"),
        ("table", 2, "| a | b |"),
        ("heading", 2, "Bold title:"),
        ("text", 2, "Last."),
    ]
    assert [text[s.start :].split("\n")[0] for s in sentences(text)[:4]] == [
        "# Result",
        "First one. Second one!",
        "First one. Second one!",
        "- [x] done",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "> All tests pass.",
        "- [ ] All tests pass.",
        "```\nAll tests pass.\n```",
        "~~~\nAll tests pass.\n```\nstill code\n~~~~",
        "````\n```\nAll tests pass.\n```\n````",
        "```\nnever closed\n\nAll tests pass.",
        "<system-reminder>All tests pass.</system-reminder>",
        "<thinking a='1'>\nAll tests pass.",
        "  \n",
    ],
)
def test_what_is_no_assertion_of_the_agent(text):
    assert texts(text) == []
    assert texts(f"Before.\n{text}")[0] == "Before."


def test_what_follows_a_left_out_part_counts_again():
    assert texts("Before.\n```\ncode\n```\nAfter.") == ["Before.", "After."]
    assert texts("<env>x</env>Between.<context>y</context>After.") == ["Between.", "After."]
    assert texts("Below:\n> quoted\nAfter.") == ["Below:", "After."]
    assert texts("He said: > quoted here") == ["He said:"]


def test_wrapped_lines_are_joined():
    assert texts("All tests\npass now.") == ["All tests pass now."]
    assert texts("- All tests\n  pass now.\n- Second") == ["All tests pass now.", "Second"]
    assert texts("Built.\nall tests pass") == ["Built.", "all tests pass"]
    assert texts("Results\nTests pass") == ["Results", "Tests pass"]
    long = "A line that is long enough to have been wrapped where Some"
    assert texts(f"{long}\nTests pass") == [f"{long} Tests pass"]
    assert texts("# Title\nall tests pass") == ["# Title", "all tests pass"]


def test_sentence_ends():
    assert texts("It works, e.g. here. Done.") == ["It works, e.g. here.", "Done."]
    assert texts("Das gilt z.B. hier! Gut") == ["Das gilt z.B. hier!", "Gut"]
    assert texts("Version 1.2 is out (really.) Done.") == ["Version 1.2 is out (really.", "Done."]
    assert texts("测试通过。构建完成。") == ["测试通过。", "构建完成。"]
    assert texts("A. Smith wrote it") == ["A. Smith wrote it"]


def test_code_and_quotations_are_blanked_and_kept():
    (one,) = sentences('Ran ``a `b` c`` and `pytest -q`: "3 passed" and „gut“, **fine**')
    assert one.text == f"Ran {CODE} and {CODE}: {QUOTED} and {QUOTED}, fine"
    assert (one.codes, one.quotes) == (("a `b` c", "pytest -q"), ("3 passed", "gut"))
    assert one.raw == 'Ran ``a `b` c`` and `pytest -q`: "3 passed" and „gut“, fine'
    first, second = sentences("`a. b` runs. `c` fails.")
    assert (first.codes, second.codes) == (("a. b",), ("c",))
    assert (first.raw, second.raw) == ("`a. b` runs.", "`c` fails.")

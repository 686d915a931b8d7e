"""`show` and `trace`: post-mortems in a terminal."""

from __future__ import annotations

import pytest

from tests import toy
from transcript_lint import samples
from transcript_lint.reporters.table import columns

SECRET = "ghp_" + "a1B2" * 9
STORY = (
    samples.human("run the tests"),
    samples.command("pytest -q", "collected 9\n1 failed", exit=1, note="they should pass"),
    samples.compaction("the tests were run", trigger="auto"),
    samples.says("FAULT all is well"),
    samples.command("git push origin main"),
    samples.human("thanks"),
    samples.command("git push origin other"),
    samples.end("success", "FAULT done"),
)


@pytest.fixture
def story(tmp_path):
    toy.log(tmp_path, "a.jsonl", *STORY)
    return "a.jsonl"


def test_a_finding_with_its_chain_the_compaction_between_and_what_was_done(lint, story):
    out = lint("show", f"{story}:5").stdout
    assert "error XX101 fault-said" in out and "The agent said: FAULT all is well" in out
    places = [out.index(text) for text in ("line 3", "ended with exit 1", "observed in the output", "1 failed")]
    places += [out.index(text) for text in ("the context was compacted, auto", "the agent said", "What was done then")]
    assert places == sorted(places)
    assert "git push origin main" in out and "origin other" not in out
    assert "2026-03-02 09:00:02" in out


def test_a_line_of_a_chain_shows_its_finding_and_another_line_its_neighbourhood(lint, story):
    assert "XX101" in lint("show", f"{story}:3").stdout
    out = lint("show", f"{story}:7", "--context", "1").stdout
    assert "No finding on line 7" in out and "> line 7" in out and "thanks" in out
    assert "ended with exit 0" in out and "git push origin other" in out and "run the tests" not in out
    assert "XX101" not in out


def test_without_a_line_all_findings(lint, story):
    out = lint("show", story).stdout
    assert out.count("error XX101") == 2
    assert "No findings" in lint("show", story, "--select", "XX102").stdout


@pytest.mark.parametrize(
    ("place", "says"),
    [("absent.jsonl:3", "no such file"), ("-", "standard input"), ("junk.jsonl", "no format"), (".:0", "")],
)
def test_what_cannot_be_shown_is_2(lint, tmp_path, place, says):
    (tmp_path / "junk.jsonl").write_bytes(b"nothing\n")
    result = lint("show", place)
    assert result.exit_code == 2 and says in result.output and "Traceback" not in result.output


def test_a_name_that_ends_like_a_place_is_a_name(lint, tmp_path):
    toy.log(tmp_path, "a.jsonl:12", *STORY)
    assert "XX101" in lint("show", "a.jsonl:12").stdout
    assert "XX101" in lint("show", "a.jsonl:12:5").stdout


def test_trace_tells_everything_on_a_line_each(lint, story):
    out = lint("trace", story).stdout.splitlines()
    assert out[0] == "2026-03-02"
    told = [line for line in out if line[:6].strip().isdecimal()]
    assert [int(line[:6]) for line in told] == [1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 8, 9, 9]
    assert any("ended with exit 1" in line and "│ 1 failed" in line for line in told)
    assert any(line.strip().startswith("^ error XX101") for line in out)


@pytest.mark.parametrize("width", [30, 48, 200])
def test_nothing_steers_the_terminal_nor_leaves_its_width_nor_tells_a_secret(lint, tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    nasty = f"\x1b[31mred\x1b]0;t\x07 \u202eevil\u2066 \x9b token {SECRET} 测试通过了 " + "x" * 9000
    toy.log(
        tmp_path,
        "a.jsonl",
        samples.human(nasty),
        samples.command(nasty, "progress 1%\rprogress 2%\r" + nasty + "\nthe end", tool="\x1b[1mtool"),
        samples.says("FAULT " + nasty, agent="sub\x1b[5magent"),
    )
    for out in (lint("show", "a.jsonl").stdout, lint("show", "a.jsonl:2").stdout, lint("trace", "a.jsonl").stdout):
        assert not any(c in out for c in "\x1b\x07\x9b\r\u202e\u2066")
        assert SECRET not in out
        assert max(map(columns, out.splitlines())) <= max(width, 30)
    assert width < 200 or "the end" in lint("trace", "a.jsonl").stdout


def test_colour_on_demand(lint, story):
    assert "\x1b[31m" in lint("show", story, "--color", "always").stdout
    assert "\x1b[31m" in lint("trace", story, "--color", "always").stdout

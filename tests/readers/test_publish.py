"""Prose that is published through a shell line or a tool call."""

from __future__ import annotations

import pytest

from transcript_lint.readers.publish import published_by_shell, published_by_tool


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("git commit -m 'one thing'", [("commit", "one thing")]),
        ('cd x && git add . && git commit -am "all \\"12\\" pass" && git push', [("commit", 'all "12" pass')]),
        ("git -C repo commit -m subject -m 'body text'", [("commit", "subject\n\nbody text")]),
        ("git commit --message=short; ls", [("commit", "short")]),
        ("git commit -F - <<'EOF' && git push\nline 1\n\nline 2\nEOF\nls", [("commit", "line 1\n\nline 2")]),
        ("git commit -m \"$(cat <<'EOF'\nsub (x)\n\nbody\nEOF\n)\"", [("commit", "sub (x)\n\nbody")]),
        ("git tag -a v1 -m 'release one'", [("commit", "release one")]),
        ("git commit --amend --no-edit", []),
        ("git log --oneline | grep commit", []),
        (
            "gh pr create --title 'T' --body \"$(cat <<'EOF'\n## Tests\nok\nEOF\n)\" --draft",
            [("pull_request", "T\n\n## Tests\nok")],
        ),
        ("gh pr edit 3 --body-file - <<EOF\nnew body\nEOF", [("pull_request", "new body")]),
        ("gh pr comment 3 -b 'all green'", [("pull_request", "all green")]),
        ("gh issue comment 4 --body=fixed", [("pull_request", "fixed")]),
        ("gh release create v2 --notes 'tested on 3 systems'", [("pull_request", "tested on 3 systems")]),
        ("gh pr view 3 --json title", []),
        ("gh pr checks 3", []),
        ("echo done | mail -s 'report' ops@example.test", [("message", "report\n\n")]),
        ('curl -X POST https://hooks.slack.com/x -d \'{"text":"live\\nnow"}\'', [("message", "live\nnow")]),
        ("echo 'git commit -m x'", []),
        ('git commit -m "unclosed', [("commit", "unclosed")]),
    ],
)
def test_shell(line: str, found: list[tuple[str, str]]) -> None:
    assert [(where, text.strip()) for where, text in published_by_shell(line)] == [(w, t.strip()) for w, t in found]


@pytest.mark.parametrize(
    ("tool", "arguments", "found"),
    [
        ("mcp__chat__send_message", {"channel": "c", "text": "live"}, [("message", "live")]),
        ("mcp__mail__send_email", {"subject": "s", "body": "b", "to": "x"}, [("message", "s\n\nb")]),
        ("mcp__forge__create_pull_request", {"title": "t", "body": "b"}, [("pull_request", "t\n\nb")]),
        ("mcp__forge__get_pull_request", {"body": "b"}, []),
        ("mcp__forge__list_issues", {"title": "t"}, []),
        ("SendMessage", {"to": "peer", "content": "hi"}, [("message", "hi")]),
        ("mcp__db__query", {"text": "select 1"}, []),
    ],
)
def test_tools(tool: str, arguments: dict[str, str], found: list[tuple[str, str]]) -> None:
    assert published_by_tool(tool, arguments) == found


@pytest.mark.parametrize("filler", ["$(", "<<A\n", '"$', "'", "\\", "git commit -m ", "((", "${"])
def test_hostile_lines_take_no_time(filler: str) -> None:
    published_by_shell("git commit -m x " + filler * (60_000 // len(filler)))

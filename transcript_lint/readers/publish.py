"""Prose an agent publishes through a tool: commit messages, pull requests, comments, chat and mail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transcript_lint import patterns as re

Published = tuple[str, str]
"""Where (commit, pull_request, message) and the text."""

_PUBLISHES = re.compile(
    r"\bgit\b[^|;&\n]{0,200}\b(?:commit|tag|merge|notes)\b|\b(?:gh|glab|hub)[ \t]{1,8}(?:pr|issue|release|mr)\b"
    r"|\b(?:mailx?|sendmail|mutt|curl)\b"
)
_PLAIN = re.compile(r"[^\s;|&()'\"\\$<]+")
_HEREDOC = re.compile(r"<<-?[ \t]{0,4}(['\"\\]?)([A-Za-z_][A-Za-z0-9_]{0,40})['\"]?")
_DOUBLE_STOP = re.compile(r'["\\$]')
_BREAKS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
_MAX_LINE = 60_000

_GIT_FLAGS_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
_PR_ACTIONS = {
    "pr": {"create", "edit", "comment", "review", "merge", "close"},
    "issue": {"create", "edit", "comment", "close"},
    "release": {"create", "edit"},
    "mr": {"create", "update", "note", "edit"},
}
_TITLE = frozenset({"-t", "--title", "--subject"})
_BODY = frozenset({"-b", "--body", "-n", "--notes", "-m", "--message", "-d", "--description", "-c", "--comment"})
_BODY_FILE = frozenset({"-F", "--body-file", "--notes-file"})
_SENDS = re.compile(
    r"(?:send|post|reply|publish|notify|write|create|add)_?(?:\w{0,24}_)?"
    r"(?:message|mail|email|sms|chat|dm|notification|slack|comment|reply)",
    re.IGNORECASE,
)
_REVIEWS = re.compile(
    r"(?:create|update|edit|add|submit)_?(?:\w{0,24}_)?(?:pull_?request|merge_?request|\bpr\b|\bmr\b|issue|release|review)",
    re.IGNORECASE,
)
_TEXT_FIELDS = ("title", "subject", "text", "message", "body", "content", "description", "comment", "markdown", "html")


def published_by_shell(line: str) -> list[Published]:
    """What a shell line publishes, in order; nothing of a heredoc or a quoted text is run or expanded."""
    if not _PUBLISHES.search(line):
        return []
    found: list[Published] = []
    for words, stdin in _commands(line[:_MAX_LINE]):
        if words and (text := _of_command(words, stdin)) is not None and text[1].strip():
            found.append(text)
    return found


def published_by_tool(name: str, arguments: Any) -> list[Published]:
    """What a call of a chat, mail or forge tool publishes; the tool is known by its name's last part."""
    last = name.rpartition("__")[2]
    if not isinstance(arguments, Mapping) or last.startswith(("get", "list", "search", "read")):
        return []
    where = "message" if _SENDS.search(last) else "pull_request" if _REVIEWS.search(last) else None
    if where is None and last not in ("SendMessage", "SendUserMessage", "Brief"):
        return []
    parts = [arguments[f] for f in _TEXT_FIELDS if isinstance(arguments.get(f), str) and arguments[f].strip()]
    return [(where or "message", "\n\n".join(parts))] if parts else []


def _of_command(words: list[str], stdin: str) -> Published | None:
    while words and ("=" in words[0].split("/")[0] or words[0] in ("sudo", "env", "command", "time", "then", "do")):
        words = words[1:]
    if not words:
        return None
    program, rest = words[0].rpartition("/")[2], words[1:]
    if program == "git":
        return _git(rest, stdin)
    if program in ("gh", "glab", "hub"):
        return _forge(rest, stdin)
    if program in ("mail", "mailx", "mutt", "sendmail"):
        subject = _values(rest, frozenset({"-s", "--subject"}))
        return "message", "\n\n".join((*subject, stdin.strip()))
    if program == "curl" and any("hooks.slack.com" in w or "chat.postMessage" in w or "webhook" in w for w in rest):
        data = "\n".join(_values(rest, frozenset({"-d", "--data", "--data-raw", "--json"})))
        texts = re.findall(r'"(?:text|content)"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){1,8000})"', data)
        return "message", "\n".join(t.replace("\\n", "\n").replace('\\"', '"') for t in texts)
    return None


def _git(rest: list[str], stdin: str) -> Published | None:
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _GIT_FLAGS_WITH_VALUE else rest[1:]
    if not rest or rest[0] not in ("commit", "tag", "merge", "notes"):
        return None
    parts = _values(rest[1:], frozenset({"-m", "--message"}), cluster="m")
    if not parts and stdin and "-" in _values(rest[1:], frozenset({"-F", "--file"}), cluster="F"):
        parts = [stdin]
    return "commit", "\n\n".join(p.strip() for p in parts)


def _forge(rest: list[str], stdin: str) -> Published | None:
    if len(rest) < 2 or rest[1] not in _PR_ACTIONS.get(rest[0], ()):
        return None
    parts = _values(rest[2:], _TITLE) + _values(rest[2:], _BODY)
    if stdin and any(v in ("-", "/dev/stdin") for v in _values(rest[2:], _BODY_FILE)):
        parts.append(stdin)
    return "pull_request", "\n\n".join(p.strip() for p in parts)


def _values(words: list[str], flags: frozenset[str], cluster: str = "") -> list[str]:
    """The values of some options: `-m v`, `--message v`, `--message=v`, `-mv`, `-am v`."""
    found: list[str] = []
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        following = words[index + 1 : index + 2]
        if word == "--":
            break
        if word in flags:
            found += following
        elif equals and name in flags and name.startswith("--"):
            found.append(value)
        elif cluster and word[:1] == "-" and word[1:2] != "-" and len(word) > 2:
            letters = word[1:]
            if letters.endswith(cluster) and letters[:-1].isalpha() and len(letters) <= 5:
                found += following
            elif letters.startswith(cluster):
                found.append(letters[1:])
    return found


def _commands(line: str) -> Iterator[tuple[list[str], str]]:
    """The simple commands of a line as their words (quotes removed) with the heredoc each is fed."""
    scanner = _Scanner(line)
    while scanner.at < len(scanner.line):
        words, stdin = scanner.command()
        yield words, stdin


class _Scanner:
    """Reads words of a shell line; a `$(cat <<'EOF' … EOF)` word becomes the text of its heredoc."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0

    def command(self) -> tuple[list[str], str]:
        """The next simple command; `at` then stands behind its operator."""
        words: list[str] = []
        line, stdin = self.line, ""
        while self.at < len(line):
            char = line[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "#" and (self.at == 0 or line[self.at - 1] in " \t\n"):
                end = line.find("\n", self.at)
                self.at = len(line) if end < 0 else end
            elif line.startswith("<<", self.at) and not line.startswith("<<<", self.at):
                stdin = self._heredoc() or stdin
                line = self.line
            elif line.startswith("<<<", self.at):
                self.at += 3
                self._blanks()
                stdin = self._word()
            elif operator := next((o for o in _BREAKS if line.startswith(o, self.at)), None):
                self.at += len(operator)
                break
            else:
                before = self.at
                words.append(self._word())
                if self.at == before:
                    self.at += 1
        return words, stdin

    def _blanks(self) -> None:
        while self.line[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _heredoc(self) -> str:
        """Take the body of a heredoc out of the line; what follows its mark on the same line stays to be read."""
        match = _HEREDOC.match(self.line, self.at)
        if match is None:
            self.at += 2
            return ""
        start = self.line.find("\n", match.end()) + 1 or len(self.line)
        end = re.compile(rf"^[ \t]*{re.escape(match[2])}[ \t]*$", re.MULTILINE).search(self.line, start)
        body = self.line[start : end.start() if end else len(self.line)]
        self.line = self.line[:start] + (self.line[end.end() :].lstrip("\n") if end else "")
        self.at = match.end()
        return body

    def _word(self) -> str:
        line = self.line
        parts: list[str] = []
        while self.at < len(line):
            if plain := _PLAIN.match(line, self.at):
                parts.append(plain[0])
                self.at = plain.end()
                continue
            char = line[self.at]
            if char in " \t\r\n;|&()" or line.startswith("<<", self.at):
                break
            if char == "'":
                end = line.find("'", self.at + 1)
                end = len(line) if end < 0 else end
                parts.append(line[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                parts.append(self._double())
            elif line.startswith("$(", self.at):
                parts.append(self._substitution())
            elif line.startswith("$'", self.at):
                self.at += 1
            elif char == "\\":
                parts.append(line[self.at + 1 : self.at + 2].strip("\n"))
                self.at += 2
            else:
                parts.append(char)
                self.at += 1
        return "".join(parts)

    def _double(self) -> str:
        line = self.line
        parts: list[str] = []
        self.at += 1
        while self.at < len(line) and line[self.at] != '"':
            if line[self.at] == "\\" and line[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                parts.append(line[self.at + 1])
                self.at += 2
            elif line.startswith("$(", self.at):
                parts.append(self._substitution())
            else:
                stop = _DOUBLE_STOP.search(line, self.at + 1)
                end = stop.start() if stop else len(line)
                parts.append(line[self.at : end])
                self.at = end
        self.at += 1
        return "".join(parts)

    def _substitution(self) -> str:
        """`$(…)`: the text of a heredoc within, else nothing; what a command would print is not known."""
        line = self.line
        self.at += 2
        depth, text = 1, ""
        while self.at < len(line) and depth:
            char = line[self.at]
            if line.startswith("<<", self.at) and (match := _HEREDOC.match(line, self.at)):
                start = line.find("\n", match.end()) + 1 or len(line)
                end = re.compile(rf"^[ \t]*{re.escape(match[2])}[ \t]*(?=\)|$)", re.MULTILINE).search(line, start)
                text += line[start : end.start() if end else len(line)]
                self.at = end.end() if end else len(line)
            elif char == "'":
                end_quote = line.find("'", self.at + 1)
                self.at = len(line) if end_quote < 0 else end_quote + 1
            elif char == '"':
                self._double()
            else:
                depth += (char == "(") - (char == ")")
                self.at += 1
        return text.strip("\n")

"""Cut a shell line into simple commands and the operators between them; a reader of shell, not a shell.

It understands what agents write: quotes, operators, pipes, heredocs, redirections, command substitution, control
words, functions of one line. What it does not understand it keeps as words, and never executes anything.
"""

from __future__ import annotations

from msgspec import Struct

from transcript_lint import patterns as re

MAX_LINE = 20_000
"""Characters of one line that are looked at; agents inline whole files in heredocs."""

_OPERATORS = ("&&", "||", ";;", "|&", "&", "|", ";", "\n", "(", ")")
_REDIRECT = re.compile(r"\d{0,3}(<<<|<<-?|[<>]&-?|&>>?|>>|<>|>\||[<>])[ \t]*")
_COUNTER = re.compile(r"[ \t]*(?=\(\()")
_CONTROL = frozenset(
    {
        "then",
        "do",
        "else",
        "elif",
        "if",
        "while",
        "until",
        "for",
        "case",
        "in",
        "fi",
        "done",
        "esac",
        "{",
        "}",
        "time",
        "coproc",
    }
)


class Simple(Struct, kw_only=True):
    """One simple command: its words, the operator before and after it, and the control word that leads it.

    `depth` counts the groups, in parentheses or braces, that it stands in; `stdin` is what the line feeds it.
    """

    words: list[str]
    before: str
    after: str
    lead: str
    depth: int
    text: str
    stdin: str = ""
    files: list[str]
    looped: bool


def split(line: str) -> list[Simple]:
    """The simple commands of a shell line, in order."""
    return _Splitter(line[:MAX_LINE]).run()


class _Splitter:
    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.found: list[Simple] = []
        self.words: list[str] = []
        self.lead = ""
        self.before = ""
        self.depth = 0
        self.begin = 0
        self.skip_word = ""
        self.stdin = ""
        self.files: list[str] = []
        self.loops = 0

    def run(self) -> list[Simple]:
        # `self.line` shrinks when a heredoc's body is lifted out, so it is looked at anew each time.
        while self.at < len(self.line):
            line = self.line
            char = line[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "\\" and line[self.at + 1 : self.at + 2] == "\n":
                self.at += 2
            elif char == "#" and (self.at == 0 or line[self.at - 1] in " \t\n;"):
                self.at = (line + "\n").index("\n", self.at)
            elif redirect := _REDIRECT.match(line, self.at):
                self.at = redirect.end()
                self._redirect(redirect[1])
            elif operator := self._operator():
                self._close(operator)
            elif word := self._word():
                self._take(word)
        self._close("")
        return self.found

    def _operator(self) -> str:
        return next((operator for operator in _OPERATORS if self.line.startswith(operator, self.at)), "")

    def _redirect(self, operator: str) -> None:
        if operator in ("<<", "<<-"):
            self._heredoc(self._word())
        elif operator == "<<<":
            self.stdin = self._word()
        elif self.line.startswith("(", self.at):
            self._balanced()
        elif not operator.endswith("-"):
            name = self._word()
            copied = operator.endswith("&") and name.isdigit()
            if ">" in operator and name and not copied and not name.startswith("/dev/"):
                self.files.append(name)

    def _heredoc(self, marker: str) -> None:
        newline = self.line.find("\n", self.at)
        if newline < 0 or not marker:
            return
        lines = self.line[newline + 1 :].split("\n")
        end = next((number for number, line in enumerate(lines) if line.strip() == marker), len(lines))
        self.stdin = "\n".join(lines[:end])
        self.line = "\n".join((self.line[:newline], *lines[end + 1 :]))

    def _word(self) -> str:
        line = self.line
        out: list[str] = []
        while self.at < len(line):
            char = line[self.at]
            if char == "(" and out[-1:] == ["="]:
                self._balanced()  # the items of an array
            elif char in " \t\r\n;|&<>()":
                break
            elif char == "\\":
                out.append(line[self.at + 1 : self.at + 2])
                self.at += 2
            elif char == "'":
                out.append(self._quoted("'"))
            elif char == '"':
                out.append(self._double())
            elif char == "$" and line.startswith("$(", self.at):
                start = self.at
                self.at += 1
                self._balanced()
                out.append(line[start : self.at])
            elif char == "`":
                out.append(f"`{self._quoted('`')}`")
            else:
                out.append(char)
                self.at += 1
        return "".join(out)

    def _quoted(self, quote: str) -> str:
        """Move past a quotation without escapes, to the end of the line where it is not closed."""
        inside = self.line[self.at + 1 :].partition(quote)[0]
        self.at += len(inside) + 2
        return inside

    def _double(self) -> str:
        line = self.line
        out: list[str] = []
        self.at += 1
        while self.at < len(line) and line[self.at] != '"':
            if line[self.at] == "\\" and line[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                out.append(line[self.at + 1 : self.at + 2])
                self.at += 2
            elif line.startswith("$(", self.at):
                start = self.at
                self.at += 1
                self._balanced()
                out.append(line[start : self.at])
            else:
                out.append(line[self.at])
                self.at += 1
        self.at += 1
        return "".join(out)

    def _balanced(self) -> None:
        """Move past a parenthesised stretch, quotes respected."""
        line, depth = self.line, 0
        while self.at < len(line):
            char = line[self.at]
            if char == "\\":
                self.at += 2
                continue
            if char in "'\"":
                end = self.at + 1
                while end < len(line) and line[end] != char:
                    end += 2 if char == '"' and line[end] == "\\" else 1
                self.at = end + 1
                continue
            depth += (char == "(") - (char == ")")
            self.at += 1
            if depth <= 0:
                return

    def _take(self, word: str) -> None:
        if not self.words and word in _CONTROL:
            # `for x in a b; do` names no command: its words are dropped at the next operator.
            self.lead = word
            self.loops = max(0, self.loops + (word in ("for", "while", "until")) - (word == "done"))
            self.depth += (word == "{") - (word == "}")
            self.skip_word = word if word in ("for", "case") else ""
            if word == "for" and (counter := _COUNTER.match(self.line, self.at)):
                self.at = counter.end()
                self._balanced()
            return
        self.words.append(word)

    def _close(self, operator: str) -> None:
        text = self.line[self.begin : self.at].strip()
        self.at += len(operator)
        self.begin = self.at
        if operator == "(":
            self.words.clear()
        if not self.words and self.found:
            self.found[-1].files += self.files  # those of the whole group
        if self.words and not self.skip_word:
            self.found.append(
                Simple(
                    words=self.words,
                    before=self.before,
                    after=operator,
                    lead=self.lead,
                    depth=self.depth,
                    text=text,
                    stdin=self.stdin,
                    files=self.files,
                    looped=self.loops > 0 and self.lead not in ("while", "until"),
                )
            )
            self.before = operator
        elif self.found and operator not in "()":
            if operator != "\n":
                self.found[-1].after = self.before = operator
            elif self.found[-1].after == ")":
                self.found[-1].after = operator
        if operator in ("(", ")") and self.skip_word != "case":
            self.depth += 1 if operator == "(" else -1
        # The pattern of a branch, the first or one behind `;;`, goes on to its parenthesis.
        in_pattern = self.skip_word == "case" and operator != ")"
        self.skip_word = "case" if operator == ";;" or in_pattern else ""
        self.words, self.lead, self.stdin, self.files = [], "", "", []

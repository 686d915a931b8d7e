"""Cut a shell line into simple commands and the operators between them; a reader of shell, not a shell.

It understands what agents write: quotes, operators, pipes, heredocs, redirections, command substitution, control
words, functions of one line. What it does not understand it keeps as words, and never executes anything.
"""

from __future__ import annotations

from msgspec import Struct

MAX_LINE = 20_000
"""Characters of one line that are looked at; agents inline whole files in heredocs."""

_OPERATORS = ("&&", "||", ";;", "|&", "&", "|", ";", "\n", "(", ")")
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
    """One simple command: its words, the operator before and after it, and the control word that leads it."""

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
        self.heredocs: list[tuple[str, Simple | None]] = []
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
                self._comment()
            elif operator := self._operator():
                self._close(operator)
            elif char in "<>" or line.startswith("&>", self.at) or (char.isdigit() and self._is_redirect()):
                self._redirect()
            elif word := self._word():
                self._take(word)
        self._close("")
        return self.found

    def _operator(self) -> str:
        if self.line.startswith("&>", self.at):
            return ""
        for operator in _OPERATORS:
            if self.line.startswith(operator, self.at):
                return operator
        return ""

    def _comment(self) -> None:
        end = self.line.find("\n", self.at)
        self.at = len(self.line) if end < 0 else end

    def _is_redirect(self) -> bool:
        rest = self.line[self.at : self.at + 4].lstrip("0123456789")
        return rest[:1] in ("<", ">") and rest != ""

    def _redirect(self) -> None:
        line = self.line
        while self.at < len(line) and line[self.at].isdigit():
            self.at += 1
        start = self.at
        while self.at < len(line) and line[self.at] in "<>&|-":
            self.at += 1
            if self.at - start >= 3:
                break
        operator = line[start : self.at]
        while self.at < len(line) and line[self.at] in " \t":
            self.at += 1
        if operator.startswith("<<") and not operator.startswith("<<<"):
            self._heredoc(self._word())
        elif operator.startswith("<<<"):
            self.stdin = self._word()
        elif operator.endswith("(") or line[self.at : self.at + 1] == "(":
            self._balanced()
        elif not operator.endswith("&") or not line[self.at : self.at + 1].isdigit():
            name = self._word()
            if ">" in operator and name and not name.startswith("/dev/"):
                self.files.append(name)
        else:
            while self.at < len(line) and line[self.at].isdigit():
                self.at += 1

    def _heredoc(self, marker: str) -> None:
        newline = self.line.find("\n", self.at)
        if newline < 0 or not marker:
            return
        position = newline + 1
        while position < len(self.line):
            end = self.line.find("\n", position)
            end = len(self.line) if end < 0 else end
            if self.line[position:end].strip() == marker:
                break
            position = end + 1
        self.stdin = self.line[newline + 1 : position]
        stop = self.line.find("\n", position)
        rest = "" if stop < 0 else self.line[stop:]
        self.line = self.line[:newline] + rest

    def _word(self) -> str:
        line, out = self.line, []
        while self.at < len(line):
            char = line[self.at]
            if char in " \t\r\n;|&<>()":
                break
            if char == "\\":
                out.append(line[self.at + 1 : self.at + 2])
                self.at += 2
            elif char == "'":
                end = line.find("'", self.at + 1)
                end = len(line) if end < 0 else end
                out.append(line[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                out.append(self._double())
            elif char == "$" and line.startswith("$(", self.at):
                start = self.at
                self.at += 1
                self._balanced()
                out.append(line[start : self.at])
            elif char == "`":
                end = line.find("`", self.at + 1)
                end = len(line) if end < 0 else end
                out.append(line[self.at : end + 1])
                self.at = end + 1
            else:
                out.append(char)
                self.at += 1
        return "".join(out)

    def _double(self) -> str:
        line, out = self.line, []
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
            if word in ("for", "case"):
                self.skip_word = word
            return
        self.words.append(word)

    def _close(self, operator: str) -> None:
        text = self.line[self.begin : self.at].strip()
        self.at += len(operator)
        self.begin = self.at
        if operator == "(" and self.words:
            self.words.clear()
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
        elif self.found and operator and operator not in "()":
            if operator != "\n" or self.found[-1].after in (")", "("):
                self.found[-1].after = operator
            self.before = operator if operator != "\n" else self.before
        elif operator not in ("\n", "(", ")"):
            self.before = operator
        self.words, self.lead, self.skip_word, self.stdin, self.files = [], "", "", "", []
        self.depth = max(0, self.depth + (operator == "(") - (operator == ")"))

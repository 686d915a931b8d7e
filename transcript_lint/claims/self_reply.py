"""Find a person's turn that an agent wrote itself: a label, harness tags, a question with its yes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.claims.approval import LATIN, Reply, is_question, lexicon, plain, read_reply
from transcript_lint.claims.concepts import meant
from transcript_lint.claims.proposals import proposes

_FENCE = re.compile(r"^\s{0,8}(```+|~~~+)")
_HARNESS_TAG = re.compile(
    r"^\s*(?:(?:UserPromptSubmit|SessionStart|PreToolUse|PostToolUse|Stop) hook (?:success|additional context)\b"
    r"|</?(?:system-reminder|system_reminder|total_tokens|user-prompt-submit-hook|local-command-stdout|command-name"
    r"|task-notification|user_message|user_query|human|user|environment_context|current_datetime)\b[^>\n]{0,80}>)"
)
_BOLD = re.compile(r"^\s*(?:\*\*|__)(.{1,120}?)(?:\*\*|__)\s*$")
_AGENT_LABEL = re.compile(r"^\s*\**(?:assistant|agent|ai|claude|model|bot)\**\s*[:：]", re.IGNORECASE)
_MARKUP = re.compile(r"^(?:\*\*|__)|(?:\*\*|__)$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s")
_SENTENCE = re.compile(r"(?<=[.!:。！：])\s*")
_WORD = re.compile(r"\w{4,}")
_WRAPPED = re.compile(
    r"^\s{0,3}(?:<\|(?:im_start\|>)?|\[{1,2}|[(<{【［〔《]|#{1,6}\s|[-=_*~]{2,12}\s?|/{1,2}\s?|@|\*{1,2}|\"?role\"?\s?[:=]\s?\"?)\s?"
    r"(?P<name>[^\W\d]{1,14})(?:['’]s)?(?:\s(?:turn|message|input|says|said|reply|replies|response|answer|\d[\d:.]{0,9}|\([^)\n]{1,20}\)))?\s?"
    r"(?:\|>|\]{1,2}|[)>}】］〕》]|[-=_*~]{2,12}|\*{1,2}|\")?\s?[:：,]?(?:\*{1,2})?\s*(?P<words>\S.{0,300})?$"
)
_COLON = re.compile(r"^\s{0,3}(?:\*\*)?([^\W\d]{1,14})(?:\*\*)?\s?[:：]\s*(?:\*\*)?\s*(\S.{0,300})?$")
_COMPOUNDS = re.compile(
    r"^(?:s|name|names|id|ids|land|space|data|base|info|agent|script|scripts|mod|add|del|group|groups|profile|form|input"
    r"|list|model|role|roles|type|types|error|story|journey|facing|defined|level|friendly|ization|kind|ity|istic|oid|e|ed|r"
    r"|interface|guide|flow|auth|table|service|controller|prompt|settings|config|state|content|message|messages|feedback)\b",
    re.IGNORECASE,
)


class SelfReply(Struct, frozen=True):
    """What betrays the turn (`how`), the words put into a person's mouth, and whether only their sense betrays it."""

    how: str
    words: str
    by_sense: bool = False


def self_reply(text: str) -> SelfReply | None:
    """The first turn of a person in an agent's own text, outside code and quotations; None if there is none."""
    lines = _open_lines(text)
    if len(lines) < 2:
        return None
    tagged = "<" in text or " hook " in text
    named = bool(_role_names().groups_in(text.casefold()))
    for number, line in enumerate(lines if named or tagged else ()):
        if number and named and (found := _labelled(lines, number)):
            return found
        if number and named and (found := _wrapped(lines, number)):
            return found
        if number and tagged and _HARNESS_TAG.match(line):
            words = next((x.strip() for x in lines[number + 1 :] if not _HARNESS_TAG.match(x) and not _bare(x)), "")
            return SelfReply("it imitates the harness's own tags", words or line.strip())
    return _question_with_its_yes(lines)


def _open_lines(text: str) -> list[str]:
    """The lines that stand outside fenced code and block quotes, without the empty ones."""
    kept: list[str] = []
    fence = ""
    for line in text[:100_000].split("\n"):
        marker = _FENCE.match(line)
        if fence:
            if marker and marker[1].startswith(fence):
                fence = ""
        elif marker:
            fence = marker[1]
        elif (stripped := line.strip()) and stripped[0] not in ">|":
            kept.append(line)
    return kept


@cache
def _labels() -> tuple[re.Pattern[str], re.Pattern[str]]:
    names = "|".join(re.escape(name) for lang in (*LATIN, "zh", "ja", "ko", "ru") for name in lexicon(lang).labels)
    return (
        re.compile(rf"^\s{{0,3}}(?:\*\*)?({names})(?:\*\*)?\s*[:：]\s*(?:\*\*)?\s*(\S.*)?$", re.IGNORECASE),
        re.compile(rf"^\s{{0,3}}({names})\s*$", re.IGNORECASE),
    )


def _bare(line: str) -> bool:
    return _labels()[1].match(line) is not None


def _labelled(lines: Sequence[str], number: int) -> SelfReply | None:
    """A line that opens with a person's label, glued to words or followed by them."""
    line = lines[number]
    colon, _ = _labels()
    following = lines[number + 1].strip() if number + 1 < len(lines) else ""
    asked = any(is_question(plain(x.strip())) for x in lines[max(0, number - 3) : number])
    if match := colon.match(line):
        words = (match[2] or following).strip()
        quoted = any(_AGENT_LABEL.match(x) for x in lines)
        turn = match[1].lower() == "human" or asked or read_reply(words) is Reply.YES
        return SelfReply(f"a line of it opens with '{match[1]}:'", words) if words and turn and not quoted else None
    if asked and (below := _COLON.match(line)) and below[1].casefold() in _roles()[1]:
        words = (below[2] or following).strip()
        if read_reply(words) is Reply.YES and not any(_AGENT_LABEL.match(x) for x in lines):
            return SelfReply(f"a line of it opens with '{below[1]}:'", words)
    if _bare(line) and following and (asked or len(lines) - number <= 4):
        return SelfReply(f"a line of it is the bare word '{line.strip()}'", following)
    head = line[:5].lower()
    if head.startswith("user") and (glued := line[4:].strip()) and line[4:5] not in " \t:-_'’./,()`*":
        foreign = not glued[0].isascii()
        fits = foreign or (
            not _COMPOUNDS.match(glued)
            and line[:4] == "user"
            and (read_reply(glued) is Reply.YES or _shares(glued, lines[max(0, number - 3) : number]))
        )
        if fits:
            return SelfReply("the word 'user' is glued to the next one", glued)
    return None


def _wrapped(lines: Sequence[str], number: int) -> SelfReply | None:
    """A role word set apart by brackets, rules or marks (`[user]`, `--- user ---`, `### Human`), and words after it."""
    match = _WRAPPED.match(lines[number])
    if match is None:
        return None
    named, named_below_question = (match["name"].casefold() in roles for roles in _roles())
    following = lines[number + 1].strip() if number + 1 < len(lines) else ""
    words = (match["words"] or following).strip()
    asked = any(is_question(plain(x.strip())) for x in lines[max(0, number - 3) : number])
    answers = read_reply(words) is Reply.YES
    if not words or not ((named and (asked or answers)) or (named_below_question and asked and answers)):
        return None
    return SelfReply(f"a line of it sets '{match['name']}' apart as who speaks", words)


@cache
def _roles() -> tuple[frozenset[str], frozenset[str]]:
    """The names of a person's role, and those that stand for one only below a question."""
    known = [lexicon(lang) for lang in (*LATIN, "zh", "ja", "ko", "ru")]
    return (
        frozenset(name.casefold() for lex in known for name in lex.labels),
        frozenset(name.casefold() for lex in known for name in lex.asked_labels),
    )


@cache
def _role_names() -> re.Words[str]:
    """Tells which names of a person's role stand anywhere in a text."""
    named, asked = _roles()
    return re.Words({name: (name,) for name in named | asked})


def _question_with_its_yes(lines: Sequence[str]) -> SelfReply | None:
    """A question and right below it, alone on its line, a short yes; at most two short lines may follow."""
    for number in range(max(1, len(lines) - 3), len(lines)):
        before = plain(lines[number - 1].strip())
        if not is_question(_MARKUP.sub("", before)):
            continue
        rest = lines[number + 1 :]
        if sum(map(len, rest)) > 160 or any(_ITEM.match(x) for x in rest):
            continue
        line = lines[number].strip()
        bold = _BOLD.match(line)
        words = bold[1].strip() if bold else line
        if (
            len(words) > (120 if bold else 60)
            or words.endswith((":", "：", "?", "？"))
            or words.startswith(("-", "#", "*"))
        ):
            continue
        if not proposes(before):
            continue
        echoed = bold is not None and (_shares(words, [before]) or bool(meant((words,)) & meant((before,))))
        if echoed or _plain_yes(words, bold is not None):
            return SelfReply("it answers its own question", words, by_sense=True)
    return None


def _plain_yes(words: str, bold: bool) -> bool:
    """A yes that gives consent and tells nothing: few words, no code."""
    if read_reply(words) is not Reply.YES or "`" in words or "(" in words:
        return False
    return len(words.split()) <= (8 if bold else 6) and not words.lower().startswith(("perfect", "great"))


def _shares(words: str, lines: Sequence[str]) -> bool:
    """Whether the words repeat one of the lines: a common word of four letters or more, by its first six letters."""
    said = {w[:6].casefold() for w in _WORD.findall(words)}
    return bool(said & {w[:6].casefold() for line in lines for w in _WORD.findall(line)})

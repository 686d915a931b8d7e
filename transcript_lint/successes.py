"""Words that look like success wherever they stand in an output: evidence of level L0 and nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint import patterns as re

_WORDS = re.compile(
    r"(?<![\w-])(?:OK|ok|PASS(?:ED)?|(?:\d{1,9} |[Aa]ll tests? )?[Pp]assed|[Aa]ll tests? pass|"
    r"(?:BUILD )?SUCCESS(?:FUL(?:LY)?)?|[Ss]uccess(?:ful(?:ly)?)?|[Ss]ucceeded|"
    r"(?:Apply )?[Cc]omplete[d!]|Apply complete|COMPLETED?|DONE|[Dd]one|[Cc]onfirmed|CONFIRMED|[Vv]erified|VERIFIED|"
    r"[Ff]inished|FINISHED|[Cc]ommitted|[Gg]reen|[Hh]ealthy|[Aa]pplied|[Dd]eployed|[Pp]ublished|[Uu]ploaded|[Ii]mported|"
    r"[✓✔✅])(?![\w-])"
    r"|成功|通过|完成|已确认|已驗證|已验证|確認済み|正常終了|合格|성공|통과|완료|확인됨|[Уу]спешно|[Пп]ройден[оаы]?|[Гг]отово|"
    r"[Bb]estanden|[Ee]rfolgreich|réussi|terminée?s?\b|éxito|exitos[ao]|correctamente|concluíd[ao]|sucesso",
)
_DENIED = re.compile(
    r"\b(?:not|n't|un|in|0|no|never|until|if|when|before|without)[ -]?(?:yet )?"
    r"(?:OK|ok|passed|succe\w+|complete\w*|done|confirmed|verified|finished)|"
    r"\b0 (?:passed|succeeded|ok|completed)\b|未通过|未完成|没有通过"
)


def success_matches(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each such word of an output with the line it stands in; lines that deny it are left out."""
    for match in _WORDS.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line = text[max(start, match.start() - 60) : end if end >= 0 else len(text)]
        if not _DENIED.search(line[:200]):
            yield match, line


def success_words(text: str, limit: int = 5) -> tuple[str, ...]:
    """Up to `limit` lines' excerpts (80 characters) of an output that hold such a word, each once."""
    found: dict[str, None] = {}
    for _, line in success_matches(text):
        found.setdefault(line.strip()[:80])
        if len(found) >= limit:
            break
    return tuple(found)

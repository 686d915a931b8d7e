"""Words in an output that look like success. They are level L0: seen, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from transcript_lint import patterns as re

_MARKER = re.compile(
    r"\b(?:PASS(?:ED)?|OK|SUCCESS(?:FUL(?:LY)?)?|Success(?:fully)?|succeeded|Apply complete|BUILD SUCCESSFUL|"
    r"[Cc]onfirmed|CONFIRMED|[Vv]erified|VERIFIED|DONE|[Cc]ompleted|COMPLETED?|[Ff]inished|FINISHED|\d{1,9} passed|"
    r"[Aa]ll tests? pass(?:ed)?|[Dd]eployed|[Pp]ublished|[Bb]estanden|"
    r"[Ee]rfolgreich|réussie?s?|terminée?s?|exitos[ao]|correctamente|"
    r"concluíd[ao]|sucesso)\b|[✓✔✅]|成功|已确认|已驗證|已验证|完成|通过|確認済み|合格|正常終了|완료|성공|통과|확인됨|"
    r"[Уу]спешно|[Пп]ройден[оаы]?|[Гг]отово"
)
_NEGATED = re.compile(r"(?:\bnot?|\bun|\bin|\bnever|\b0|n't|未|没有|没|не)[ _-]?\Z", re.I)
MOST = 20


def observed(*texts: str) -> list[str]:
    """The success-like words of some texts, each once, in the order seen; at most twenty."""
    seen: dict[str, None] = {}
    for text in texts:
        for marker in _markers(text):
            seen.setdefault(marker)
            if len(seen) >= MOST:
                return list(seen)
    return list(seen)


def _markers(text: str) -> Iterator[str]:
    for match in _MARKER.finditer(text):
        if not _NEGATED.search(text, max(0, match.start() - 8), match.start()):
            yield match[0]

"""What persons wrote, and what only wears their role."""

from __future__ import annotations

from collections import deque

from transcript_lint import patterns as re
from transcript_lint.claims.approval import grants_standing, reserved
from transcript_lint.claims.concepts import meant
from transcript_lint.events import ApprovalAnswered, HumanMessage, InjectedMessage

MAX_WORDS = 1_000_000
"""Characters of persons' words that are kept for looking quotations up."""
_NOT_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"\w{2,}")
_NOT_LATIN = re.compile(r"[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


class PeopleBook:
    """The last messages of persons (`said`) and of programs in their role (`injected`), oldest first, bounded.

    `standing` is the message in which a person allowed things ahead of being asked, None when there is none or a
    later one took it back; `reserved` the sentences in which persons kept decisions for themselves.
    """

    def __init__(self) -> None:
        self.said: deque[HumanMessage] = deque(maxlen=400)
        self.injected: deque[InjectedMessage] = deque(maxlen=100)
        self.first: HumanMessage | None = None
        self.standing: HumanMessage | None = None
        self.count = 0
        self.reserved: deque[str] = deque(maxlen=50)
        self._words: deque[str] = deque()
        self._size = 0
        self._forgot = False

    def on_human_message(self, event: HumanMessage) -> None:
        self.first = self.first or event
        self.count += 1
        self.said.append(event)
        self._remember(event.text)
        self.reserved.extend(reserved(event.text))
        granted = grants_standing(event.text)
        if granted is not None:
            self.standing = event if granted else None

    def on_injected_message(self, event: InjectedMessage) -> None:
        self.injected.append(event)

    def on_approval_answered(self, event: ApprovalAnswered) -> None:
        if event.by == "human" and event.text:
            self._remember(event.text)

    def ordered(self) -> frozenset[str]:
        """The names of the concepts that persons lately spoke of without keeping the decision for themselves."""
        found: set[str] = set()
        for message in list(self.said)[-8:]:
            text = message.text[:2000]
            for sentence in reserved(text):
                text = text.replace(sentence, " ")
            found |= meant((text,))
        return frozenset(found)

    def wrote(self, quote: str) -> bool | None:
        """Whether a person wrote these words, or most of them in one message; None when that cannot be told.

        It cannot be told when words were forgotten, or when a person writes in other letters than the quotation,
        which may be a translation then.
        """
        wanted = _folded(quote.strip(" .…\"'"))
        if not wanted:
            return None
        parts = {word.casefold() for word in _WORD.findall(quote)}
        for words in self._words:
            if wanted in _folded(words):
                return True
            if len(parts) > 2 and _nearly(parts, words):
                return True
        if self._forgot:
            return None
        if not _NOT_LATIN.search(quote) and any(_NOT_LATIN.search(words) for words in self._words):
            return None
        return False

    def _remember(self, text: str) -> None:
        kept = text[:20_000]
        self._forgot = self._forgot or len(kept) < len(text)
        self._words.append(kept)
        self._size += len(kept)
        while self._size > MAX_WORDS:
            self._size -= len(self._words.popleft())
            self._forgot = True


def _nearly(parts: set[str], words: str) -> bool:
    """Whether one passage of a message, twice as long as the quotation, holds most of its words."""
    known = words.casefold()
    if sum(part in known for part in parts) < 0.7 * len(parts):
        return False
    said = _WORD.findall(known)
    width = 2 * len(parts) + 6
    passages = (" ".join(said[i : i + width]) for i in range(0, max(1, len(said) - width // 2), width // 2))
    return any(sum(part in passage for part in parts) >= 0.7 * len(parts) for passage in passages)


def _folded(text: str) -> str:
    return _NOT_WORD.sub("", text.casefold())

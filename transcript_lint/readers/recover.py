"""Read what can be read of a record that is not one JSON document."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from transcript_lint import patterns as re
from transcript_lint.sources import Record

ATTEMPTS = 100
_BLANK = b" \t\r\n"
_SPACE = re.compile(r"[ \t\r\n]*")
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_ESCAPES = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL)


class Recovered(Struct, kw_only=True):
    """The documents found on a broken line and what was wrong with it; `lost` when something stayed unread."""

    documents: list[Any]
    problem: str | None = None
    message: str = ""
    lost: bool = False


def _integer(digits: str) -> int | float:
    # As orjson has it: what 64 bits do not hold is a float. Python refuses to convert thousands of digits at all.
    return int(digits) if len(digits) < 20 else float(digits)


decode = json.JSONDecoder(strict=False, parse_int=_integer).raw_decode
"""`decode(text, position)` → the document there and where it ends: takes what strict decoders refuse (NaN, control
characters in strings). Raises json.JSONDecodeError and RecursionError."""


def recover(record: Record) -> Recovered:
    """Decode a line that `orjson` refused: blank, marked with a BOM, doubled, torn, or not JSON at all."""
    line = record.data.strip(_BLANK)
    data = line.strip(_BLANK + b"\0").removeprefix(b"\xef\xbb\xbf")
    holes = len(line) - len(data) if b"\0" in (line[:1], line[-1:]) else 0
    at = f"at byte {record.offset}"
    if not data:
        lost = f"Only NUL bytes stand here ({at}): what was written here is lost." if holes else ""
        return Recovered(documents=[], problem="torn" if holes else None, message=lost, lost=bool(holes))
    text = whole_characters(data.decode("utf-8", "replace"))
    found = _Documents(text)
    documents, torn = found.documents, found.torn
    kept = f"{len(documents)} whole record(s) on the line were read" if documents else "nothing of it could be read"
    if found.deep:
        message = f"The record is nested too deep to be read ({at}): {kept}."
        return Recovered(documents=documents, problem="too_deep", message=message, lost=True)
    if torn is not None and not record.terminated and not documents:
        message = f"The last record is not finished ({at}): the session may still be running, or was cut off here."
        return Recovered(documents=[], problem="unfinished", message=message)
    if torn is not None:
        started = text[0] in "{["
        message = f"The record is torn ({at}, character {torn})" if started else f"The record is not JSON ({at})"
        problem = "torn" if started else "not_json"
        return Recovered(documents=documents, problem=problem, message=f"{message}: {kept}.", lost=True)
    if holes:
        message = f"NUL bytes stand beside the record ({at}): what was written there is lost; {kept}."
        return Recovered(documents=documents, problem="torn", message=message, lost=True)
    if len(documents) > 1:
        message = f"{len(documents)} records stand on one line ({at}): all of them were read."
        return Recovered(documents=documents, problem="two_documents", message=message)
    if "\ufffd" in text and not _utf8(data):
        message = f"The record holds bytes that are not UTF-8 ({at}): read with replacement characters."
        return Recovered(documents=documents, problem="not_utf8", message=message)
    return Recovered(documents=documents)


def whole_characters(text: str) -> str:
    """JSON text in which no escape stands for half a character: such a string could never be written out again."""
    return _ESCAPES.sub(_whole, text) if "\\ud" in text or "\\uD" in text else text


def _whole(escape: re.Match[str]) -> str:
    # A lone half is six characters long, a pair up to the letter that tells the second half nine.
    return "\\ufffd" if len(escape[0]) == 6 else escape[0]


def _utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Documents:
    """The whole documents of a line; `torn` is the first character that belongs to none, `deep` when one is too deep.

    Behind a tear only what stands by itself counts: an object that a comma or a bracket follows is a part of the
    record that was torn, never a record. Beyond `ATTEMPTS` breaks the rest is left: each costs time in the length of
    the text.
    """

    def __init__(self, text: str) -> None:
        self.documents: list[Any] = []
        self.torn: int | None = None
        self.deep = False
        self._text = text
        self._attempts = 0
        position = 0
        while 0 <= position < len(text) and self._attempts < ATTEMPTS:
            position = self._next(position)

    def _next(self, position: int) -> int:
        text = self._text
        try:
            document, end = decode(text, position)
        except json.JSONDecodeError as error:
            self._attempts += 1
            if self.torn is None:
                self.torn = error.pos
            # A half record may be followed by a whole one: it starts just before the place where this one breaks.
            back = text.rfind('{"', position + 1, error.pos + 2)
            return back if back > 0 else text.find('{"', max(position + 1, error.pos))
        except RecursionError:
            self._attempts += 1
            self.deep = True
            return _after(text, position)
        end = _space(text, end)
        part = "]}:" if self.torn is None else "]}:,"
        if isinstance(document, dict | list) and (end == len(text) or text[end] not in part):
            self.documents.append(document)
            return end
        if self.torn is None:
            self.torn = position
        # The tail of a torn record may begin inside a string: what looks like one then ends in the next record.
        return text.find('{"', end if isinstance(document, dict | list) else position + 1)


def _space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _after(text: str, position: int) -> int:
    """Where the brackets that open at a position are closed and the space behind them ends; -1 if they are not."""
    depth = 0
    for token in _BRACKETS.finditer(text, position):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return _space(text, token.end())
    return -1

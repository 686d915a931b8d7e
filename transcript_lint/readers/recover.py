"""Read what can be read of a record that is not one JSON document."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from transcript_lint.sources import Record

_BLANK = b" \t\r\n"


class Recovered(Struct, kw_only=True):
    """The documents found on a broken line and what was wrong with it; `lost` when something stayed unread."""

    documents: list[Any]
    problem: str | None = None
    message: str = ""
    lost: bool = False


def recover(record: Record) -> Recovered:
    """Decode a line that `orjson` refused: blank, marked with a BOM, doubled, torn, or not JSON at all."""
    data = record.data.strip(_BLANK)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if not data:
        return Recovered(documents=[])
    text = data.decode("utf-8", "replace")
    damaged = "�" in text and b"\xef\xbf\xbd" not in data
    decoder = json.JSONDecoder(strict=False)
    documents: list[Any] = []
    position, end = 0, len(text)
    torn_at: int | None = None
    while position < end:
        try:
            document, position = decoder.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError):
            torn_at = position if torn_at is None else torn_at
            # A half record may be followed by a whole one on the same line: look for the next object start.
            nxt = text.find('{"', position + 1)
            if nxt < 0:
                break
            position = nxt
            continue
        if isinstance(document, dict | list):
            documents.append(document)
        while position < end and text[position].isspace():
            position += 1
    at = f"byte {record.offset}"
    if torn_at is not None:
        live = not record.terminated and not documents
        problem = "unfinished" if live else "torn" if text[:1] in "{[" else "not_json"
        kept = f"{len(documents)} whole record(s) on the line were read" if documents else "nothing of it could be read"
        what = {
            "unfinished": f"The last record is not finished (at {at}): the session may still be running",
            "torn": f"The record is torn (at {at}, character {torn_at}): {kept}",
            "not_json": f"The record is not JSON (at {at}): {kept}",
        }[problem]
        return Recovered(documents=documents, problem=problem, message=what + ".", lost=not live)
    if len(documents) > 1:
        return Recovered(
            documents=documents,
            problem="two_documents",
            message=f"{len(documents)} records stand on one line (at {at}): all of them were read.",
        )
    if damaged:
        return Recovered(
            documents=documents,
            problem="not_utf8",
            message=f"The record holds bytes that are not UTF-8 (at {at}): read with replacement characters.",
        )
    return Recovered(documents=documents)

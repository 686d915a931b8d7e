"""Whole JSON documents: exact places, torn documents, archives."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from transcript_lint import archive, sources
from transcript_lint.events import AgentText, Event, RecordProblem
from transcript_lint.readers import document
from transcript_lint.readers.base import Sample
from transcript_lint.readers.document import DocumentReader


class Talk(DocumentReader):
    name = "talk"
    title = "a test format"
    arrays = ("/messages", "/runs/*/messages")

    def record(self, document, at):
        yield AgentText(at=at, text=document["text"])


def read(data: bytes, reader: type[DocumentReader] = Talk) -> list[Event]:
    return list(reader("x.json").events(sources.records(io.BytesIO(data))))


def texts(events):
    return [e.text for e in events if isinstance(e, AgentText)]


TALK: Any = {"info": {"n": 1}, "messages": [{"text": "één"}, {"text": "twee"}, {"text": "drie\u2028"}]}


@pytest.mark.parametrize("indent", [1, 4, None])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_each_element_has_its_line_bytes_and_pointer(indent, ascii_only):
    data = json.dumps(TALK, indent=indent, ensure_ascii=ascii_only).encode()
    events = read(b"\n\n" + data + b"\n")
    assert texts(events) == ["één", "twee", "drie\u2028"]
    for index, event in enumerate(events):
        assert event.at.pointer == f"/messages/{index}"
        whole = b"\n\n" + data
        part = whole[event.at.offset : event.at.offset + event.at.length]
        expected = TALK if indent is None else TALK["messages"][index]
        assert json.loads(part) == expected
        assert event.at.line == whole[: event.at.offset].count(b"\n") + 1


def test_nested_arrays_are_found_by_wildcard():
    talk = {"runs": [{"id": 1, "messages": [{"text": "a"}]}, {"id": 2, "messages": [{"text": "b"}, {"text": "c"}]}]}

    class Runs(Talk):
        def document(self, document):
            for index, run in enumerate(document.value["runs"]):
                assert run["id"] == index + 1
                for value, at in document.items(f"/runs/{index}/messages"):
                    yield from self._guarded(value, at)

    for indent in (2, None):
        events: list[Any] = read(json.dumps(talk, indent=indent).encode(), Runs)
        assert [(e.text, e.at.pointer) for e in events] == [
            ("a", "/runs/0/messages/0"),
            ("b", "/runs/1/messages/0"),
            ("c", "/runs/1/messages/1"),
        ]


def test_one_document_a_line_keeps_the_lines():
    data = b"\n".join(json.dumps({"messages": [{"text": t}]}).encode() for t in "ab") + b"\n"
    assert [(e.at.line, e.at.pointer) for e in read(data)] == [(1, "/messages/0"), (2, "/messages/0")]


def test_a_torn_document_keeps_what_stands_before():
    data = json.dumps(TALK, indent=2).encode()
    events = read(data[: data.index(b"drie")])
    assert texts(events) == ["één", "twee"]
    assert isinstance(events[-1], RecordProblem)
    assert events[-1].problem == "torn"
    assert events[-1].at.line == 12


def test_a_torn_first_line_does_not_hide_the_lines_after_it():
    lines = [json.dumps({"messages": [{"text": t}]}) for t in "abc"]
    events = read("\n".join([lines[0][:-4], *lines[1:]]).encode())
    assert texts(events) == ["b", "c"]
    assert [e.problem for e in events if isinstance(e, RecordProblem)] == ["torn"]


def test_a_broken_element_hides_no_other():
    events = read(json.dumps({"messages": [{"text": "a"}, 7, {"text": "b"}]}, indent=1).encode())
    assert texts(events) == ["a", "b"]
    assert [e.problem for e in events if isinstance(e, RecordProblem)] == ["wrong_shape"]


def test_a_document_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(DocumentReader, "limit", 50)
    events = read(json.dumps(TALK, indent=1).encode())
    assert [e.problem for e in events if isinstance(e, RecordProblem)] == ["too_large"]
    assert len(events) == 1


def test_deep_nesting_and_bad_bytes_do_not_crash():
    assert read(b"[" * 100_000)
    assert [e.problem for e in read(b'{\n"messages": [{"text": "a\xff"}]}') if isinstance(e, RecordProblem)] == [
        "not_utf8"
    ]


def test_the_opening_of_a_cut_document_tells_its_keys():
    data = json.dumps({"info": {"version": "2"}, "messages": [{"role": "x", "content": "y" * 500}]}, indent=2).encode()
    seen = document.opening(Sample(path="x", head=data[:120], documents=[]))
    assert seen["info"] == {"version": "2"}
    assert seen["messages"][0]["role"] == "x"


def packed(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as z:
        for name, body in members.items():
            z.writestr(name, body)
    buffer.seek(0)
    return io.BufferedReader(buffer)


def test_members_of_an_archive_are_records_with_their_names(tmp_path):
    stream = packed({"samples/1.json": json.dumps(TALK, indent=1), "header.json": "{}", "note.txt": "no"})
    found = list(sources.records(stream))
    assert [r.inner for r in found] == ["header.json", "samples/1.json"]
    events = list(Talk("x.eval").events(iter(found)))
    assert texts(events) == ["één", "twee", "drie\u2028"]
    assert {e.at.inner for e in events} == {"samples/1.json"}


def test_odd_paths_and_bombs_are_refused():
    bomb = b"[" + b" " * (4 << 20) + b"]"
    found = list(archive.members(packed({"../up.json": "{}", "/abs.json": "{}", "bomb.json": bomb, "ok.json": "{}"})))
    assert {r.inner: r.problem is None for r in found} == {
        "../up.json": False,
        "/abs.json": False,
        "bomb.json": False,
        "ok.json": True,
    }
    events = list(Talk("x.eval").events(iter(found)))
    assert sum(isinstance(e, RecordProblem) for e in events) == 3


def test_a_damaged_archive_is_an_error_of_the_input():
    with pytest.raises(OSError, match="damaged"):
        list(archive.members(io.BytesIO(b"PK\x03\x04nonsense")))

"""Conversion to native events: reading them back gives the same events, and the same findings by origin."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.support import FIXTURES, opened
from transcript_lint import events as e
from transcript_lint import registry, runner, sources
from transcript_lint.cli import main
from transcript_lint.readers.native import NativeReader
from transcript_lint.readers.to_native import native_line
from transcript_lint.settings import Settings

LOGS = (p for p in FIXTURES.glob("*/*") if p.is_file() and not p.name.endswith((".md", ".expected.json")))
ALL = sorted(str(p.relative_to(FIXTURES)) for p in LOGS)


def back(data: bytes) -> list[e.Event]:
    return list(NativeReader("converted").events(sources.records(io.BytesIO(data))))


def converted(events: list[e.Event]) -> bytes:
    return b"".join(native_line(event) + b"\n" for event in events)


@pytest.mark.parametrize("name", ALL)
def test_every_fixture_comes_back_as_it_was(name):
    _, events = opened(name)
    again = back(converted(events))
    assert again == events
    assert converted(again) == converted(events)


def _places() -> st.SearchStrategy[e.Location]:
    return st.builds(
        e.Location,
        path=st.sampled_from(["a.jsonl", "b/c.json"]),
        line=st.integers(1, 10**6),
        offset=st.integers(0, 10**9),
        length=st.integers(0, 10**6),
        pointer=st.sampled_from(["", "/a/0"]),
        inner=st.sampled_from([None, "log.json"]),
    )


def _strategy(kind: type[e.Event]) -> st.SearchStrategy[Any]:
    text = st.text(max_size=12)
    by_name: dict[str, st.SearchStrategy[Any]] = {
        "at": _places(),
        "time": st.none() | st.floats(1e9, 4e9),
        "turn": st.none() | st.integers(0, 9) | text,
        "limits": st.none(),
        "arguments": st.none() | st.dictionaries(text, st.integers() | text, max_size=2),
        "summary_at": st.none() | _places(),
    }
    fields = {}
    for field in msgspec.structs.fields(kind):
        if field.name in by_name:
            fields[field.name] = by_name[field.name]
        elif field.type in (int, float, str, bool) or not field.required:
            fields[field.name] = st.from_type(field.type)
    return st.builds(kind, **fields)


st.register_type_strategy(int, st.integers(-(10**9), 10**9))
st.register_type_strategy(float, st.floats(-1e9, 1e9))
st.register_type_strategy(str, st.text(max_size=12))


@settings(max_examples=150, deadline=None)
@given(st.one_of([_strategy(kind) for kind in e.ANY_EVENT]))
def test_any_event_comes_back_as_it_was(event):
    assert back(native_line(event) + b"\n") == [event]


@pytest.mark.parametrize("name", [n for n in ALL if not n.startswith("codex")])
def test_check_finds_the_same_at_the_same_places(name, tmp_path):
    job = runner.Job(rules=registry.rules(), settings=Settings())
    copy = tmp_path / "converted.jsonl"
    result = CliRunner().invoke(main, ["convert", str(FIXTURES / name), "--output", str(copy)])
    assert result.exit_code == 0, result.output

    def found(path: Path) -> list[tuple[Any, ...]]:
        report = runner.audit_paths([str(path)], job)
        return sorted((f.rule, f.level, f.at.path, f.at.line, f.at.pointer, f.message) for f in report.findings)

    assert found(copy) == found(FIXTURES / name)


def test_what_no_reader_knows_is_2(tmp_path):
    (tmp_path / "notes.txt").write_text("hello\n")
    result = CliRunner().invoke(main, ["convert", str(tmp_path / "notes.txt")])
    assert result.exit_code == 2 and "no reader knows" in result.output
    assert CliRunner().invoke(main, ["convert", str(tmp_path / "absent")]).exit_code == 2

"""Readers of other distributions are asked beside the common ones, and none of our others for their sake."""

import json
from importlib.metadata import EntryPoint

import pytest

from transcript_lint import recognise, registry, sources
from transcript_lint.readers.base import Reader

LINE = json.dumps({"v": 1, "event": "session", "id": "e1", "approval_policy": "ask"}).encode() + b"\n"


class Sure(Reader):
    """Knows every log."""

    name = "sure"
    title = "Sure"
    score = 100

    @classmethod
    def sniff(cls, sample):
        return cls.score


@pytest.fixture
def loaded(monkeypatch):
    """The names of the readers that were loaded, with a plugin among those that there are."""
    found = []
    points = {**registry.names("readers"), "sure": EntryPoint("sure", f"{__name__}:Sure", "transcript_lint.readers")}

    def load(_group, name):
        found.append(name)
        return Sure if name == "sure" else points[name].load()

    monkeypatch.setattr(registry, "names", lambda _group: points)
    monkeypatch.setattr(registry, "load", load)
    return found


@pytest.mark.parametrize(("score", "chosen"), [(100, "sure"), (10, "native"), (0, "native")])
def test_a_plugin_is_asked_where_a_common_reader_is_sure(tmp_path, monkeypatch, loaded, score, chosen):
    monkeypatch.setattr(Sure, "score", score)
    file = tmp_path / "log.jsonl"
    file.write_bytes(LINE)
    with sources.open_stream(str(file)) as stream:
        reader, _ = recognise.choose_reader(str(file), sources.records(stream))
    assert reader is not None and reader.name == chosen
    assert set(loaded) == {*recognise.COMMON, "sure"}

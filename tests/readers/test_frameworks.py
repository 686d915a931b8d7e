"""Frameworks, eval harnesses and interchange formats: each fixture's ends, people, gates, boundaries and figures."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest

from tests.readers.support import parse
from transcript_lint import registry, sources
from transcript_lint.events import (
    AgentText,
    ApprovalAnswered,
    ApprovalAsked,
    Blocked,
    CommandEnded,
    CommandIssued,
    Compacted,
    HumanMessage,
    InjectedMessage,
    ProviderResponded,
    RecordProblem,
    SessionEnded,
    SessionStarted,
)
from transcript_lint.readers.base import Sample
from transcript_lint.readers.openai_responses import OpenAIResponsesReader
from transcript_lint.readers.otlp import OtlpReader
from transcript_lint.readers.provider_pairs import ProviderPairsReader
from transcript_lint.recognise import choose_reader

FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMATS = [
    "mini-swe-agent",
    "openai-messages",
    "openhands",
    "anthropic-messages",
    "openai-responses",
    "provider-pairs",
    "swe-agent",
    "tau-bench",
    "adk",
    "inspect",
    "otlp",
    "atif",
    "langgraph",
    "openai-agents",
]
ALL = [path for name in FORMATS for path in sorted((FIXTURES / name).iterdir())]


def read(path):
    with sources.open_stream(str(path)) as stream:
        reader, records = choose_reader(str(path), sources.records(stream))
        assert reader is not None, path
        return reader, list(reader.events(records))


def events(name):
    return read(FIXTURES / name)[1]


def of(found, kind):
    return [e for e in found if isinstance(e, kind)]


def ends(found):
    return [
        (e.call_id, e.termination.kind.value, e.termination.exit_code, e.termination.source.value)
        for e in of(found, CommandEnded)
    ]


def gates(found):
    return [(e.slot_id, e.outcome, e.by) for e in of(found, ApprovalAnswered)]


def whys(found):
    return [e.why for e in of(found, InjectedMessage)]


@pytest.mark.parametrize("path", ALL, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_each_fixture_is_recognised_and_read_whole(path):
    reader, found = read(path)
    assert reader.name == path.parent.name
    assert not of(found, RecordProblem)
    assert not reader.unknown
    assert isinstance(found[0], SessionStarted)


def test_mini_swe_agent_text():
    found = events("mini-swe-agent/text.traj.json")
    assert ends(found) == [
        ("1.1", "timeout", None, "text"),
        ("1.2", "nonzero_exit", 1, "text"),
        ("1.3", "signal", -9, "text"),
        ("1.4", "ok", 0, "text"),
    ]
    killed = of(found, CommandEnded)[0]
    assert (killed.at.line, killed.at.pointer, killed.stdout) == (54, "/messages/3", "test_rows.py ....")
    long = of(found, CommandEnded)[2]
    assert (long.stdout, long.truncated, long.termination.signal) == ("first\nlast", True, "SIGKILL")
    assert whys(found) == ["reminder", "tool_result"]
    assert len(of(found, HumanMessage)) == 1
    assert [(e.kind, e.limit, e.observed) for e in of(found, Blocked)] == [("turns", 6, 6)]
    assert [e.text for e in of(found, AgentText) if e.where == "commit"] == ["Keep the last field"]
    assert of(found, SessionStarted)[0].approval_policy == "never"


def test_mini_swe_agent_fields():
    found = events("mini-swe-agent/fields.jsonl")
    assert ends(found) == [("call_1", "timeout", None, "field"), ("call_2", "ok", 0, "field")]
    assert of(found, SessionStarted)[0].approval_policy == "ask"
    assert [e.status for e in of(found, SessionEnded)] == ["unknown"]


def test_openai_messages():
    found = events("openai-messages/conversations.jsonl")
    assert ends(found) == [
        ("c1", "timeout", None, "text"),
        ("c2", "nonzero_exit", 2, "text"),
        ("c3", "unknown", None, "text"),
        ("c4", "unknown", None, "text"),
        ("2.0", "unknown", None, "text"),
    ]
    assert of(found, CommandIssued)[0].timeout_ms == 90_000
    assert [e.text for e in of(found, AgentText) if e.where == "message"] == ["The build is red."]
    assert whys(found) == ["reminder", "reminder", "simulated_user"]
    assert [e.text for e in of(found, HumanMessage)] == ["Ship it if the build is fine."]


def test_openhands_v0():
    found = events("openhands/v0.jsonl")
    assert [(*e, p.via) for e, p in zip(ends(found), of(found, CommandEnded), strict=True)] == [
        ("1", "running", None, "text", "result"),
        ("1", "ok", 0, "field", "poll"),
        ("5", "timeout", None, "text", "result"),
        ("7", "not_run", None, "text", "result"),
        ("10", "not_run", None, "field", "result"),
    ]
    assert [e.forgotten_ids for e in of(found, Compacted)] == [("1", "2", "3", "4", "5", "6")]
    assert gates(found) == [("gate-10", "denied", "human")]
    assert [e.kind for e in of(found, Blocked)] == ["rate"]
    assert len(of(found, ProviderResponded)) == 1


def test_openhands_output_has_a_simulated_user():
    found = events("openhands/output.jsonl")
    assert whys(found) == ["simulated_user"]
    assert ends(found) == [("3", "nonzero_exit", 2, "text")]
    assert of(found, SessionEnded)[0].status == "failure"


def test_openhands_v1():
    found = events("openhands/v1.jsonl")
    assert [e[:3] for e in ends(found)] == [("t1", "not_run", None), ("t2", "nonzero_exit", 2), ("t3", "not_run", None)]
    assert gates(found) == [("gate-t3", "denied", "human")]
    assert of(found, Compacted)[0].forgotten_ids == ("t1", "e3", "t2")
    assert [e.text for e in of(found, AgentText)] == ["Building.", "The build is broken."]


def test_anthropic_messages():
    found = events("anthropic-messages/conversation.json")
    assert [e[:3] for e in ends(found)] == [("u1", "nonzero_exit", 1), ("s1", "ok", 0), ("s2", "timeout", None)]
    assert [e.text for e in of(found, HumanMessage)] == ["Run the checks."]
    assert of(found, Compacted)[0].summary == "One test fails."


def test_openai_responses():
    found = events("openai-responses/items.json")
    assert ends(found) == [("k1", "timeout", None, "field")]
    assert gates(found) == [("ap1", "denied", "human")]
    assert of(found, Compacted)[0].readable is False


@pytest.mark.parametrize(
    ("more", "kind"),
    [({"output": "booked"}, "ok"), ({"output": None}, "unknown"), ({"output": "x", "error": "denied"}, "nonzero_exit")],
)
def test_a_hosted_call_with_an_output_was_carried_out(more, kind):
    call = {"type": "mcp_call", "id": "m1", "name": "refund", "arguments": "{}", **more}
    assert [e[1] for e in ends(parse(OpenAIResponsesReader, call))] == [kind]


def test_a_bare_gemini_response_is_known():
    response = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 8}}
    assert ProviderPairsReader.sniff(Sample(path="log", head=b"", documents=[response])) > 0
    assert len(of(parse(ProviderPairsReader, response), ProviderResponded)) == 1


def test_provider_pairs_tell_each_turn_once():
    found = events("provider-pairs/pairs.jsonl")
    assert [e.text for e in of(found, HumanMessage)] == ["Build.", "Hi", "Hi", "Hi"]
    assert ends(found) == [("c1", "nonzero_exit", 2, "text")]
    facts = of(found, ProviderResponded)
    assert [f.provider for f in facts] == ["openai", "openai", "google", "bedrock", ""]
    assert [f.finish for f in facts] == ["tool", "stop", "tool", "stop", "error"]
    assert [f.cap for f in facts] == [100, None, None, 50, 5]
    assert facts[0].meters[0].used_percent == 10
    assert facts[-1].error is not None and (facts[-1].error.kind, facts[-1].error.http_status) == ("overload", 529)


def test_the_first_request_of_a_log_tells_its_whole_history():
    item = {"type": "shell_call", "call_id": "c1", "action": {"commands": ["make"]}}
    request = {"model": "m", "input": [{"role": "user", "content": "Build."}, item]}
    response = {"id": "r", "object": "response", "status": "completed", "model": "m", "output": []}
    found = parse(ProviderPairsReader, *[{"request": request, "response": response}] * 2)
    assert [e.command for e in of(found, CommandIssued)] == ["make"]


def test_an_answer_recorded_as_empty_has_no_text():
    def told(**more: str) -> bool | None:
        given = {"gen_ai.operation.name": "chat", **more}
        attributes = [{"key": k, "value": {"stringValue": v}} for k, v in given.items()]
        span = {"spanId": "1", "name": "chat", "attributes": attributes}
        found = parse(OtlpReader, {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
        (answer,) = of(found, ProviderResponded)
        has_text: bool | None = answer.has_text
        return has_text

    assert told(**{"gen_ai.output.messages": "[]"}) is False
    assert told() is None


def test_a_streamed_response_is_put_together():
    found = events("provider-pairs/streamed.jsonl")
    assert [e.text for e in of(found, AgentText)] == ["All green.", "Done."]
    assert [e.command for e in of(found, CommandIssued)] == ["make"]
    facts = of(found, ProviderResponded)
    assert [(f.finish, f.usage.input, f.usage.output) for f in facts] == [("tool", 612, 6), ("length", 10, 7)]
    assert not any(e.complete for e in of(found, SessionStarted))


def test_swe_agent_forced_submission_keeps_its_limit():
    found = events("swe-agent/run.traj")
    assert [e[:2] for e in ends(found)] == [("0", "timeout"), ("1", "not_run"), ("2", "unknown")]
    assert [(e.kind, e.observed) for e in of(found, Blocked)] == [("budget", None)]
    assert of(found, SessionEnded)[0].status == "blocked"
    assert [e.text for e in of(found, HumanMessage)] == ["Fix issue 7."]


def test_tau_bench_has_no_person():
    found = events("tau-bench/runs.json")
    assert not of(found, HumanMessage)
    assert whys(found) == ["reminder", "simulated_user"]
    assert ends(found) == [("c1", "unknown", None, "text")]


def test_adk():
    found = events("adk/session.json")
    assert [(e.slot_id, e.tool) for e in of(found, ApprovalAsked)] == [("f1", "send")]
    assert gates(found) == [("f1", "denied", "human")]
    assert [e[:2] for e in ends(found)] == [("f1", "nonzero_exit"), ("code", "timeout")]
    assert of(found, Compacted)[0].summary == "Sending was refused."
    assert of(found, ProviderResponded)[-1].error.kind == "quota"
    assert len(of(found, HumanMessage)) == 1


@pytest.mark.parametrize("name", ["inspect/log.json", "inspect/log.eval"])
def test_inspect(name):
    found = events(name)
    assert [e[:3] for e in ends(found)] == [("t1", "nonzero_exit", 2), ("t2", "timeout", None)]
    assert gates(found) == [("gate-t1", "approved", "human")]
    assert of(found, SessionStarted)[0].approval_policy == "ask"
    first = of(found, ProviderResponded)[0]
    assert (first.usage.input, first.usage.output, first.cap, first.finish) == (15, 7, 64, "tool")
    assert [e.text for e in of(found, AgentText)] == ["There are three."]
    assert [(e.kind, e.limit) for e in of(found, Blocked)] == [("turns", 5)]
    assert of(found, SessionEnded)[0].status == "blocked"
    inner = {e.at.inner for e in found}
    assert inner == ({"samples/s1_epoch_1.json"} if name.endswith(".eval") else {None})


def test_inspect_members_packed_with_zstd(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    import struct
    import zlib

    with zipfile.ZipFile(FIXTURES / "inspect" / "log.eval") as archive:
        members = {i.filename: archive.read(i) for i in archive.infolist()}
    body, central = b"", b""
    for name, data in members.items():
        packed = zstandard.ZstdCompressor().compress(data)
        common = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(data), len(packed), len(data), len(name), 0)
        central += b"PK\x01\x02" + struct.pack("<H", 63) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        central += name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(members), len(members), len(central), len(body), 0)
    path = tmp_path / "log.eval"
    path.write_bytes(body + central + tail)
    assert [e[:2] for e in ends(read(path)[1])] == [("t1", "nonzero_exit"), ("t2", "timeout")]


def test_otlp_old_and_new_names():
    found = events("otlp/spans.jsonl")
    assert ends(found) == [("c1", "timeout", None, "field")]
    facts = of(found, ProviderResponded)
    assert [(f.provider, f.usage and (f.usage.input, f.usage.output)) for f in facts] == [
        ("openai", (10, 4)),
        ("anthropic", (7, 2)),
        ("openai", None),
    ]
    assert facts[2].error.kind == "rate"
    assert [e.readable for e in of(found, Compacted)] == [False]
    assert [e.text for e in of(found, HumanMessage)] == ["Build.", "Hi"]


def test_atif_with_the_trial_beside_it():
    found = events("atif/trajectory.json")
    assert ends(found) == [("k1", "nonzero_exit", 2, "text"), ("k2", "ok", 0, "field")]
    assert [e.text for e in of(found, HumanMessage)] == ["Make it pass.", "Thanks."]
    assert whys(found) == ["handoff"]
    assert of(found, Compacted)[0].summary == "Here is what was done so far."
    assert len(of(found, ProviderResponded)) == 1
    assert [(e.kind, Path(e.at.path).name) for e in of(found, Blocked)] == [("time", "result.json")]


def test_langgraph():
    found = events("langgraph/state.jsonl")
    assert [e[:2] for e in ends(found)] == [("k1", "timeout")]
    assert [(e.slot_id, e.call_id) for e in of(found, ApprovalAsked)] == [("int1", "k1")]
    assert gates(found) == [("int1", "denied", "human")]
    assert whys(found) == ["summary"]
    assert len(of(found, HumanMessage)) == 1
    assert len(of(found, AgentText)) == 2


def test_openai_agents_standing_and_single_approvals():
    found = events("openai-agents/state.json")
    assert of(found, SessionStarted)[0].standing_approvals == ("list",)
    assert [e.slot_id for e in of(found, ApprovalAsked)] == ["c1", "c2", "c3"]
    assert gates(found) == [("c1", "approved", "human"), ("c2", "denied", "human")]
    assert of(found, ProviderResponded)[0].usage.input == 7


@pytest.mark.parametrize("name", ["openai-responses/items.json", "inspect/log.json", "openai-agents/state.json"])
def test_a_gate_bears_the_hash_of_its_call(name):
    found = events(name)
    issued = {e.call_id: e.arguments_sha256 for e in of(found, CommandIssued)}
    for asked in of(found, ApprovalAsked):
        if asked.call_id in issued and asked.arguments_sha256 is not None:
            assert asked.arguments_sha256 == issued[asked.call_id]


WRONG = [None, True, 7, -1.5, "text", [], {}, [None], {"a": None}, [[1]], "\ud800", 1e300]


def mangled(value, chance, rng):
    if rng.random() < chance:
        return rng.choice(WRONG)
    if isinstance(value, dict):
        return {k: mangled(v, chance, rng) for k, v in value.items()}
    if isinstance(value, list):
        return [mangled(v, chance, rng) for v in value]
    return value


@pytest.mark.parametrize("path", [p for p in ALL if p.suffix != ".eval"], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_wrong_types_anywhere_never_crash(path, tmp_path):
    reader = type(read(path)[0])
    text = path.read_text()
    documents = [json.loads(x) for x in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    rng = random.Random(path.name)
    for round in range(40):
        out = tmp_path / f"{round}.jsonl"
        indent = None if path.suffix == ".jsonl" or round % 2 else 1
        out.write_text("\n".join(json.dumps(mangled(d, 0.04, rng), indent=indent) for d in documents))
        with sources.open_stream(str(out)) as stream:
            list(reader(str(out)).events(sources.records(stream)))
        head = out.read_bytes()
        decoded = [json.loads(x) for x in head.splitlines()] if indent is None else []
        for name in FORMATS:
            registry.readers()[name].sniff(Sample(path=str(out), head=head, documents=decoded))

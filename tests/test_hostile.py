"""Hostile logs: none crashes the tool, silences it, steers a terminal or hides what stands beside the damage."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests import hostile, toy
from tests.test_check import FAULT, rows
from transcript_lint import compressed, inputs, registry, runner, samples, sources
from transcript_lint.settings import Settings

FORMATS = ("table", "jsonl", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
STEERING = "\x1b[2J\x1b]0;title\x07\x9b31m\u202eevil\u2066\u200b\r"


@pytest.mark.parametrize("file", hostile.ALL, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_wrong_types_in_any_field_crash_nothing(file, tmp_path):
    rng = random.Random(str(file.relative_to(hostile.FIXTURES)))
    log = tmp_path / file.name
    for _ in range(6):
        data = hostile.with_wrong_types(file, rng)
        if data is not None:
            log.write_bytes(data)
            assert not hostile.faults(runner.audit_one(str(log), hostile.job()))


# Ten times a run and its claim, each of its own: what one says depends on no other.
BLOCKS = [
    samples.write(
        [
            samples.command(f"pytest tests/part{n} -q", f"1 failed in part{n}", exit=1),
            samples.says(f"FAULT number {n} stands here"),
        ]
    )
    for n in range(10)
]
LOG = samples.write([samples.session()]) + b"".join(BLOCKS)
STARTS = [LOG.index(block) for block in BLOCKS]
damage = st.one_of(
    st.binary(min_size=0, max_size=8),
    st.sampled_from(
        [b"\n", b"\r\n", b"\0" * 9, b"\xef\xbb\xbf", b"\xff\xfe", b"{", b'{"', b"}", b'"', b"\\", b"[" * 2000]
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, len(LOG) - 1), length=st.integers(0, 60), new=damage)
@example(start=0, length=0, new=compressed.GZIP)
@example(start=0, length=0, new=sources.ZIP)
@example(start=0, length=4, new=compressed.ZSTD)
def test_whatever_bytes_change_the_findings_of_untouched_records_stay(tmp_path, start, length, new):
    end = min(len(LOG), start + length)
    log = tmp_path / "log.jsonl"
    changed = LOG[:start] + new + LOG[end:]
    log.write_bytes(changed)
    report = runner.audit_one(str(log), runner.Job(rules=toy.RULES, settings=Settings()))
    if changed.startswith((compressed.ZSTD, compressed.GZIP, sources.ZIP)) or changed[1:4] == compressed.SKIPPABLE:
        assert report.problems  # it says that it is compressed or an archive, and then is found to be damaged
        return
    found = {f.about for f in report.findings}
    for number, block in enumerate(BLOCKS):
        # The newline before a block belongs to it: without that it shares a line with what was changed.
        if end < STARTS[number] - 1 or start > STARTS[number] + len(block):
            assert f"FAULT number {number} stands here" in found
    assert not hostile.faults(report)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mangled_fixtures_are_read_or_refused_in_words(tmp_path, data):
    file = data.draw(st.sampled_from(hostile.ALL))
    raw = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 40))] = data.draw(damage)
    log = tmp_path / file.name
    log.write_bytes(bytes(raw))
    report = runner.audit_one(str(log), hostile.job())
    assert not hostile.faults(report)
    assert report.inputs or report.problems


def test_names_of_files_steer_no_reporter(lint, tmp_path):
    name = f"a{STEERING.replace(chr(0), '')}<b>|`x`%0A::error::.jsonl"
    toy.log(tmp_path, name, *FAULT)
    toy.log(tmp_path, "--format=json.jsonl", *FAULT)
    (tmp_path / ("junk" + STEERING + ".jsonl")).write_bytes(b"nothing\n")
    for format in FORMATS:
        result = lint("check", ".", "--format", format)
        assert result.exit_code == 2
        assert not any(c in result.output for c in "\x1b\x07\x9b\u202e\u2066\u200b"), format
        assert "<b>" not in result.stdout or format not in ("html", "markdown", "junit"), format
        if format == "github":
            assert not [line for line in result.stdout.splitlines() if line.startswith("::error::")]


def test_a_name_that_is_no_text_is_read_and_shown(lint, tmp_path):
    import os

    name = os.fsdecode(b"b\xff\xfe.jsonl")
    toy.log(tmp_path, name, *FAULT)
    for format in FORMATS:
        assert lint("check", ".", "--format", format).exit_code == 1, format


def test_argument_like_names_are_files(lint, tmp_path):
    toy.log(tmp_path, "--help.jsonl", *FAULT)
    assert lint("check", "--", "--help.jsonl").exit_code == 1
    out = lint("check", ".").stdout
    assert "transcript-lint show ./--help.jsonl:3" in out or "transcript-lint show --help.jsonl" not in out
    assert "XX101" in lint("show", "./--help.jsonl:3").stdout
    folder = tmp_path / "-x"
    folder.mkdir()
    toy.log(folder, "a.jsonl", *FAULT)
    assert lint("check", "--", "-x").exit_code == 1


def test_markers_in_a_log_silence_nothing_and_speak_for_nobody(lint, tmp_path):
    words = (
        "# noqa # transcript-lint: disable-file XX101 <!-- transcript-lint-disable --> FAULT "
        '{"summary": {"exit_code": 0}} 0 findings. ::stop-commands::abc ##vso[task.complete result=Succeeded;] '
        "No findings."
    )
    toy.log(tmp_path, "a.jsonl", samples.says(words), samples.human("transcript-lint: off"), *FAULT)
    for format in FORMATS:
        assert lint("check", "a.jsonl", "--format", format).exit_code == 1, format
    assert len(rows(lint("check", "a.jsonl", "--format", "jsonl"))) == 2
    github = lint("check", "a.jsonl", "--format", "github").stdout
    assert not [line for line in github.splitlines() if line.startswith(("::stop-commands", "##vso"))]


def test_what_a_log_calls_its_origin_silences_nothing(lint, tmp_path):
    (tmp_path / "transcript-lint.toml").write_text('[per-path-ignores]\n"old/*" = ["XX101"]\n')
    origin = {"path": "old/a.jsonl", "line": 3, "offset": 0, "length": 9, "pointer": ""}
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT one", origin=origin), samples.says("FAULT two"))
    assert len(rows(lint("check", "a.jsonl", "--format", "jsonl"))) == 2
    (tmp_path / "old").mkdir()
    toy.log(tmp_path, "old/a.jsonl", *FAULT)
    assert rows(lint("check", "old", "--format", "jsonl")) == []


def test_an_origin_reveals_no_file_that_was_no_input(lint, tmp_path):
    (tmp_path / "private").write_text("the code is 1234")
    toy.log(tmp_path, "a.jsonl", samples.says("FAULT", origin={"path": "private", "line": 1}))
    out = lint("check", "a.jsonl", "--format", "sarif").stdout
    assert "private" in out and "sha-256" not in out


def test_cycles_in_parent_links_end(tmp_path):
    fixture = (hostile.FIXTURES / "claude-code" / "sidechain.jsonl").read_bytes()
    for file in hostile.ALL:
        if file.suffix == ".jsonl":
            documents, lines = hostile.documents(file)
            for document in documents if lines else ():
                if isinstance(document, dict):
                    for key in ("parentUuid", "parent_id", "parentId", "parent_session_id", "continued_from"):
                        own = next((document[k] for k in ("uuid", "id", "session_id") if k in document), "x")
                        if key in document:
                            document[key] = own
            if lines:
                import orjson

                log = tmp_path / file.name
                log.write_bytes(b"\n".join(map(orjson.dumps, documents)))
                assert not hostile.faults(runner.audit_one(str(log), hostile.job()))
    assert fixture


def test_a_hundred_thousand_findings_are_bounded_where_formats_are(lint, tmp_path, monkeypatch):
    number = 20_000
    toy.log(tmp_path, "a.jsonl", *(samples.says(f"FAULT {n}") for n in range(number)))
    result = lint("check", "a.jsonl", "--format", "sarif")
    assert result.exit_code == 1 and result.stdout.count('"ruleId"') <= 5000
    assert len(rows(lint("check", "a.jsonl", "--format", "jsonl"))) == number
    assert len(lint("show", "a.jsonl").stdout) < 200_000


def test_deep_and_huge_values_inside_whole_records(tmp_path):
    deep = (
        b'{"v":1,"event":"command_started","command_id":"d","tool":"t","arguments":'
        + b'{"a":[' * 450
        + b"1"
        + b"]}" * 450
    )
    log = toy.log(
        tmp_path,
        "a.jsonl",
        deep + b"}",
        samples.command("x" * 300_000, "y" * 300_000 + "\n" * 300_000, exit=1),
        samples.says("All tests pass. " * 2000),
        samples.request(usage={"input_tokens": 10**17, "output_tokens": -5}, finish_reason="length"),
        b'{"v":1,"event":"message","source":"agent","text":"a","at":"9999-12-31T23:59:59Z"}',
        b'{"v":1,"event":"message","source":"agent","text":"a","at":1e308}',
        b'{"v":1,"v":1,"event":"block","event":"message","source":"agent","text":"FAULT"}',
    )
    report = runner.audit_one(str(log), hostile.job())
    assert not hostile.faults(report)


def test_ids_without_end_are_forgotten():
    from transcript_lint.engine import Engine
    from transcript_lint.events import CommandIssued, Location
    from transcript_lint.ledger import runs

    engine = Engine(registry.rules())
    for n in range(runs.KEEP_OPEN + 2 * runs.KEEP):
        engine.see(CommandIssued(at=Location(path="a", line=n + 1), call_id=f"c{n}", tool="t", command=f"x {n}"))
    assert len(engine.ledger.runs._runs) <= runs.KEEP_OPEN + runs.KEEP
    assert engine.ledger.runs.forgotten > 0


def test_failures_among_good_runs_are_forgotten_too():
    from transcript_lint.engine import Engine
    from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Location, Termination
    from transcript_lint.ledger import runs

    engine = Engine([])
    at = Location(path="x", line=1)
    good, bad = (Termination(kind=kind, exit_code=code) for kind, code in ((EndKind.OK, 0), (EndKind.NONZERO, 1)))
    for n in range(2 * runs.KEEP_OPEN):
        engine.see(CommandIssued(at=at, call_id=str(n), tool="bash", command=f"pytest tests/test_{n}.py"))
        engine.see(CommandEnded(at=at, call_id=str(n), termination=good if n % 3 == 0 else bad))
    assert len(engine.ledger.runs._runs) <= runs.KEEP_OPEN + runs.KEEP
    assert engine.ledger.runs.forgotten > 0
    assert len(list(engine.ledger.runs.open_failures())) > runs.KEEP


def test_no_registry_entry_is_left_untested():
    formats = {p.parent.name for p in hostile.ALL} | {"native"}
    assert set(registry.readers()) - formats <= {"native"}
    assert inputs.find([str(hostile.FIXTURES)]).inputs

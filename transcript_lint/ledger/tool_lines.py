"""The closing lines of single tools: rows of the table in `markers`, anchored as the tool prints them."""

from __future__ import annotations

from transcript_lint.commandline import Kind
from transcript_lint.ledger.marker import Marker, row

T, B, L, Y, D, M = Kind.TEST, Kind.BUILD, Kind.LINT, Kind.TYPES, Kind.DEPLOY, Kind.MIGRATE

TOOL_LINES: tuple[Marker, ...] = (
    # meson
    row(
        "failure",
        T,
        "Fail:|Timeout:|Unexpected Pass:",
        r"^(?:Fail|Timeout|Unexpected Pass): {2,}(?P<failed>[1-9]\d*)",
        inside=":  ",
    ),
    row("success", T, "Fail:", r"^Ok: +(?P<passed>[1-9]\d*) *\n(?:Expected Fail: +\d+ *\n)?Fail: +0\b"),
    # bazel
    row("success", T, "Executed ", r"^Executed \d+ out of \d+ tests?: (?P<passed>[1-9]\d*) tests? pass\.?$"),
    row(
        "failure",
        T,
        "Executed ",
        r"^Executed \d+ out of \d+ tests?:[^\n]{0,60}\b(?P<failed>[1-9]\d*) (?:fails?|was skipped|were skipped)",
    ),
    row("failure", T, "FAILED in |TIMEOUT in ", r"^//\S+ +(?:FAILED|TIMEOUT) in "),
    row("empty", T, "No test targets were found", r"\bNo test targets were found\b"),
    row("success", B, "Build completed successfully", r"\bBuild completed successfully\b"),
    row("failure", B, "did NOT complete", r"\bBuild did NOT complete successfully\b"),
    # gradle, sbt, scala
    row("success", T, "PASSED", r"^[\w.$]+ > \S.{0,200} PASSED$", part=True),
    row("failure", T, "FAILED", r"^[\w.$]+ > \S.{0,200} FAILED$"),
    row("success", T, "Tests: succeeded", r"Tests: succeeded (?P<passed>[1-9]\d*), failed 0,"),
    row("failure", T, "Tests: succeeded", r"Tests: succeeded \d+, failed (?P<failed>[1-9]\d*)"),
    row("success", T, "Passed: Total", r"Passed: Total (?P<passed>[1-9]\d*), Failed 0, Errors 0"),
    row("failure", T, "Failed: Total", r"Failed: Total \d+, Failed (?P<failed>\d+)"),
    row(
        "empty",
        T,
        "Passed: Total 0|No tests were executed|No tests to run for",
        r"Passed: Total 0\b|No tests were executed|No tests to run for",
    ),
    row("success", B, "[success] Total time", r"^\[success\] Total time"),
    row("failure", B, "[error]", r"^\[error\] (?:\([^\n)]{1,120}\) |Total time|Nonzero exit)"),
    # mix, rspec and others that count what was left out
    row("success", T, " 0 failures", r"\b(?P<passed>[1-9]\d*) tests?, 0 failures\b(?!, )"),
    row("failure", T, " failure", r"\b(?P<passed>\d+) tests?, (?P<failed>[1-9]\d*) failures?\b"),
    row(
        "empty",
        T,
        "0 failures, ",
        r"\b(?P<n>[1-9]\d*) (?:tests?|examples?), 0 failures, (?P=n) (?:excluded|skipped|pending|invalid)\b",
    ),
    row("empty", T, "have been excluded", r"\bAll tests have been excluded\b"),
    row("empty", T, "Skipped: ", r"^Tests: (?P<n>[1-9]\d*), Assertions: \d+,[^\n]{0,80}\bSkipped: (?P=n)\b"),
    row(
        "empty",
        T,
        "(0 assertions)",
        r"^ *Tests: +[1-9]\d* (?:skipped|todos?|pending|incomplete)\b[^\n]{0,40}\(0 assertions\)",
    ),
    row("empty", T, "Skipped! ", r"^Skipped! +- Failed: +0, Passed: +0, Skipped: +[1-9]"),
    row("empty", T, "o test match|o tests match", r"\b[Nn]o tests? match(?:es)?\b"),
    row("empty", T, " 0 passed ", r"^ok \| 0 passed \| 0 failed\b"),
    row("empty", T, "All tests skipped", r"^\d\d:\d\d \+0 ~[1-9]\d*: All tests skipped"),
    row(
        "empty",
        T,
        "skipped|pending|ignored|filtered out",
        r"\b0 passed[, ]+(?:0 failed[, ]+)?[1-9]\d* (?:skipped|pending|ignored|filtered out)\b",
    ),
    # swift, dart, zig, deno, godot, unity
    row(
        "failure",
        T,
        "Executed ",
        r"^\s*Executed \d+ tests?, with (?:\d+ tests? skipped and )?(?P<failed>[1-9]\d*) failures?",
    ),
    row(
        "success",
        T,
        "Executed ",
        r"^\s*Executed (?P<passed>[1-9]\d*) tests?, with (?:\d+ tests? skipped and )?0 failures",
    ),
    row("success", T, "Test run with", r"\bTest run with (?P<passed>[1-9]\d*) tests?[^\n]{0,40} passed after\b"),
    row("failure", T, "Test run with", r"\bTest run with \d+ tests?[^\n]{0,40} failed after\b"),
    row("failure", T, "Some tests failed", r": Some tests failed\.?$"),
    row("failure", T, "the following test command failed", r"^error: the following test command failed"),
    row("failure", None, "with a result of", r"Build completed with a result of '(?:Failed|Cancelled)'"),
    row("success", B, "with a result of", r"Build completed with a result of 'Succeeded'"),
    row("success", T, "Exiting with code 0", r"^Test run completed\. Exiting with code 0"),
    row("failure", T, "Exiting with code", r"^Test run completed\. Exiting with code [1-9]"),
    # tox, nox, nx, turbo, cypress
    row("success", None, "Session ", r"^nox > Session \S+ was successful"),
    row("failure", None, "Session ", r"^nox > Session \S+ (?:failed|raised|interrupted)"),
    row("success", T, "congratulations :)", r"^ *congratulations :\)"),
    row("failure", T, "evaluation failed :(", r"^ *evaluation failed :\("),
    row("success", None, "Successfully ran target", r"\bSuccessfully ran targets? "),
    row("failure", None, "Running target", r"\bRunning target \S+ for project \S+ failed\b"),
    row("failure", None, "✖", r"^ *✖ +(?P<failed>[1-9]\d*)(?:/| of )\d+ failed\b"),
    # load and data
    row(
        "failure", None, "thresholds on metrics", r"\bthresholds on metrics [^\n]{1,120} have been (?:crossed|breached)"
    ),
    row("success", None, "ERROR=0", r"^(?:\S+ +)?Done\. PASS=(?P<passed>[1-9]\d*) WARN=\d+ ERROR=0\b"),
    row("failure", None, "ERROR=", r"\bDone\. PASS=\d+ WARN=\d+ ERROR=(?P<failed>[1-9]\d*)"),
    row("empty", None, "PASS=0", r"\bDone\. PASS=0 WARN=0 ERROR=0\b"),
    row("success", Kind.CHECK, "Validation succeeded", r"^Validation succeeded!?"),
    row("failure", Kind.CHECK, "Validation failed", r"^Validation failed!?"),
    row(
        "failure",
        None,
        "stage failure|inal status: FAILED",
        r"\bJob aborted due to stage failure\b|\b[Ff]inal status: FAILED\b",
    ),
    row("success", None, "inal status: SUCCEEDED", r"\b[Ff]inal status: SUCCEEDED\b"),
    row(
        "failure",
        None,
        "oom_kill event|DUE TO TIME LIMIT|CANCELLED AT|srun: error",
        r"\bDetected \d+ oom_kill events?\b|\bDUE TO TIME LIMIT\b|\bCANCELLED AT\b|^srun: error: ",
    ),
    row("failure", None, "Conversion failed!", r"^Conversion failed!"),
    row("success", None, "muxing overhead", r"\bmuxing overhead\b"),
    # hooks, scanners, policies
    row("failure", L, "Failed", r"\.{3,}Failed$"),
    row("success", L, "Passed", r"\.{3,}Passed$"),
    row("success", L, "0 findings", r"^(?:Ran \d+ rules? on \d+ files?: |\W*)0 findings\b"),
    row("failure", L, " finding", r"^(?:Ran \d+ rules? on \d+ files?: |\W*)(?P<failed>[1-9]\d*) findings?\b"),
    row("failure", L, "Total: ", r"^Total: (?P<failed>[1-9]\d*) \((?:UNKNOWN|LOW|MEDIUM|HIGH|CRITICAL)"),
    row("success", L, "Total: 0", r"^Total: 0 \((?:UNKNOWN|LOW|MEDIUM|HIGH|CRITICAL)"),
    row("success", T, "PASS: ", r"^PASS: (?P<n>[1-9]\d*)/(?P=n)$"),
    row("failure", T, "FAIL: ", r"^FAIL: [1-9]\d*/\d+$"),
    row("success", L, "violations|vulnerabilities", r"\b0 (?:accessibility )?(?:violations|vulnerabilities)\b"),
    row(
        "failure",
        L,
        "iolation|vulnerabilit",
        r"\b(?P<failed>[1-9]\d*) (?:[Aa]ccessibility |high |critical |low )?(?:violations?|vulnerabilit(?:y|ies))\b",
    ),
    row("success", Y, "no issues found|0 errors", r"^Success: no issues found in \d+|^0 errors, \d+ warnings"),
    row("failure", L, "🚫", r"🚫 (?P<failed>[1-9]\d*) Errors?"),
    row("success", L, "🚫 0 ", r"🚫 0 Errors"),
    # documents, firmware
    row(
        "success",
        B,
        "Latexmk: All targets|Output written on",
        r"^Latexmk: All targets \(|^Output written on \S+ \([1-9]",
    ),
    row(
        "failure",
        B,
        "Latexmk: Errors|no output PDF|Emergency stop|Collected error summary",
        r"^Latexmk: Errors, so|no output PDF file produced|^! ?Emergency stop|^Collected error summary",
    ),
    row("success", B, "build succeeded", r"^build succeeded\b"),
    row(
        "failure",
        B,
        "build finished with problems|in strict mode",
        r"^build finished with problems|^Aborted with \d+ (?:warnings?|errors?) in strict mode",
    ),
    row("success", B, "Generated static files", r"^\[SUCCESS\] Generated static files"),
    row("failure", B, "compiled with", r"\bcompiled with (?P<failed>[1-9]\d*) errors?\b"),
    row("success", B, "Sketch uses ", r"^Sketch uses \d+ bytes"),
    row(
        "failure",
        B,
        "Error compiling for board|Error during build",
        r"\bError compiling for board\b|^Error during build",
    ),
    row("success", None, "[SUCCESS] Took", r"\[SUCCESS\] Took [\d.]+"),
    row("failure", None, "[FAILED] Took", r"\[FAILED\] Took [\d.]+"),
    # infrastructure, migrations
    row("success", Kind.PLAN, "No changes.", r"^No changes\. (?:Your infrastructure|Infrastructure)"),
    row("failure", D, "Error: ", r"^(?:│ )?Error: "),
    row(
        "success",
        M,
        "Successfully applied|No migration necessary|migrations to run",
        r"^Successfully applied [1-9]\d* migrations?\b|No migration necessary\b|\bno migrations to run\b",
    ),
    row(
        "success",
        M,
        "executed successfully|Update has been successful",
        r"^Liquibase command '[\w-]+' was executed successfully|Update has been successful\b",
    ),
    row(
        "failure",
        M,
        "Migration |changeset",
        r"\bMigration (?:of|to|failed)\b[^\n]{0,100}\bfailed\b|\bMigration failed for change ?set\b",
    ),
    row(
        "success",
        M,
        "successfully migrated|successfully applied",
        r"\bgoose: successfully migrated\b|\bAll migrations have been successfully applied\b",
    ),
    row(
        "failure",
        M,
        "goose run:|migrations canceled|Error: P",
        r"^goose run: |all later migrations canceled|^Error: P\d{4}",
    ),
    row("success", M, ": migrated (", r"^== .{1,120}: migrated \([\d.]+s\)"),
    # publishing
    row(
        "success",
        Kind.PUBLISH,
        "View at:|digest: sha256|Published ",
        r"^View at:|\bdigest: sha256:|^ *Published \S+ v\d\S* at registry",
    ),
    row(
        "failure",
        Kind.PUBLISH,
        "HTTPError|E401|E403|E409|already exists",
        r"^(?:ERROR +)?HTTPError: |\bE40[139]\b|\b(?:File|crate version|package version) \S{0,80} ?already exists",
    ),
)

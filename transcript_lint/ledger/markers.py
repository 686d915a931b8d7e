"""What tools print about their own result: success, failure, nothing run. Data; matched in outputs only, never prose.

Here are the lines that many tools share and the general ones; `tool_lines` has those of single tools. Each row: outcome, kind of command it belongs to (None any), literals of which one must be in the text, and a pattern
anchored where the tool's own line allows it. `total` rows are a tool's own closing line and decide over any hint;
groups named `passed` and `failed` are its counts.
"""

from __future__ import annotations

from transcript_lint.commandline import Kind
from transcript_lint.ledger.marker import Marker
from transcript_lint.ledger.marker import row as _row
from transcript_lint.ledger.tool_lines import TOOL_LINES

_WORD = r"\[?[\w.:/-]{1,120}(?:\] ?| |(?=\[))"
"""A word before the one that tells: no two of them can share a stretch of letters, so that lines are read once."""

T, B, L, Y, D = Kind.TEST, Kind.BUILD, Kind.LINT, Kind.TYPES, Kind.DEPLOY

MARKERS: tuple[Marker, ...] = (
    # tests: closing lines
    _row("failure", T, " failed", r"\b(?P<failed>[1-9]\d*) failed\b(?:[^\n]{0,60}?\b(?P<passed>\d+) passed)?"),
    _row(
        "failure",
        T,
        " passed",
        r"\b(?P<passed>\d+) passed[^\n]{0,60}?\b(?P<failed>[1-9]\d*) (?:failed|failures?|errors?)\b",
    ),
    _row(
        "success",
        T,
        " passed",
        r"(?<![\d/])\b(?P<passed>[1-9]\d*) (?:tests? |specs? |checks? |cases? |scenarios? )?passed\b(?![^\n]{0,60}\b[1-9]\d* (?:failed|failures?|errors?)\b)",
    ),
    _row("failure", T, " error", r"^=+ [^\n]{0,80}\b(?P<failed>[1-9]\d*) errors?\b[^\n]{0,40} in [\d.]+s"),
    _row("failure", T, " failing", r"^\s*(?P<failed>[1-9]\d*) failing\b"),
    _row("success", T, " passing", r"^\s*(?P<passed>[1-9]\d*) passing\b"),
    _row("failure", T, "Failed:", r"\bFailed:\s+(?P<failed>[1-9]\d*)\b(?:,\s*Passed:\s*(?P<passed>\d+))?"),
    _row("success", T, "Failed:", r"\bFailed:\s+0\b,\s*Passed:\s+(?P<passed>[1-9]\d*)"),
    _row("failure", T, "test result: FAILED", r"test result: FAILED\. (?P<passed>\d+) passed; (?P<failed>\d+) failed"),
    _row("success", T, "test result: ok", r"test result: ok\. (?P<passed>[1-9]\d*) passed; 0 failed", part=True),
    _row("failure", T, "FAILED (", r"^FAILED \((?:failures|errors)=(?P<failed>\d+)"),
    _row("success", T, "Ran ", r"^Ran (?P<passed>[1-9]\d*) tests? in [\d.]+s\s+OK\b"),
    _row("success", T, "OK (", r"^OK \((?P<passed>\d+) tests?"),
    _row("failure", T, "FAIL", r"^(?:--- )?FAIL(?:\t|:\s|$|\s+\S+/)|^FAIL\s", total=False),
    _row("success", T, "ok |ok\t", r"^ok\s+\t?\S+\s+(?:[\d.]+s|\(cached\))(?![^\n]*\[no tests to run\])", part=True),
    _row("failure", T, "[build failed]", r"\[build failed\]"),
    _row("failure", T, "not ok ", r"^not ok \d+", total=False),
    _row("failure", T, "# fail ", r"^# fail (?P<failed>[1-9]\d*)"),
    _row("success", T, "# fail 0|# pass ", r"^# pass (?P<passed>[1-9]\d*)\n(?:#[^\n]*\n)*?# fail 0"),
    _row("failure", T, "tests failed|test failed", r"\b(?P<failed>[1-9]\d*) tests? failed(?: out of (?P<passed>\d+))?"),
    _row("success", T, "100% tests passed", r"100% tests passed, 0 tests failed out of (?P<passed>[1-9]\d*)"),
    _row("failure", T, "[  FAILED  ]", r"^\[  FAILED  \]"),
    _row("success", T, "[  PASSED  ]", r"^\[  PASSED  \] (?P<passed>[1-9]\d*) tests?"),
    _row("failure", T, "examples,|example,", r"\b\d+ examples?, (?P<failed>[1-9]\d*) failures?"),
    _row(
        "success", T, "examples,|example,", r"\b(?P<passed>[1-9]\d*) examples?, 0 failures\b(?!, (?P=passed) pending)"
    ),
    _row(
        "failure",
        T,
        " runs,|assertions,",
        r"\b\d+ runs, \d+ assertions, (?:(?P<failed>[1-9]\d*) failures|0 failures, [1-9]\d* errors)",
    ),
    _row("success", T, " runs,", r"\b(?P<passed>[1-9]\d*) runs, \d+ assertions, 0 failures, 0 errors"),
    _row("failure", T, "Tests run:", r"Tests run: \d+, Failures: (?:(?P<failed>[1-9]\d*)|0, Errors: [1-9]\d*)"),
    _row("success", T, "Tests run:", r"Tests run: (?P<passed>[1-9]\d*), Failures: 0, Errors: 0"),
    _row("success", T, "ll specs passed|ll tests passed", r"\b[Aa]ll (?:specs|tests) passed\b"),
    _row("failure", T, "FAILURES!|ERRORS!", r"^(?:FAILURES|ERRORS)!$"),
    _row("failure", T, "TEST FAILED|Test Suites:", r"\*\* TEST FAILED \*\*|^Test Suites: (?P<failed>[1-9]\d*) failed"),
    _row("success", T, "TEST SUCCEEDED", r"\*\* TEST SUCCEEDED \*\*"),
    _row("failure", T, "flaky", r"^\s*(?P<failed>[1-9]\d*) flaky\b", total=False),
    _row("failure", T, "FAIL", r"^FAIL(?:\t\S+(?:\s+[\d.]+s|\s+\[[\w ]+\]))?$"),
    _row("success", T, " pass\n", r"^\s*(?P<passed>[1-9]\d*) pass\n\s*0 fail$"),
    _row("failure", T, " fail", r"^\s*(?P<failed>[1-9]\d*) fail$"),
    # tests: nothing run
    _row("empty", T, "no tests ran|No tests ran|NO TESTS RAN", r"\b(?:no tests ran|No tests ran|NO TESTS RAN)\b"),
    _row("empty", T, "collected 0 items", r"collected 0 items\b(?![^\n]*error)"),
    _row(
        "empty",
        T,
        "deselected|skipped|warning",
        r"^=*\s*(?:[1-9]\d* (?:deselected|skipped|warnings?),?\s*)+ in [\d.]+s",
    ),
    _row(
        "empty",
        T,
        "No test|no test|Zero tests ran",
        r"\b(?:No tests? (?:files )?(?:were )?(?:found|executed|is available|to run)|Zero tests ran)\b",
    ),
    # go names every package: nothing ran only if no package ran a test
    _row(
        "empty",
        T,
        "no tests to run|no test files",
        r"\A(?![\s\S]*^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?:[ \t]+coverage[^\n]*)?[ \t]*$)[\s\S]*(?:\bno tests to run\b|\[no test files\])",
    ),
    _row(
        "empty",
        T,
        "0 passing|# tests 0|0 examples|0 runs,|Ran 0 tests|Running 0 tests|running 0 tests|Executed 0 tests|Tests run: 0|0 total|0 tests",
        r"^\s*0 passing\b|^# tests 0\b|\b0 examples, 0 failures|\b0 runs, 0 assertions|\bRan 0 tests|\bRunning 0 tests|\bExecuted 0 tests|Tests run: 0\b|^Tests:\s+0 total|^(?:Running|Ran|Collected|Found) 0 tests",
    ),
    # gradle names every module: nothing ran only if no module ran a test
    _row(
        "empty",
        T,
        "NO-SOURCE",
        r"\A(?![\s\S]*^> Task \S*[tT]est\w*(?: FAILED)?$)[\s\S]*:\w*[tT]est\w* NO-SOURCE",
    ),
    _row(
        "empty",
        T,
        "Tests are skipped|Tests skipped|ll tests skipped|ll tests were skipped",
        r"\b(?:Tests are skipped|[Aa]ll tests (?:were )?skipped|Tests skipped)\b",
    ),
    _row(
        "empty",
        T,
        " skipped| pending| todo",
        r"^(?:Tests|Specs)?:?\s*(?P<passed>0) passed,\s*0 failed,\s*[1-9]\d* (?:skipped|pending|todo)",
    ),
    _row(
        "empty",
        T,
        "skipped|todo|pending|incomplete",
        r"^\s*Tests:?\s+[1-9]\d* (?:skipped|todo|pending|incomplete)(?:,\s*[1-9]\d* total|\s*\(\d+(?: assertions)?\))",
    ),
    _row("empty", T, "running 0 tests", r"^running 0 tests\s+(?:^test result: ok\. 0 passed)?"),
    # checks of a pull request
    _row("failure", Kind.CHECK, "\tfail", r"^[^\t\n]+\tfail\t"),
    _row(
        "empty",
        T,
        "matched|selected|collected|othing to | 0/0",
        r"\b[Nn]o (?:tests?|cases|specs|queries|scenarios|examples|samples|items|suites|targets|benchmarks|checks)"
        r"(?: (?:were|was))? (?:matched|selected|collected)\b"
        r"|\b[Nn]othing to (?:compare|test|verify|check|assert)\b|^\w+:? 0/0\b",
    ),
    # builds
    _row(
        "failure",
        B,
        "BUILD FAIL|Build FAILED|BUILD FAILED",
        r"\b(?:BUILD FAIL(?:URE|ED)|Build FAILED)\b|\*\* BUILD FAILED \*\*",
    ),
    _row("success", B, "BUILD SUCCE|Build succeeded", r"\bBUILD SUCCE(?:SS(?:FUL)?|EDED)\b|\bBuild succeeded\b"),
    _row(
        "failure",
        B,
        "could not compile|COMPILATION ERROR|Failed to compile|failed to compile|Compilation failed|compilation failed|compilation terminated",
        r"\b(?:could not compile|COMPILATION ERROR|[Ff]ailed to compile|[Cc]ompilation failed|compilation terminated)\b",
    ),
    _row(
        "failure",
        B,
        "error[E|error: |fatal error:|undefined reference|ld: |collect2:",
        r"^error(?:\[E\d{4}\])?: |^\S+:\d+(?::\d+)?: (?:fatal )?error: |undefined reference to|^ld: |^collect2: error",
    ),
    _row("success", B, "Finished ", r"^\s*Finished `?\w+`? ?(?:profile )?"),
    _row("success", B, "built in ", r"^\S? ?built in [\d.]+ ?m?s"),
    _row(
        "success",
        B,
        "Compiled successfully|compiled successfully|Documentation built in|Built target|Successfully built|Successfully tagged|naming to |Done in ",
        r"\b[Cc]ompiled successfully\b|Documentation built in [\d.]+|\bBuilt target\b|^Successfully (?:built|tagged)\b|\bnaming to \S+ .{0,12}done|^(?:✨ {1,2})?Done in [\d.]+",
    ),
    _row(
        "failure",
        B,
        "make: ***|make[|ninja: build stopped|CMake Error|FAILED: ",
        r"^g?make(?:\[\d+\])?: \*\*\* |^ninja: build stopped|^CMake Error|^FAILED: ",
    ),
    _row("failure", B, "> Task|FAILED", r"^> Task \S+ FAILED"),
    _row("failure", B, "ERROR: failed|failed to solve|failed to build", r"\bfailed to (?:solve|build)\b"),
    _row(
        "failure",
        B,
        "npm ERR!|npm error|ELIFECYCLE|ERR_PNPM|error Command failed",
        r"^npm ERR!|^npm error|\bELIFECYCLE\b|\bERR_PNPM_\w+|^error Command failed",
    ),
    _row("failure", B, "Error(s)", r"^\s*(?P<failed>[1-9]\d*) Error\(s\)"),
    _row(
        "failure", B, "): error |): fatal error ", r"^\s*\S[^\n]{0,200}?\(\d+(?:,\d+)?\): (?:fatal )?error [A-Z]+\d+\b"
    ),
    # lint and types
    _row("failure", Y, "error TS", r"\berror TS\d+"),
    _row("failure", Y, "Found ", r"^Found (?P<failed>[1-9]\d*) errors?\b"),
    _row("failure", L, " problem", r"✖ (?P<failed>[1-9]\d*) problems? \((?!0 errors)"),
    _row(
        "success",
        L,
        "All checks passed|o issues found|o errors found|o problems found|0 problems|0 errors|0 issues",
        r"\bAll checks passed!|\b[Nn]o (?:issues|errors|problems) found\b|\b0 (?:errors|problems|issues)\b(?!.{0,20}[1-9]\d* error)",
    ),
    _row(
        "failure",
        L,
        "would reformat|would be reformat|Code style issues",
        r"\bwould (?:be )?reformat|Code style issues",
    ),
    _row(
        "failure", L, " issue", r"^(?:\[[\w:-]{1,40}\]|\W)*+(?:Found )?(?P<failed>[1-9]\d*) issues?\b(?:[.:]|$| found)"
    ),
    _row("success", L, "0 issues", r"^(?:\[[\w:-]{1,40}\]|\W)*+0 issues\b"),
    # deploys, migrations, infrastructure
    _row(
        "success",
        D,
        "Apply complete|successfully rolled out|STATUS: deployed|Deployed |deployed to|Resources:",
        r"\bApply complete!|\bsuccessfully rolled out\b|^STATUS: deployed|^\s*Resources:\s+\d+ (?:created|added)",
    ),
    _row(
        "failure",
        D,
        "STATUS: failed|UPGRADE FAILED|exceeded its progress deadline|timed out waiting|CrashLoopBackOff|ImagePullBackOff|Error acquiring the state lock|update failed|INSTALLATION FAILED|rollback",
        r"^STATUS: failed|\b(?:UPGRADE|INSTALLATION) FAILED\b|exceeded its progress deadline|timed out waiting for|CrashLoopBackOff|ImagePullBackOff|Error acquiring the state lock|^error: update failed",
    ),
    _row("failure", D, "failed=|unreachable=", r"\bunreachable=[1-9]\d*|\bfailed=[1-9]\d*"),
    _row("success", D, "failed=0", r"\bunreachable=0\b[^\n]*\bfailed=0\b"),
    _row(
        "failure",
        Kind.PUSH,
        "[rejected]|[remote rejected]|failed to push|CONFLICT (",
        r"! \[(?:remote )?rejected\]|failed to push some refs|^CONFLICT \(",
    ),
    _row("success", Kind.INSTALL, "Successfully installed|added ", r"^Successfully installed |^added \d+ packages"),
    _row("failure", Kind.MIGRATE, "ROLLBACK|deadlock detected", r"^ROLLBACK\b|deadlock detected"),
    # anything
    _row(
        "failure",
        None,
        " failed",
        r"\b(?:[Tt]ask|[Jj]ob|[Cc]ommand|[Ss]tep|[Rr]ecipe|[Tt]arget|[Ll]ifecycle script|[Ww]orkflow|[Pp]ipeline)\b[^\n]{0,40} failed\b(?! ?[:=]? ?0\b)",
    ),
    _row("failure", None, "Traceback (most recent", r"^Traceback \(most recent call last\)"),
    _row("failure", None, "panicked at|panic:", r"\bpanicked at\b|^panic: "),
    _row(
        "failure",
        None,
        "command not found|No such file or directory|Permission denied",
        r"^(?:\S+: )+(?:line \d+: )?\S+: (?:command not found|No such file or directory|Permission denied)$",
        total=False,
    ),
    _row(
        "failure",
        None,
        "Killed|Terminated|Aborted|Segmentation fault|Out of memory|out of memory|No space left|core dumped",
        r"^(?:\S+: line \d+:[ \t]+\d+ )?(?:Killed|Terminated|Segmentation fault|Aborted)\b(?:: \d+)?(?:[ \t]+\S.{0,80})?$|\b[Oo]ut of memory\b|No space left on device|\(core dumped\)",
    ),
    _row(
        "failure",
        None,
        "ERROR|FATAL|FAILED|FAIL|Error|Exception|error|fatal|Aborted|ABORTED|Failed|failed",
        rf"^[^\w\n]{{0,3}}(?:{_WORD}){{0,2}}(?:{_WORD}|\[?[\w.:/-]{{0,119}}[.:/-])?"
        r"\b(?:ERROR|FATAL|FAILED|FAIL|ABORTED|Aborted with|[A-Z]\w{2,40}(?:Error|Exception)|Error|error|fatal|Failed|failed)\b(?! ?[=:]? ?0\b)(?!s? (?:handling|path|case)s?)",
        total=False,
        inside="ERROR|FATAL|FAIL|ABORTED|Aborted with|Error|Exception|error|fatal|Failed|failed",
    ),
    *TOOL_LINES,
    _row(
        "failure",
        None,
        "totals differ|mismatch|MISMATCH|not match",
        r"\b(?:mismatch(?:es)?|MISMATCH|do(?:es)? not match)\b(?! ?[=:]? ?0\b)",
        total=False,
    ),
)

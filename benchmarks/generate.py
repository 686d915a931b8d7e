"""Write invented sessions of a real shape, of any size, no two records alike; for benchmarks and fuzzers.

    python benchmarks/generate.py --format claude-code --megabytes 300 session.jsonl
    python benchmarks/generate.py --format codex --commands 100000 session.jsonl.zst

The mix of record types and their sizes follow published sessions: edits and files that were read make up half of the
bytes of a Claude Code session, sub-agents' progress a sixth, the agent's prose a few hundredths. The same seed gives
the same bytes.
"""

from __future__ import annotations

import argparse
import datetime
import random
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

_TEXT = """
the parser reads each record and keeps its place so that a later pass can name the line where it stood module cache
index token buffer window reader stream value field result order total price customer invoice schema branch commit
review deploy server client request response header cursor retry queue worker signal
"""
WORDS = tuple(_TEXT.split())
START = datetime.datetime(2026, 3, 2, 9, 0, tzinfo=datetime.UTC)
CLAIMS = (
    "All {n} tests in tests/part_{n} pass now.",
    "The build of module_{n} succeeds.",
    "Next I will look at module_{n}.",
    "I changed how module_{n} keeps its index; one test still fails there.",
    "Reading module_{n} to see where the buffer comes from.",
    "Fixed module_{n}; pytest tests/part_{n} is green.",
)
COMMANDS = (
    "pytest tests/part_{n} -q",
    "npm run build -- --module {n} 2>&1 | tail -n 20",
    "git status --short && git diff --stat module_{n}.py",
    "grep -rn 'token_{n}' src | head -20",
    "ruff check src/module_{n}.py",
    "sed -n '1,80p' src/module_{n}.py",
    "cargo test -p part-{n}",
    "ls -la src/part_{n}",
)


class Writer:
    """Makes the parts that both formats share; `size` counts the bytes handed out."""

    def __init__(self, seed: int, scale: float = 1.0) -> None:
        self.random = random.Random(seed)
        self.scale = scale
        self.session = self.uuid()
        self.number = 0
        self._lines = [" ".join(self.random.choices(WORDS, k=self.random.randint(4, 14))) for _ in range(4000)]
        self._moment = START

    def uuid(self) -> str:
        """A UUID of the seed's."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def text(self, size: int) -> str:
        """About so many characters of lines, each with a number that no other has."""
        count = max(1, int(size * self.scale) // 60)
        start = self.random.randrange(len(self._lines) - count % 2000 - 1)
        lines = (self._lines[(start + k) % len(self._lines)] for k in range(count))
        return "\n".join(f"{self.number:07d}.{k:04d} {line}" for k, line in enumerate(lines))

    def now(self) -> str:
        """The time, some seconds after the last."""
        self._moment += datetime.timedelta(seconds=self.random.randint(1, 40), milliseconds=self.random.randint(0, 999))
        return self._moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def pick(self, choices: tuple[str, ...]) -> str:
        """One of the choices, with the number of this step in it."""
        return self.random.choice(choices).format(n=self.number)

    def output(self, command: str) -> tuple[str, int]:
        """What a command puts out, and how it ends."""
        failed = self.random.random() < 0.15 and not command.startswith(("git", "grep", "ls", "sed"))
        body = self.text(self.random.choice((80, 300, 900, 2500, 8000)))
        if command.startswith(("pytest", "cargo")):
            body += f"\n{'1 failed, ' if failed else ''}{self.number % 90 + 2} passed in {self.number % 70 / 10:.1f}s"
        return body, int(failed)


class ClaudeCode(Writer):
    """Sessions as `~/.claude/projects` holds them."""

    def __init__(self, seed: int, scale: float = 1.0) -> None:
        super().__init__(seed, scale)
        self._parent: str | None = None

    def step(self) -> Iterator[dict[str, Any]]:
        """One command with what stands around it."""
        self.number += 1
        if self.number % 40 == 1:
            yield self._line("user", message={"role": "user", "content": f"Look at module {self.number}, please."})
        yield self._says({"type": "thinking", "thinking": self.text(700), "signature": self.text(300)})
        if self.number % 2 == 0:
            yield self._says({"type": "text", "text": self.pick(CLAIMS) + "\n" + self.text(150)})
        yield from self._bash()
        yield from self._file() if self.number % 3 == 0 else self._edit() if self.number % 4 == 1 else ()
        if self.number % 2 == 1:
            yield self._agent()
        if self.number % 25 == 0:
            yield {"type": "file-history-snapshot", "messageId": self.uuid(), "snapshot": {"timestamp": self.now()}}
        if self.number % 1500 == 0:
            yield from self._compaction()

    def _line(self, kind: str, **fields: Any) -> dict[str, Any]:
        record = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": self.session,
            "version": "2.1.42",
            "gitBranch": "main",
            "type": kind,
            **fields,
            "uuid": self.uuid(),
            "timestamp": self.now(),
        }
        self._parent = record["uuid"]
        return record

    def _says(self, block: dict[str, Any]) -> dict[str, Any]:
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": 2000 + self.number % 900,
            "cache_read_input_tokens": 40_000 + self.number % 9000,
            "output_tokens": self.number % 700 + 1,
            "service_tier": "standard",
        }
        message = {
            "model": "claude-opus-4-5",
            "id": f"msg_{self.uuid()[:24]}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._line("assistant", message=message, requestId=f"req_{self.uuid()[:24]}")

    def _call(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        id = f"toolu_{self.uuid()[:24]}"
        return id, self._says({"type": "tool_use", "id": id, "name": tool, "input": arguments})

    def _result(self, id: str, content: str, result: Any, failed: bool = False) -> dict[str, Any]:
        block = {"tool_use_id": id, "type": "tool_result", "content": content, "is_error": failed}
        return self._line("user", message={"role": "user", "content": [block]}, toolUseResult=result)

    def _bash(self) -> Iterator[dict[str, Any]]:
        command = self.pick(COMMANDS)
        id, call = self._call("Bash", command=command, description=f"Step {self.number}")
        yield call
        hook = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "command": "true"}
        yield self._line("progress", data=hook, parentToolUseID=id, toolUseID=id)
        for second in range(self.number % 3):
            shell = {"type": "bash_progress", "output": self.text(250), "fullOutput": self.text(250)}
            data = {**shell, "elapsedTimeSeconds": second + 2, "totalLines": 9, "timeoutMs": 120_000}
            yield self._line("progress", data=data, toolUseID=f"bash-progress-{second}", parentToolUseID=id)
        body, code = self.output(command)
        if code:
            yield self._result(id, f"Exit code {code}\n{body}", f"Error: Exit code {code}\n{body}", failed=True)
        else:
            result = {"stdout": body, "stderr": "", "interrupted": False, "isImage": False}
            yield self._result(id, body, result)

    def _file(self) -> Iterator[dict[str, Any]]:
        path = f"/home/dev/shop/src/module_{self.number}.py"
        id, call = self._call("Read", file_path=path)
        yield call
        text = self.text(5000)
        file = {"filePath": path, "content": text, "numLines": 80, "startLine": 1, "totalLines": 80}
        yield self._result(id, text, {"type": "text", "file": file})

    def _edit(self) -> Iterator[dict[str, Any]]:
        path = f"/home/dev/shop/src/module_{self.number}.py"
        old, new = self.text(200), self.text(300)
        id, call = self._call("Edit", file_path=path, old_string=old, new_string=new)
        yield call
        patch = [{"oldStart": 3, "oldLines": 9, "newStart": 3, "newLines": 9, "lines": self.text(600).splitlines()}]
        result = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": self.text(20_000),
            "structuredPatch": patch,
            "userModified": False,
            "replaceAll": False,
        }
        yield self._result(id, f"The file {path} has been updated.\n{self.text(900)}", result)

    def _agent(self) -> dict[str, Any]:
        id = f"toolu_{self.uuid()[:24]}"
        content = [{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": f"/src/a_{self.number}.py"}}]
        if self.number % 4 == 1:
            content = [{"type": "tool_result", "tool_use_id": id, "content": self.text(6000)}]
        kind = "user" if self.number % 4 == 1 else "assistant"
        inner = {"type": kind, "message": {"role": kind, "content": content}, "uuid": self.uuid()}
        data = {"message": {**inner, "timestamp": self.now()}, "normalizedMessages": [], "type": "agent_progress"}
        more = {"prompt": f"Look at module {self.number}", "agentId": f"a{self.number % 7}"}
        return self._line("progress", data={**data, **more}, toolUseID=f"agent_{id}", parentToolUseID=id)

    def _compaction(self) -> Iterator[dict[str, Any]]:
        metadata = {"trigger": "auto", "preTokens": 155_000 + self.number % 5000}
        yield self._line(
            "system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=metadata
        )
        summary = "This session is being continued from a previous conversation.\n" + self.text(4000)
        yield self._line("user", message={"role": "user", "content": summary}, isCompactSummary=True)


class Codex(Writer):
    """Sessions as `~/.codex/sessions` holds them."""

    def step(self) -> Iterator[dict[str, Any]]:
        """One command with what stands around it."""
        self.number += 1
        if self.number == 1:
            meta = {"id": self.session, "timestamp": self.now(), "cwd": "/home/dev/shop", "originator": "codex_cli_rs"}
            yield self._line("session_meta", {**meta, "cli_version": "0.120.0", "source": "cli"})
        if self.number % 40 == 1:
            yield self._line("turn_context", {"cwd": "/home/dev/shop", "approval_policy": "on-request"})
            text = f"Look at module {self.number}, please."
            yield self._line("response_item", self._message("user", "input_text", text))
            yield self._line("event_msg", {"type": "user_message", "message": text, "images": []})
        reasoning: dict[str, Any] = {
            "type": "reasoning",
            "summary": [],
            "content": None,
            "encrypted_content": self.text(150),
        }
        yield self._line("response_item", reasoning)
        if self.number % 2 == 0:
            text = self.pick(CLAIMS) + "\n" + self.text(200)
            yield self._line("response_item", self._message("assistant", "output_text", text))
            yield self._line("event_msg", {"type": "agent_message", "message": text})
        command, id = self.pick(COMMANDS), f"call_{self.uuid()[:24]}"
        arguments = orjson.dumps({"cmd": command, "yield_time_ms": 10_000, "max_output_tokens": 20_000}).decode()
        call = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id}
        yield self._line("response_item", call)
        body, code = self.output(command)
        body = body + "\n" + self.text(1500)
        head = f"Chunk ID: {id[-6:]}\nWall time: 1.6 seconds\nProcess exited with code {code}\nOutput:\n"
        yield self._line("response_item", {"type": "function_call_output", "call_id": id, "output": head + body})
        used = {"input_tokens": 20_000 + self.number % 9000, "cached_input_tokens": 2432, "output_tokens": 384}
        info = {"total_token_usage": used, "last_token_usage": used, "model_context_window": 258_400}
        meter = {"used_percent": self.number % 90, "window_minutes": 300, "resets_at": 1_781_786_678}
        limits = {"limit_id": "codex", "primary": meter, "secondary": None, "credits": None, "plan_type": "pro"}
        yield self._line("event_msg", {"type": "token_count", "info": info, "rate_limits": limits})

    def _line(self, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": self.now(), "type": kind, "payload": payload}

    @staticmethod
    def _message(role: str, block: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": block, "text": text}]}


FORMATS: dict[str, Callable[[int, float], ClaudeCode | Codex]] = {"claude-code": ClaudeCode, "codex": Codex}


def lines(
    format: str, megabytes: float | None = None, commands: int | None = None, seed: int = 1, scale: float = 1.0
) -> Iterator[bytes]:
    """The lines of one session until it has so many megabytes or commands, whichever comes first; 1 MB if neither.

    `scale` makes every text longer or shorter.
    """
    writer = FORMATS[format](seed, scale)
    most = (megabytes or (1 if commands is None else float("inf"))) * 1e6
    size = 0
    while size < most and (commands is None or writer.number < commands):
        for record in writer.step():
            line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
            size += len(line)
            yield line


def write(file: Path, data: Iterator[bytes]) -> None:
    """Write lines to a file, compressed if its name ends in .zst."""
    with file.open("wb") as out:
        if file.suffix == ".zst":
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(out) as packed:
                for line in data:
                    packed.write(line)
        else:
            out.writelines(data)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", choices=FORMATS, default="claude-code")
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--commands", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0)
    chosen = parser.parse_args()
    write(chosen.file, lines(chosen.format, chosen.megabytes, chosen.commands, chosen.seed, chosen.scale))
    print(f"{chosen.file}: {chosen.file.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()

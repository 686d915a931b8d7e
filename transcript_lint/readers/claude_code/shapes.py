"""The shape of a record, as far as any event needs it; what is not named here is skipped without being decoded."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import orjson
from msgspec import Raw, Struct

Shape = TypeVar("Shape", bound=Struct)


class Usage(Struct, gc=False):
    """Token counts of one message; input counts exclude what was read from or written to the cache."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: Any = None


class Block(Struct, gc=False):
    """One block of a message: text, tool_use or tool_result (thinking and images keep only their type)."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


class Message(Struct, gc=False):
    """The API message within a record."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Line(Struct, gc=False):
    """One record of a session file or of `claude -p --output-format stream-json`.

    The fields stand in the order in which records hold them: the decoder looks for the next one first.
    """

    parentUuid: Any = msgspec.UNSET
    isSidechain: bool | None = None
    cwd: str | None = None
    sessionId: str | None = None
    version: str | None = None
    agentId: str | None = None
    type: str | None = None
    subtype: str | None = None
    operation: str | None = None
    message: Message | None = None
    requestId: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    toolUseResult: Raw = Raw()
    tool_use_result: Raw = Raw()
    data: Progress | None = None
    content: Any = None
    attachment: Any = None
    session_id: str | None = None
    entrypoint: str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    permissionMode: str | None = None
    planContent: str | None = None
    promptSource: str | None = None
    origin: Any = None
    forkedFrom: Any = None
    isApiErrorMessage: bool | None = None
    apiErrorStatus: int | None = None
    error: Any = None
    toolDenialKind: str | None = None
    userFeedback: str | None = None
    interruptedByShutdown: bool | None = None
    compactMetadata: Any = None
    compact_metadata: Any = None
    microcompactMetadata: Any = None
    parentToolUseID: str | None = None
    parent_tool_use_id: str | None = None
    tools: Any = None
    claude_code_version: str | None = None
    result: Any = None
    is_error: bool | None = None
    permission_denials: Any = None
    task_id: str | None = None
    tool_use_id: str | None = None
    status: str | None = None
    summary: str | None = None
    error_status: int | None = None
    rate_limit_info: Any = None
    usage: Usage | None = None


class Result(Struct, gc=False):
    """What `toolUseResult` adds to the text of a result; the output itself is read from the text."""

    interrupted: bool | None = None
    backgroundTaskId: str | None = None
    returnCodeInterpretation: str | None = None
    timedOutAfterMs: int | None = None
    timedOut: bool | None = None
    backgroundedByUser: bool | None = None
    assistantAutoBackgrounded: bool | None = None
    signal: Any = None
    exitCode: int | None = None
    persistedOutputPath: str | None = None
    status: str | None = None
    agentId: str | None = None
    isAsync: bool | None = None
    totalTokens: int | None = None
    totalToolUseCount: int | None = None
    answers: Any = None
    afkTimeoutMs: int | None = None
    autoSelected: bool | None = None
    autoApproved: bool | None = None
    task: Any = None
    task_id: str | None = None


class Progress(Struct, gc=False):
    """The `data` of a progress record: a sub-agent's message inside its parent's file."""

    type: str | None = None
    agentId: str | None = None
    message: Line | None = None


_CONTENT = str | list[Block] | None
_line = msgspec.json.Decoder(Line)


def decode(data: bytes) -> Line | Any:
    """One record; a plain document when a field is of another type than expected. ValueError when it is not JSON."""
    try:
        return _line.decode(data)
    except (msgspec.ValidationError, RecursionError):
        return orjson.loads(data)


def lenient(document: Any, shape: type[Shape]) -> Shape:
    """A shape from a decoded document, leaving out only those fields that are of another type than expected."""
    if not isinstance(document, dict):
        raise TypeError("the record is not an object")
    made = shape()
    for field in msgspec.structs.fields(shape):
        if field.encode_name in document:
            value = _convert(document[field.encode_name], field.type)
            if value is not msgspec.UNSET:
                setattr(made, field.name, value)
    return made


def _convert(value: Any, wanted: Any) -> Any:
    if wanted is Raw:
        return Raw(orjson.dumps(value))
    if isinstance(value, list) and wanted == _CONTENT:
        return [lenient(block, Block) for block in value if isinstance(block, dict)]
    for shape in (Message, Usage, Line, Progress):
        if wanted == shape | None:
            return lenient(value, shape) if isinstance(value, dict) else msgspec.UNSET
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return msgspec.UNSET


_result = msgspec.json.Decoder(Result)


def open_result(raw: Raw) -> Result | None:
    """What was left undecoded of a tool's result; None when it is absent or not an object."""
    if not raw:
        return None
    try:
        return _result.decode(raw)
    except msgspec.ValidationError:
        document = orjson.loads(bytes(raw))
        return lenient(document, Result) if isinstance(document, dict) else None

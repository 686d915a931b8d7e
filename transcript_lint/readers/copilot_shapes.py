"""What GitHub Copilot CLI writes inside its records: shell ends, results, sub-agents, record types without facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transcript_lint import patterns as re
from transcript_lint.events import EndKind, EndSource, Termination
from transcript_lint.readers import ends
from transcript_lint.readers.base import text_of
from transcript_lint.readers.shapes import mapping, number, objects, whole, words

_TRAILER = re.compile(
    r"\n?<(?:shellId:? ?(?P<done>[\w.-]{1,80}) completed|exited) with exit code (?P<code>-?\d{1,10})>\s*$"
    r"|\n?<command with (?:shellId|id|sessionId):? ?(?P<running>[\w.-]{1,80}) is still running[^<>]{0,300}>\s*$"
    r"|\n?<command (?:with|started)[^<>]{0,80}?(?:shellId|id|sessionId):? ?(?P<other>[\w.-]{1,80})"
    r"(?P<stopped> stopped)?[^<>]{0,200}>\s*$"
)
_TRAILER_ROOM = 600

_SILENT = """
assistant.fusion_phase_activity assistant.fusion_phase_completed assistant.fusion_phase_failed
assistant.fusion_phase_started assistant.idle assistant.intent assistant.message_delta assistant.message_start
assistant.reasoning assistant.reasoning_delta assistant.server_tool_progress assistant.streaming_delta
assistant.tool_call_delta assistant.turn_end assistant.turn_start auto_mode_switch.completed
auto_mode_switch.requested capabilities.changed command.completed command.execute command.queued commands.changed
elicitation.completed elicitation.requested external_tool.completed external_tool.requested factory.run_settled
factory.run_started factory.run_updated hook.end hook.progress hook.start mcp.headers_refresh_completed
mcp.headers_refresh_required mcp.oauth_completed mcp.oauth_required mcp.prompts.list_changed
mcp.resources.list_changed mcp.tools.list_changed mcp_app.tool_call_complete model.call_finished
pending_messages.modified sampling.completed sampling.requested session.auto_mode_resolved
session.auto_tier_recommendation session.auto_tier_switch_failed session.autopilot_objective_changed
session.background_tasks_changed session.binary_asset session.canvas.closed session.canvas.opened
session.canvas.recorded session.canvas.registry_changed session.canvas.removed session.canvas.unavailable
session.compaction_start session.completion_receipt session.context_changed session.custom_agents_updated
session.custom_notification session.extensions.attachments_pushed session.extensions_loaded session.fusion_completed
session.fusion_resolved session.fusion_route_failed session.fusion_route_started session.idle session.info
session.managed_settings_enforced session.managed_settings_resolved session.mcp_server_needs_reconnect
session.mcp_server_removed session.mcp_server_status_changed session.mcp_servers_loaded session.mode_notice_delivered
session.plan_changed session.remote_steerable_changed session.schedule_cancelled session.schedule_created
session.schedule_rearmed session.session_limits_changed session.skills_loaded session.title_changed
session.todos_changed session.tools_updated session.usage_checkpoint session.warning session.workspace_file_changed
session_limits_exhausted.completed skill.invoked subagent.completed subagent.configured subagent.deselected
subagent.selected subagent.started system.message tool.execution_partial_result tool.execution_progress
tool.user_requested tool_search.activated ui.ephemeral_query
"""
SILENT = frozenset(_SILENT.split())
"""Documented record types that carry none of the facts we tell."""


def shell_end(text: str, data: Mapping[str, Any]) -> tuple[Termination, str, str | None]:
    """How a shell call ended, its output without the harness's own last line, and the shell's id.

    `success` says nothing: it is true beside every exit code and every time-out. A wait that ran out leaves the
    command running, with `timed_out` set; it is not killed.
    """
    telemetry = mapping(data.get("toolTelemetry"))
    properties, metrics = mapping(telemetry.get("properties")), mapping(telemetry.get("metrics"))
    category = properties.get("shell_error_category")
    late = True if properties.get("is_timeout") in ("true", True) or category == "command_timeout" else None
    code, shell = _exit_field(data)
    source = EndSource.FIELD
    running = stopped = False
    if found := _TRAILER.search(text, max(0, len(text) - _TRAILER_ROOM)):
        shell = found["done"] or found["running"] or found["other"] or shell
        stopped = bool(found["stopped"])
        running = bool(found["running"] or found["other"]) and not stopped
        if code is None and found["code"] is not None:
            code, source = int(found["code"]), EndSource.TEXT
        text = text[: found.start()]
    if code is None:
        code = whole(metrics.get("exit_code"))
    if code is not None:
        end = ends.exited(code, timed_out=late, source=source)
    elif stopped:
        end = ends.STOPPED
    elif running:
        end = Termination(kind=EndKind.RUNNING, timed_out=late, source=EndSource.TEXT)
    elif late:
        end = Termination(kind=EndKind.TIMEOUT, timed_out=True)
    else:
        end = ends.FAILED if category == "command_nonzero_exit" else ends.UNKNOWN
    return end, text, shell


def _exit_field(data: Mapping[str, Any]) -> tuple[int | None, str | None]:
    """(exit code, shell id) as newer versions write them in fields."""
    for block in objects(mapping(data.get("result")).get("contents")):
        if block.get("type") == "shell_exit" and (code := whole(block.get("exitCode"))) is not None:
            return code, words(block.get("shellId"))
    return whole(mapping(data.get("shellExecution")).get("exitCode")), None


def result_text(data: Mapping[str, Any]) -> str:
    """The text of a tool's result, as the model saw it."""
    result = data.get("result")
    if isinstance(result, str):
        return result
    result = mapping(result)
    return words(result.get("content")) or text_of(result.get("contents")) or words(result.get("detailedContent")) or ""


def timeout_ms(arguments: Mapping[str, Any]) -> int | None:
    """How long a shell call waits, in milliseconds; the tool takes seconds."""
    seconds = number(arguments.get("timeout")) or number(arguments.get("initial_wait"))
    return None if seconds is None else round(seconds * 1000)


def agent_of(document: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """`main`, or the id of the sub-agent a record belongs to."""
    return words(document.get("agentId")) or words(data.get("parentToolCallId")) or "main"

"""What the format is known to hold, and which records no event needs."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TYPES = _names(
    """user assistant system progress attachment queue-operation permission-mode result rate_limit_event summary
    file-history-snapshot file-history-delta last-prompt ai-title custom-title agent-name agent-color agent-setting
    mode tag pr-link bridge-session atis-latch worktree-state content-replacement stream_event control_request
    control_response control_cancel_request keep_alive tool_progress tool_use_summary auth_status prompt_suggestion"""
)
OPENING = _names("user assistant system result")
"""Types whose records open a session."""
HEADLESS = _names("queue-operation file-history-snapshot permission-mode ai-title last-prompt")
"""Types that may fill a file in which nothing was said yet."""
PROGRESS = _names(
    """agent_progress bash_progress powershell_progress hook_progress mcp_progress query_update
    search_results_received waiting_for_task skill_progress"""
)
SYSTEM = _names(
    """compact_boundary microcompact_boundary api_error api_retry init stop_hook_summary turn_duration local_command
    away_summary scheduled_task_fire informational bridge_status memory_saved agents_killed file_snapshot
    permission_retry status hook_started hook_progress hook_response task_started task_progress task_notification
    session_state_changed files_persisted elicitation_complete post_turn_summary local_command_output"""
)
ATTACHMENTS = _names(
    """hook_success hook_blocking_error hook_additional_context hook_non_blocking_error hook_cancelled
    hook_error_during_execution hook_permission_decision hook_stopped_continuation hook_system_message
    async_hook_response task_reminder todo_reminder total_tokens_reminder deferred_tools_delta skill_listing
    agent_listing_delta structured_output mcp_instructions_delta command_permissions queued_command file directory
    compact_file_reference pdf_reference already_read_file edited_text_file edited_image_file
    selected_lines_in_ide opened_file_in_ide todo nested_memory relevant_memories dynamic_skill plan_mode
    plan_mode_reentry plan_mode_exit plan_file_reference auto_mode auto_mode_exit critical_system_reminder
    diagnostics task_status output_style memory mcp_resource date_change teammate_mailbox team_context token_usage
    budget_usd invoked_skills agent_mention max_turns_reached"""
)
FILE_TOOLS = _names(
    """Read Edit MultiEdit Write NotebookEdit NotebookRead Grep Glob LS TodoWrite TodoRead TaskUpdate TaskList TaskGet
    TaskCreate WebFetch WebSearch Skill ToolSearch LSP"""
)
"""Tools whose `toolUseResult` only repeats what the text of the result says."""

REMEMBERED = _names("TaskOutput BashOutput AgentOutput AgentOutputTool TaskStop KillShell KillBash TaskCreate")
"""Tools whose result can only be read beside what was asked."""
LISTS = _names("TodoWrite TaskCreate TaskUpdate")

_POLICIES = {
    "default": "ask",
    "acceptEdits": "ask",
    "plan": "ask",
    "bypassPermissions": "auto",
    "auto": "auto",
    "dontAsk": "auto",
}
_SHELLS = frozenset(("Bash", "PowerShell", "Monitor"))
_SHELL_ENDINGS = ("bash", "powershell", "__shell", "run_command", "execute_command", "run_in_terminal")

_PROGRESS = b'"type":"progress","data":{"type":"'
_NEEDLESS = (b"bash_progress", b"hook_progress", b"powershell_progress", b"mcp_progress")
_SNAPSHOT = b'{"type":"file-history-snapshot",'


def policy(mode: str) -> str:
    """The approval policy of a permission mode: ask, auto or unknown."""
    return _POLICIES.get(mode, "unknown")


def is_shell(tool: str) -> bool:
    """Whether a tool takes a shell line in `command`."""
    return tool in _SHELLS or tool.lower().endswith(_SHELL_ENDINGS)


def skippable(data: bytes) -> bool:
    """Whether a whole, single record is progress of a shell or hook, or a file snapshot, which no event needs.

    Quotes inside JSON strings are escaped, so the needle can only stand between fields; the brace count proves that it
    stands at the top of the record, that the record is whole, and that no second one follows on the line.
    """
    at = data.find(_PROGRESS, 0, 640)
    if at > 0:
        return (
            data.startswith(_NEEDLESS, at + len(_PROGRESS))
            and data.count(b"{") == 2
            and data.count(b"}") == 2
            and data[0] == 123
            and data[-1] == 125
        )
    if data.startswith(_SNAPSHOT):
        return data[-1] == 125 and data.count(b'{"type":') == 1 and b'"parentUuid"' not in data
    return False

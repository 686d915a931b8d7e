"""The record types that Codex documents; any other is counted as unknown."""

from __future__ import annotations

ENVELOPES = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "token_usage_record",
        "inter_agent_communication",
    }
)
"""Types of an enveloped line."""
ITEMS = frozenset(
    {
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "reasoning",
        "web_search_call",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
        "compaction",
        "compaction_summary",
        "ghost_snapshot",
    }
)
"""Response items."""
EVENTS = frozenset(
    {
        "token_count",
        "agent_message",
        "user_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "task_started",
        "turn_started",
        "task_complete",
        "turn_complete",
        "turn_aborted",
        "error",
        "stream_error",
        "warning",
        "exec_command_begin",
        "exec_command_end",
        "patch_apply_begin",
        "patch_apply_end",
        "mcp_tool_call_begin",
        "mcp_tool_call_end",
        "web_search_begin",
        "web_search_end",
        "item_started",
        "item_completed",
        "context_compacted",
        "thread_settings_applied",
        "thread_rolled_back",
        "thread_name_updated",
        "entered_review_mode",
        "exited_review_mode",
        "undo_started",
        "undo_completed",
        "view_image_tool_call",
        "image_generation_end",
        "turn_diff",
        "plan_update",
    }
)
"""Payloads of an `event_msg`."""
THREAD_ITEMS = frozenset(
    {
        "UserMessage",
        "AgentMessage",
        "Reasoning",
        "CommandExecution",
        "ContextCompaction",
        "FileChange",
        "McpToolCall",
        "WebSearch",
        "Plan",
        "ImageView",
        "EnteredReviewMode",
        "ExitedReviewMode",
    }
)
"""Items of an `item_completed` event."""

UNUSED_ENVELOPES = frozenset({"world_state"})
UNUSED = frozenset(
    {
        "reasoning",
        "web_search_call",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
        "ghost_snapshot",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "exec_command_begin",
        "patch_apply_begin",
        "mcp_tool_call_begin",
        "web_search_begin",
        "web_search_end",
        "item_started",
        "thread_settings_applied",
        "turn_diff",
    }
)
"""What no event comes from: reasoning is no statement, the call tells of its beginning, a search has no end."""

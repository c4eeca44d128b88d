"""Token counts of Responses in the normal form, and back. Only the names differ from those of Chat Completions."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import Usage
from workbench.conversation.values import JsonObject
from workbench.dialects.chat_completions.usage import read_usage as read_chat_usage


def read_usage(raw: Any) -> Usage | None:
    """Return the normal form of a `usage` object; None if it says nothing."""
    if not isinstance(raw, dict) or not raw:
        return None
    usage = read_chat_usage(
        {
            "prompt_tokens": raw.get("input_tokens"),
            "completion_tokens": raw.get("output_tokens"),
            "total_tokens": raw.get("total_tokens"),
            "prompt_tokens_details": raw.get("input_tokens_details"),
            "completion_tokens_details": raw.get("output_tokens_details"),
        }
    )
    return replace(usage, raw=raw) if usage else None


def write_usage(usage: Usage) -> JsonObject:
    """Return the `usage` object a server would send."""
    asked, answered = usage.input_tokens or 0, usage.output_tokens or 0
    details: JsonObject = {"cached_tokens": usage.cached_tokens or 0, "cache_write_tokens": usage.cache_write_tokens or 0}
    return {
        "input_tokens": asked,
        "input_tokens_details": details,
        "output_tokens": answered,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens or 0},
        "total_tokens": asked + answered,
    }

"""Words that the reader, the writer and the rules of this dialect share."""

from __future__ import annotations

import re
from typing import Any, Final

from workbench.conversation.messages import DialectName

NAME: Final = "anthropic"
FAMILY: Final[tuple[DialectName, ...]] = (NAME,)
NAME_PATTERN: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ID_PATTERN: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
EFFORTS: Final = ("low", "medium", "high", "xhigh", "max")
PICTURES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
LEAST_BUDGET: Final = 1024
DEFAULT_MAX_TOKENS: Final = 8192
MOST_MARKS: Final = 4
THINKING: Final = ("thinking", "redacted_thinking")

_PLAIN_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_use", "tool_result", "container_upload", *THINKING})


def is_server_call(block: dict[str, Any]) -> bool:
    """Say whether a block is a call of a tool that the provider itself runs."""
    return block.get("type") in ("server_tool_use", "mcp_tool_use")


def is_server_result(block: dict[str, Any]) -> bool:
    """Say whether a block is the result of such a call (``web_search_tool_result`` and its like)."""
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("_tool_result") and kind not in _PLAIN_BLOCKS and isinstance(block.get("tool_use_id"), str)


def plain_name(name: str) -> str:
    """Return a tool's name in the letters that are allowed."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:128] or "unknown"

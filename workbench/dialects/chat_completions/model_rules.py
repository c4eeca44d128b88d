"""Rules that hold for single models, told by their names; each was seen as a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.conversation.checks import Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.findings import error

_REASONING_MODEL = re.compile(r"(?:^|/)(?:o[134](?:$|-)|gpt-5)")
_NO_SYSTEM_ROLE = re.compile(r"(?:^|/)o1-(?:mini|preview)")
_NEEDS_RESPONSES = re.compile(r"(?:^|/)gpt-5\.6")
_DEEPSEEK_THINKING = re.compile(r"(?:^|/)deepseek-(?:v4|reasoner)")


def check_model(body: JsonObject) -> Iterator[Finding]:
    """Yield what the named model refuses."""
    model = str(body.get("model", ""))
    if _REASONING_MODEL.search(model):
        yield from _reasoning_model(body, model)
    if _NO_SYSTEM_ROLE.search(model):
        yield from _system_role(body, model)
    if _NEEDS_RESPONSES.search(model) and body.get("tools") and body.get("reasoning_effort") != "none":
        yield error(
            "chat.tools-with-reasoning",
            "/reasoning_effort",
            f"{model} takes function tools here only with reasoning_effort 'none'.",
            "Set it to 'none', or use the Responses dialect.",
        )
    if _DEEPSEEK_THINKING.search(model) and _forces_a_tool(body) and not _thinking_is_off(body):
        yield error(
            "chat.thinking-tool-choice",
            "/tool_choice",
            f"{model} thinks unless told not to, and in thinking mode it does not support this tool choice.",
            "Use 'auto', or switch thinking off.",
        )


def _reasoning_model(body: JsonObject, model: str) -> Iterator[Finding]:
    if body.get("max_tokens") is not None:
        yield error("chat.max-tokens-field", "/max_tokens", f"'max_tokens' is not supported with {model}.", "Use 'max_completion_tokens'.")
    if body.get("stop"):
        yield error("chat.stop-unsupported", "/stop", f"'stop' is not supported with {model}.", "Leave it out.")


def _system_role(body: JsonObject, model: str) -> Iterator[Finding]:
    messages = body.get("messages")
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and message.get("role") == "system":
            yield error(
                "chat.system-role",
                f"/messages/{place}/role",
                f"{model} does not support the role 'system'.",
                "Send it as 'developer', or as the beginning of the first user message.",
            )


def _forces_a_tool(body: JsonObject) -> bool:
    choice = body.get("tool_choice")
    return choice == "required" or isinstance(choice, dict)


def _thinking_is_off(body: JsonObject) -> bool:
    thinking = body.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "disabled"

"""Rules that hold for single models, told by their names; each was seen as a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error, warning

_REASONING_MODEL = re.compile(r"(?:^|/)(?:o[134](?:$|-)|gpt-5)")
_NO_SYSTEM_ROLE = re.compile(r"(?:^|/)o1-(?:mini|preview)")
_NEEDS_RESPONSES = re.compile(r"(?:^|/)gpt-5\.6")
_NO_REASONING_BACK = re.compile(r"(?:^|/)deepseek-(?:r1|reasoner)")
_DEEPSEEK_THINKING = re.compile(r"(?:^|/)deepseek-(?:v4|reasoner)")


def check_model(body: JsonObject, quirks: Quirks = NORM) -> Iterator[Finding]:
    """Yield what the named model refuses, and what its profile says that it refuses."""
    model = str(body.get("model", ""))
    if _REASONING_MODEL.search(model):
        yield from _reasoning_model(body, model)
    if body.get("stop") and (not quirks.stop or _REASONING_MODEL.search(model)):
        yield error("chat.stop-unsupported", "/stop", f"'stop' is not supported with {model}.", "Leave it out.", Edit(op="remove", pointer="/stop"))
    if _NO_REASONING_BACK.search(model) and quirks.reasoning_replay == "never":
        yield from _reasoning_back(body, model)
    if _NO_SYSTEM_ROLE.search(model):
        yield from _system_role(body, model)
    if _NEEDS_RESPONSES.search(model) and body.get("tools") and body.get("reasoning_effort") != "none":
        yield error(
            "chat.tools-with-reasoning",
            "/reasoning_effort",
            f"{model} takes function tools here only with reasoning_effort 'none'.",
            "Set it to 'none', or use the Responses dialect.",
            Edit(op="add", pointer="/reasoning_effort", value="none"),
        )
    thinks = _DEEPSEEK_THINKING.search(model) or not quirks.forced_choice
    if thinks and _forces_a_tool(body) and body.get("tools") and not _thinking_is_off(body):
        yield error(
            "chat.thinking-tool-choice",
            "/tool_choice",
            f"{model} thinks unless told not to, and in thinking mode it does not support this tool choice.",
            "Use 'auto', or switch thinking off.",
            Edit(op="replace", pointer="/tool_choice", value="auto"),
        )


def _reasoning_model(body: JsonObject, model: str) -> Iterator[Finding]:
    if body.get("max_tokens") is not None:
        both = body.get("max_completion_tokens") is not None
        edit = Edit(op="remove", pointer="/max_tokens") if both else Edit(op="move", source="/max_tokens", pointer="/max_completion_tokens")
        yield error("chat.max-tokens-field", "/max_tokens", f"'max_tokens' is not supported with {model}.", "Use 'max_completion_tokens'.", edit)


def _reasoning_back(body: JsonObject, model: str) -> Iterator[Finding]:
    messages = body.get("messages")
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and message.get("reasoning_content"):
            pointer = f"/messages/{place}/reasoning_content"
            text = f"The older {model} refuses its own reasoning when it is sent back."
            yield warning("chat.reasoning-back", pointer, text, "Leave it out.", Edit(op="remove", pointer=pointer))


def _system_role(body: JsonObject, model: str) -> Iterator[Finding]:
    messages = body.get("messages")
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and message.get("role") == "system":
            yield error(
                "chat.system-role",
                f"/messages/{place}/role",
                f"{model} does not support the role 'system'.",
                "Send it as a user message.",
                Edit(op="replace", pointer=f"/messages/{place}/role", value="user"),
            )


def _forces_a_tool(body: JsonObject) -> bool:
    choice = body.get("tool_choice")
    return choice == "required" or isinstance(choice, dict)


def _thinking_is_off(body: JsonObject) -> bool:
    thinking = body.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "disabled"

"""What Anthropic refuses in a request body, with the repairs that need no person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.anthropic.block_rules import check_blocks
from workbench.dialects.anthropic.names import DEFAULT_MAX_TOKENS
from workbench.dialects.anthropic.pair_rules import check_pairs
from workbench.dialects.anthropic.thinking_rules import check_end, check_thinking
from workbench.dialects.anthropic.tool_rules import check_marks, check_tools
from workbench.dialects.anthropic.turns import turns_of
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.findings import error, warning
from workbench.dialects.json_document import pointer_to
from workbench.dialects.json_text import read_json

_FOREIGN = ("max_completion_tokens", "stop", "functions", "function_call", "reasoning_effort", "parallel_tool_calls", "n", "stream_options", "response_format")
_KNOWN = frozenset(
    {"model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "output_config", "output_format", "stop_sequences", "stream"}
    | {"temperature", "top_p", "top_k", "metadata", "service_tier", "container", "mcp_servers", "context_management", "cache_control", "inference_geo"}
    | {"speed", "betas", "anthropic_version", "anthropic_beta", "diagnostics", "fallbacks", "user_profile_id", "workspace_id"}
)


def check(body: bytes, quirks: Quirks = NORM) -> tuple[Finding, ...]:
    """Return the findings of a request body, in the order of its members."""
    try:
        value = read_json(body)
    except ValueError as fault:
        return (error("anthropic.not-json", "", f"The request is not JSON: {fault}."),)
    if not isinstance(value, dict):
        return (error("anthropic.not-object", "", "The request is not an object."),)
    return tuple(_findings(value, quirks))


def _findings(body: JsonObject, quirks: Quirks) -> Iterator[Finding]:
    yield from _root(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield error("anthropic.no-messages", "/messages", "There are no messages.", "Add a user message.")
        messages = []
    if all(isinstance(message, dict) for message in messages):
        turns = turns_of(messages)
        yield from check_blocks(messages)
        yield from check_pairs(messages, turns)
        yield from check_end(body, messages, turns)
        yield from check_thinking(body, messages, turns)
        yield from _system(body.get("system"))
    else:
        yield error("anthropic.message-shape", "/messages", "Each message is an object with a role and content.")
    yield from check_tools(body, quirks)
    yield from check_marks(body, messages)


def _root(body: JsonObject) -> Iterator[Finding]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield error("anthropic.no-model", "/model", "No model is named.", "Choose a model.")
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        fix = Edit(op="add", pointer="/max_tokens", value=DEFAULT_MAX_TOKENS)
        yield error("anthropic.no-max-tokens", "/max_tokens", "`max_tokens` must be there, a number of at least 1.", f"Use {DEFAULT_MAX_TOKENS}.", fix)
    heat = body.get("temperature")
    if isinstance(heat, int | float) and not isinstance(heat, bool) and not 0 <= heat <= 1:
        fix = Edit(op="replace", pointer="/temperature", value=1 if heat > 1 else 0)
        yield error("anthropic.temperature", "/temperature", "The temperature goes from 0 to 1.", "Use the nearest.", fix)
    for name in body:
        if name not in _KNOWN:
            say = error if name in _FOREIGN else warning
            gone = Edit(op="remove", pointer=pointer_to(name))
            yield say("anthropic.extra-member", gone.pointer, f"The API does not know {name!r} and refuses what it does not know.", "Leave it out.", gone)


def _system(system: Any) -> Iterator[Finding]:
    """Yield blocks of system text that hold no words."""
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        yield error("anthropic.system-shape", "/system", "The system text is a text or a list of text blocks.")
        return
    for place, block in enumerate(system):
        pointer = f"/system/{place}"
        text = block.get("text") if isinstance(block, dict) else None
        if not isinstance(text, str):
            yield error("anthropic.system-shape", pointer, "A block of the system text has a `text`.")
        elif not text.strip():
            gone = Edit(op="remove", pointer=pointer)
            yield error("anthropic.empty-text", pointer, "A block of the system text holds no words.", "Leave it out.", gone)

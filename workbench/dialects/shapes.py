"""Which dialect a body or a stream is written in, told by its members: for captured traffic, files, and servers that answer in another."""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import DialectName
from workbench.dialects.json_text import read_json

_TITLES: dict[DialectName, str] = {
    "chat_completions": "Chat Completions",
    "functions": "Chat Completions with functions",
    "responses": "Responses",
    "anthropic": "Anthropic Messages",
    "gemini": "Gemini",
    "react": "ReAct",
    "ollama": "Ollama",
}
_ANTHROPIC_EVENTS = ("message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta", "content_block_stop")


def title(name: DialectName) -> str:
    """Return the name of a dialect as people know it."""
    return _TITLES[name]


def detect(path: str, body: bytes) -> DialectName | None:
    """Return the dialect of a request from its URL path (with or without a query, may be empty) and its body; None if it is none of ours."""
    try:
        value = read_json(body)
    except ValueError:
        return None
    return request_shape(path, value) if isinstance(value, dict) else None


def request_shape(path: str, body: dict[str, Any]) -> DialectName | None:
    """Return the dialect of a parsed request. The path decides where it is telling; a file without one is told by its members."""
    place = path.partition("?")[0].rstrip("/")
    if place.endswith("/chat/completions"):
        return _chat_family(body)
    if place.endswith("/responses"):
        return "responses"
    if place.endswith("/messages"):
        return "anthropic"
    if "enerateContent" in place:
        return "gemini"
    if place.endswith("/api/chat"):
        return "ollama"
    return _by_members(body)


def response_shape(value: Any) -> DialectName | None:
    """Return the dialect of a parsed response body, or of one event of a stream; None if it cannot be told."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return None
    kind, thing = value.get("type"), value.get("object")
    if isinstance(value.get("choices"), list) or thing in ("chat.completion", "chat.completion.chunk"):
        return "chat_completions"
    if thing == "response" or (isinstance(kind, str) and kind.startswith("response.")):
        return "responses"
    if kind in _ANTHROPIC_EVENTS or (kind == "message" and "content" in value):
        return "anthropic"
    if "candidates" in value or "usageMetadata" in value or "promptFeedback" in value:
        return "gemini"
    if isinstance(value.get("message"), dict) and "done" in value:
        return "ollama"
    return None


def _by_members(body: dict[str, Any]) -> DialectName | None:
    if isinstance(body.get("contents"), list):
        return "gemini"
    if "input" in body and "messages" not in body:
        return "responses"
    messages = body.get("messages")
    if not isinstance(messages, list):
        return None
    if _looks_anthropic(body, messages):
        return "anthropic"
    if _looks_ollama(body, messages):
        return "ollama"
    return _chat_family(body)


def _chat_family(body: dict[str, Any]) -> DialectName:
    messages = body.get("messages")
    said = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    legacy = any(message.get("role") == "function" or message.get("function_call") for message in said)
    if "tools" not in body and ("functions" in body or "function_call" in body or legacy):
        return "functions"
    return "react" if "tools" not in body and _stops_at_observation(body) else "chat_completions"


def _stops_at_observation(body: dict[str, Any]) -> bool:
    stop = body.get("stop")
    return any(isinstance(word, str) and word.strip().startswith("Observation") for word in (stop if isinstance(stop, list) else [stop]))


def _looks_anthropic(body: dict[str, Any], messages: list[Any]) -> bool:
    tools = body.get("tools")
    if "system" in body or any(isinstance(tool, dict) and "input_schema" in tool for tool in (tools if isinstance(tools, list) else [])):
        return True
    return any(isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result") for message in messages for block in _blocks(message))


def _looks_ollama(body: dict[str, Any], messages: list[Any]) -> bool:
    if "options" in body or "keep_alive" in body or "think" in body:
        return True
    return any(isinstance(message, dict) and ("tool_name" in message or "images" in message) for message in messages)


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []

"""Requests to Ollama, written from the neutral form; `request_parse` reads them.

Pure: the same request and quirks give the same bytes, and a longer conversation begins with the bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from workbench.conversation.messages import ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, JsonValue
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.chat_completions.request import tool_object
from workbench.dialects.growing import GrowingRequestWriter, RequestForm
from workbench.dialects.ollama.messages import NAME, MessageWriter
from workbench.dialects.spelling import respelled, runnable_here, spelled

PATH: Final = "/api/chat"
LEVELS: Final = {"none": False, "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}
"""What `think` is for each reasoning effort."""

_FOREIGN = ("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    return OllamaRequestWriter().encode(request, quirks)


class OllamaRequestWriter(GrowingRequestWriter):
    """Writes the requests of one conversation, one after the other; the bytes are those of `encode_request`."""

    def __init__(self) -> None:
        super().__init__(RequestForm(PATH, _system, MessageWriter, _members))


def _system(request: ModelRequest, _quirks: Quirks) -> Iterator[JsonObject]:
    spelling = spelled(request.options, NAME).get("system")
    if spelling and len(spelling) == len(request.system):
        yield from ({"role": "system", "content": text, **members} for text, members in zip(request.system, spelling, strict=True))
    elif any(request.system):
        yield {"role": "system", "content": "\n\n".join(filter(None, request.system))}


def _members(request: ModelRequest, quirks: Quirks) -> JsonObject:
    """Return all members but `model` and `messages`. `stream` is always said: left out it means true."""
    request = runnable_here(request, NAME)
    asked = request.options
    spelling = spelled(asked, NAME)
    members: JsonObject = {}
    if request.tools and asked.tool_choice != "none":
        members["tools"] = [_tool(tool) for tool in request.tools]
    elif "tools" in spelling:
        members["tools"] = spelling["tools"]
    if spelling.get("stream") != "absent":
        members["stream"] = asked.stream
    think = LEVELS.get(asked.reasoning_effort or "")
    if think is not None or "think" in spelling:
        members["think"] = spelling["think"] if think is None else think
    options = _options(asked, quirks, spelling)
    if options or "options" in spelling:
        members["options"] = options
    extra = {name: value for name, value in asked.extra.items() if name not in (*_FOREIGN, *members)}
    return members | extra


def _options(asked: RequestOptions, quirks: Quirks, spelling: JsonObject) -> JsonObject:
    known: dict[str, JsonValue] = {
        "num_predict": asked.max_output_tokens,
        "temperature": asked.temperature,
        "stop": list(asked.stop) if asked.stop and quirks.stop else None,
        "num_ctx": quirks.context_tokens,
    }
    return {**{name: value for name, value in known.items() if value is not None}, **spelling.get("options", {})}


def _tool(tool: ToolDefinition) -> JsonObject:
    """Return a tool in chat's form, without the `strict` that Ollama does not know unless a parsed request had it."""
    return tool_object(respelled(tool, NAME, "chat_completions") if NAME in tool.wire else replace(tool, strict=False, wire={}))

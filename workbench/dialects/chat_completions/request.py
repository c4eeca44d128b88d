"""Requests of Chat Completions, written from the neutral form; `request_parse` reads them.

Pure: the same request and quirks give the same bytes, and a longer conversation begins with the bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.conversation.messages import ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, JsonValue
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.chat_completions.request_messages import NAME, MessageWriter
from workbench.dialects.growing import GrowingRequestWriter, RequestForm
from workbench.dialects.spelling import runnable_here, spelled

PATH = "/chat/completions"
EFFECTS_OF_TOOLS = ("tool_choice", "parallel_tool_calls")
MODES = ("auto", "none", "required")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    return ChatRequestWriter().encode(request, quirks)


class ChatRequestWriter(GrowingRequestWriter):
    """Writes the requests of one conversation, one after the other; the bytes are those of `encode_request`."""

    def __init__(self) -> None:
        super().__init__(RequestForm(PATH, system_messages, MessageWriter, _members))


def system_messages(request: ModelRequest, quirks: Quirks) -> Iterator[JsonObject]:
    """Yield the system text: one message, because some servers refuse a second; as it was spelled, where it was parsed."""
    spelling = spelled(request.options, NAME).get("system")
    if spelling and sum(entry["count"] for entry in spelling) == len(request.system):
        yield from _spelled_system(request.system, spelling)
    elif any(request.system):
        yield {"role": quirks.system_role, "content": "\n\n".join(filter(None, request.system))}


def default_stream_options(quirks: Quirks = NORM) -> JsonObject | None:
    """Return the `stream_options` of a streamed request."""
    return {"include_usage": True} if quirks.stream_usage else None


def _spelled_system(texts: tuple[str, ...], spelling: list[JsonObject]) -> Iterator[JsonObject]:
    rest = iter(texts)
    for entry in spelling:
        mine = [next(rest) for _ in range(entry["count"])]
        content = "".join(mine) if entry["content"] == "string" else [{"type": "text", "text": text} for text in mine]
        yield {"role": entry["role"], "content": content, **entry.get("members", {})}


def _members(request: ModelRequest, quirks: Quirks) -> JsonObject:
    """Return all members but `model` and `messages`; those that are about tools only beside tools."""
    request = runnable_here(request, NAME)
    options = request.options
    spelling = spelled(options, NAME)
    members: JsonObject = {}
    if request.tools:
        members["tools"] = [tool_object(tool) for tool in request.tools]
        if options.tool_choice is not None:
            members["tool_choice"] = _choice(options.tool_choice, forced=quirks.forced_choice)
        if options.parallel_tool_calls is not None:
            members["parallel_tool_calls"] = options.parallel_tool_calls
    members |= settings(options, quirks, spelling)
    members |= streaming(options, quirks, spelling)
    extra = {name: value for name, value in options.extra.items() if name not in ("model", "messages", *members)}
    return members | {name: value for name, value in extra.items() if request.tools or name not in EFFECTS_OF_TOOLS}


def settings(options: RequestOptions, quirks: Quirks, spelling: JsonObject) -> JsonObject:
    """Return the members that tell the model how to answer, those that are set."""
    limit = spelling.get("limit", quirks.max_tokens_field)
    stop: JsonValue = options.stop[0] if spelling.get("stop") == "string" and len(options.stop) == 1 else list(options.stop)
    settings = {
        limit: options.max_output_tokens,
        "temperature": options.temperature,
        "reasoning_effort": options.reasoning_effort,
        "stop": (stop or None) if quirks.stop else None,
    }
    return {name: value for name, value in settings.items() if value is not None}


def streaming(options: RequestOptions, quirks: Quirks, spelling: JsonObject) -> JsonObject:
    """Return the members that ask for a stream."""
    if not options.stream:
        return {"stream": False} if spelling.get("stream") == "false" else {}
    asked = spelling.get("stream_options", default_stream_options(quirks))
    return {"stream": True, "stream_options": asked} if asked is not None else {"stream": True}


def _choice(choice: str, *, forced: bool) -> JsonValue:
    if not forced and choice not in ("auto", "none"):
        return "auto"
    return choice if choice in MODES else {"type": "function", "function": {"name": choice}}


def tool_object(tool: ToolDefinition) -> JsonObject:
    """Return a tool definition; one that was no function where it was parsed is given back as it was."""
    spelling = spelled(tool, NAME)
    if raw := spelling.get("raw"):
        return dict(raw)
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    if tool.strict or spelling.get("strict"):
        function["strict"] = tool.strict
    for name in spelling.get("absent", ()):
        function.pop(name, None)
    function |= spelling.get("function", {})
    return {"type": "function", "function": function, **spelling.get("members", {})}

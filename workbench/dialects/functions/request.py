"""Requests with `functions`, written from the neutral form; `request_parse` reads them.

Chat's writer says each message in its own form, which is then put into the older one. Pure, and a longer conversation begins with the
bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, JsonValue
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.chat_completions.request import PATH, settings, streaming, system_messages, tool_object
from workbench.dialects.chat_completions.request_messages import MessageWriter
from workbench.dialects.functions.chat_form import CHAT, NAME, pairs, to_chat
from workbench.dialects.history import answered
from workbench.dialects.json_text import write_json
from workbench.dialects.spelling import spelled

KEPT = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
"""Members that a parsed request may have in a form, or at a place, that nothing but this dialect's writer gives back."""


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    ours = replace(quirks, call_id_format="any", result_name=False)
    plain = replace(
        request,
        tools=tuple(map(_plain_tool, request.tools)),
        messages=tuple(map(to_chat, request.messages)),
        options=to_chat(request.options),
    )
    named = write_json({"model": request.options.model})[1:-1] + b"," if request.options.model else b""
    messages = [*system_messages(plain, ours), *_messages(plain, ours)]
    pieces = tuple((b"," if place else b"") + write_json(message) for place, message in enumerate(messages))
    tail = write_json(_members(plain, ours, spelled(request.options, NAME)))[1:]
    return EncodedRequest(PATH, (b"{" + named + b'"messages":[', *pieces, (b"]," if tail != b"}" else b"]") + tail))


class FunctionsRequestWriter:
    """Writes the requests of one conversation; the last one is kept, so that asking again for it costs nothing."""

    def __init__(self) -> None:
        self._last: tuple[ModelRequest, Quirks, EncodedRequest] | None = None

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        last = self._last
        if last is not None and last[0] is request and last[1] == quirks:
            return last[2]
        encoded = encode_request(request, quirks)
        self._last = (request, quirks, encoded)
        return encoded


def _plain_tool(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool for chat's writer; `strict` came later than functions and is kept only where a parsed request had it."""
    return to_chat(tool) if NAME in tool.wire else replace(tool, strict=False, wire={})


def _messages(request: ModelRequest, quirks: Quirks) -> Iterator[JsonObject]:
    """Yield the messages: each call in a turn of its own, its result directly behind it."""
    writer = MessageWriter(request, quirks)
    calling: Message | None = None
    for message in answered(request.messages):
        if message.calls():
            calling = message
        elif message.role == "tool" and calling is not None:
            yield from _group(writer, calling, message)
        else:
            yield from map(_older, writer.write([message]))


def _group(writer: MessageWriter, calling: Message, answer: Message) -> Iterator[JsonObject]:
    """Yield the pairs of one turn; pictures that came with results follow behind all of them."""
    attached: list[JsonValue] = []
    for turn, result in pairs(calling, answer):
        name = turn.calls()[0].name
        for written in writer.write([turn, result]):
            if written["role"] == "user":
                attached += written["content"]
            elif written["role"] == "tool":
                yield _result(written, name)
            else:
                name = written["tool_calls"][0]["function"]["name"]
                yield _older(written)
    if attached:
        yield {"role": "user", "content": attached}


def _older(written: JsonObject) -> JsonObject:
    """Return a message of chat in the older form."""
    if "tool_calls" not in written:
        return written
    function = written["tool_calls"][0]["function"]
    return {("function_call" if name == "tool_calls" else name): function if name == "tool_calls" else value for name, value in written.items()}


def _result(written: JsonObject, name: str) -> JsonObject:
    members = {member: value for member, value in written.items() if member not in ("role", "tool_call_id", "content", "name")}
    content = written["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content)
    return {"role": "function", "name": written.get("name", name), "content": content, **members}


def _members(request: ModelRequest, quirks: Quirks, spelling: JsonObject) -> JsonObject:
    """Return all members but `model` and `messages`; the choice only beside functions."""
    options = request.options
    members: JsonObject = {}
    if request.tools:
        members["functions"] = [_function(tool) for tool in request.tools]
        if options.tool_choice is not None:
            members["function_call"] = _choice(options, request.tools)
    members |= settings(options, quirks, spelled(options, CHAT)) | streaming(options, quirks, spelled(options, CHAT))
    members |= spelling.get("kept", {})
    return members | {name: value for name, value in options.extra.items() if name not in ("model", "messages", *KEPT, *members)}


def _function(tool: ToolDefinition) -> Any:
    return tool_object(tool).get("function")


def _choice(options: RequestOptions, tools: Sequence[ToolDefinition]) -> JsonValue:
    """Return the choice; "some function, whichever" can be said only where there is one."""
    match options.tool_choice:
        case "auto" | "none":
            return options.tool_choice
        case "required":
            return {"name": tools[0].name} if len(tools) == 1 else "auto"
        case name:
            return {"name": name}

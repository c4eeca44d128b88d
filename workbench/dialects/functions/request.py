"""Requests with `functions`, written from the neutral form; `request_parse` reads them.

Chat's writer says each message in its own form, which is then put into the older one. Pure, and a longer conversation begins with the
bytes of the shorter one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, JsonValue
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.chat_completions.request import PATH, settings, streaming, system_messages, tool_object
from workbench.dialects.chat_completions.request_messages import MessageWriter
from workbench.dialects.functions.chat_form import CHAT, NAME, pairs, to_chat
from workbench.dialects.growing import GrowingRequestWriter, RequestForm
from workbench.dialects.history import answered
from workbench.dialects.spelling import runnable_here, spelled

KEPT = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
"""Members that a parsed request may have in a form, or at a place, that nothing but this dialect's writer gives back."""


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    return FunctionsRequestWriter().encode(request, quirks)


class FunctionsRequestWriter(GrowingRequestWriter):
    """Writes the requests of one conversation, one after the other; the bytes are those of `encode_request`."""

    def __init__(self) -> None:
        super().__init__(RequestForm(PATH, _system, PairWriter, _members))


def _system(request: ModelRequest, quirks: Quirks) -> Iterator[JsonObject]:
    return system_messages(replace(request, options=to_chat(request.options)), quirks)


def _plain_tool(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool for chat's writer; `strict` came later than functions and is kept only where a parsed request had it."""
    return to_chat(tool) if NAME in tool.wire else replace(tool, strict=False, wire={})


class PairWriter:
    """Writes the messages of one request: each call in a turn of its own, its result directly behind it."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        ours = replace(quirks, call_id_format="any", result_name=False)
        self._chat = MessageWriter(replace(request, tools=tuple(map(_plain_tool, request.tools))), ours)

    def copy(self) -> PairWriter:
        """Return a writer that goes on behind the same messages."""
        other: PairWriter = copy.copy(self)
        other._chat = self._chat.copy()
        return other

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the wire form of the next messages."""
        calling: Message | None = None
        for message in answered([to_chat(message) for message in messages]):
            if message.calls():
                calling = message
            elif message.role == "tool" and calling is not None:
                yield from _group(self._chat, calling, message)
            else:
                yield from map(_older, self._chat.write([message]))


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
    if written["role"] != "assistant" or "tool_calls" not in written:  # elsewhere it is a member that is not known
        return written
    function = written["tool_calls"][0]["function"]
    return {("function_call" if name == "tool_calls" else name): function if name == "tool_calls" else value for name, value in written.items()}


def _result(written: JsonObject, name: str) -> JsonObject:
    members = {member: value for member, value in written.items() if member not in ("role", "tool_call_id", "content", "name")}
    content = written["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content)
    return {"role": "function", "name": written.get("name", name), "content": content, **members}


def _members(request: ModelRequest, quirks: Quirks) -> JsonObject:
    """Return all members but `model` and `messages`; the choice only beside functions."""
    request = runnable_here(request, NAME)
    options, spelling = to_chat(request.options), spelled(request.options, NAME)
    members: JsonObject = {}
    if request.tools:
        members["functions"] = [_function(_plain_tool(tool)) for tool in request.tools]
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

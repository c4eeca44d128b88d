"""Requests with `functions`, read into the neutral form: put into the form of tools, which chat's reader then reads.

There are no ids: each call gets one from its place in the request, and a result belongs to the nearest earlier call of its name
that is not answered yet.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, ToolDefinition
from workbench.conversation.values import JsonObject
from workbench.dialects.calls import derived_id
from workbench.dialects.chat_completions import request_parse as chat
from workbench.dialects.chat_completions.request import MODES
from workbench.dialects.functions.chat_form import CHAT, NAME, from_chat
from workbench.dialects.functions.request import KEPT
from workbench.dialects.json_text import read_json, write_json
from workbench.errors import RequestUnreadable


def parse_request(body: bytes) -> ModelRequest:
    """Return the neutral form of a request body.

    Raises:
        RequestUnreadable: not JSON, or not a request of this dialect; says where.
    """
    try:
        value = read_json(body)
    except ValueError as error:
        raise RequestUnreadable(f"The request is not JSON: {error}.", message_id="request.not_json") from error
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return chat.parse_request(body)  # which says what is wrong
    newer, kept = _with_tools(value)
    history = _History()
    newer["messages"] = [history.newer(message, place) for place, message in enumerate(value["messages"])]
    parsed = chat.parse_request(write_json(newer))
    messages = tuple(history.spelled(from_chat(message)) for message in parsed.messages)
    options = from_chat(parsed.options)
    if kept:
        options = replace(options, wire={NAME: {**options.wire.get(NAME, {}), "kept": kept}})
    return replace(parsed, tools=tuple(map(_tool, parsed.tools)), messages=messages, options=options)


def _tool(tool: ToolDefinition) -> ToolDefinition:
    """Return a tool as this dialect's, marked where it had the later `strict`."""
    return replace(tool, wire={NAME: tool.wire.get(CHAT, {})}) if tool.wire or tool.strict else tool


def _with_tools(value: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return the request's members in the form of tools, and those that have no such form."""
    newer = {name: member for name, member in value.items() if name not in KEPT}
    kept: JsonObject = {name: value[name] for name in ("tools", "tool_choice", "parallel_tool_calls") if name in value}
    functions = value.get("functions")
    if isinstance(functions, list) and functions and all(isinstance(function, dict) for function in functions):
        newer["tools"] = [{"type": "function", "function": function} for function in functions]
    elif "functions" in value:
        kept["functions"] = functions
    match value.get("function_call"):
        case "auto" | "none" as mode if "tools" in newer:
            newer["tool_choice"] = mode
        case {"name": str() as name, **more} if "tools" in newer and not more and name not in MODES:
            newer["tool_choice"] = {"type": "function", "function": {"name": name}}
        case _ if "function_call" in value:
            kept["function_call"] = value["function_call"]
        case _:
            pass
    return newer, kept


class _History:
    """The messages so far: calls that wait for a result, and results without content."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str]] = []
        self._empty: set[str] = set()

    def newer(self, message: Any, place: int) -> Any:
        """Return a message in the form of tools; what is no message is left for chat's reader to refuse."""
        if not isinstance(message, dict):
            return message
        if message.get("role") == "function":
            return self._result(message, place)
        return self._call(message, place) if message.get("function_call") is not None else message

    def spelled(self, message: Message) -> Message:
        """Return a message of results that remembers which of them had null for content."""
        empty = [result.call_id for result in message.results() if result.call_id in self._empty]
        if not empty:
            return message
        spelling = message.wire.get(NAME, {})
        results = {**spelling.get("results", {})}
        for call_id in empty:
            results[call_id] = {**results.get(call_id, {}), "members": {**results.get(call_id, {}).get("members", {}), "content": None}}
        return replace(message, wire={NAME: {**spelling, "results": results}})

    def _call(self, message: JsonObject, place: int) -> JsonObject:
        call, pointer = message["function_call"], f"/messages/{place}/function_call"
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            wanted = "a function call is an object with a name"
            text = f"Not a request with functions at {pointer}: {wanted}."
            raise RequestUnreadable(text, message_id="request.shape", values={"pointer": pointer})
        call_id = derived_id(pointer)
        self._open.append((call["name"], call_id))
        calls = message.get("tool_calls")
        others = {name: value for name, value in message.items() if name not in ("function_call", "tool_calls")}
        return {**others, "tool_calls": [*(calls if isinstance(calls, list) else ()), {"id": call_id, "type": "function", "function": call}]}

    def _result(self, message: JsonObject, place: int) -> JsonObject:
        name = message.get("name")
        found = next((number for number in range(len(self._open) - 1, -1, -1) if self._open[number][0] == name), None)
        call_id = derived_id(f"/messages/{place}") if found is None else self._open.pop(found)[1]
        if message.get("content") is None:
            self._empty.add(call_id)
        kept = message if found is None else {member: value for member, value in message.items() if member != "name"}
        return {**kept, "role": "tool", "tool_call_id": call_id}

"""Requests to Ollama, read into the neutral form. What has several spellings is remembered as it was written (`wire` of the values).

Ids are optional and results have none of their own: a result answers the first open call of its name, without a name the first one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from msgspec.structs import replace

from workbench.conversation.messages import ImagePart, Message, ModelRequest, Part, ReasoningPart, RequestOptions, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.calls import derived_id
from workbench.dialects.chat_completions.request_options import read_tools
from workbench.dialects.json_text import escape_halves, read_json, write_json
from workbench.dialects.ollama.messages import NAME
from workbench.dialects.spelling import respelled
from workbench.errors import RequestUnreadable

_ROLES = ("system", "user", "assistant", "tool")
_KNOWN = {
    "system": ("role", "content", "images"),
    "user": ("role", "content", "images"),
    "assistant": ("role", "content", "images", "thinking", "tool_calls"),
    "tool": ("role", "content", "images", "tool_name"),
}


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
        _refuse("", "a request is an object with a list of `messages`")
    written = [_object(message, f"/messages/{place}") for place, message in enumerate(value["messages"])]
    leading = list(_leading_system(written))
    tools = tuple(replace(respelled(tool, "chat_completions", NAME), wire=_tool_wire(tool.wire, tool.strict)) for tool in read_tools(value.get("tools")))
    system = [{name: member for name, member in message.items() if name not in ("role", "content")} for message in leading]
    return ModelRequest(
        system=tuple(clean_text(message["content"]) for message in leading),
        tools=tools,
        messages=tuple(_messages(written, len(leading))),
        options=_options(value, system, tools=bool(tools)),
    )


def _tool_wire(wire: JsonObject, strict: bool) -> JsonObject:
    return {NAME: wire.get("chat_completions", {})} if wire or strict else {}


def _refuse(pointer: str, wanted: str) -> NoReturn:
    place = f" at {pointer}" if pointer else ""
    raise RequestUnreadable(f"Not an Ollama request{place}: {wanted}.", message_id="request.shape", values={"pointer": pointer})


def _object(value: Any, pointer: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(pointer, "a message is an object")
    if value.get("role") not in _ROLES:
        _refuse(f"{pointer}/role", f"the role is system, user, assistant or tool, not {value.get('role')!r}")
    return value


def _leading_system(written: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in written:
        if message["role"] != "system" or not isinstance(message.get("content"), str) or "images" in message:
            return
        yield message


def _messages(written: list[dict[str, Any]], start: int) -> Iterator[Message]:
    results: list[tuple[ToolResultPart, JsonObject]] = []
    waiting: list[ToolCallPart] = []
    for place in range(start, len(written)):
        message = written[place]
        if message["role"] == "tool":
            results.append(_result(message, place, waiting))
            continue
        if results:
            yield _together(results, place)
            results = []
        parsed = _message(message, place)
        waiting = list(parsed.calls()) or waiting
        yield parsed
    if results:
        yield _together(results, len(written))


def _together(results: list[tuple[ToolResultPart, JsonObject]], place: int) -> Message:
    spellings = {result.call_id: spelling for result, spelling in results if spelling}
    parts = tuple(result for result, _ in results)
    return Message(message_id=f"msg_{place - len(results)}", role="tool", parts=parts, wire={NAME: {"results": spellings}} if spellings else {})


def _message(message: dict[str, Any], place: int) -> Message:
    role, pointer = message["role"], f"/messages/{place}"
    spelling = _members(message)
    parts: list[Part] = _content(message, spelling, pointer)
    if role == "assistant":
        parts = [*_thinking(message, spelling), *parts, *_calls(message, spelling, pointer)]
    return Message(message_id=f"msg_{place}", role=role, parts=tuple(parts), wire={NAME: spelling} if spelling else {})


def _members(message: dict[str, Any]) -> JsonObject:
    """Return as a spelling the members that have no place in the neutral form, or whose value has none."""
    kept = {name: value for name, value in message.items() if name not in _KNOWN[message["role"]]}
    images, thinking = message.get("images"), message.get("thinking")
    if "images" in message and not (isinstance(images, list) and images and all(isinstance(image, str) for image in images)):
        kept["images"] = images
    if "thinking" in message and message["role"] == "assistant" and not isinstance(thinking, str):
        kept["thinking"] = thinking
    if not message.get("tool_calls") and "tool_calls" in message and message["role"] == "assistant":
        kept["tool_calls"] = message["tool_calls"]
    return {"members": kept} if kept else {}


def _content(message: dict[str, Any], spelling: JsonObject, pointer: str) -> list[Part]:
    content, images = message.get("content"), message.get("images")
    parts: list[Part] = []
    if isinstance(content, str) and content:
        parts.append(TextPart(text=clean_text(content)))
    elif content is None or content == "":
        spelling["content"] = "empty" if content == "" else "null" if "content" in message else "absent"
    else:
        _refuse(f"{pointer}/content", "content is a text; pictures stand in `images`")
    if isinstance(images, list) and all(isinstance(image, str) for image in images):
        parts += [ImagePart(media_type=_media_type(image), data=clean_text(image)) for image in images]
    return parts


def _media_type(image: str) -> str:
    """Return the kind of a picture by its first bytes, in base64."""
    kinds = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
    return next((kind for start, kind in kinds.items() if image.startswith(start)), "image/png")


def _thinking(message: dict[str, Any], spelling: JsonObject) -> list[Part]:
    thinking = message.get("thinking")
    if thinking == "":
        spelling["thinking"] = "empty"
    return [ReasoningPart(text=clean_text(thinking))] if isinstance(thinking, str) and thinking else []


def _calls(message: dict[str, Any], spelling: JsonObject, pointer: str) -> list[Part]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        _refuse(f"{pointer}/tool_calls", "tool calls are a list")
    parsed: list[Part] = []
    kept: JsonObject = {}
    for number, call in enumerate(calls):
        part, more = _call(call, f"{pointer}/tool_calls/{number}", {other.call_id for other in parsed if isinstance(other, ToolCallPart)})
        parsed.append(part)
        if more:
            kept[part.call_id] = more
    if kept:
        spelling["calls"] = kept
    return parsed


def _call(call: Any, pointer: str, used: set[str]) -> tuple[ToolCallPart, JsonObject]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        _refuse(f"{pointer}/function", "a tool call has a `function` with a name")
    arguments, call_id = function.get("arguments"), call.get("id")
    text = arguments if isinstance(arguments, str) else "{}" if arguments is None else write_json(arguments).decode()
    own = isinstance(call_id, str) and call_id and call_id not in used
    part = ToolCallPart(call_id=clean_text(str(call_id)) if own else derived_id(pointer), name=clean_text(function["name"]), arguments_raw=escape_halves(text))
    members = {name: value for name, value in call.items() if name != "function"}
    more = {name: value for name, value in function.items() if name not in ("name", "arguments")}
    return part, {name: value for name, value in (("members", members), ("function", more)) if value}


def _result(message: dict[str, Any], place: int, waiting: list[ToolCallPart]) -> tuple[ToolResultPart, JsonObject]:
    name, call_id = message.get("tool_name"), message.get("tool_call_id")
    by_id = (call for call in waiting if call_id and call.call_id == call_id)
    by_name = (call for call in waiting if not name or call.name == name)
    call = next(by_id, None) or next(by_name, None)
    if call is not None:
        waiting.remove(call)
    spelling = _members(message)
    if not isinstance(name, str):
        spelling["tool_name"] = "absent"
        if "tool_name" in message:
            spelling["members"] = {**spelling.get("members", {}), "tool_name": name}
    parts = _content(message, spelling, f"/messages/{place}")
    result = ToolResultPart(
        call_id=call.call_id if call else derived_id(f"/messages/{place}"),
        name=call.name if call else clean_text(str(name or "")),
        content=tuple(part for part in parts if isinstance(part, TextPart | ImagePart)),
    )
    return result, {} if spelling == {"content": "empty"} else spelling


def _options(body: JsonObject, system: list[JsonObject], *, tools: bool) -> RequestOptions:
    rest = {name: value for name, value in body.items() if name not in ("messages", "tools", "stream", "model", "options", "think")}
    given = body.get("options")
    inner: JsonObject = dict(given) if isinstance(given, dict) else {}
    spelling: JsonObject = {"options": inner} if isinstance(given, dict) else {}
    if "options" in body and not isinstance(given, dict):
        rest["options"] = given
    if any(system) or len(system) > 1:
        spelling["system"] = system
    if "tools" in body and not tools:
        spelling["tools"] = body["tools"]
    limit, temperature, stop = inner.get("num_predict"), inner.get("temperature"), inner.get("stop")
    limit = inner.pop("num_predict") if type(limit) is int and limit > 0 else None
    temperature = inner.pop("temperature") if isinstance(temperature, int | float) and not isinstance(temperature, bool) else None
    words = isinstance(stop, list) and bool(stop) and all(isinstance(word, str) for word in stop)
    return RequestOptions(
        model=clean_text(str(body.get("model", ""))),
        stream=_stream(body, spelling),
        max_output_tokens=limit,
        temperature=temperature,
        reasoning_effort=_effort(body, spelling),
        stop=tuple(inner.pop("stop")) if words else (),
        extra=rest,
        wire={NAME: spelling} if spelling else {},
    )


def _stream(body: JsonObject, spelling: JsonObject) -> bool:
    if not isinstance(body.get("stream"), bool):
        spelling["stream"] = "absent"
    return body.get("stream") is not False


def _effort(body: JsonObject, spelling: JsonObject) -> str | None:
    """Return the effort that `think` stands for; true says only that the model thinks, and is kept as it is."""
    think = body.get("think")
    if think is False:
        return "none"
    if think in ("low", "medium", "high"):
        return str(think)
    if "think" in body:
        spelling["think"] = think
    return None

"""Requests of the Responses dialect, read into the neutral form: those of other programs too, so that they can be shown and translated.

Items are kept beside what they mean (`wire` of the values), so that writing an unchanged request again gives the same JSON.
"""

from __future__ import annotations

from typing import Any, NoReturn

from workbench.conversation.messages import Message, ModelRequest, Part, RequestOptions, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.calls import derived_id
from workbench.dialects.json_text import read_json
from workbench.dialects.responses.items import NAME, objects, read_item, text_of
from workbench.dialects.responses.request import MODES
from workbench.dialects.responses.request_items import plain_parts, result_content
from workbench.dialects.responses.tools import read_tool
from workbench.errors import RequestUnreadable

RESULT_TYPES = ("function_call_output", "custom_tool_call_output", "apply_patch_call_output", "shell_call_output", "local_shell_call_output")
_SYSTEM_ROLES = ("system", "developer")


def parse_request(body: bytes) -> ModelRequest:
    """Return the neutral form of a request body.

    Raises:
        RequestUnreadable: not JSON, or not a request of this dialect; says where.
    """
    try:
        value = read_json(body)
    except ValueError as error:
        raise RequestUnreadable(f"The request is not JSON: {error}.", message_id="request.not_json") from error
    if not isinstance(value, dict):
        _refuse("", "a request is an object with an `input`")
    written = value.get("input", [])
    if isinstance(written, str):
        items: list[JsonObject] = [{"role": "user", "content": written}] if written else []
    elif isinstance(written, list):
        items = [_object(item, f"/input/{place}") for place, item in enumerate(written)]
    else:
        _refuse("/input", "`input` is a text or a list of items")
    count = _leading_system(items)
    instructions = value.get("instructions")
    leading = [part.text for item in items[:count] for part in plain_parts(item.get("content")) if isinstance(part, TextPart)]
    system = ([clean_text(instructions)] if isinstance(instructions, str) else []) + leading
    return ModelRequest(
        system=tuple(system),
        tools=tuple(read_tool(tool) for tool in objects(value.get("tools"))),
        messages=_messages(items, count),
        options=_options(value, items[:count]),
    )


def _refuse(pointer: str, wanted: str) -> NoReturn:
    place = f" at {pointer}" if pointer else ""
    raise RequestUnreadable(f"Not a Responses request{place}: {wanted}.", message_id="request.shape", values={"pointer": pointer})


def _object(value: Any, pointer: str) -> JsonObject:
    if not isinstance(value, dict):
        _refuse(pointer, "an item is an object")
    return value


def _is_message(item: JsonObject) -> bool:
    return item.get("type", "message") == "message" and "role" in item


def _leading_system(items: list[JsonObject]) -> int:
    """Return how many items at the start are system text and nothing else."""
    for place, item in enumerate(items):
        parts = plain_parts(item.get("content"))
        if not _is_message(item) or item["role"] not in _SYSTEM_ROLES or not parts or not all(isinstance(part, TextPart) for part in parts):
            return place
    return len(items)


def _messages(items: list[JsonObject], start: int) -> tuple[Message, ...]:
    """Return the messages: items of the assistant that stand together are one, results that stand together too."""
    messages: list[Message] = []
    names: dict[str, str] = {}
    place = start
    while place < len(items):
        kind, end = _kind(items[place]), place + 1
        while kind != "plain" and end < len(items) and _kind(items[end]) == kind:
            end += 1
        group = items[place:end]
        if kind == "plain":
            messages.append(_plain(group[0], place))
        elif kind == "result":
            messages.append(_results(group, place, names))
        else:
            messages.append(_assistant(group, place))
            names.update({call.call_id: call.name for call in messages[-1].calls()})
        place = end
    return tuple(messages)


def _kind(item: JsonObject) -> str:
    if _is_message(item) and item["role"] != "assistant":
        return "plain"
    return "result" if item.get("type") in RESULT_TYPES else "assistant"


def _plain(item: JsonObject, place: int) -> Message:
    role = item["role"]
    if role not in ("user", *_SYSTEM_ROLES):
        _refuse(f"/input/{place}/role", f"the role is system, developer, user or assistant, not {role!r}")
    content = item.get("content")
    if content is not None and not isinstance(content, str | list):
        _refuse(f"/input/{place}/content", "content is a text or a list of parts")
    role = "user" if role == "user" else "system"
    return Message(message_id=f"msg_{place}", role=role, parts=plain_parts(content), wire={NAME: {"item": item}})  # type: ignore[arg-type]


def _assistant(group: list[JsonObject], place: int) -> Message:
    parts: list[Part] = []
    entries: list[JsonObject] = []
    for number, item in enumerate(group, place):
        read = [_with_id(part, f"/input/{number}") for part in read_item(item)]
        entries.append({"count": len(read), "item": item})
        parts += read
    return Message(message_id=f"msg_{place}", role="assistant", parts=tuple(parts), wire={NAME: {"items": entries}})


def _with_id(part: Part, pointer: str) -> Part:
    """Return a call with an id, and without what only an answer needs to keep apart."""
    if not isinstance(part, ToolCallPart):
        return part
    return ToolCallPart(call_id=part.call_id or derived_id(pointer), name=part.name, arguments_raw=part.arguments_raw, kind=part.kind)


def _results(group: list[JsonObject], place: int, names: dict[str, str]) -> Message:
    results: list[Part] = []
    raw: JsonObject = {}
    for item in group:
        call_id = text_of(item.get("call_id")) or text_of(item.get("id"))
        failed = item.get("type") == "apply_patch_call_output" and item.get("status") == "failed"
        results.append(ToolResultPart(call_id=call_id, name=names.get(call_id, ""), content=result_content(item), is_error=failed))
        raw[call_id] = item
    return Message(message_id=f"msg_{place}", role="tool", parts=tuple(results), wire={NAME: {"results": raw}})


def _options(body: JsonObject, leading: list[JsonObject]) -> RequestOptions:
    """Return the settings; a member of an unexpected type stays as it is among the `extra` ones."""
    rest = {name: value for name, value in body.items() if name not in ("input", "tools")}
    spelling: JsonObject = {"stateless": {name: rest.pop(name) for name in ("store", "include") if name in rest}}
    instructions = rest.get("instructions")
    if isinstance(instructions, str):
        rest.pop("instructions")
    if leading or instructions == "":
        spelling["system"] = {"instructions": instructions if isinstance(instructions, str) else None, "items": leading}
    if isinstance(body.get("input"), str):
        spelling["input"] = "string"
    if body.get("tools") == []:
        spelling["tools"] = "empty"
    model, stream = rest.pop("model", ""), rest.pop("stream", None)
    if stream is False:
        spelling["stream"] = "false"
    return RequestOptions(
        model=clean_text(str(model)),
        stream=stream is True,
        max_output_tokens=_taken(rest, "max_output_tokens", int),
        temperature=_taken(rest, "temperature", int | float),
        reasoning_effort=_effort(rest, spelling),
        tool_choice=_choice(rest) if body.get("tools") else None,
        parallel_tool_calls=_taken(rest, "parallel_tool_calls", bool) if body.get("tools") else None,
        extra=rest,
        wire={NAME: spelling},
    )


def _taken(rest: JsonObject, name: str, kind: Any) -> Any:
    value = rest.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return None
    return rest.pop(name)


def _effort(rest: JsonObject, spelling: JsonObject) -> str | None:
    reasoning = rest.get("reasoning")
    if not isinstance(reasoning, dict) or not isinstance(reasoning.get("effort"), str):
        return None
    rest.pop("reasoning")
    spelling["reasoning"] = {name: value for name, value in reasoning.items() if name != "effort"}
    return clean_text(reasoning["effort"])


def _choice(rest: JsonObject) -> str | None:
    """Return the tool choice: a mode, or the name of the one tool; other forms stay as they are."""
    match rest.get("tool_choice"):
        case str() as mode if mode in MODES:
            return str(rest.pop("tool_choice"))
        case {"type": "function", "name": str() as name, **more} if not more and name not in MODES:
            rest.pop("tool_choice")
            return name
        case _:
            return None


"""Requests of Chat Completions, read into the neutral form: those of other programs too, so that they can be shown and translated.

What has several spellings is remembered as it was written (`wire` of the values), so that writing it again gives the same JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.calls import derived_id
from workbench.dialects.chat_completions.request_messages import NAME
from workbench.dialects.chat_completions.request_options import read_options, read_tools
from workbench.dialects.json_text import escape_halves, read_json, write_json
from workbench.errors import RequestUnreadable

_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,", re.IGNORECASE)
_REASONING_MEMBERS = ("reasoning_content", "reasoning")
_KNOWN_MEMBERS = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "reasoning_details", *_REASONING_MEMBERS}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


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
    texts, spelling, rest = _leading_system(written)
    options = read_options(value, spelling)
    return ModelRequest(system=texts, tools=read_tools(value.get("tools")), messages=_messages(written, rest), options=options)


def _refuse(pointer: str, wanted: str) -> NoReturn:
    place = f" at {pointer}" if pointer else ""
    raise RequestUnreadable(f"Not a Chat Completions request{place}: {wanted}.", message_id="request.shape", values={"pointer": pointer})


def _object(value: Any, pointer: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(pointer, "a message is an object")
    if not isinstance(value.get("role"), str) or value["role"] not in _ROLES:
        _refuse(f"{pointer}/role", f"the role is system, developer, user, assistant or tool, not {value.get('role')!r}")
    return value


def _leading_system(written: list[dict[str, Any]]) -> tuple[tuple[str, ...], list[JsonObject], int]:
    """Return the texts of the system messages at the start, how they were spelled, and how many there are."""
    texts: list[str] = []
    spelling: list[JsonObject] = []
    for place, message in enumerate(written):
        mine = _plain_texts(message.get("content"))
        if _ROLES[message["role"]] != "system" or mine is None:
            return tuple(texts), spelling, place
        entry: JsonObject = {"role": message["role"], "content": "string" if isinstance(message["content"], str) else "list", "count": len(mine)}
        spelling.append(entry | _members(message, "system"))
        texts.extend(mine)
    return tuple(texts), spelling, len(written)


def _plain_texts(content: Any) -> list[str] | None:
    """Return the texts of content that is nothing but text; None if it is something else."""
    if isinstance(content, str):
        return [clean_text(content)]
    if not isinstance(content, list) or not content:
        return None
    plain = all(isinstance(part, dict) and set(part) == {"type", "text"} and isinstance(part["text"], str) for part in content)
    return [clean_text(part["text"]) for part in content] if plain else None


def _messages(written: list[dict[str, Any]], start: int) -> tuple[Message, ...]:
    messages: list[Message] = []
    names: dict[str, str] = {}
    group: list[tuple[int, dict[str, Any]]] = []
    for place in range(start, len(written)):
        message = written[place]
        if message["role"] == "tool":
            group.append((place, message))
            continue
        if group:
            messages.append(_results(group, names))
            group = []
        parsed = _message(message, place)
        names.update({call.call_id: call.name for call in parsed.calls()})
        messages.append(parsed)
    return (*messages, _results(group, names)) if group else tuple(messages)


def _message(message: dict[str, Any], place: int) -> Message:
    role = message["role"]
    spelling: JsonObject = _members(message, _ROLES[role])
    if role == "developer":
        spelling["role"] = role
    parts = _content_parts(message.get("content"), spelling, f"/messages/{place}/content", listed=role == "assistant")
    if role == "assistant":
        parts = [*_reasoning(message, spelling), *parts, *_calls(message, place)]
        if "content" not in message:
            spelling["content"] = "absent"
        elif message["content"] == "":
            spelling["content"] = "empty"
    elif not message.get("content"):
        spelling["content"] = "null" if message.get("content") is None else "string" if message["content"] == "" else "list"
    return Message(message_id=f"msg_{place}", role=_ROLES[role], parts=tuple(parts), wire={NAME: spelling} if spelling else {})  # type: ignore[arg-type]


def _members(message: dict[str, Any], role: str) -> JsonObject:
    """Return the members that this model does not know, as a spelling."""
    unknown = {name: value for name, value in message.items() if name not in _KNOWN_MEMBERS[role]}
    return {"members": unknown} if unknown else {}


def _content_parts(content: Any, spelling: JsonObject, pointer: str, *, listed: bool) -> list[Part]:
    """Return the parts of a content member; `listed` where several parts are normally written as one text."""
    if content is None:
        return []
    if isinstance(content, str):
        return [TextPart(text=clean_text(content))] if content else []
    if not isinstance(content, list):
        _refuse(pointer, "content is a text or a list of parts")
    parts: list[Part] = []
    members: JsonObject = {}
    for place, item in enumerate(content):
        if not isinstance(item, dict):
            _refuse(f"{pointer}/{place}", "a part of the content is an object")
        part, more = _part(item)
        if more:
            members[str(sum(not isinstance(part, ReasoningPart) for part in parts))] = more
        parts.append(part)
    if listed or members or (len(parts) < 2 and all(isinstance(part, TextPart) for part in parts)):
        spelling["content"] = "list"
    if members:
        spelling["parts"] = members
    if any(isinstance(part, ReasoningPart) for part in parts):
        spelling["reasoning"] = {}
    return parts


def _part(item: dict[str, Any]) -> tuple[Part, JsonObject]:
    """Return one content part, and its members that have no place in the neutral form."""
    match item:
        case {"text": str() as text, **more} if more.pop("type", "text") == "text":
            return TextPart(text=clean_text(text)), _named(more)
        case {"type": "image_url", "image_url": {"url": str() as url, **detail}, **more}:
            members = _named(more) | ({"image_url": _named(detail)} if detail else {})
            return _image(url), members
        case {"type": "file", "file": {"file_data": str() as data, **about}, **more} if (found := _DATA_URL.match(data)) and _is_name(about):
            return FilePart(media_type=found[1], data=data[found.end() :], name=str(about.get("filename", ""))), _named(more)
        case {"type": "thinking", "thinking": [{"type": "text", "text": str() as text}]}:
            return ReasoningPart(text=clean_text(text), field="thinking_content"), {}
        case _:
            return OpaquePart(dialect=NAME, provider="", item=item), {}


def _named(more: dict[Any, Any]) -> JsonObject:
    return {str(name): value for name, value in more.items()}


def _is_name(about: dict[Any, Any]) -> bool:
    return set(about) == {"filename"} and isinstance(about["filename"], str)


def _image(url: str) -> ImagePart:
    found = _DATA_URL.fullmatch(url[: url.find(",") + 1])
    return ImagePart(media_type=found[1], data=url[len(found[0]) :]) if found else ImagePart(media_type="", url=clean_text(url))


def _reasoning(message: dict[str, Any], spelling: JsonObject) -> list[Part]:
    """Return the reasoning that a turn brought back to its provider; remember in which members it stood."""
    details = message.get("reasoning_details")
    entries = tuple(entry for entry in details if isinstance(entry, dict)) if isinstance(details, list) else ()
    said = {name: clean_text(value) for name in _REASONING_MEMBERS if isinstance(value := message.get(name), str)}
    members: dict[str, str] = {}
    parts: list[ReasoningPart] = []
    for name, text in said.items():
        copied = any(part.text == text for part in parts)
        members[name] = "copy" if copied else "own" if text else "empty"
        if members[name] == "own":
            parts.append(ReasoningPart(text=text, field=name, details=entries if not parts else ()))  # type: ignore[arg-type]
    if members or entries:
        spelling["reasoning"] = members
    if entries and not parts:
        parts.append(ReasoningPart(field="reasoning", details=entries))
    return list(parts)


def _calls(message: dict[str, Any], place: int) -> Iterable[Part]:
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list):
        _refuse(f"/messages/{place}/tool_calls", "tool calls are a list")
    for number, call in enumerate(calls):
        yield _call(call, f"/messages/{place}/tool_calls/{number}")


def _call(call: Any, pointer: str) -> ToolCallPart:
    if not isinstance(call, dict):
        _refuse(pointer, "a tool call is an object")
    custom = call.get("custom")
    kind, body, words = ("custom", custom, "input") if isinstance(custom, dict) else ("function", call.get("function"), "arguments")
    if not isinstance(body, dict) or not isinstance(body.get("name"), str):
        _refuse(f"{pointer}/{kind}", "a tool call has a `function` with a name")
    raw = body.get(words)
    text = raw if isinstance(raw, str) else "" if raw is None else write_json(raw).decode()
    call_id = call.get("id")
    return ToolCallPart(
        call_id=clean_text(call_id) if isinstance(call_id, str) and call_id else derived_id(pointer),
        name=clean_text(body["name"]),
        arguments_raw=escape_halves(text) if kind == "function" else clean_text(text),
        kind=kind,  # type: ignore[arg-type]
        metadata={name: value for name, value in call.items() if name not in ("id", "type", "index", kind)},
    )


def _results(group: list[tuple[int, dict[str, Any]]], names: dict[str, str]) -> Message:
    """Return consecutive tool messages as one message with their results."""
    results: list[Part] = []
    spellings: JsonObject = {}
    for place, message in group:
        call_id = message.get("tool_call_id")
        known = clean_text(call_id) if isinstance(call_id, str) else ""
        spelling = _members(message, "tool")
        parts = _content_parts(message.get("content"), spelling, f"/messages/{place}/content", listed=True)
        content = tuple(part for part in parts if isinstance(part, TextPart | ImagePart | FilePart))
        results.append(ToolResultPart(call_id=known, name=names.get(known, str(message.get("name") or "")), content=content))
        if spelling:
            spellings[known] = spelling
    return Message(
        message_id=f"msg_{group[0][0]}", role="tool", parts=tuple(results), wire={NAME: {"results": spellings}} if spellings else {}
    )

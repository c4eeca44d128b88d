"""Requests of Gemini, read into the neutral form: those of other programs too, so that they can be shown and translated.

Model and stream stand in the path, not in the body: `with_path` adds them. What the body spells in its own way is remembered
(`wire` of the values), so that writing it again gives the same JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn
from urllib.parse import unquote

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, Part, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.calls import derived_id
from workbench.dialects.gemini.options import read_options
from workbench.dialects.gemini.parts import NAME, member, read_part, write_call, write_part
from workbench.dialects.gemini.results import read_result, write_result
from workbench.dialects.gemini.tools import read_tools
from workbench.dialects.json_text import read_json
from workbench.errors import RequestUnreadable

_ROLES = {None: "user", "user": "user", "function": "user", "system": "system", "model": "assistant"}
_PLACE = re.compile(r"([^/?]+):(stream)?[gG]enerateContent(?:\?|$)")


def with_path(request: ModelRequest, path: str) -> ModelRequest:
    """Return a parsed request with the model and the stream switch that its URL path names; unchanged if that names none."""
    found = _PLACE.search(path)
    if found is None:
        return request
    model = clean_text(unquote(found[1]).removeprefix("models/"))
    return replace(request, options=replace(request.options, model=model, stream=found[2] is not None))


def parse_request(body: bytes) -> ModelRequest:
    """Return the neutral form of a request body; its model is empty and its stream off until `with_path` tells them.

    Raises:
        RequestUnreadable: not JSON, or not a request of this dialect; says where.
    """
    try:
        value = read_json(body)
    except ValueError as error:
        raise RequestUnreadable(f"The request is not JSON: {error}.", message_id="request.not_json") from error
    if not isinstance(value, dict) or not isinstance(value.get("contents"), list):
        _refuse("", "a request is an object with a list of `contents`")
    tools, entries = read_tools(value.get("tools"))
    system, options = read_options(value, entries, tools)
    return ModelRequest(system=system, tools=tools, messages=tuple(_messages(value["contents"])), options=options)


def _refuse(pointer: str, wanted: str) -> NoReturn:
    place = f" at {pointer}" if pointer else ""
    raise RequestUnreadable(f"Not a Gemini request{place}: {wanted}.", message_id="request.shape", values={"pointer": pointer})


def _messages(contents: list[Any]) -> Iterable[Message]:
    pending: list[ToolCallPart] = []
    for place, content in enumerate(contents):
        parts = _parts_of(content, f"/contents/{place}")
        results = [part for part in parts if isinstance(member(part, "functionResponse"), dict)]
        others = [(number, part) for number, part in enumerate(parts) if not isinstance(member(part, "functionResponse"), dict)]
        if results:
            yield _results(results, pending, content, place)
        if others or not results:
            message = _message(others, content, place, joined=bool(results))
            yield message
            pending = list(message.calls()) or pending


def _parts_of(content: Any, pointer: str) -> list[JsonObject]:
    if not isinstance(content, dict):
        _refuse(pointer, "a content is an object")
    role = content.get("role")
    if not isinstance(role, str | None) or role not in _ROLES:
        _refuse(f"{pointer}/role", f"the role is user or model, not {role!r}")
    parts = content.get("parts")
    if parts is None:
        return []
    if not isinstance(parts, list):
        _refuse(f"{pointer}/parts", "parts are a list")
    for number, part in enumerate(parts):
        if not isinstance(part, dict):
            _refuse(f"{pointer}/parts/{number}", "a part is an object")
    return parts


def _message(written: list[tuple[int, JsonObject]], content: JsonObject, place: int, *, joined: bool) -> Message:
    role = _ROLES[content.get("role")]
    parts: list[Part] = []
    raw: JsonObject = {}
    for number, part in written:
        reads = _read(part, f"/contents/{place}/parts/{number}")
        if len(reads) == 1 and _plain(reads[0]) != part:
            raw[str(len(parts))] = part
        parts += reads
    spelling = _spelling(content, "model" if role == "assistant" else "user")
    if raw:
        spelling["parts"] = raw
    if joined:
        spelling["joined"] = True
    return Message(message_id=f"msg_{place}", role=role, parts=tuple(parts), wire={NAME: spelling} if spelling else {})  # type: ignore[arg-type]


def _read(part: JsonObject, pointer: str) -> list[Part]:
    """Return a part; one that holds a text and a call is both."""
    read = read_part(part, derived_id(pointer))
    text = part.get("text")
    if isinstance(read, ToolCallPart) and isinstance(text, str) and text:
        return [read_part({"text": text}, ""), read]
    return [read]


def _plain(part: Part) -> JsonObject | None:
    """Return a part as it is written where nothing is remembered of it."""
    if isinstance(part, ToolCallPart):
        return write_call(part, part.name, wire_id=part.metadata.get("id", ""), signature=part.metadata.get("thoughtSignature", ""))
    return write_part(part, ours=True)


def _spelling(content: JsonObject, role: str) -> JsonObject:
    around = {name: value for name, value in content.items() if name != "parts"}
    return {} if around == {"role": role} else {"content": around}


def _results(written: list[JsonObject], pending: list[ToolCallPart], content: JsonObject, place: int) -> Message:
    """Return the results of a content. Each belongs to the open call of its id, else to the first open one of its name."""
    results: list[ToolResultPart] = []
    raw: JsonObject = {}
    for number, part in enumerate(written):
        response = member(part, "functionResponse")
        name = response.get("name")
        said = clean_text(name) if isinstance(name, str) else ""
        call = _call_of(response, said, pending)
        if call is not None:
            pending.remove(call)
        wire_id = response.get("id")
        own = clean_text(wire_id) if isinstance(wire_id, str) and wire_id else derived_id(f"/contents/{place}/results/{number}")
        result = read_result(response, call.call_id if call else own, said or (call.name if call else ""))
        if write_result(result, said, wire_id=call.metadata.get("id", "") if call else "", nested=True) != part or "parts" in response:
            raw[result.call_id] = part
        results.append(result)
    spelling = _spelling(content, "user") | ({"results": raw} if raw else {})
    return Message(message_id=f"msg_{place}_results", role="tool", parts=tuple(results), wire={NAME: spelling} if spelling else {})


def _call_of(response: JsonObject, name: str, pending: list[ToolCallPart]) -> ToolCallPart | None:
    wire_id = response.get("id")
    if isinstance(wire_id, str) and wire_id:
        by_id = next((call for call in pending if call.metadata.get("id") == wire_id), None)
        if by_id is not None:
            return by_id
    return next((call for call in pending if call.name == name), None)

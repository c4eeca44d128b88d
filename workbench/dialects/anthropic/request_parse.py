"""Requests of Anthropic Messages, read into the neutral form: those of other programs too, so that they can be shown and translated.

What has several spellings is remembered as it was written (`wire` of the values), so that writing it again gives the same JSON.
"""

from __future__ import annotations

from typing import Any, NoReturn

from workbench.conversation.messages import Message, ModelRequest, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.content_parse import content_part, result_part
from workbench.dialects.anthropic.names import NAME
from workbench.dialects.anthropic.request_options import read_options, read_tools
from workbench.dialects.calls import derived_id
from workbench.dialects.json_text import escape_halves, read_json, write_json
from workbench.errors import RequestUnreadable

_ROLES = ("user", "assistant", "system")
_OF_CALLS = ("caller", "toolset_name")


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
    texts, system = _system(value.get("system"))
    options = read_options(value, system)
    return ModelRequest(system=texts, tools=read_tools(value.get("tools")), messages=_Reader().read(value["messages"]), options=options)


def _refuse(pointer: str, wanted: str) -> NoReturn:
    place = f" at {pointer}" if pointer else ""
    raise RequestUnreadable(f"Not an Anthropic Messages request{place}: {wanted}.", message_id="request.shape", values={"pointer": pointer})


def _system(system: Any) -> tuple[tuple[str, ...], list[JsonObject] | None]:
    """Return the system texts, and the members of their blocks where they stood in a list."""
    if system is None or system == "":
        return (), None
    if isinstance(system, str):
        return (clean_text(system),), None
    if not isinstance(system, list):
        _refuse("/system", "the system text is a text or a list of text blocks")
    texts: list[str] = []
    members: list[JsonObject] = []
    for place, block in enumerate(system):
        if not isinstance(block, dict) or not isinstance(block.get("text"), str):
            _refuse(f"/system/{place}", "a block of the system text has a `text`")
        texts.append(clean_text(block["text"]))
        members.append({name: value for name, value in block.items() if name not in ("type", "text")})
    return tuple(texts), members


class _Reader:
    """Reads the messages of one request; calls give their results the name."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._messages: list[Message] = []
        self._last_role = ""

    def read(self, written: list[Any]) -> tuple[Message, ...]:
        """Return the messages."""
        for place, message in enumerate(written):
            pointer = f"/messages/{place}"
            if not isinstance(message, dict):
                _refuse(pointer, "a message is an object")
            role = message.get("role")
            if role not in _ROLES:
                _refuse(f"{pointer}/role", f"the role is user or assistant, not {role!r}")
            self._message(message, role, place)
            self._last_role = role
        return tuple(self._messages)

    def _message(self, message: dict[str, Any], role: str, place: int) -> None:
        pointer = f"/messages/{place}/content"
        content = message.get("content")
        if content is None:
            content = ""
        if isinstance(content, str):
            blocks: list[Any] = [{"type": "text", "text": content}] if content else []
        elif isinstance(content, list):
            blocks = content
        else:
            _refuse(pointer, "content is a text or a list of blocks")
        spelling = _spelling(message, blocks)
        if role == self._last_role:
            spelling["apart"] = True
        if role == "assistant":
            self._assistant(blocks, spelling, place)
        else:
            self._user(blocks, spelling, role, place)

    def _assistant(self, blocks: list[Any], spelling: JsonObject, place: int) -> None:
        parts = _read_blocks(blocks, spelling, f"/messages/{place}/content")
        self._names.update({part.call_id: part.name for part in parts if isinstance(part, ToolCallPart)})
        before = self._messages[-1] if self._messages else None
        if spelling.get("apart") and before is not None and before.calls():
            self._messages[-1] = _joined(before, tuple(parts), spelling)
        else:
            self._add(place, "assistant", parts, spelling)

    def _user(self, blocks: list[Any], spelling: JsonObject, role: str, place: int) -> None:
        """Read a user's message: results become a message of their own, which is joined with the rest again when it is written."""
        pointer = f"/messages/{place}/content"
        results = [(number, block) for number, block in enumerate(blocks) if isinstance(block, dict) and block.get("type") == "tool_result"]
        if results:
            read = [(result_part(block, self._names), number) for number, block in results]
            spellings = {part.call_id: about for (part, about), _ in read if about}
            shared: JsonObject = {name: spelling[name] for name in ("apart", "members") if name in spelling}
            if spellings:
                shared["results"] = spellings
            self._add(place, "tool", [part for (part, _), _ in read], shared)
            blocks = [block for block in blocks if not (isinstance(block, dict) and block.get("type") == "tool_result")]
            spelling = {}
            if not blocks:
                return
        parts = _read_blocks(blocks, spelling, pointer, answers=False)
        if role == "system":
            spelling["role"] = "system"
        self._add(place, role, parts, spelling, suffix="_rest" if results else "")

    def _add(self, place: int, role: Any, parts: list[Any], spelling: JsonObject, *, suffix: str = "") -> None:
        wire = {NAME: spelling} if spelling else {}
        self._messages.append(Message(message_id=f"msg_{place}{suffix}", role=role, parts=tuple(parts), wire=wire))


def _spelling(message: dict[str, Any], blocks: list[Any]) -> JsonObject:
    spelling: JsonObject = {}
    if isinstance(message.get("content"), list) and len(blocks) == 1 and isinstance(blocks[0], dict) and set(blocks[0]) == {"type", "text"}:
        spelling["content"] = "list"
    if members := {name: value for name, value in message.items() if name not in ("role", "content")}:
        spelling["members"] = members
    return spelling


def _joined(before: Message, parts: tuple[Part, ...], spelling: JsonObject) -> Message:
    """Return two assistant messages in a row as one: the API joins them too, and the results of both follow behind."""
    earlier: JsonObject = before.wire.get(NAME, {})
    at = len(before.parts)
    cut: JsonObject = {"at": at}
    cut |= {name: earlier[name] for name in ("content", "members") if name in earlier}
    moved = {str(int(number) + at): members for number, members in spelling.get("blocks", {}).items()}
    wire = {name: value for name, value in earlier.items() if name not in ("content", "members")}
    wire |= {"cuts": [*earlier.get("cuts", ()), cut], "blocks": {**earlier.get("blocks", {}), **moved}}
    wire |= {name: spelling[name] for name in ("content", "members") if name in spelling}
    return Message(message_id=before.message_id, role="assistant", parts=(*before.parts, *parts), wire={NAME: wire})


def _read_blocks(blocks: list[Any], spelling: JsonObject, pointer: str, *, answers: bool = True) -> list[Part]:
    """Return the parts of a content list; members of blocks that have no place in the neutral form go into the spelling.

    What only an assistant can say stays as it was where it is not in the assistant's `answers`.
    """
    parts: list[Part] = []
    members: JsonObject = {}
    for number, block in enumerate(blocks):
        where = f"{pointer}/{number}"
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            _refuse(where, "a block of the content has a `type`")
        part, more = _part(block, where) if answers else _given(block)
        if more:
            members[str(len(parts))] = more
        parts.append(part)
    if members:
        spelling["blocks"] = members
    return parts


def _part(block: dict[str, Any], pointer: str) -> tuple[Part, JsonObject]:
    match block:
        case {"type": "text", "text": str() as text, **more}:
            return TextPart(text=clean_text(text)), _named(more)
        case {"type": "thinking", "thinking": str() as text, "signature": str() as signature, **more}:
            return ReasoningPart(text=clean_text(text), signature=clean_text(signature)), _named(more)
        case {"type": "redacted_thinking", "data": str() as data, **more} if data:
            return ReasoningPart(redacted_data=clean_text(data)), _named(more)
        case {"type": "tool_use", "name": str() as name, **more}:
            return _call(name, more, pointer)
        case _:
            return _given(block)


def _given(block: dict[str, Any]) -> tuple[Part, JsonObject]:
    """Return what a person gives, or a block that only the provider understands."""
    return content_part(block) or (OpaquePart(dialect=NAME, provider="", item=block), {})


def _call(name: str, about: dict[Any, Any], pointer: str) -> tuple[Part, JsonObject]:
    given, call_id = about.get("input"), about.get("id")
    raw = given if isinstance(given, str) else "{}" if given is None else write_json(given).decode()
    more = {str(member): value for member, value in about.items() if member not in ("id", "input", *_OF_CALLS)}
    part = ToolCallPart(
        call_id=clean_text(call_id) if isinstance(call_id, str) and call_id else derived_id(pointer),
        name=clean_text(name),
        arguments_raw=escape_halves(raw),
        metadata={member: about[member] for member in _OF_CALLS if member in about},
    )
    return part, more


def _named(more: dict[Any, Any]) -> JsonObject:
    return {str(name): value for name, value in more.items()}



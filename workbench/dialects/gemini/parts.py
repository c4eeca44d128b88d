"""The parts of a Gemini content, read and written: text, thoughts, calls, pictures, and what only Gemini understands.

REST takes the names of members in camel case and in snake case; we write camel case.
"""

from __future__ import annotations

import re
from typing import Any, Final

from workbench.conversation.messages import DialectName, FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.argument_text import replay_text
from workbench.dialects.json_text import escape_halves, read_json, write_json

NAME: Final[DialectName] = "gemini"
NAME_PATTERN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
STAND_IN = "skip_thought_signature_validator"
"""What Gemini 3 takes in place of the signature of a call that another model made."""

_SIGNATURE = "thoughtSignature"
_CAPITAL = re.compile("[A-Z]")


def snake(name: str) -> str:
    """Return a member's name in snake case."""
    return _CAPITAL.sub(lambda match: f"_{match[0].lower()}", name)


def member(value: dict[str, Any], name: str) -> Any:
    """Return a member by its name in camel case, however it is spelled; None if it is not there."""
    return value.get(name, value.get(snake(name)))


def key_of(value: dict[str, Any], name: str) -> str:
    """Return how a member's name is spelled in an object."""
    other = snake(name)
    return other if name not in value and other in value else name


def read_part(raw: JsonObject, call_id: str) -> Part:
    """Return a part that is no result.

    Args:
        raw: the part.
        call_id: the id of the call that it may be, where it brings none of its own.
    """
    text, signature = raw.get("text"), member(raw, _SIGNATURE)
    mark = signature if isinstance(signature, str) else ""
    call = member(raw, "functionCall")
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        return _read_call(call, mark, call_id)
    if isinstance(text, str):
        if raw.get("thought") is True:
            return ReasoningPart(text=clean_text(text), signature=mark)
        return TextPart(text=clean_text(text), signature=mark)
    return _read_picture(raw) or OpaquePart(dialect=NAME, provider="", item=raw)


def write_part(part: Part, *, ours: bool) -> JsonObject | None:
    """Return a part as it is sent, calls and results apart; None for what is not sent.

    Args:
        part: a part of a message.
        ours: signatures and opaque items may go out, because this provider made them.
    """
    match part:
        case TextPart():
            written: JsonObject = {"text": clean_text(part.text)}
            signed = ours and bool(part.signature)
            return written | ({_SIGNATURE: part.signature} if signed else {}) if part.text or signed else None
        case ReasoningPart():
            return {"text": clean_text(part.text), "thought": True, _SIGNATURE: part.signature} if ours and part.signature else None
        case ImagePart(url=str() as url) if url:
            return {"fileData": {"fileUri": clean_text(url)} | ({"mimeType": part.media_type} if part.media_type else {})}
        case ImagePart() | FilePart():
            return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
        case OpaquePart():
            return dict(part.item) if ours and part.dialect == NAME else None
        case _:
            return None


def write_call(call: ToolCallPart, name: str, *, wire_id: str, signature: str) -> JsonObject:
    """Return the part that is a call; id and signature only where they are given."""
    function: JsonObject = {"id": wire_id} if wire_id else {}
    function |= {"name": name, "args": arguments_of(call)}
    return {"functionCall": function} | ({_SIGNATURE: signature} if signature else {})


def arguments_of(call: ToolCallPart) -> JsonObject:
    """Return the arguments as the object that Gemini wants; text that is none stands in one."""
    if call.kind == "custom":
        return {"input": clean_text(call.arguments_raw)}
    value = read_json(replay_text(call.arguments_raw))
    return value if isinstance(value, dict) else {}


def plain_name(name: str) -> str:
    """Return a name that Gemini takes, for one that it refuses; never empty."""
    plain = re.sub(r"[^a-zA-Z0-9_.:-]", "_", name)
    if plain and not re.match(r"[a-zA-Z_]", plain):
        plain = f"_{plain}"
    return plain[:64] or "unknown"


def _read_call(call: JsonObject, signature: str, call_id: str) -> ToolCallPart:
    wire_id, args = call.get("id"), call.get("args")
    given = clean_text(wire_id) if isinstance(wire_id, str) else ""
    marks = {"id": given, _SIGNATURE: signature}
    return ToolCallPart(
        call_id=given or call_id,
        name=clean_text(call["name"]),
        arguments_raw="{}" if args is None else args if isinstance(args, str) else escape_halves(write_json(args).decode()),
        metadata={name: value for name, value in marks.items() if value},
    )


def _read_picture(raw: JsonObject) -> Part | None:
    inline, file = member(raw, "inlineData"), member(raw, "fileData")
    if isinstance(inline, dict):
        media_type, data = member(inline, "mimeType"), inline.get("data")
        if isinstance(media_type, str) and isinstance(data, str):
            kind = ImagePart if media_type.startswith("image/") else FilePart
            return kind(media_type=clean_text(media_type), data=clean_text(data))
    if isinstance(file, dict):
        media_type, uri = member(file, "mimeType") or "", member(file, "fileUri")
        if isinstance(uri, str) and uri and isinstance(media_type, str) and (not media_type or media_type.startswith("image/")):
            return ImagePart(media_type=clean_text(media_type), url=clean_text(uri))
    return None

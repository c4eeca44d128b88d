"""Whole responses of Anthropic Messages, read and written."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.conversation.messages import Message, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.answer import AnswerReader
from workbench.dialects.anthropic.finish import finish_word
from workbench.dialects.anthropic.names import NAME
from workbench.dialects.anthropic.usage import write_usage
from workbench.dialects.argument_text import replay_text
from workbench.dialects.base import NORM, DecodedResponse, Quirks
from workbench.dialects.decoding import decode_body
from workbench.dialects.json_text import read_json, write_json


def decode_response(body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
    """Return the neutral form of a whole response body; one that is a stream after all is read as a stream.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    return decode_body(body, lambda: AnswerReader(quirks), status=status)


def encode_response(message: Message, *, response_id: str, model: str, created: int) -> bytes:
    """Return a whole response body as a server would send it; `created` has no place in it."""
    del created
    return write_json(
        {
            "id": response_id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": answer_blocks(message.parts),
            "stop_reason": finish_word(message.finish_reason, message.finish_raw),
            "stop_sequence": None,
            "usage": write_usage(message.usage),
        }
    )


def answer_blocks(parts: Iterable[Part]) -> list[JsonObject]:
    """Return the content of an answer, block for part, in order."""
    blocks: list[JsonObject] = []
    for part in parts:
        match part:
            case TextPart():
                blocks.append({"type": "text", "text": clean_text(part.text)})
            case ReasoningPart():
                blocks.append(thinking_block(part))
            case ToolCallPart():
                blocks.append({"type": "tool_use", "id": part.call_id, "name": part.name, "input": input_of(part), **own_members(part)})
            case OpaquePart():
                add_opaque(part, blocks)
            case _:
                pass
    return blocks


def thinking_block(part: ReasoningPart) -> JsonObject:
    """Return reasoning as a block, byte for byte."""
    if part.redacted_data:
        return {"type": "redacted_thinking", "data": part.redacted_data}
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}


def input_of(call: ToolCallPart) -> JsonObject:
    """Return a call's arguments as the object that must stand there; what is no object is wrapped into one."""
    if call.kind == "custom":
        return {"input": clean_text(call.arguments_raw)}
    value = read_json(replay_text(call.arguments_raw))
    return value if isinstance(value, dict) else {}


def own_members(call: ToolCallPart) -> JsonObject:
    """Return what the provider itself wants back of a call."""
    return {name: call.metadata[name] for name in ("caller", "toolset_name") if name in call.metadata}


def add_opaque(part: OpaquePart, blocks: list[JsonObject]) -> None:
    """Add a block that only the provider understands; an item without a type is members of the text before it (citations)."""
    if part.dialect != NAME:
        return
    if "type" in part.item:
        blocks.append(dict(part.item))
    elif blocks and blocks[-1].get("type") == "text":
        blocks[-1] = {**blocks[-1], **part.item}

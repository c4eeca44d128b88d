"""Whole responses of Gemini, read and written."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.conversation.messages import Message, Part, ReasoningPart, ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, DecodedResponse, Quirks
from workbench.dialects.decoding import decode_body
from workbench.dialects.gemini.answer import AnswerReader
from workbench.dialects.gemini.finish import finish_word
from workbench.dialects.gemini.parts import write_call, write_part
from workbench.dialects.gemini.usage import write_usage
from workbench.dialects.json_text import write_json


def decode_response(body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
    """Return the neutral form of a whole response body; one that is a stream after all is read as a stream.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    return decode_body(body, lambda: AnswerReader(quirks), status=status)


def encode_response(message: Message, *, response_id: str, model: str) -> bytes:
    """Return a whole response body as a server would send it. Calls bring their ids, as those of Gemini 3 do."""
    parts = list(_parts(message))
    content: JsonObject = {"role": "model", "parts": parts} if parts else {"role": "model"}
    candidate: JsonObject = {"content": content, "index": 0}
    if word := finish_word(message.finish_reason, message.finish_raw):
        candidate["finishReason"] = word
    body: JsonObject = {"candidates": [candidate], "modelVersion": model, "responseId": response_id}
    if message.usage is not None:
        body["usageMetadata"] = write_usage(message.usage)
    return write_json(body)


def thought_part(text: str, signature: str) -> JsonObject:
    """Return a part of an answer that is reasoning."""
    return {"text": text, "thought": True} | ({"thoughtSignature": signature} if signature else {})


def call_part(call: ToolCallPart) -> JsonObject:
    """Return a part of an answer that is a call."""
    wire_id, signature = (call.metadata.get(name) for name in ("id", "thoughtSignature"))
    return write_call(call, call.name, wire_id=str(wire_id or call.wire_id or call.call_id), signature=str(signature or ""))


def _parts(message: Message) -> Iterator[JsonObject]:
    for part in message.parts:
        if written := _part(part):
            yield written


def _part(part: Part) -> JsonObject | None:
    match part:
        case ReasoningPart():
            return thought_part(part.text, part.signature) if part.text or part.signature else None
        case ToolCallPart():
            return call_part(part)
        case _:
            return write_part(part, ours=True)

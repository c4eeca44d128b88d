"""Whole responses of Chat Completions, read and written."""

from __future__ import annotations

from workbench.conversation.messages import Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, DecodedResponse, Quirks
from workbench.dialects.chat_completions.answer import AnswerReader
from workbench.dialects.chat_completions.finish import finish_word
from workbench.dialects.chat_completions.usage import write_usage
from workbench.dialects.decoding import decode_body
from workbench.dialects.json_text import write_json
from workbench.dialects.think_tags import CLOSE, OPEN

_CALL_MEMBERS = ("id", "type", "function", "custom")


def decode_response(body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
    """Return the neutral form of a whole response body; one that is a stream after all is read as a stream.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    return decode_body(body, lambda: AnswerReader(quirks), status=status)


def encode_response(message: Message, *, response_id: str, model: str, created: int) -> bytes:
    """Return a whole response body as a server would send it."""
    body: JsonObject = {
        "id": response_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [
            {"index": 0, "message": answer_object(message), "logprobs": None, "finish_reason": finish_word(message.finish_reason, message.finish_raw)}
        ],
    }
    if message.usage is not None:
        body["usage"] = write_usage(message.usage)
    return write_json(body)


def answer_object(message: Message) -> JsonObject:
    """Return the `message` object of an answer: reasoning in the field it came in, text, calls."""
    text = "".join(part.text if isinstance(part, TextPart) else tagged(part) for part in message.parts if isinstance(part, TextPart | ReasoningPart))
    refused = message.finish_reason == "refusal"
    written: JsonObject = {"role": "assistant", "content": None if refused or not text else text}
    if refused:
        written["refusal"] = text
    chunks = [part for part in message.parts if isinstance(part, ReasoningPart) and part.field == "thinking_content"]
    if chunks:
        written["content"] = [*map(thinking_chunk, chunks), *([{"type": "text", "text": text}] if text else [])]
    for part in message.parts:
        if isinstance(part, ReasoningPart) and part.field not in ("think_tag", "thinking_content"):
            add_reasoning(written, part)
    if calls := message.calls():
        written["tool_calls"] = [call_object(call, call.arguments_raw) for call in calls]
    return written | opaque_members(message)


def opaque_members(message: Message) -> JsonObject:
    """Return what only the provider understands and wants back beside the content (Gemini's signatures): items that are no content part."""
    items = [part.item for part in message.parts if isinstance(part, OpaquePart) and part.dialect == "chat_completions" and "type" not in part.item]
    return {name: value for item in items for name, value in item.items()}


def tagged(part: ReasoningPart) -> str:
    """Return reasoning as it stands in the text of models that write tags; empty for all other reasoning."""
    return f"{OPEN}{part.text}{CLOSE}" if part.field == "think_tag" else ""


def thinking_chunk(part: ReasoningPart) -> JsonObject:
    """Return reasoning as Mistral's content chunk."""
    return {"type": "thinking", "thinking": [{"type": "text", "text": part.text}], "closed": True}


def add_reasoning(written: JsonObject, part: ReasoningPart) -> None:
    """Put reasoning into the message member it came in; several parts of one message are joined."""
    name = "reasoning" if part.field == "reasoning" else "reasoning_content"
    if part.text or name in written:
        written[name] = written.get(name, "") + part.text
    if part.details:
        written["reasoning_details"] = [*written.get("reasoning_details", ()), *part.details]


def call_object(call: ToolCallPart, arguments: str) -> JsonObject:
    """Return a call as it stands in `tool_calls`, with the provider's own members."""
    more = {name: value for name, value in call.metadata.items() if name not in _CALL_MEMBERS}
    if call.kind == "custom":
        return {"id": call.call_id, "type": "custom", "custom": {"name": call.name, "input": arguments}, **more}
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}, **more}

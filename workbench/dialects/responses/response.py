"""Whole responses of the Responses dialect, read and written."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.conversation.messages import Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, DecodedResponse, Quirks
from workbench.dialects.decoding import decode_body
from workbench.dialects.json_text import write_json
from workbench.dialects.responses.answer import AnswerReader
from workbench.dialects.responses.finish import status_of
from workbench.dialects.responses.items import call_item, reasoning_item, said_item
from workbench.dialects.responses.usage import write_usage


def decode_response(body: bytes, *, status: int = 200, quirks: Quirks = NORM) -> DecodedResponse:
    """Return the neutral form of a whole response body; one that is a stream after all is read as a stream.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    return decode_body(body, lambda: AnswerReader(quirks), status=status)


def encode_response(message: Message, *, response_id: str, model: str, created: int) -> bytes:
    """Return a whole response body as a server would send it."""
    status, details = status_of(message.finish_reason, message.finish_raw)
    body = response_object(response_id, model, created) | {
        "status": status,
        "incomplete_details": details,
        "output": list(output_items(message, response_id)),
        "usage": usage_object(message.usage),
    }
    if status == "failed":
        body["error"] = {"code": "server_error", "message": "The response failed."}
    return write_json(body)


def response_object(response_id: str, model: str, created: int) -> JsonObject:
    """Return a response that has just begun, with every member that the official package's type demands."""
    return {
        "id": response_id,
        "object": "response",
        "created_at": created,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "model": model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "metadata": {},
    }


def output_items(message: Message, seed: str) -> Iterator[JsonObject]:
    """Yield the items of an answer in order; their ids are made of `seed` and their place."""
    refusal = message.finish_reason == "refusal"
    status = "incomplete" if message.finish_reason in ("length", "content_filter", None, "incomplete") else "completed"
    for place, part in enumerate(message.parts):
        match part:
            case TextPart():
                yield whole_item(said_item(part), item_id("msg", seed, place), status, refusal=refusal)
            case ReasoningPart():
                yield whole_item(reasoning_item(part), item_id("rs", seed, place))
            case ToolCallPart():
                yield whole_item(call_item(part, part.arguments_raw), item_id("fc", seed, place), "completed" if part.status == "complete" else status)
            case OpaquePart(dialect="responses"):
                yield part.item
            case _:
                pass


def whole_item(item: JsonObject, new_id: str, status: str = "", *, refusal: bool = False) -> JsonObject:
    """Return an item as a server sends it: with id and status, and a text as a part of content."""
    if item.get("role") == "assistant":
        text = item["content"]
        part = {"type": "refusal", "refusal": text} if refusal else {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        item = {"type": "message", **item, "content": [part]}
    return {"id": new_id, **item} | ({"status": status} if status else {})


def item_id(prefix: str, seed: str, place: int) -> str:
    """Return the id of an item: the same for the same response and place."""
    return f"{prefix}_{seed}_{place}"


def usage_object(usage: Usage | None) -> JsonObject | None:
    """Return the `usage` member; null where nothing is known."""
    return None if usage is None else write_usage(usage)


"""A second, naive reading of well-formed Anthropic answers, to hold against the decoder: no repairs, no states, just the members."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Naive(NamedTuple):
    """What an answer says: its blocks in order, why it ended, and its last token counts."""

    blocks: list[dict[str, Any]]
    stop: str
    usage: dict[str, Any]


def read_naively(body: bytes) -> Naive:
    """Return what a body or a stream says."""
    if body.lstrip()[:1] == b"{":
        value = json.loads(body)
        return Naive(value["content"], value["stop_reason"], value["usage"])
    lines = [line[5:] for line in body.decode().replace("\r\n", "\n").split("\n") if line.startswith("data:")]
    events = [json.loads(line) for line in lines if line.strip() != "[DONE]"]
    blocks: dict[int, dict[str, Any]] = {}
    stop = ""
    usage: dict[str, Any] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                usage = usage | event["message"]["usage"]
            case "content_block_start":
                blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                _add(blocks[event["index"]], event["delta"])
            case "message_delta":
                stop = event["delta"].get("stop_reason") or stop
                usage = usage | event.get("usage", {})
            case _:
                pass
    for block in blocks.values():
        if "json" in block:
            block["input"] = json.loads(block.pop("json") or "{}")
    return Naive(list(blocks.values()), stop, usage)


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] += delta["signature"]
        case "input_json_delta":
            block["json"] = block.get("json", "") + delta["partial_json"]
        case _:
            pass

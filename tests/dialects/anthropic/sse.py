"""Short ways to write the events of an Anthropic stream in a test."""

from __future__ import annotations

import json
from typing import Any


def event(kind: str, **members: Any) -> bytes:
    """Return one event."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()


def start(response_id: str = "msg_1", **usage: Any) -> bytes:
    """Return the start of a message."""
    about: dict[str, Any] = {"id": response_id, "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None}
    return event("message_start", message={**about, "usage": usage or {"input_tokens": 5, "output_tokens": 1}})


def begin(index: int, **block: Any) -> bytes:
    """Return the start of a block."""
    return event("content_block_start", index=index, content_block=block)


def delta(index: int, kind: str, **members: Any) -> bytes:
    """Return more of a block."""
    return event("content_block_delta", index=index, delta={"type": f"{kind}_delta", **members})


def stop(index: int) -> bytes:
    """Return the end of a block."""
    return event("content_block_stop", index=index)


def call(index: int, call_id: str, *pieces: str, name: str = "read", **more: Any) -> bytes:
    """Return a whole call whose arguments come in pieces."""
    begun = begin(index, type="tool_use", id=call_id, name=name, input={}, **more)
    return begun + b"".join(delta(index, "input_json", partial_json=piece) for piece in pieces) + stop(index)


def say(index: int, *words: str) -> bytes:
    """Return a whole text block."""
    return begin(index, type="text", text="") + b"".join(delta(index, "text", text=word) for word in words) + stop(index)


def end(reason: str | None = "end_turn", **members: Any) -> bytes:
    """Return the end of a message."""
    return event("message_delta", **{"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 9}, **members}) + event("message_stop")

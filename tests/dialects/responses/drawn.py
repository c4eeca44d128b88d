"""Strategies that draw what the Responses dialect can carry: requests, answers, and streams gone wrong."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import ARGUMENTS, NAMES, ODD, USAGES, WORDS
from tests.dialects.chat_completions.drawn import requests as chat_requests
from workbench.conversation.messages import Message, ModelRequest, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart

PHASES = st.sampled_from(["", "commentary", "final"])
SUMMARIES = st.lists(WORDS, min_size=1, max_size=2).map(lambda texts: ReasoningPart(summary=tuple(texts), text="\n\n".join(texts), encrypted="E", item_id="rs"))
THOUGHTS = SUMMARIES | WORDS.map(lambda text: ReasoningPart(text=text, item_id="rs"))
TEXTS = st.builds(TextPart, text=WORDS, phase=PHASES)
CALLS = st.builds(ToolCallPart, call_id=st.just(""), name=NAMES, arguments_raw=ARGUMENTS) | st.builds(
    ToolCallPart, call_id=st.just(""), name=NAMES, arguments_raw=WORDS, kind=st.just("custom")
)
OPAQUE = WORDS.map(lambda text: OpaquePart(dialect="responses", provider="", item=_search(text)))


def _search(text: str) -> dict[str, Any]:
    return {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": text}}


@st.composite
def answers(draw: st.DrawFn) -> Message:
    """Draw an answer: reasoning, texts, calls and items of others in any order; no two texts that could be one."""
    parts: list[Part] = []
    for part in draw(st.lists(THOUGHTS | TEXTS | CALLS | OPAQUE, min_size=1, max_size=6)):
        if not (parts and isinstance(part, TextPart) and isinstance(parts[-1], TextPart) and part.phase == parts[-1].phase):
            parts.append(_numbered(part, len(parts)))
    calls = any(isinstance(part, ToolCallPart) for part in parts)
    reason: Any = "tool_use" if calls else draw(st.sampled_from(["end", "length", "content_filter"]))
    words = {"length": "max_output_tokens", "content_filter": "content_filter"}
    usage = draw(st.none() | USAGES)
    usage = usage and replace(
        usage, reasoning_tokens=usage.reasoning_tokens or 0, cached_tokens=usage.cached_tokens or 0, cache_write_tokens=usage.cache_write_tokens or 0
    )
    return Message(message_id="", role="assistant", parts=tuple(parts), finish_reason=reason, finish_raw=words.get(reason, "completed"), usage=usage)


def _numbered(part: Part, place: int) -> Part:
    """Return a part with an id of its own, as servers give them."""
    match part:
        case ToolCallPart():
            return replace(part, call_id=f"call_{place}")
        case OpaquePart():
            return replace(part, item={**part.item, "id": f"ws_{place}"})
        case _:
            return part


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """Draw a request: what chat can carry, without reasoning (that of chat never comes here) and stop words."""
    request = draw(chat_requests())
    messages = tuple(
        replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ReasoningPart))) for message in request.messages
    )
    return replace(request, messages=messages, options=replace(request.options, stop=()))


_KINDS = [
    "response.created", "response.completed", "response.incomplete", "response.failed", "response.output_item.added", "response.output_item.done",
    "response.output_text.delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta", "response.function_call_arguments.delta",
    "response.function_call_arguments.done", "response.apply_patch_call_operation_diff.delta", "response.refusal.delta", "error",
]  # fmt: skip
_ITEMS = ["message", "reasoning", "function_call", "custom_tool_call", "apply_patch_call", "shell_call", "web_search_call"]
_INDEXES = st.sampled_from([0, 0, 1, 2]) | ODD
_ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(_ITEMS) | ODD},
    optional=dict.fromkeys(("content", "summary", "call_id", "name", "arguments", "operation", "encrypted_content", "status", "id", "phase"), ODD | WORDS),
)
_OUTPUT = st.lists(_ITEM | ODD, max_size=3) | ODD
_RESPONSE = st.fixed_dictionaries({}, optional={"output": _OUTPUT, "status": ODD | st.just("completed"), "usage": ODD, "error": ODD})
EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(_KINDS)},
    optional={"output_index": _INDEXES, "item": _ITEM | ODD, "delta": ODD | WORDS, "content_index": ODD, "summary_index": ODD, "response": _RESPONSE | ODD},
)


@st.composite
def odd_streams(draw: st.DrawFn) -> bytes:
    """Draw a stream of events that may be anything."""
    events = draw(st.lists(EVENTS | ODD, max_size=8))
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()

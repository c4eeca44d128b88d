"""Strategies that draw what Chat Completions can carry: requests, answers, and streams gone wrong."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.test_json_text import VALUES
from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    Usage,
)

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
NAMES = st.text(st.sampled_from("abcXYZ019_-"), min_size=1, max_size=12)
OBJECTS = st.dictionaries(WORDS, VALUES, max_size=3)
ARGUMENTS = OBJECTS.map(lambda value: json.dumps(value, ensure_ascii=False))
TEXTS = WORDS.map(lambda text: TextPart(text=text))
IMAGES = st.builds(ImagePart, media_type=st.just("image/png"), data=st.just("iVBO")) | st.builds(
    ImagePart, media_type=st.just(""), url=st.just("https://example.org/a.png")
)
FILES = st.builds(FilePart, media_type=st.just("application/pdf"), data=st.just("JVBE"), name=NAMES)
FIELDS = st.sampled_from(["reasoning_content", "reasoning", "think_tag", "thinking_content"])


def plain(role: Any, *parts: Part) -> Message:
    return Message(message_id="", role=role, parts=parts)


USERS = st.lists(TEXTS | IMAGES | FILES, min_size=1, max_size=3).map(lambda parts: plain("user", *parts))
SYSTEMS = TEXTS.map(lambda part: plain("system", part))
SAYINGS = TEXTS.map(lambda part: plain("assistant", part))


@st.composite
def turns_with_calls(draw: st.DrawFn) -> list[Message]:
    """Draw an assistant's turn with calls, and their results; ids are made unique later."""
    texts = draw(st.lists(TEXTS, max_size=1))
    calls = draw(st.lists(st.builds(ToolCallPart, call_id=st.just(""), name=NAMES, arguments_raw=ARGUMENTS), min_size=1, max_size=3))
    thoughts = draw(st.lists(st.builds(ReasoningPart, text=WORDS, field=st.sampled_from(["reasoning_content", "reasoning"])), max_size=1))
    answers = draw(st.lists(WORDS, min_size=len(calls), max_size=len(calls)))
    results = [ToolResultPart(call_id="", name=call.name, content=(TextPart(text=text),)) for call, text in zip(calls, answers, strict=True)]
    return [plain("assistant", *thoughts, *texts, *calls), plain("tool", *results)]


CONVERSATIONS = st.lists((USERS | SYSTEMS | SAYINGS).map(lambda message: [message]) | turns_with_calls(), max_size=5)
SCHEMAS = st.just({"type": "object", "properties": {}, "additionalProperties": False})
TOOLS = st.builds(ToolDefinition, name=NAMES, description=st.text(max_size=5), input_schema=SCHEMAS, strict=st.booleans())


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """Draw a request that chat can carry: one system text, calls with their results, settings of the right types."""
    tools = draw(st.lists(TOOLS, max_size=2, unique_by=lambda tool: tool.name))
    options = RequestOptions(
        model=draw(NAMES),
        stream=draw(st.booleans()),
        max_output_tokens=draw(st.none() | st.integers(1, 10**6)),
        temperature=draw(st.none() | st.floats(0, 2)),
        reasoning_effort=draw(st.none() | st.sampled_from(["low", "high"])),
        tool_choice=draw(st.sampled_from([None, "auto", "required", tools[0].name])) if tools else None,
        parallel_tool_calls=draw(st.none() | st.booleans()) if tools else None,
        stop=tuple(draw(st.lists(WORDS, max_size=2))),
        extra=draw(st.dictionaries(NAMES.map(lambda name: f"x_{name}"), VALUES, max_size=2)),
    )
    messages = [draw(USERS), *(message for group in draw(CONVERSATIONS) for message in group)]
    return ModelRequest(system=tuple(draw(st.lists(WORDS, max_size=1))), tools=tuple(tools), messages=numbered(messages), options=options)


def numbered(messages: list[Message]) -> tuple[Message, ...]:
    """Return the messages with message and call ids by their place, as parsing gives them."""
    made: list[Message] = []
    for place, message in enumerate(messages):
        source = place if message.role == "assistant" else place - 1
        ids = iter(range(len(message.parts)))
        parts = [replace(part, call_id=f"call_{source}_{next(ids)}") if isinstance(part, ToolCallPart | ToolResultPart) else part for part in message.parts]
        made.append(replace(message, message_id="", parts=tuple(parts)))
    return tuple(made)


USAGES = st.builds(
    Usage,
    input_tokens=st.integers(1000, 2000),
    output_tokens=st.integers(100, 200),
    reasoning_tokens=st.none() | st.integers(0, 50),
    cached_tokens=st.none() | st.integers(0, 1000),
    cache_write_tokens=st.none() | st.integers(0, 9),
)


@st.composite
def answers(draw: st.DrawFn) -> Message:
    """Draw an answer in the order that chat keeps: reasoning, text, calls."""
    field = draw(FIELDS)
    details = tuple(draw(st.lists(st.fixed_dictionaries({"type": st.just("reasoning.encrypted"), "data": WORDS}), max_size=2))) if field == "reasoning" else ()
    thoughts = draw(st.lists(st.builds(ReasoningPart, text=WORDS, field=st.just(field), details=st.just(details)), max_size=1))
    texts = draw(st.lists(TEXTS, max_size=1))
    calls = draw(st.lists(st.builds(ToolCallPart, call_id=NAMES, name=NAMES, arguments_raw=ARGUMENTS), max_size=3, unique_by=lambda call: call.call_id))
    reason = "tool_use" if calls else draw(st.sampled_from(["end", "length", "content_filter"]))
    return Message(
        message_id="", role="assistant", parts=(*thoughts, *texts, *calls), finish_reason=reason, usage=draw(st.none() | USAGES)  # type: ignore[arg-type]
    )


_PARTS = ["content", "reasoning_content", "reasoning", "reasoning_details", "refusal", "tool_calls", "function_call", "extra_content"]
_MEMBERS = [*_PARTS, "choices", "index", "delta", "message", "finish_reason", "usage", "error", "id", "model", "x_groq", "code", "type", "text"]
_MORE = ["function", "custom", "name", "arguments", "input"]
_WORDS = ["", "stop", "tool_calls", "length", "{}", '{"a":1}', "<think>", "\ud83d", "\ude00", "x"]
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_MEMBERS + _MORE), inner, max_size=4),
    max_leaves=12,
)
_CHOICES = st.fixed_dictionaries(
    {
        "index": st.sampled_from([0, 0, 0, 1, None, "0"]),
        "delta": st.dictionaries(st.sampled_from(_PARTS), ODD, max_size=3),
        "finish_reason": st.sampled_from([None, None, "stop", "length", 3]),
    }
)
_LINES = st.sampled_from([": comment", "event: error", "data: [DONE]", "data: {", "error: {}", "id: 3", "nonsense"])
_ENDS = st.sampled_from([b"\n\n", b"\r\n\r\n", b"\n", b"\r\r"])


@st.composite
def odd_streams(draw: st.DrawFn) -> bytes:
    """Draw a stream whose chunks have the right members with the wrong values, among bytes that are no chunks at all."""
    chunks = _CHOICES.map(lambda choice: {"choices": [choice]}) | ODD
    lines = chunks.map(lambda chunk: f"data: {json.dumps(chunk)}") | _LINES
    return b"".join(draw(lines).encode() + draw(_ENDS) for _ in range(draw(st.integers(0, 6))))

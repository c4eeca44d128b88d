"""Strategies that draw what Anthropic Messages can carry: requests, answers, and streams gone wrong."""

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
    OpaquePart,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    Usage,
)

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).map(lambda text: f"w{text}w")
NAMES = st.text(st.sampled_from("abcXYZ019_-"), min_size=1, max_size=12)
ARGUMENTS = st.dictionaries(WORDS, VALUES, max_size=3).map(lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")))
TEXTS = WORDS.map(lambda text: TextPart(text=text))
IMAGES = st.builds(ImagePart, media_type=st.just("image/png"), data=st.just("iVBO")) | st.builds(
    ImagePart, media_type=st.just(""), url=st.just("https://example.org/a.png")
)
FILES = st.builds(FilePart, media_type=st.sampled_from(["application/pdf", "text/plain"]), data=st.just("JVBE"), name=NAMES)
THOUGHTS = st.builds(ReasoningPart, text=st.just("") | WORDS, signature=NAMES) | st.builds(ReasoningPart, redacted_data=NAMES)


def plain(role: Any, *parts: Part) -> Message:
    return Message(message_id="", role=role, parts=parts)


USERS = st.lists(TEXTS | IMAGES | FILES, min_size=1, max_size=3).map(lambda parts: plain("user", *parts))
SAYINGS = st.lists(THOUGHTS | TEXTS, min_size=1, max_size=3).map(lambda parts: plain("assistant", *parts, TextPart(text="said")))
CALLS = st.builds(ToolCallPart, call_id=st.just(""), name=NAMES, arguments_raw=ARGUMENTS)


@st.composite
def turns_with_calls(draw: st.DrawFn) -> list[Message]:
    """Draw an assistant's turn with calls among texts and thinking, and their results; ids are made unique later."""
    parts = [*draw(st.lists(THOUGHTS | TEXTS | CALLS, max_size=4)), draw(CALLS)]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    contents = draw(st.lists(st.lists(TEXTS | IMAGES, min_size=1, max_size=2), min_size=len(calls), max_size=len(calls)))
    results = [
        ToolResultPart(call_id="", name=call.name, content=tuple(content), is_error=draw(st.booleans())) for call, content in zip(calls, contents, strict=True)
    ]
    return [plain("assistant", *parts), plain("tool", *results)]


SCHEMAS = st.just({"type": "object", "properties": {}, "additionalProperties": False})
TOOLS = st.builds(ToolDefinition, name=NAMES, description=st.text(max_size=5), input_schema=SCHEMAS, strict=st.booleans())


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """Draw a request that this dialect can carry, the roles of its messages taking turns."""
    tools = draw(st.lists(TOOLS, max_size=2, unique_by=lambda tool: tool.name))
    choice = draw(st.sampled_from(["auto", "required", f"{tools[0].name}_"])) if tools else None
    if choice and choice.endswith("_"):
        choice = tools[0].name
    options = RequestOptions(
        model=draw(NAMES),
        stream=draw(st.booleans()),
        max_output_tokens=draw(st.integers(1, 10**6)),
        temperature=draw(st.none() | st.floats(0, 1)),
        reasoning_effort=draw(st.none() | st.sampled_from(["low", "high"])),
        tool_choice=choice,
        parallel_tool_calls=draw(st.none() | st.booleans()) if choice else None,
        stop=tuple(draw(st.lists(WORDS, max_size=2))),
        extra=draw(st.just({}) | st.just({"top_k": 4, "metadata": {"user_id": "u"}})),
    )
    messages: list[Message] = [draw(USERS)]
    for group in draw(st.lists(SAYINGS.map(lambda said: [said]) | turns_with_calls(), max_size=4)):
        messages += group if group[-1].role == "tool" else [*group, draw(USERS)]
    return ModelRequest(system=tuple(draw(st.lists(WORDS, max_size=2))), tools=tuple(tools), messages=numbered(messages), options=options)


def numbered(messages: list[Message]) -> tuple[Message, ...]:
    """Return the messages with call ids by their place; results take those of the turn before."""
    made: list[Message] = []
    for place, message in enumerate(messages):
        source = place if message.role == "assistant" else place - 1
        ids = iter(range(len(message.parts)))
        parts = [replace(part, call_id=f"call_{source}_{next(ids)}") if isinstance(part, ToolCallPart | ToolResultPart) else part for part in message.parts]
        made.append(replace(message, parts=tuple(parts)))
    return tuple(made)


USAGES = st.builds(
    Usage,
    input_tokens=st.integers(2000, 3000),
    output_tokens=st.integers(100, 200),
    reasoning_tokens=st.none() | st.integers(1, 50),
    cached_tokens=st.integers(1, 900),
    cache_write_tokens=st.integers(1, 900),
)
SEARCHES = st.just(
    (
        OpaquePart(dialect="anthropic", provider="", item={"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}),
        OpaquePart(dialect="anthropic", provider="", item={"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}),
    )
)


@st.composite
def answers(draw: st.DrawFn) -> Message:
    """Draw an answer: blocks of all kinds, calls last."""
    blocks = draw(st.lists(THOUGHTS | TEXTS, max_size=4))
    searches = draw(st.just(()) | SEARCHES)
    calls = draw(
        st.lists(st.builds(ToolCallPart, call_id=NAMES, name=NAMES, arguments_raw=ARGUMENTS), max_size=3, unique_by=lambda call: call.call_id)
    )
    reason = "tool_use" if calls else draw(st.sampled_from(["end", "length", "stop_sequence", "refusal", "pause"]))
    return Message(message_id="", role="assistant", parts=(*blocks, *searches, *calls), finish_reason=reason, usage=draw(USAGES))  # type: ignore[arg-type]


_TYPES = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping", "message", "error"]
_BLOCKS = ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "web_search_tool_result"]
_DELTAS = ["text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta", "compaction_delta"]
_MEMBERS = ["message", "content_block", "delta", "usage", "error", "id", "model", "content", "stop_reason", "stop_details", "explanation", "input_tokens"]
_MORE = ["text", "thinking", "signature", "partial_json", "input", "name", "data", "citation", "citations", "caller", "output_tokens", "tool_use_id"]
_WORDS = ["", "end_turn", "tool_use", "{}", '{"a":1}', '{"a', "\ud83d", "\ude00", "x"]
_LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from(_WORDS)
ODD = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(_MEMBERS + _MORE), inner, max_size=4)
    | st.tuples(st.sampled_from(_BLOCKS + _DELTAS), st.dictionaries(st.sampled_from(_MORE), inner, max_size=3)).map(lambda both: {"type": both[0], **both[1]}),
    max_leaves=12,
)
_EVENTS = st.tuples(
    st.sampled_from(_TYPES), st.sampled_from([0, 0, 1, None, "0", True]), st.dictionaries(st.sampled_from(_MEMBERS[:5]), ODD, max_size=3)
).map(lambda event: {"type": event[0], "index": event[1], **event[2]})
_LINES = st.sampled_from([": comment", "event: error", "event: message_stop", "data: [DONE]", "data: {", "error: {}", "id: 3", "nonsense"])
_ENDS = st.sampled_from([b"\n\n", b"\r\n\r\n", b"\n", b"\r\r"])


@st.composite
def odd_streams(draw: st.DrawFn) -> bytes:
    """Draw a stream whose events have the right members with the wrong values, among bytes that are no events at all."""
    lines = (_EVENTS | ODD).map(lambda event: f"data: {json.dumps(event)}") | _LINES
    return b"".join(draw(lines).encode() + draw(_ENDS) for _ in range(draw(st.integers(0, 7))))

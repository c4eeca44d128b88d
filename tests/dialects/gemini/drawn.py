"""Strategies that draw what Gemini can carry: requests, answers, and streams gone wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects.json_text import write_json

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,11}", fullmatch=True)
OBJECTS = st.dictionaries(WORDS, VALUES, max_size=3)
ARGUMENTS = OBJECTS.map(lambda value: write_json(value).decode())
SIGNATURES = st.sampled_from(["", "", "CiQB+/8=", "c2ln"])
TEXTS = st.builds(TextPart, text=WORDS)
SIGNED = st.builds(TextPart, text=WORDS, signature=st.sampled_from(["CiQB", "c2ln"]))
IMAGES = st.builds(ImagePart, media_type=st.just("image/png"), data=st.just("iVBO")) | st.builds(
    ImagePart, media_type=st.sampled_from(["", "image/png"]), url=st.just("https://example.org/a.png")
)
FILES = st.builds(FilePart, media_type=st.just("application/pdf"), data=st.just("JVBE"))
CODE = st.just(OpaquePart(dialect="gemini", provider="", item={"executableCode": {"language": "PYTHON", "code": "1"}}))


def plain(role: Any, *parts: Part) -> Message:
    return Message(message_id="", role=role, parts=parts)


def calls_of(size: int) -> st.SearchStrategy[list[ToolCallPart]]:
    return st.lists(st.builds(_call, NAMES, ARGUMENTS, SIGNATURES, st.booleans()), min_size=size, max_size=3)


def _call(name: str, arguments: str, signature: str, given: bool) -> ToolCallPart:
    return ToolCallPart(call_id="id" if given else "", name=name, arguments_raw=arguments, metadata={"thoughtSignature": signature} if signature else {})


USERS = st.lists(TEXTS | IMAGES | FILES, min_size=1, max_size=3).map(lambda parts: plain("user", *parts))
SAYINGS = (TEXTS | SIGNED | CODE).map(lambda part: plain("assistant", part))


@st.composite
def turns_with_calls(draw: st.DrawFn) -> list[Message]:
    """Draw a model's turn with calls, and their results; ids are made unique later."""
    before = draw(st.lists(TEXTS | SIGNED | st.builds(ReasoningPart, text=WORDS, signature=st.just("c2ln")), max_size=2))
    calls = draw(calls_of(1))
    results = [
        ToolResultPart(call_id="", name=call.name, content=(TextPart(text=draw(WORDS)),), is_error=draw(st.booleans())) for call in calls
    ]
    return [plain("assistant", *before, *calls), plain("tool", *results)]


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """Draw a request that Gemini can carry: it starts with a user, a turn with calls follows a user's turn."""
    tools = draw(st.lists(st.builds(ToolDefinition, name=NAMES, description=st.text(max_size=5), input_schema=st.just(_SCHEMA)), max_size=2, unique_by=_name))
    options = RequestOptions(
        model="",
        stream=False,
        max_output_tokens=draw(st.none() | st.integers(1, 10**6)),
        temperature=draw(st.none() | st.floats(0, 2)),
        tool_choice=draw(st.sampled_from([None, "auto", "required", "none"])) if tools else None,
        stop=tuple(draw(st.lists(WORDS, max_size=2))),
        extra=draw(st.dictionaries(NAMES.map(lambda name: f"x_{name}"), VALUES, max_size=2)),
    )
    groups = draw(st.lists(st.one_of(USERS.map(_alone), st.tuples(USERS, SAYINGS).map(list), st.tuples(USERS, turns_with_calls()).map(_led)), max_size=4))
    messages = [draw(USERS), *(message for group in groups for message in group)]
    return ModelRequest(system=tuple(draw(st.lists(WORDS, max_size=2))), tools=tuple(tools), messages=numbered(messages), options=options)


_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def _name(tool: ToolDefinition) -> str:
    return tool.name


def _alone(message: Message) -> list[Message]:
    return [message]


def _led(group: tuple[Message, list[Message]]) -> list[Message]:
    return [group[0], *group[1]]


def numbered(messages: list[Message]) -> tuple[Message, ...]:
    """Return the messages with call ids by their place; a call that was drawn with an id got it from its server."""
    made: list[Message] = []
    ids: list[str] = []
    for place, message in enumerate(messages):
        parts: list[Part] = []
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart):
                call_id = f"call_{place}_{number}"
                part = replace(part, call_id=call_id, metadata={**({"id": call_id} if part.call_id else {}), **part.metadata})
            parts.append(part)
        ids = [part.call_id for part in parts if isinstance(part, ToolCallPart)] or ids
        if message.role == "tool":
            parts = [replace(part, call_id=call_id) for part, call_id in zip(message.results(), ids, strict=True)]
        made.append(replace(message, parts=tuple(parts)))
    return tuple(made)


USAGES = st.builds(
    Usage,
    input_tokens=st.integers(1000, 2000),
    output_tokens=st.integers(100, 200),
    reasoning_tokens=st.none() | st.integers(0, 50),
    cached_tokens=st.none() | st.integers(0, 1000),
)


@st.composite
def answers(draw: st.DrawFn) -> Message:
    """Draw an answer; neighbours that a stream would join are kept apart by a call."""
    parts: list[Part] = []
    thoughts, calls_drawn = st.builds(ReasoningPart, text=WORDS, signature=SIGNATURES), calls_of(1).map(lambda calls: calls[0])
    for part in draw(st.lists(TEXTS | SIGNED | CODE | thoughts | calls_drawn, max_size=5)):
        if parts and type(part) is type(parts[-1]) and isinstance(part, TextPart | ReasoningPart):
            continue
        if isinstance(part, ToolCallPart):
            call_id = f"k{len(parts)}"
            part = replace(part, call_id=call_id, metadata={**part.metadata, "id": call_id})
        parts.append(part)
    calls = any(isinstance(part, ToolCallPart) for part in parts)
    reason = "tool_use" if calls else draw(st.sampled_from(["end", "length", "content_filter"]))
    return Message(message_id="", role="assistant", parts=tuple(parts), finish_reason=reason, usage=draw(st.none() | USAGES))  # type: ignore[arg-type]


def play(message: Message, size: int) -> Iterator[StreamEvent]:
    """Yield the events of an answer with all that Gemini keeps; texts in pieces of `size` letters, calls finished at the end."""
    yield ResponseStarted(response_id="r", model="m")
    for key, part in enumerate(message.parts):
        match part:
            case TextPart():
                yield from (TextDelta(text=part.text[start : start + size]) for start in range(0, len(part.text), size))
                if part.signature:
                    yield TextDelta(text="", signature=part.signature)
            case ReasoningPart():
                yield from (ReasoningDelta(text=part.text[start : start + size]) for start in range(0, len(part.text), size))
                yield ReasoningDone(part=part)
            case ToolCallPart():
                yield CallStarted(key=key, call_id=part.call_id, name=part.name)
                yield CallArgumentsDelta(key=key, text=part.arguments_raw)
            case OpaquePart():
                yield OpaqueItem(part=part)
            case _:
                raise AssertionError(part)
    for key, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart):
            yield CallDone(key=key, call_id=part.call_id, name=part.name, arguments_raw=part.arguments_raw, metadata=part.metadata)
    if message.usage is not None:
        yield UsageReported(usage=message.usage)
    yield ResponseEnded(finish_reason=message.finish_reason or "incomplete")


_PARTS = ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "executableCode"]
_CALL = ["name", "args", "id", "partialArgs", "willContinue", "jsonPath", "stringValue"]
_MEMBERS = [*_PARTS, *_CALL, "candidates", "content", "parts", "role", "finishReason", "index", "usageMetadata", "promptFeedback", "blockReason", "error"]
_SAID = ["", "STOP", "MAX_TOKENS", "$.a", "$.a[0]", "model", "user", "\ud83d", "\ude00", "x", "{}"]
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from(_SAID),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_MEMBERS), inner, max_size=4),
    max_leaves=12,
)
_ODD_PARTS = st.fixed_dictionaries({}, optional={**dict.fromkeys(_PARTS[:3], ODD), "functionCall": st.dictionaries(st.sampled_from(_CALL), ODD, max_size=4)})
_CANDIDATES = st.fixed_dictionaries(
    {
        "content": st.fixed_dictionaries({"parts": st.lists(_ODD_PARTS, max_size=3)}) | ODD,
        "finishReason": st.sampled_from([None, None, "STOP", "OTHER", 1, 3.5]),
    }
)
_LINES = st.sampled_from([": comment", "event: error", "data: [DONE]", "data: {", "error: {}", "id: 3", "nonsense"])
_ENDS = st.sampled_from([b"\n\n", b"\r\n\r\n", b"\n", b"\r\r"])


@st.composite
def odd_streams(draw: st.DrawFn) -> bytes:
    """Draw a stream whose chunks have the right members with the wrong values, among bytes that are no chunks at all."""
    chunks = _CANDIDATES.map(lambda candidate: {"candidates": [candidate]}) | ODD
    lines = chunks.map(lambda chunk: f"data: {json.dumps(chunk)}") | _LINES
    return b"".join(draw(lines).encode() + draw(_ENDS) for _ in range(draw(st.integers(0, 6))))

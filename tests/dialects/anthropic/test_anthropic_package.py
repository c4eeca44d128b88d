"""What we write, read by the official package: bodies, streams and errors through its own client over a stand-in transport."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import httpx2  # the HTTP library that the package brings along
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.anthropic.drawn import answers
from tests.dialects.anthropic.playing import play
from workbench.conversation.messages import (
    Message,
    ModelRequest,
    OpaquePart,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    Usage,
    text_message,
)
from workbench.conversation.stream import ResponseFailed, TextDelta
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.anthropic.finish import finish_word
from workbench.dialects.base import Quirks

HEADERS = {"stream": {"content-type": "text/event-stream"}, "body": {"content-type": "application/json"}}
ASKED: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}


class Answering:
    """A client whose server answers each request with the next of some bytes, and remembers the last request."""

    def __init__(self, *data: bytes, kind: str) -> None:
        self.asked: dict[str, Any] = {}
        self.path = ""
        rest = iter(data)

        def handle(request: Any) -> Any:
            self.asked, self.path = json.loads(request.read()), request.url.path
            return httpx2.Response(200, headers=HEADERS[kind], content=next(rest))

        transport = httpx2.Client(transport=httpx2.MockTransport(handle))
        self.client = anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1", http_client=transport, max_retries=0)

    def close(self) -> None:
        self.client.close()


def streamed(message: Message, size: int) -> bytes:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    return b"".join(map(encoder.feed, play(message, size))) + encoder.finish()


def compare(found: Any, message: Message) -> None:
    """Hold what the package read against what was said."""
    assert (found.id, found.model, found.role) == ("r", "m", "assistant")
    blocks = [block.model_dump(exclude_none=True) for block in found.content]
    expected: list[Any] = []
    for part in message.parts:
        match part:
            case TextPart():
                expected.append({"type": "text", "text": part.text})
            case ReasoningPart() if part.redacted_data:
                expected.append({"type": "redacted_thinking", "data": part.redacted_data})
            case ReasoningPart():
                expected.append({"type": "thinking", "thinking": part.text, "signature": part.signature})
            case ToolCallPart():
                expected.append({"type": "tool_use", "id": part.call_id, "name": part.name, "input": json.loads(part.arguments_raw)})
            case _:
                expected.append(part.item)  # type: ignore[union-attr]
    assert blocks == json.loads(json.dumps(expected))
    assert found.stop_reason == finish_word(message.finish_reason)
    assert message.usage is not None
    told = (found.usage.input_tokens, found.usage.cache_read_input_tokens, found.usage.cache_creation_input_tokens)
    assert sum(told) == message.usage.input_tokens
    assert found.usage.output_tokens == message.usage.output_tokens


@settings(max_examples=30)
@given(answers().filter(lambda message: "null" not in repr([part for part in message.parts if isinstance(part, ToolCallPart)])))
def test_the_package_reads_our_bodies(message: Message) -> None:
    server = Answering(DIALECT.encode_response(message, response_id="r", model="m", created=7), kind="body")
    found = server.client.messages.create(**ASKED)
    server.close()
    compare(found, message)


@settings(max_examples=30)
@given(answers().filter(lambda message: "null" not in repr([part for part in message.parts if isinstance(part, ToolCallPart)])), st.integers(1, 5))
def test_the_package_reads_our_streams(message: Message, size: int) -> None:
    server = Answering(streamed(message, size), kind="stream")
    with server.client.messages.stream(**ASKED) as stream:
        found = stream.get_final_message()
    server.close()
    compare(found, message)


THINKS = ReasoningPart(text="I need the file.", signature="EqMB==")
USAGE = Usage(input_tokens=40, output_tokens=20, reasoning_tokens=5, cached_tokens=7, cache_write_tokens=3)
FIRST = Message(
    message_id="a",
    role="assistant",
    parts=(THINKS, TextPart(text="I look."), ToolCallPart(call_id="toolu_1", name="read", arguments_raw='{"path":"a"}')),
    finish_reason="tool_use",
    usage=USAGE,
)
SECOND = Message(message_id="b", role="assistant", parts=(ReasoningPart(redacted_data="DATA=="), TextPart(text="It says A.")), finish_reason="end", usage=USAGE)
TOOL = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {"path": {"type": "string"}}})


@pytest.mark.parametrize("kind", ["body", "stream"])
def test_two_whole_turns_through_the_package(kind: str) -> None:
    """Ask, call, answer the call, and get the answer: the package sends our requests and reads our answers, which then go back."""
    turns = (FIRST, SECOND)
    written = [streamed(turn, 3) if kind == "stream" else DIALECT.encode_response(turn, response_id="r", model="m", created=7) for turn in turns]
    server = Answering(*written, kind=kind)
    said: tuple[Message, ...] = (text_message("user", "What does a say?"),)
    for turn in turns:
        options = RequestOptions(model="m", stream=kind == "stream")
        request = DIALECT.encode_request(ModelRequest(system=("Be brief.",), tools=(TOOL,), messages=said, options=options), Quirks(thinking="budget"))
        members = {name: value for name, value in json.loads(request.body).items() if name != "stream"}
        if kind == "stream":
            with server.client.messages.stream(**members) as stream:
                found = stream.get_final_message()
        else:
            found = server.client.messages.create(**members)
        compare(found, turn)
        assert server.path == request.path == "/v1/messages"
        assert {name: value for name, value in server.asked.items() if name != "stream"} == members
        answer = DIALECT.decode_response(found.model_dump_json(exclude_none=True).encode()).message
        said = (*said, answer)
        if answer.calls():
            said = (*said, Message(message_id="t", role="tool", parts=(ToolResultPart(call_id="toolu_1", name="read", content=(TextPart(text="A"),)),)))
            assert DIALECT.check(request.body) == ()
    server.close()
    assert server.asked["messages"][1]["content"][0] == {"type": "thinking", "thinking": THINKS.text, "signature": THINKS.signature}
    assert server.asked["messages"][2]["content"][0]["content"] == "A"
    assert server.asked["thinking"]["type"] == "enabled", "the loop begins with signed thinking, so it goes on"


def test_the_package_raises_our_errors() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    broken = encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseFailed(kind="overloaded", text="Overloaded")) + encoder.finish()
    server = Answering(broken, kind="stream")
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        list(server.client.messages.create(**ASKED, stream=True))
    server.close()


def test_the_package_reads_citations_and_pairs_of_the_provider() -> None:
    citation = {"type": "char_location", "cited_text": "c", "document_index": 0, "document_title": "d", "start_char_index": 0, "end_char_index": 1}
    message = Message(
        message_id="a",
        role="assistant",
        parts=(TextPart(text="so"), OpaquePart(dialect="anthropic", provider="", item={"citations": [citation]})),
        finish_reason="end",
        usage=USAGE,
    )
    body = Answering(DIALECT.encode_response(message, response_id="r", model="m", created=7), kind="body")
    found = body.client.messages.create(**ASKED)
    body.close()
    assert found.content[0].citations[0].cited_text == "c"
    stream = Answering(streamed(message, 2), kind="stream")
    with stream.client.messages.stream(**ASKED) as events:
        again = events.get_final_message()
    stream.close()
    assert again.content[0].citations[0].cited_text == "c"  # type: ignore[union-attr,index]

"""What we write, read by the official package: bodies, streams and errors through its own client over a stand-in transport."""

from __future__ import annotations

import json
from typing import Any

import httpx2  # the HTTP library that the package brings along
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.responses import Response

from tests.dialects.responses.drawn import answers, requests
from tests.dialects.responses.test_laws import play
from workbench.conversation.messages import Message, ModelRequest, Origin, RequestOptions, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.conversation.stream import ResponseFailed, TextDelta
from workbench.dialects.responses import DIALECT

HEADERS = {"stream": {"content-type": "text/event-stream"}, "body": {"content-type": "application/json"}}


class Answering:
    """A client whose server answers the requests with the given bytes, one after the other, and remembers them."""

    def __init__(self, kind: str, *answers: bytes) -> None:
        self.asked: list[dict[str, Any]] = []
        waiting = list(answers)

        def handle(request: Any) -> Any:
            self.asked.append(json.loads(request.read()))
            return httpx2.Response(200, headers=HEADERS[kind], content=waiting.pop(0))

        transport = httpx2.Client(transport=httpx2.MockTransport(handle))
        self.client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=transport, max_retries=0)

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()


def streamed(message: Message, size: int, response_id: str = "r") -> bytes:
    encoder = DIALECT.stream_encoder(response_id=response_id, model="m", created=7)
    return b"".join(map(encoder.feed, play(message, size))) + encoder.finish()


def _agrees(response: Response, message: Message) -> None:
    """Compare a response as the package sees it."""
    Response.model_validate(response.model_dump())
    assert response.output_text == message.text()
    found = [(item.call_id, item.name, item.arguments) for item in response.output if item.type == "function_call"]
    assert found == [(call.call_id, call.name, call.arguments_raw) for call in message.calls() if call.kind == "function"]
    custom = [(item.call_id, item.name, item.input) for item in response.output if item.type == "custom_tool_call"]
    assert custom == [(call.call_id, call.name, call.arguments_raw) for call in message.calls() if call.kind == "custom"]
    if message.usage:
        assert response.usage is not None
        assert (response.usage.input_tokens, response.usage.output_tokens) == (message.usage.input_tokens, message.usage.output_tokens)


@settings(max_examples=30)
@given(answers())
def test_the_package_reads_our_bodies(message: Message) -> None:
    with Answering("body", DIALECT.encode_response(message, response_id="r", model="m", created=7)) as server:
        _agrees(server.client.responses.create(model="m", input="go"), message)


@settings(max_examples=30)
@given(answers(), st.integers(1, 5))
def test_the_package_reads_our_streams(message: Message, size: int) -> None:
    with Answering("stream", streamed(message, size)) as server:
        events = list(server.client.responses.create(model="m", input="go", stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [event.type for event in events[:2]] == ["response.created", "response.in_progress"]
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == message.text()
    last = events[-1]
    assert last.type in ("response.completed", "response.incomplete")
    _agrees(last.response, message)
    done = [event.item for event in events if event.type == "response.output_item.done"]
    assert sorted(item.id or "" for item in done) == sorted(item.id or "" for item in last.response.output)


@settings(max_examples=20)
@given(answers())
def test_the_package_puts_our_streams_together(message: Message) -> None:
    with Answering("stream", streamed(message, 3)) as server, server.client.responses.stream(model="m", input="go") as stream:
        list(stream)
        if message.finish_reason in ("end", "tool_use"):
            assert stream.get_final_response().output_text == message.text()


def turns() -> tuple[Message, Message]:
    """Return an answer with a call, and the one after the result."""
    call = ToolCallPart(call_id="call_1", name="read", arguments_raw='{"path": "a"}')
    first = Message(message_id="", role="assistant", parts=(TextPart(text="I read.", phase="commentary"), call), finish_reason="tool_use")
    last = Message(message_id="", role="assistant", parts=(TextPart(text="It says A.", phase="final"),), finish_reason="end")
    return first, last


@pytest.mark.parametrize("kind", ["body", "stream"])
def test_two_whole_turns_of_the_package_against_our_answers(kind: str) -> None:
    first, last = turns()
    if kind == "body":
        bytes_of = [DIALECT.encode_response(message, response_id=f"r{place}", model="m", created=7) for place, message in enumerate((first, last))]
    else:
        bytes_of = [streamed(message, 2, f"r{place}") for place, message in enumerate((first, last))]
    history: list[Any] = [{"role": "user", "content": "What does a say?"}]
    with Answering(kind, *bytes_of) as server:
        for _ in range(2):
            response = _ask(server, history, kind)
            history += [item.model_dump(exclude_none=True) for item in response.output]
            history += [{"type": "function_call_output", "call_id": item.call_id, "output": "A"} for item in response.output if item.type == "function_call"]
    assert [item.get("type") for item in history] == [None, "message", "function_call", "function_call_output", "message"]
    parsed = DIALECT.parse_request(json.dumps(server.asked[1]).encode())
    assert [message.role for message in parsed.messages] == ["user", "assistant", "tool"]
    assert parsed.messages[1].parts == tuple(first.parts)
    assert parsed.messages[2].results()[0].text() == "A"


def _ask(server: Answering, history: list[Any], kind: str) -> Response:
    if kind == "body":
        return server.client.responses.create(model="m", input=history, store=False)
    with server.client.responses.stream(model="m", input=history, store=False) as stream:
        list(stream)
        return stream.get_final_response()


def test_two_whole_turns_of_ours_against_the_packages_types() -> None:
    first, last = turns()
    origin = Origin(dialect="responses", provider="", model="m")
    messages = [text_message("user", "What does a say?")]
    for answer in (first, last):
        decoded = DIALECT.decode_response(DIALECT.encode_response(answer, response_id="r", model="m", created=1)).message
        messages.append(Message(message_id="a", role="assistant", parts=decoded.parts, origin=origin))
        if decoded.calls():
            result = ToolResultPart(call_id="call_1", name="read", content=(TextPart(text="A"),))
            messages.append(Message(message_id="t", role="tool", parts=(result,)))
    request = ModelRequest(system=(), tools=(), messages=(*messages, text_message("user", "Thanks")), options=RequestOptions(model="m", stream=False))
    written = json.loads(DIALECT.encode_request(request).body)
    assert [item.get("type", item.get("role")) for item in written["input"]] == [
        "user", "assistant", "function_call", "function_call_output", "assistant", "user"
    ]  # fmt: skip
    with Answering("body", DIALECT.encode_response(last, response_id="r", model="m", created=1)) as server:
        server.client.responses.create(**written)
    assert server.asked == [written]


def test_the_package_raises_our_errors() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    data = encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseFailed(kind="overloaded", text="Overloaded")) + encoder.finish()
    with Answering("stream", data) as server, pytest.raises(openai.APIError, match="Overloaded"):
        list(server.client.responses.create(model="m", input="go", stream=True))


@settings(max_examples=30)
@given(requests())
def test_the_package_sends_what_we_write(request: ModelRequest) -> None:
    written = json.loads(DIALECT.encode_request(request).body)
    nothing = Message(message_id="", role="assistant", parts=(), finish_reason="end")
    members = {name: value for name, value in written.items() if name != "stream"}
    extra = {name: members.pop(name) for name in request.options.extra if name in members}
    with Answering("body", DIALECT.encode_response(nothing, response_id="r", model="m", created=7)) as server:
        server.client.responses.create(**members, extra_body=extra)
    assert server.asked == [{name: value for name, value in written.items() if name != "stream"}]

"""What we write, read by the official package: bodies, streams and errors through its own client over a stand-in transport."""

from __future__ import annotations

import json
from typing import Any

import httpx2  # the HTTP library that the package brings along
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.chat_completions.drawn import answers, requests
from tests.dialects.playback import play
from workbench.conversation.messages import Message, ModelRequest
from workbench.conversation.stream import ResponseFailed, TextDelta
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.chat_completions.finish import finish_word

HEADERS = {"stream": {"content-type": "text/event-stream"}, "body": {"content-type": "application/json"}}


class Answering:
    """A client whose server answers every request with the same bytes, and remembers the request."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.asked: dict[str, Any] = {}

        def handle(request: Any) -> Any:
            self.asked = json.loads(request.read())
            return httpx2.Response(200, headers=HEADERS[kind], content=data)

        transport = httpx2.Client(transport=httpx2.MockTransport(handle))
        self.client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=transport, max_retries=0)

    def close(self) -> None:
        self.client.close()


@settings(max_examples=30)
@given(answers())
def test_the_package_reads_our_bodies(message: Message) -> None:
    server = Answering(DIALECT.encode_response(message, response_id="r", model="m", created=7), "body")
    completion = server.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}])
    server.close()
    found = completion.choices[0].message
    assert [(call.id, call.function.name, call.function.arguments) for call in found.tool_calls or []] == [  # type: ignore[union-attr]
        (call.call_id, call.name, call.arguments_raw) for call in message.calls()
    ]
    if isinstance(found.content, str) and not found.content.startswith("<think>"):
        assert found.content == message.text()
    assert completion.choices[0].finish_reason == finish_word(message.finish_reason)
    if message.usage:
        assert completion.usage is not None
        assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (message.usage.input_tokens, message.usage.output_tokens)


@settings(max_examples=30)
@given(answers(), st.integers(1, 5))
def test_the_package_reads_our_streams(message: Message, size: int) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    server = Answering(b"".join(map(encoder.feed, play(message, size))) + encoder.finish(), "stream")
    chunks = list(server.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}], stream=True))
    server.close()
    choices = [choice for chunk in chunks for choice in chunk.choices]
    texts = [choice.delta.content for choice in choices if isinstance(choice.delta.content, str)]
    if not "".join(texts).startswith("<think>"):
        assert "".join(texts) == message.text()
    arguments: dict[int, str] = {}
    for choice in choices:
        for call in choice.delta.tool_calls or []:
            assert call.function is not None
            arguments[call.index] = arguments.get(call.index, "") + (call.function.arguments or "")
    assert list(arguments.values()) == [call.arguments_raw for call in message.calls()]
    assert chunks[-1].usage is not None if message.usage else chunks[-1].choices[0].finish_reason


def test_the_package_raises_our_errors() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    server = Answering(encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseFailed(kind="overloaded", text="Overloaded")) + encoder.finish(), "stream")
    stream = server.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}], stream=True)
    with pytest.raises(openai.APIError, match="Overloaded"):
        list(stream)
    server.close()


@settings(max_examples=30)
@given(requests())
def test_the_package_sends_what_we_write(request: ModelRequest) -> None:
    written = json.loads(DIALECT.encode_request(request).body)
    nothing = Message(message_id="", role="assistant", parts=(), finish_reason="end")
    server = Answering(DIALECT.encode_response(nothing, response_id="r", model="m", created=7), "body")
    members = {name: value for name, value in written.items() if name != "stream"}
    extra = {name: members.pop(name) for name in request.options.extra}
    members.pop("stream_options", None)
    server.client.chat.completions.create(**members, extra_body=extra)
    server.close()
    assert server.asked == {name: value for name, value in written.items() if name not in ("stream", "stream_options")}

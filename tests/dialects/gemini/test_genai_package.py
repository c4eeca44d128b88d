"""What we write, read by the official package: two whole turns over a real connection for bodies and for streams, and drawn answers."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from google import genai
from google.genai import errors, types
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.gemini.drawn import answers, play, requests
from workbench.conversation.messages import Message, ModelRequest, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.conversation.stream import ResponseFailed, TextDelta
from workbench.dialects.base import Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.gemini.finish import finish_word
from workbench.dialects.gemini.stream_encoder import error_body

USAGE = Usage(input_tokens=100, output_tokens=30, reasoning_tokens=12, cached_tokens=50)
FIRST = Message(
    message_id="",
    role="assistant",
    parts=(
        ReasoningPart(text="I should look."),
        TextPart(text="Let me see."),
        ToolCallPart(call_id="k1", name="read", arguments_raw='{"path":"上海.txt"}', metadata={"id": "k1", "thoughtSignature": "c2ln"}),
        ToolCallPart(call_id="k2", name="now", arguments_raw="{}", metadata={"id": "k2"}),
    ),
    finish_reason="tool_use",
    usage=USAGE,
)
SECOND = Message(message_id="", role="assistant", parts=(TextPart(text="Done: 上海", signature="c2lnMg=="),), finish_reason="end", usage=USAGE)


class Answering:
    """A client of the package whose server gives the answers in turn, and remembers the requests."""

    def __init__(self, *answers: bytes, status: int = 200) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        left = list(answers)

        def handle(request: httpx.Request) -> httpx.Response:
            self.asked.append((request.url.raw_path.decode(), json.loads(request.read())))
            kind = "text/event-stream" if "stream" in request.url.path else "application/json"
            return httpx.Response(status, headers={"content-type": kind}, content=left.pop(0))

        transport = httpx.Client(transport=httpx.MockTransport(handle))
        options = types.HttpOptions(base_url="http://127.0.0.1:9", api_version="v1beta", httpx_client=transport)
        self.client = genai.Client(api_key="none", http_options=options)


def whole(message: Message) -> bytes:
    return DIALECT.encode_response(message, response_id="r", model="gemini-3-pro", created=7)


def streamed(message: Message, size: int = 3) -> bytes:
    encoder = DIALECT.stream_encoder(response_id="r", model="gemini-3-pro", created=7)
    return b"".join(map(encoder.feed, play(message, size))) + encoder.finish()


def said(chunks: list[types.GenerateContentResponse]) -> list[types.Part]:
    candidates = [chunk.candidates[0] for chunk in chunks if chunk.candidates]
    return [part for candidate in candidates if candidate.content for part in candidate.content.parts or []]


def _first_turn_is_right(parts: list[types.Part]) -> None:
    calls = [part for part in parts if part.function_call]
    assert "".join(part.text or "" for part in parts if part.thought) == "I should look."
    assert "".join(part.text or "" for part in parts if not part.thought and part.text) == "Let me see."
    assert [(part.function_call.id, part.function_call.name, part.function_call.args) for part in calls if part.function_call] == [
        ("k1", "read", {"path": "上海.txt"}),
        ("k2", "now", {}),
    ]
    assert [part.thought_signature for part in calls] == [b"sig", None]


@pytest.mark.parametrize("stream", [False, True])
def test_the_package_holds_two_turns_with_us(stream: bool) -> None:
    write = streamed if stream else whole
    server = Answering(write(FIRST), write(SECOND))
    models = server.client.models
    config = types.GenerateContentConfig(
        system_instruction="Be brief.",
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(name="read", parameters_json_schema={"type": "object"})])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )

    def ask(contents: list[types.Content]) -> list[types.GenerateContentResponse]:
        if stream:
            return list(models.generate_content_stream(model="gemini-3-pro", contents=contents, config=config))
        return [models.generate_content(model="gemini-3-pro", contents=contents, config=config)]

    contents = [types.Content(role="user", parts=[types.Part(text="go")])]
    first = ask(contents)
    _first_turn_is_right(said(first))
    results = [
        types.Part(function_response=types.FunctionResponse(id=wire_id, name=name, response={"output": "ok"}))
        for wire_id, name in (("k1", "read"), ("k2", "now"))
    ]
    contents += [types.Content(role="model", parts=said(first)), types.Content(role="user", parts=results)]
    second = ask(contents)
    assert "".join(chunk.text or "" for chunk in second) == "Done: 上海"
    last = second[-1]
    assert last.candidates
    assert last.candidates[0].finish_reason == "STOP"
    assert last.usage_metadata is not None
    counted = last.usage_metadata
    assert (counted.prompt_token_count, counted.candidates_token_count, counted.thoughts_token_count, counted.cached_content_token_count) == (100, 18, 12, 50)
    assert (last.response_id, last.model_version) == ("r", "gemini-3-pro")
    _what_the_package_sent_is_read(server, stream=stream)


def _what_the_package_sent_is_read(server: Answering, *, stream: bool) -> None:
    path, asked = server.asked[1]
    body = json.dumps(asked).encode()
    request = DIALECT.with_path(DIALECT.parse_request(body), path)
    assert (request.options.model, request.options.stream, request.system) == ("gemini-3-pro", stream, ("Be brief.",))
    assert [finding for finding in DIALECT.check(body, model="gemini-3-pro") if finding.severity == "error"] == []
    written = DIALECT.encode_request(request)
    assert json.loads(written.body) == asked
    assert written.path == path
    assert [call.call_id for call in request.messages[1].calls()] == [result.call_id for result in request.messages[2].results()] == ["k1", "k2"]


@settings(max_examples=30, deadline=None)
@given(answers(), st.booleans())
def test_the_package_reads_whatever_we_answer(message: Message, stream: bool) -> None:
    server = Answering(streamed(message) if stream else whole(message))
    models = server.client.models
    chunks = list(models.generate_content_stream(model="m", contents="go")) if stream else [models.generate_content(model="m", contents="go")]
    parts = said(chunks)
    assert "".join(part.text or "" for part in parts if part.thought) == message.reasoning()
    assert "".join(part.text or "" for part in parts if not part.thought) == message.text()
    assert [(part.function_call.id, part.function_call.name) for part in parts if part.function_call] == [(call.call_id, call.name) for call in message.calls()]
    assert chunks[-1].candidates
    assert chunks[-1].candidates[0].finish_reason == finish_word(message.finish_reason)


def test_the_package_raises_our_errors() -> None:
    failure = ResponseFailed(kind="overloaded", text="Overloaded")
    server = Answering(json.dumps(error_body(failure)).encode(), status=503)
    with pytest.raises(errors.ServerError, match="Overloaded"):
        server.client.models.generate_content(model="m", contents="go")
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    server = Answering(encoder.feed(TextDelta(text="Hel")) + encoder.feed(failure) + encoder.finish())
    with pytest.raises(errors.APIError, match="Overloaded"):
        list(server.client.models.generate_content_stream(model="m", contents="go"))


@settings(max_examples=40, deadline=None)
@given(requests(), st.booleans())
def test_the_package_knows_every_member_we_write(request: ModelRequest, json_schema: bool) -> None:
    written = json.loads(DIALECT.encode_request(request, Quirks(json_schema=json_schema, thinking="adaptive", signature_stand_in=True)).body)
    for content in written["contents"]:
        types.Content.model_validate(content)
    for tool in written.get("tools", []):
        types.Tool.model_validate(tool)
    if "toolConfig" in written:
        types.ToolConfig.model_validate(written["toolConfig"])
    types.GenerateContentConfig.model_validate({**written["generationConfig"], "systemInstruction": written.get("systemInstruction")})

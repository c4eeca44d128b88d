"""The practice server over a real socket: streams and whole answers, key, paths, refusals, what it received, clients that leave."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.practice.client import decoded, message_of, practice, tools
from tests.practice.golden_weather import QUESTION, RESULTS, ROUNDS
from workbench.conversation.messages import RequestOptions, ToolResultPart, text_message
from workbench.dialects.registry import dialect
from workbench.practice import server as module
from workbench.practice.server import PracticeServer


async def test_stream_and_whole_answer_say_the_same() -> None:
    async with practice() as session:
        stream = await session.ask("read a.py", tools=tools("read"))
        whole = await session.ask("read a.py", tools=tools("read"), stream=False)
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.content.endswith(b"data: [DONE]\n\n")
    assert whole.headers["content-type"] == "application/json"
    assert message_of(stream).parts == message_of(whole).parts
    assert message_of(stream).calls()[0].arguments_raw == '{"file_path": "a.py"}'
    assert message_of(stream).reasoning() == "The words fit the pattern “read FILE”. Next: read."


async def test_answer_carries_ids_model_name_and_usage() -> None:
    async with practice() as session:
        whole = (await session.ask("help", stream=False)).json()
        again = (await session.ask("help", stream=False)).json()
    assert whole["id"].startswith("chatcmpl-")
    assert whole["id"] != again["id"]
    assert whole["model"] == "practice"
    assert abs(whole["created"] - time.time()) < 60
    usage = whole["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["completion_tokens_details"]["reasoning_tokens"] == 0


async def test_weather_conversation_is_held_over_the_wire_as_printed() -> None:
    chat = dialect("chat_completions")
    async with practice() as session:
        offered = tools("calculator", "get_current_time", "get_weather")
        request = chat.parse_request(json.dumps({"model": "practice", "messages": [], "tools": offered}).encode())
        messages = [text_message("user", QUESTION)]
        for number, printed in enumerate(ROUNDS):
            sent = type(request)(system=(), tools=request.tools, messages=tuple(messages), options=RequestOptions(model="practice"))
            message = message_of(await session.post(chat.encode_request(sent).body))
            call = next(iter(message.calls()), None)
            assert message.usage is not None
            usage = (message.usage.input_tokens, message.usage.output_tokens, message.usage.reasoning_tokens)
            assert (message.reasoning(), message.text(), (call.call_id, call.name, call.arguments_raw) if call else None, usage) == printed
            if call:
                part = ToolResultPart(call_id=call.call_id, name=call.name, content=text_message("user", RESULTS[number]).parts)  # type: ignore[arg-type]
                messages += [message, type(message)(message_id="t", role="tool", parts=(part,))]


async def test_received_holds_the_exact_bytes() -> None:
    bodies = [b'{"model": "practice",\n "messages": [{"role":"user","content":"\xe4\xb8\x8a"}]}', b'{"model":']
    async with practice() as session:
        for body in bodies:
            await session.post(body)
        assert session.server.received == bodies


async def test_received_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_REQUESTS", 3)
    monkeypatch.setattr(module, "KEPT_BYTES", 25)
    async with practice() as session:
        for number in range(5):
            await session.post(f'{{"number":{number}}}'.encode())
        assert session.server.received == [b'{"number":3}', b'{"number":4}']
        await session.post(b" " * 100)
        assert [len(body) for body in session.server.received] == [100]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}])
async def test_wrong_key_is_refused_in_openais_shape(headers: dict[str, str]) -> None:
    async with practice() as session, httpx.AsyncClient(trust_env=False) as stranger:
        for method, path in (("POST", "/chat/completions"), ("GET", "/models")):
            response = await stranger.request(method, session.server.base_url + path, headers=headers)
            assert response.status_code == 401
            assert response.json()["error"]["code"] == "invalid_api_key"
            assert set(response.json()["error"]) == {"message", "type", "param", "code"}
        assert session.server.received == []


async def test_models_are_listed() -> None:
    async with practice() as session:
        listed = (await session.http.get(session.server.base_url + "/models")).json()
        one = (await session.http.get(session.server.base_url + "/models/practice")).json()
        none = await session.http.get(session.server.base_url + "/models/gpt-9")
    assert [model["id"] for model in listed["data"]] == ["practice"]
    assert one["object"] == "model"
    assert (none.status_code, none.json()["error"]["code"]) == (404, "model_not_found")
    assert session.server.model_names == ("practice",)


async def test_unknown_paths_and_methods_are_refused_in_the_same_shape() -> None:
    async with practice() as session:
        unknown = await session.post({}, path="/completions")
        method = await session.http.get(session.server.base_url + "/chat/completions")
        outside = await session.http.get(session.server.base_url.removesuffix("/v1") + "/")
    assert (unknown.status_code, unknown.json()["error"]["message"]) == (404, "Invalid URL (POST /v1/completions)")
    assert (method.status_code, method.json()["error"]["code"]) == (405, "method_not_supported")
    assert outside.status_code == 404


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "We could not parse the JSON body"),
        (b'{"model": "practice", "messages"', "We could not parse the JSON body"),
        (b"[1]", "a list of `messages`"),
        (b'{"model": "practice"}', "a list of `messages`"),
        (b'{"model": "practice", "messages": [3]}', "/messages/0"),
        (b'{"model": "practice", "messages": [{"role": "wizard", "content": "x"}]}', "wizard"),
        (b'{"messages": [{"role": "user", "content": "x"}]}', "model"),
        (b'{"model": "practice", "messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]}', "preceeding"),
    ],
)
async def test_malformed_body_is_refused_with_400(body: bytes, words: str) -> None:
    async with practice() as session:
        response = await session.post(body)
        assert response.status_code == 400
        assert response.json()["error"]["type"] == "invalid_request_error"
        assert words in response.json()["error"]["message"]
        assert (await session.ask("help", stream=False)).status_code == 200


async def test_any_model_name_is_taken_and_given_back() -> None:
    async with practice() as session:
        response = await session.post({"model": "qwen3.5-plus", "messages": [{"role": "user", "content": "help"}]})
    assert response.json()["model"] == "qwen3.5-plus"


async def test_rate_is_kept_and_can_be_changed() -> None:
    async with practice(rate_per_s=400) as session:
        started = time.perf_counter()
        slow = await session.ask("help")
        took_s = time.perf_counter() - started
        session.server.rate_per_s = 0
        started = time.perf_counter()
        fast = await session.ask("help")
        assert time.perf_counter() - started < took_s / 2
    pieces = slow.content.count(b"data: ") - 1
    assert pieces / 400 * 0.8 < took_s < pieces / 400 * 3 + 1
    assert message_of(slow).text() == message_of(fast).text()


async def test_client_that_leaves_ends_the_stream_within_100_ms(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = asyncio.Event()
    stream = PracticeServer._stream

    async def watched(server: PracticeServer, *arguments: Any) -> AsyncIterator[bytes]:
        try:
            async for data in stream(server, *arguments):
                yield data
        finally:
            ended.set()

    monkeypatch.setattr(PracticeServer, "_stream", watched)
    async with practice(rate_per_s=5) as session:
        body = {"model": "practice", "messages": [{"role": "user", "content": "help"}], "stream": True}
        async with session.http.stream("POST", session.server.base_url + "/chat/completions", json=body) as response:
            await anext(response.aiter_bytes())
        left = time.perf_counter()
        await ended.wait()
        assert time.perf_counter() - left < 0.1


async def test_leaving_the_context_ends_open_streams_at_once() -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        server = PracticeServer(rate_per_s=1)
        async with server:
            body = {"model": "practice", "messages": [{"role": "user", "content": "help"}], "stream": True}
            request = http.build_request("POST", server.base_url + "/chat/completions", json=body, headers={"Authorization": f"Bearer {server.key}"})
            response = await http.send(request, stream=True)
            started = time.perf_counter()
        assert time.perf_counter() - started < 0.5
        with pytest.raises(httpx.HTTPError):
            await response.aread()
        await response.aclose()


async def test_several_clients_are_served_at_once() -> None:
    async with practice(rate_per_s=300) as session:
        started = time.perf_counter()
        await session.ask("help")
        one_s = time.perf_counter() - started
        started = time.perf_counter()
        responses = await asyncio.gather(*(session.ask("help") for _ in range(5)))
        assert time.perf_counter() - started < one_s * 3
    assert len({message_of(response).text() for response in responses}) == 1


async def test_key_and_port_are_new_for_every_server() -> None:
    async with PracticeServer() as one, PracticeServer() as other:
        assert one.key != other.key
        assert one.base_url != other.base_url
        assert one.base_url.startswith("http://127.0.0.1:")


async def test_large_body_is_answered() -> None:
    async with practice() as session:
        messages = [{"role": "user", "content": "x" * 3_000_000}, {"role": "assistant", "content": "y"}, {"role": "user", "content": "help"}]
        response = await session.post({"model": "practice", "messages": messages})
    assert response.status_code == 200
    assert response.json()["usage"]["prompt_tokens"] > 700_000


async def test_stream_is_a_whole_one_for_the_decoder() -> None:
    async with practice() as session:
        assembler = decoded((await session.ask("你能做什么？")).content)
    assert assembler.ended is not None
    assert assembler.ended.finish_reason == "end"
    assert assembler.problems == []
    assert assembler.failure is None

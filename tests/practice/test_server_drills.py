"""Drills over a real socket: what goes wrong really goes wrong on the wire, once, and the same bytes again go through."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from tests.practice.client import Session, decoded, message_of, practice, tools
from workbench.practice import server as module


async def test_rate_limit_is_a_429_with_a_waiting_time_and_then_an_answer() -> None:
    async with practice() as session:
        refused = await session.ask("drill: rate limit, 0.2 s")
        answered = await session.ask("drill: rate limit, 0.2 s")
        third = await session.ask("drill: rate limit, 0.2 s")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert refused.headers["retry-after-ms"] == "200"
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert answered.status_code == 200
    assert "429" in message_of(answered).text()
    assert third.status_code == 429, "a third try is a new drill"


async def test_overloaded_is_a_503_and_then_an_answer() -> None:
    async with practice() as session:
        refused = await session.ask("演练：过载", stream=False)
        answered = await session.ask("演练：过载", stream=False)
    assert (refused.status_code, refused.json()["error"]["type"]) == (503, "server_error")
    assert "503" in message_of(answered).text()


async def test_other_request_is_another_drill() -> None:
    async with practice() as session:
        assert (await session.ask("drill: rate limit")).status_code == 429
        assert (await session.ask("drill: rate limit", temperature=0.5)).status_code == 429
        assert (await session.ask("drill: rate limit")).status_code == 200


async def test_second_try_that_comes_too_late_is_a_new_drill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECOND_TRY_WITHIN_S", -1.0)
    async with practice() as session:
        assert (await session.ask("drill: rate limit")).status_code == 429
        assert (await session.ask("drill: rate limit")).status_code == 429


async def broken_off(session: Session, question: str, **members: object) -> bytes:
    """Return what came before the connection broke; fail if it did not break."""
    body = {"model": "practice", "messages": [{"role": "user", "content": question}], "stream": True, **members}
    came = bytearray()
    with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
        await read_into(came, session, body)
    return bytes(came)


async def read_into(came: bytearray, session: Session, body: dict[str, object]) -> None:
    async with session.http.stream("POST", session.server.base_url + "/chat/completions", json=body) as response:
        assert response.status_code == 200
        async for data in response.aiter_bytes():
            came += data


async def test_cut_stream_breaks_off_in_the_middle_of_the_text() -> None:
    async with practice() as session:
        came = await broken_off(session, "drill: cut stream")
        body = json.loads(session.server.received[0])
        whole = message_of(await session.http.post(session.server.base_url + "/chat/completions", json=body)).text()
    assembler = decoded(came)
    text = assembler.message("m").text()
    assert whole.startswith(text)
    assert 0.3 < len(text) / len(whole) < 0.7
    assert assembler.ended is None or assembler.ended.finish_reason == "incomplete"


async def test_cut_call_breaks_off_in_the_middle_of_the_arguments() -> None:
    async with practice() as session:
        came = await broken_off(session, "drill: cut call", tools=tools("list"))
    (call,) = decoded(came).message("m").calls()
    assert call.name == "list"
    assert call.arguments_raw
    assert '{"path": "."}'.startswith(call.arguments_raw)
    assert call.arguments_raw != '{"path": "."}'
    assert call.status == "truncated"


async def test_whole_answer_is_cut_in_the_middle_too() -> None:
    async with practice() as session:
        with pytest.raises(httpx.RemoteProtocolError):
            await session.ask("drill: cut stream", stream=False)
        assert (await session.ask("drill: cut stream", stream=False)).status_code == 200


async def test_error_comes_inside_of_a_stream_with_status_200() -> None:
    async with practice() as session:
        failed = await session.ask("drill: error in the stream")
        answered = await session.ask("drill: error in the stream")
        whole = await session.ask("drill: error in the stream", stream=False)
    assembler = decoded(failed.content)
    assert failed.status_code == 200
    assert assembler.failure is not None
    assert assembler.failure.kind == "server"
    assert assembler.message("m").text()
    assert decoded(answered.content).failure is None
    assert (whole.status_code, whole.json()["error"]["type"]) == (200, "server_error")


@pytest.mark.parametrize("stream", [True, False])
async def test_slow_first_token_is_silent_first(stream: bool) -> None:
    async with practice() as session:
        started = time.perf_counter()
        response = await session.ask("drill: slow first token, 0.3 s", stream=stream)
        assert time.perf_counter() - started >= 0.3
        again = await session.ask("drill: slow first token, 0.3 s", stream=stream)
        assert time.perf_counter() - started >= 0.6
    assert response.status_code == again.status_code == 200


async def test_head_of_a_slow_stream_comes_at_once() -> None:
    async with practice() as session:
        body = {"model": "practice", "messages": [{"role": "user", "content": "drill: slow first token"}], "stream": True}
        started = time.perf_counter()
        async with session.http.stream("POST", session.server.base_url + "/chat/completions", json=body) as response:
            assert response.status_code == 200
            assert time.perf_counter() - started < 1


async def test_broken_arguments_arrive_as_a_call_that_may_not_run() -> None:
    async with practice() as session:
        (call,) = message_of(await session.ask("drill: broken arguments", tools=tools("list"))).calls()
    assert call.arguments_raw == "{path: .}"
    assert call.status != "complete"


async def test_unknown_tool_arrives_as_an_ordinary_call() -> None:
    async with practice() as session:
        message = message_of(await session.ask("drill: unknown tool", tools=tools("list")))
    assert [call.name for call in message.calls()] == ["teleport"]
    assert message.finish_reason == "tool_use"

"""The loopback server on real sockets: HTTP as others speak it, leaving clients, stopping, faults on demand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import h11
import pytest

from tests.wire.asking import least_lateness
from tests.wire.raw import answer_to, dialled
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


async def echo(request: ServerRequest) -> ServerResponse:
    return ServerResponse(200, [("X-Method", request.method), ("X-Target", request.target)], request.body)


def get(server: LoopbackServer, target: str = "/", *headers: str, method: str = "GET", version: str = "1.1") -> bytes:
    return "\r\n".join([f"{method} {target} HTTP/{version}", f"Host: 127.0.0.1:{server.port}", *headers, "", ""]).encode()


CLOSE = "Connection: close"


async def test_request_arrives_as_it_was_sent() -> None:
    seen: list[ServerRequest] = []

    async def handler(request: ServerRequest) -> ServerResponse:
        seen.append(request)
        return await echo(request)

    async with LoopbackServer(handler) as server:
        body = "天气".encode()
        head = get(server, "/a%20b?c=%2F", "X-ODD-case: 1", "x-odd-CASE: zwei  ", f"Content-Length: {len(body)}", CLOSE, method="POST")
        answer = await answer_to(server.port, head + body)
    (request,) = seen
    assert request.headers == (
        ("Host", f"127.0.0.1:{server.port}"),
        ("X-ODD-case", "1"),
        ("x-odd-CASE", "zwei"),
        ("Content-Length", "6"),
        ("Connection", "close"),
    )
    assert (request.method, request.target, request.body) == ("POST", "/a%20b?c=%2F", body)
    assert (request.header("X-ODD-CASE"), request.header("none")) == ("1", None)
    assert answer == b"HTTP/1.1 200 \r\nX-Method: POST\r\nX-Target: /a%20b?c=%2F\r\nContent-Length: 6\r\nConnection: close\r\n\r\n" + body


async def test_chunked_body_is_put_together() -> None:
    async with LoopbackServer(echo) as server:
        answer = await answer_to(server.port, get(server, "/", "Transfer-Encoding: chunked", CLOSE, method="POST") + b"2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n")
    assert answer.endswith(b"\r\n\r\nabcde")


async def test_connection_carries_many_requests() -> None:
    async with LoopbackServer(echo) as server, dialled(server.port) as (reader, writer):
        for number in range(50):
            writer.write(get(server, f"/{number}"))
            assert f"X-Target: /{number}\r\n".encode() in await reader.readuntil(b"\r\n\r\n")
        assert len(server._tasks) == 1


async def test_requests_sent_ahead_are_answered_in_order() -> None:
    async def slowly(request: ServerRequest) -> ServerResponse:
        for _ in range(5):
            await asyncio.sleep(0)
        return await echo(request)

    async with LoopbackServer(slowly) as server:
        answer = await answer_to(server.port, b"".join(get(server, f"/{number}", *([CLOSE] if number == 9 else [])) for number in range(10)))
    assert [int(part.split(b"\r\n")[0]) for part in answer.split(b"X-Target: /")[1:]] == list(range(10))


async def test_client_that_asks_first_is_told_to_go_on() -> None:
    async with LoopbackServer(echo) as server, dialled(server.port) as (reader, writer):
        writer.write(get(server, "/", "Content-Length: 3", "Expect: 100-continue", method="POST"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 \r\n\r\n"
        writer.write(b"abc")
        assert (await reader.readuntil(b"abc")).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("garbage", [b"\x16\x03\x01\x02\x00\x01\xfc\x03\x03" * 20, b"hello\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/9\r\n\r\n"])
async def test_garbage_gets_400(garbage: bytes) -> None:
    async with LoopbackServer(echo) as server:
        answer = await answer_to(server.port, garbage)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert "error" in json.loads(answer.partition(b"\r\n\r\n")[2])


async def test_endless_head_gets_431() -> None:
    async with LoopbackServer(echo) as server:
        answer = await answer_to(server.port, b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
    assert answer.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("chunked", [True, False])
async def test_body_over_the_limit_gets_413_that_the_client_can_read(chunked: bool) -> None:
    async with LoopbackServer(echo, max_body_bytes=1000) as server:
        size = 3_000_000
        body = (b"%x\r\n" % size + b"x" * size + b"\r\n0\r\n\r\n") if chunked else b"x" * size
        framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
        answer = await answer_to(server.port, get(server, "/", framing, method="POST") + body)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"Connection: close" in answer
    assert "larger than 1,000 bytes" in json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]


async def test_strangers_get_no_handler_and_the_connection_lives() -> None:
    calls: list[str] = []

    async def handler(request: ServerRequest) -> ServerResponse:
        calls.append(request.target)
        return await echo(request)

    async with LoopbackServer(handler, key="secret") as server, dialled(server.port) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 3\r\n\r\nabc")
        assert (await reader.readuntil(b"}}")).startswith(b"HTTP/1.1 403 ")
        writer.write(get(server))
        assert (await reader.readuntil(b"}}")).startswith(b"HTTP/1.1 401 ")
        writer.write(get(server, "/secret/v1"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        assert server.keyed_url == f"http://127.0.0.1:{server.port}/secret"
    assert calls == ["/v1"]


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
@pytest.mark.parametrize("streamed", [True, False])
async def test_responses_without_a_body_send_none(method: str, status: int, streamed: bool) -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(status, [], pieces(b"abc") if streamed else b"abc")

    async with LoopbackServer(handler) as server:
        answer = await answer_to(server.port, get(server, method=method) + get(server, "/", CLOSE, method=method))
    assert answer.count(b"HTTP/1.1 ") == 2
    assert b"abc" not in answer


async def test_old_client_gets_a_stream_without_chunks() -> None:
    async with LoopbackServer(lambda request: ready(ServerResponse(200, [], pieces(b"a", b"b")))) as server:
        answer = await answer_to(server.port, get(server, version="1.0"))
    assert answer.endswith(b"\r\n\r\nab")


async def test_pieces_are_sent_as_they_come() -> None:
    more = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b"one"
        yield b""
        await more.wait()
        yield b"two"

    async with LoopbackServer(lambda request: ready(ServerResponse(200, [("X-Case", "Kept")], body()))) as server, dialled(server.port) as (reader, writer):
        writer.write(get(server))
        assert b"X-Case: Kept" in await reader.readuntil(b"3\r\none\r\n")
        more.set()
        assert await reader.readuntil(b"0\r\n\r\n") == b"3\r\ntwo\r\n0\r\n\r\n"


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def ready(response: ServerResponse) -> ServerResponse:
    return response


@pytest.mark.parametrize("way", ["big body", "fast stream", "big request"])
async def test_other_work_in_the_loop_is_not_held_up(way: str) -> None:
    """A window draws in the same loop: its timer may come late by a frame or so, not by the length of the work."""
    big = b"x" * 40_000_000

    async def fast() -> AsyncIterator[bytes]:
        for _ in range(20_000):
            yield b"data: x\n\n"

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], fast() if way == "fast stream" else big)

    async with LoopbackServer(handler) as server:
        size = len(big) if way == "big request" else 0
        request = get(server, "/", CLOSE, f"Content-Length: {size}", method="POST")
        assert await least_lateness(lambda: exchange_in_pieces(server.port, request, big[:size])) < 0.05


async def exchange_in_pieces(port: int, head: bytes, body: bytes) -> None:
    """Send and receive politely, so that what is late is the server's doing."""
    async with dialled(port) as (reader, writer):
        writer.write(head)
        for start in range(0, len(body), 1 << 17):
            writer.write(body[start : start + (1 << 17)])
            await writer.drain()
            await asyncio.sleep(0)
        assert (await reader.read(100)).startswith(b"HTTP/1.1 200")
        more = True
        while more:
            more = bool(await reader.read(1 << 17))
            await asyncio.sleep(0)


async def test_answers_are_http_for_a_strict_reader() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [("Content-Type", "text/plain")], pieces(b"a" * 100_000, b"b"))

    async with LoopbackServer(handler) as server:
        data = await answer_to(server.port, get(server, "/", CLOSE))
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "x"), ("Connection", "close")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(data)
    body = b""
    while not isinstance(event := connection.next_event(), h11.EndOfMessage):
        body += bytes(event.data) if isinstance(event, h11.Data) else b""
    assert body == b"a" * 100_000 + b"b"



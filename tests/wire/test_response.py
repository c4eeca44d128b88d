"""Reading a body: how long it may take, how large it may be, how it may be packed."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator

import pytest

from tests.wire.asking import client, collect, url
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer
from workbench.errors import ProviderUnreachable, ResponseUnreadable, StreamBroken
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.framing import SseReader, encode_sse
from workbench.wire.server import Hang, LoopbackServer, ServerRequest, ServerResponse


async def test_slow_first_token_completes_with_a_short_idle_limit() -> None:
    """Case slow-first-token, hundred times faster: the wait for the first byte has a limit of its own, and the whole has none."""
    given = transport_case("slow-first-token")["input"]
    delay_s, gap_s = given["delay_before_headers_ms"] / 100_000, 0.004

    async def body() -> AsyncIterator[bytes]:
        for number in range(75):
            yield encode_sse(str(number))
            await asyncio.sleep(gap_s)

    async def handler(request: ServerRequest) -> ServerResponse:
        await asyncio.sleep(delay_s)
        return ServerResponse(200, [], body())

    async with LoopbackServer(handler) as server:
        http = client(idle_timeout_s=delay_s / 1.5, progress_timeout_s=delay_s * 3)
        reader, frames = SseReader(), 0
        async with http.stream(HttpRequest("POST", url(server))) as response:
            async for chunk in response.chunks():
                for _ in reader.feed(chunk):
                    response.progress()
                    frames += 1
        assert frames == 75
        await http.aclose()


@pytest.mark.parametrize("where", ["head", "body"])
async def test_first_byte_that_does_not_come_is_said_in_a_sentence(where: str) -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        if where == "body":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        await reader.read()

    async with RawServer(talk) as server:
        http = client(first_byte_timeout_s=0.1)
        start = time.monotonic()
        with pytest.raises(ProviderUnreachable, match=r"^127\.0\.0\.1 sent no answer within 0\.1 s\.$"):
            async with http.stream(HttpRequest("GET", url(server))) as response:
                await response.body()
        assert 0.09 < time.monotonic() - start < 1
        await http.aclose()


async def test_silence_in_the_middle_ends_the_stream_and_closes_the_socket() -> None:
    closed = asyncio.Event()

    async def body() -> AsyncIterator[bytes | type[Hang]]:
        try:
            yield b"some"
            yield Hang
        finally:
            closed.set()

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], body())

    async with LoopbackServer(handler) as server:
        http = client(idle_timeout_s=0.1, first_byte_timeout_s=0.05)
        start = time.monotonic()
        with pytest.raises(StreamBroken, match=r"^127\.0\.0\.1 sent nothing for 0\.1 s in the middle of the answer\.$"):
            await collect(http, HttpRequest("GET", url(server)), [])
        assert 0.09 < time.monotonic() - start < 1
        await closed.wait()
        await http.aclose()


async def test_heartbeats_alone_do_not_keep_a_dead_stream_open() -> None:
    """Case idle-timeout-ignores-heartbeats: comments end a silence, but only content is progress."""
    case = transport_case("idle-timeout-ignores-heartbeats")
    given, expect = case["input"], case["expect"]
    closed = asyncio.Event()

    async def body() -> AsyncIterator[bytes | type[Hang]]:
        try:
            for chunk in given["chunks"]:
                yield chunk.encode()
                await asyncio.sleep(given["chunk_gap_ms"] / 1000)
            yield Hang
        finally:
            closed.set()

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], body())

    reader, texts, last_at = SseReader(), [], 0.0

    async def read(http: HttpClient, server: LoopbackServer) -> None:
        nonlocal last_at
        async with http.stream(HttpRequest("POST", url(server))) as response:
            async for chunk in response.chunks():
                for frame in reader.feed(chunk):
                    texts.append(json.loads(frame.data)["choices"][0]["delta"]["content"])
                    response.progress()
                    last_at = time.monotonic()

    async with LoopbackServer(handler) as server:
        http = client(progress_timeout_s=given["settings"]["idle_timeout_ms"] / 1000)
        with pytest.raises(StreamBroken) as caught:
            await read(http, server)
        first_ms, last_ms = expect["aborted_between_ms"]
        assert first_ms - 20 <= (time.monotonic() - last_at) * 1000 <= last_ms
        assert caught.value.values["reason"] == expect["reason"]
        assert "only signs of life" in caught.value.text
        assert texts == [expect["text"]]
        assert reader.comments >= 2
        await closed.wait()
        await http.aclose()


async def test_reader_that_takes_its_time_is_not_taken_for_a_silent_server() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], b"x" * 2_000_000)

    async with LoopbackServer(handler) as server:
        http = client(idle_timeout_s=0.05, progress_timeout_s=0.2)
        size = 0
        async with http.stream(HttpRequest("GET", url(server))) as response:
            async for chunk in response.chunks():
                if size == 0:
                    await asyncio.sleep(0.3)
                size += len(chunk)
        assert size == 2_000_000
        await http.aclose()


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello " * 1000)),
        ("x-gzip", gzip.compress(b"hello " * 500) + gzip.compress(b"hello " * 500)),
        ("deflate", zlib.compress(b"hello " * 1000)),
        ("deflate", zlib.compress(b"hello " * 1000)[2:-4]),
        ("identity", b"hello " * 1000),
    ],
    ids=["gzip", "x-gzip", "zlib", "raw deflate", "identity"],  # packed bytes hold the time, and workers must agree on names
)
async def test_packed_body_is_unpacked_although_it_was_not_asked_for(coding: str, packed: bytes) -> None:
    async def body() -> AsyncIterator[bytes]:
        for place in range(len(packed)):
            yield packed[place : place + 1]

    async def handler(request: ServerRequest) -> ServerResponse:
        assert request.header("accept-encoding") == "identity"
        return ServerResponse(200, [("Content-Encoding", coding)], body())

    async with LoopbackServer(handler) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            assert await response.body() == b"hello " * 1000
        await http.aclose()


@pytest.mark.parametrize(
    ("coding", "body", "match"),
    [("br", b"xx", "packed as 'br'"), ("gzip", b"not gzip", "cannot be unpacked"), ("gzip", gzip.compress(b"0" * 50_000_000), "larger than 1,000,000 bytes")],
)
async def test_body_that_cannot_be_unpacked_is_said_in_a_sentence(coding: str, body: bytes, match: str) -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [("Content-Encoding", coding)], body)

    async with LoopbackServer(handler) as server:
        http = client(max_body_bytes=1_000_000)
        with pytest.raises(ResponseUnreadable, match=match):
            async with http.stream(HttpRequest("GET", url(server))) as response:
                await response.body()
        await http.aclose()


async def test_body_over_the_limit_is_not_read_to_its_end() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1000
            yield b"x" * 1000

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], endless())

    async with LoopbackServer(handler) as server:
        http = client()
        with pytest.raises(ResponseUnreadable, match="larger than 5,000 bytes"):
            async with http.stream(HttpRequest("GET", url(server))) as response:
                await response.body(limit_bytes=5000)
        await http.aclose()
    assert sent < 50_000_000

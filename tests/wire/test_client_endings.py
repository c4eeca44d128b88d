"""How a request ends before its time: cancelled, left, closed; the server must notice at once."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator

import pytest

from tests.wire.asking import client, url
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer
from workbench.errors import StreamBroken
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.server import Hang, LoopbackServer, ServerRequest, ServerResponse


@pytest.mark.parametrize("reading", ["the head", "a chunk", "everything that is there", "before the head"])
async def test_socket_is_closed_within_100_ms_of_a_cancel(reading: str) -> None:
    """The server stops paying for an answer that nobody reads: case stop-closes-socket."""
    allowed_s = min(0.1, transport_case("stop-closes-socket")["expect"]["server_disconnect_ms"] / 1000)
    seen_eof: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    reached = asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        if reading == "before the head":
            reached.set()
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        while await reader.read(100):
            pass
        seen_eof.set_result(time.monotonic())

    async def work(http: HttpClient, server: RawServer) -> None:
        async with http.stream(HttpRequest("GET", url(server))) as response:
            if reading == "the head":
                reached.set()
                await asyncio.Event().wait()
            async for _ in response.chunks():
                reached.set()
                if reading == "a chunk":
                    await asyncio.Event().wait()

    async with RawServer(talk) as server, asyncio.TaskGroup() as group:
        http = client()
        task = group.create_task(work(http, server))
        await reached.wait()
        await asyncio.sleep(0)
        cancelled_at = time.monotonic()
        task.cancel()
        assert await seen_eof - cancelled_at < allowed_s
        await asyncio.wait([task])
        assert task.cancelled()
        assert asyncio.all_tasks() - {asyncio.current_task(), *server._tasks} == set()
        await http.aclose()
    assert server.connections == 1


async def test_socket_is_closed_when_a_response_is_left_half_read() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 1000
                await asyncio.sleep(0)
        finally:
            closed.set()

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], endless())

    async with LoopbackServer(handler) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            async for _ in response.chunks():
                break
        assert not response.complete
        assert asyncio.all_tasks() - {asyncio.current_task(), *server._tasks} <= {task for task in asyncio.all_tasks() if "_watch" in str(task)}
        await closed.wait()
        await http.aclose()
    gc.collect()


async def test_cancelling_twice_leaves_no_open_socket() -> None:
    seen_eof = asyncio.Event()
    reached = asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        reached.set()
        await reader.read()
        seen_eof.set()

    async def work(http: HttpClient, server: RawServer) -> None:
        async with http.stream(HttpRequest("GET", url(server))):
            pass

    for turns in range(4):
        seen_eof.clear()
        reached.clear()
        async with RawServer(talk) as server, asyncio.TaskGroup() as group:
            http = client()
            task = group.create_task(work(http, server))
            await reached.wait()
            task.cancel()
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await seen_eof.wait()
            await http.aclose()


async def test_closing_the_client_ends_open_responses() -> None:
    async def body() -> AsyncIterator[bytes | type[Hang]]:
        yield b"some"
        yield Hang

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], body())

    begun = asyncio.Event()

    async def read(http: HttpClient, server: LoopbackServer) -> None:
        async with http.stream(HttpRequest("GET", url(server))) as response:
            async for _ in response.chunks():
                begun.set()

    async def expect_the_end(http: HttpClient, server: LoopbackServer) -> None:
        with pytest.raises(StreamBroken):
            await read(http, server)

    async with LoopbackServer(handler) as server, asyncio.TaskGroup() as group:
        http = client()
        group.create_task(expect_the_end(http, server))
        await begun.wait()
        await http.aclose()

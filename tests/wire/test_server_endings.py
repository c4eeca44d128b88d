"""How a response ends before its time: the client leaves, the server stops, or a fault is ordered."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from tests.wire.raw import answer_to, dialled
from tests.wire.test_server import echo, get, ready
from workbench.wire.server import Cut, Hang, LoopbackServer, Reset, ServerRequest, ServerResponse


class Watched:
    """A body that waits for ever after its first piece, and remembers how it ended."""

    def __init__(self) -> None:
        self.ended_at = 0.0
        self.ended = asyncio.Event()
        self.client_was_gone = False

    async def handler(self, request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], self.body(request))

    async def body(self, request: ServerRequest) -> AsyncIterator[bytes]:
        try:
            yield b"first"
            await asyncio.Event().wait()
        finally:
            self.ended_at = time.monotonic()
            self.client_was_gone = request.client_gone.is_set()
            self.ended.set()


async def test_body_is_cancelled_at_once_when_the_client_leaves() -> None:
    watched = Watched()
    async with LoopbackServer(watched.handler) as server:
        async with dialled(server.port) as (reader, writer):
            writer.write(get(server))
            await reader.readuntil(b"first")
            left_at = time.monotonic()
        await watched.ended.wait()
        assert watched.ended_at - left_at < 0.1
        assert watched.client_was_gone


async def test_body_is_closed_when_the_client_leaves_while_it_writes() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 1000
        finally:
            closed.set()

    async with LoopbackServer(lambda request: ready(ServerResponse(200, [], endless()))) as server:
        async with dialled(server.port) as (reader, writer):
            writer.write(get(server))
            await reader.read(10)
            writer.transport.abort()
        await closed.wait()


async def test_handler_is_cancelled_when_the_client_leaves() -> None:
    entered, ended = asyncio.Event(), asyncio.Event()

    async def handler(request: ServerRequest) -> ServerResponse:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            assert request.client_gone.is_set()
            ended.set()
        raise AssertionError

    async with LoopbackServer(handler) as server:
        async with dialled(server.port) as (_, writer):
            writer.write(get(server))
            await entered.wait()
        await ended.wait()


async def test_stop_is_immediate_with_open_streams() -> None:
    watched = Watched()
    server = LoopbackServer(watched.handler)
    async with server:
        streams = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
        idle = await asyncio.open_connection("127.0.0.1", server.port)
        for reader, writer in streams:
            writer.write(get(server))
            await reader.readuntil(b"first")
        start = time.monotonic()
    assert time.monotonic() - start < 0.1
    assert watched.ended.is_set()
    assert not watched.client_was_gone
    assert asyncio.all_tasks() == {asyncio.current_task()}
    for reader, writer in [*streams, idle]:
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() in (b"", b"\r\n")
        writer.close()


async def test_connection_that_comes_while_the_server_stops_leaves_no_task() -> None:
    for turns in range(6):
        async with LoopbackServer(echo) as server:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(get(server))
            for _ in range(turns):
                await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        writer.close()


async def test_cut_closes_without_the_end_of_the_body() -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield b"some"
        raise Cut

    async with LoopbackServer(lambda request: ready(ServerResponse(200, [], cut()))) as server:
        answer = await answer_to(server.port, get(server))
    assert answer.endswith(b"\r\n\r\n4\r\nsome\r\n")


async def test_cut_before_the_head_sends_nothing() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        raise Cut

    async with LoopbackServer(handler) as server:
        assert await answer_to(server.port, get(server)) == b""


async def test_reset_delivers_what_was_sent_and_resets() -> None:
    async def reset() -> AsyncIterator[bytes]:
        yield b"some"
        raise Reset

    async with LoopbackServer(lambda request: ready(ServerResponse(200, [], reset()))) as server, dialled(server.port) as (reader, writer):
        writer.write(get(server))
        await reader.readuntil(b"4\r\nsome\r\n")
        with pytest.raises(ConnectionResetError):
            await reader.read()


@pytest.mark.parametrize("hang", [Hang, Hang()], ids=["class", "instance"])
async def test_hang_keeps_the_connection_open_until_the_client_leaves(hang: Hang | type[Hang]) -> None:
    closed = asyncio.Event()

    async def body() -> AsyncIterator[bytes | Hang | type[Hang]]:
        try:
            yield b"some"
            yield hang
            yield b"never"
        finally:
            closed.set()

    async with LoopbackServer(lambda request: ready(ServerResponse(200, [], body()))) as server:
        async with dialled(server.port) as (reader, writer):
            writer.write(get(server))
            await reader.readuntil(b"4\r\nsome\r\n")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await reader.read(1)
            assert not closed.is_set()
        await closed.wait()


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_failing_handler_gets_500_and_is_reported(method: str) -> None:
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    reported: asyncio.Future[object] = loop.create_future()
    loop.set_exception_handler(lambda _loop, context: reported.set_result(context.get("exception")))

    async def handler(request: ServerRequest) -> ServerResponse:
        raise KeyError("a mistake")

    async with LoopbackServer(handler) as server:
        answer = await answer_to(server.port, get(server, method=method))
        group = await reported
    loop.set_exception_handler(before)
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert isinstance(group, ExceptionGroup)
    assert isinstance(group.exceptions[0], KeyError)



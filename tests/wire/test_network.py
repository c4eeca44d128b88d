"""Connections below HTTP: kept alive by the system, counted, and shut without waiting."""

from __future__ import annotations

import asyncio
import socket

from tests.wire.raw import RawServer
from workbench.wire.network import Attempt, Network, WatchedStream, current_attempt


async def test_traffic_of_one_request_is_noted_with_its_attempt() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)

    async with RawServer(talk) as server:
        stream = await Network(None).connect_tcp("127.0.0.1", server.port)
        assert isinstance(stream, WatchedStream)
        for number in range(2):
            attempt = Attempt()
            token = current_attempt.set(attempt)
            await stream.write(b"abc")
            assert (attempt.reused, attempt.answered, stream.requests) == (number == 1, False, number + 1)
            assert abs(attempt.waited_since - asyncio.get_running_loop().time()) < 1
            assert await stream.read(100) == b"abc"
            assert (attempt.answered, stream.received_bytes) == (True, 3 * (number + 1))
            current_attempt.reset(token)
        await stream.aclose()


async def test_attempt_broken_off_shuts_its_connection_before_anything_is_awaited() -> None:
    ended = asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        ended.set()

    async with RawServer(talk) as server:
        stream = await Network(None).connect_tcp("127.0.0.1", server.port)
        attempt = Attempt()
        attempt.break_off()  # nothing to shut yet
        assert isinstance(stream, WatchedStream)
        attempt.uses(stream)
        attempt.break_off()
        await ended.wait()
        await stream.aclose()
        attempt.break_off()  # nothing to shut any more


async def test_system_watches_silent_connections() -> None:
    async with RawServer(lambda server, reader, writer: reader.read()) as server:  # type: ignore[arg-type,return-value]
        stream = await Network(None).connect_tcp("127.0.0.1", server.port)
        raw = stream.get_extra_info("socket")
        assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        if hasattr(socket, "TCP_KEEPIDLE"):
            assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60
        await stream.aclose()

"""The other side of the wire by hand: a client and a server that know no HTTP, only bytes."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable


@contextlib.asynccontextmanager
async def dialled(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect to a port on loopback; close at the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def answer_to(port: int, data: bytes) -> bytes:
    """Send bytes, return everything that comes until the server closes."""
    async with dialled(port) as (reader, writer):
        writer.write(data)
        return await reader.read()


Talk = Callable[["RawServer", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """Accepts connections on loopback and lets a script talk on each.

    Attributes:
        connections: how many were accepted.
        heads: the heads that ``read_request`` read, in order, without their blank line.
        bodies: the bodies, in order.
    """

    def __init__(self, talk: Talk, tls: ssl.SSLContext | None = None) -> None:
        self._talk = talk
        self._tls = tls
        self._tasks: set[asyncio.Task[None] | None] = set()
        self.connections = 0
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []

    async def __aenter__(self) -> RawServer:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=1 << 22, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        if greeting := [task for task in asyncio.all_tasks() if "_accept_connection" in repr(task.get_coro())]:
            await asyncio.wait(greeting)  # a failed TLS handshake takes a few turns to end
        tasks = {task for task in self._tasks if task is not None and not task.done()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        self.connections += 1
        try:
            await self._talk(self, reader, writer)
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
            pass  # the client left, or the test ended; asyncio.streams of 3.11 reports a cancelled task as a failure
        finally:
            writer.close()

    async def read_request(self, reader: asyncio.StreamReader) -> bytes:
        """Read one request with a Content-Length; return its body."""
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        self.heads.append(head)
        lengths = [int(value) for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")) if name.lower() == b"content-length"]
        self.bodies.append(await reader.readexactly(lengths[0] if lengths else 0))
        return self.bodies[-1]


def pairs_of(head: bytes) -> tuple[tuple[str, str], ...]:
    """Return the header pairs of a head as they were written."""
    return tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:]))

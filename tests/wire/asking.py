"""Short ways to ask a server with the real client, for tests."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

from tests.wire.raw import RawServer
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.response import HttpResponse
from workbench.wire.server import LoopbackServer

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def client(**options: float) -> HttpClient:
    return HttpClient(environ={}, **options)  # type: ignore[arg-type]


def url(server: RawServer | LoopbackServer, path: str = "/v1/chat") -> str:
    return f"http://127.0.0.1:{server.port}{path}"


async def collect(http: HttpClient, request: HttpRequest, chunks: list[bytes]) -> None:
    """Read a response piece by piece into `chunks`, which keep what came before an error."""
    async with http.stream(request) as response:
        async for chunk in response.chunks():
            chunks.append(chunk)  # noqa: PERF401


async def answer_ok(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each request of a connection."""
    while True:
        try:
            await server.read_request(reader)
        except asyncio.IncompleteReadError:
            return
        writer.write(OK)


async def ask(http: HttpClient, address: str, body: bytes = b"") -> HttpResponse:
    """Post a body to a server that says ``ok``; return the response, read."""
    async with http.stream(HttpRequest("POST", address, (), body)) as response:
        assert await response.body() == b"ok"
    return response


def tls_of(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


async def least_lateness(work: Callable[[], Coroutine[None, None, object]]) -> float:
    """Return the most processor time that the work took between two turns of the loop, in seconds; the best of three.

    Processor time, because what other programs do on a busy machine says nothing about this one.
    """
    return min([await _lateness(work) for _ in range(3)])


async def _lateness(work: Callable[[], Coroutine[None, None, object]]) -> float:
    worst = 0.0
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work())
        while not task.done():
            start = time.thread_time()
            await asyncio.sleep(0.002)
            worst = max(worst, time.thread_time() - start)
    return worst

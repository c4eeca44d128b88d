"""The client against real servers on loopback: what is sent, what comes back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from tests.wire.asking import answer_ok, client, url
from tests.wire.raw import RawServer, pairs_of
from workbench.errors import ProviderError
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


@pytest.mark.parametrize("size", [0, 1, 300_000, 3_000_000])
async def test_server_receives_exactly_what_the_response_says_was_sent(size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    headers = (("X-ODD-case", "1"), ("x-odd-CASE", "zwei "), ("Authorization", "Bearer k\n"), ("Content-Type", "application/json"))
    async with RawServer(answer_ok) as server:
        http = client()
        request = HttpRequest("POST", url(server, "/a b/%2f?q=ü#part"), headers, body)
        async with http.stream(request) as response:
            assert await response.body() == b"ok"
        await http.aclose()
    (head,) = server.heads
    assert head.partition(b"\r\n")[0] == b"POST /a%20b/%2f?q=%C3%BC HTTP/1.1"
    assert pairs_of(head) == response.sent_headers == http.final_request(request).headers
    assert response.sent_headers == (
        ("Host", f"127.0.0.1:{server.port}"),
        ("X-ODD-case", "1"),
        ("x-odd-CASE", "zwei"),
        ("Authorization", "Bearer k"),
        ("Content-Type", "application/json"),
        ("Accept", "*/*"),
        ("Accept-Encoding", "identity"),
        ("User-Agent", "agent-workbench"),
        ("Content-Length", str(len(body))),
    )
    assert server.bodies == [body]


async def test_response_head_is_given_as_it_was_sent() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(b"HTTP/1.0 418 I'm a teapot\r\nX-Request-ID: 7\r\nset-cookie: a\r\nSet-Cookie: b\r\n\r\nhello")

    async with RawServer(talk) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            assert (response.status, response.http_version, response.route, response.attempts) == (418, "HTTP/1.0", "direct", 1)
            assert response.headers == (("X-Request-ID", "7"), ("set-cookie", "a"), ("Set-Cookie", "b"))
            assert (response.header("SET-COOKIE"), response.header("none")) == ("a", "")
            assert await response.body() == b"hello"
            assert response.complete
        await http.aclose()


async def test_pieces_come_as_they_are_sent() -> None:
    more = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b"one"
        await more.wait()
        yield b"two"

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], body())

    async with LoopbackServer(handler) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            chunks = response.chunks()
            assert await anext(chunks) == b"one"
            more.set()
            assert [chunk async for chunk in chunks] == [b"two"]
        await http.aclose()


@pytest.mark.parametrize(
    ("request_", "match"),
    [
        (HttpRequest("GET", "ftp://h/"), "must begin with http"),
        (HttpRequest("GET", "http://h/", (("X-Key", "a\nb"),)), "The header X-Key holds a line break at position 2"),
        (HttpRequest("GET", "http://h/", (("X-Key", "ключ"),)), "holds the character U\\+043A at position 1"),
        (HttpRequest("GET", "http://h/", (("X Key", "a"),)), "cannot be the name of a header"),
    ],
)
async def test_what_cannot_be_sent_is_said_in_a_sentence(request_: HttpRequest, match: str) -> None:
    http = client()
    with pytest.raises(ProviderError, match=match):
        async with http.stream(request_):
            pass
    with pytest.raises(ProviderError, match=match):
        http.final_request(request_)


async def test_redirect_is_given_back_and_not_followed() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(302, [("Location", "http://192.0.2.1/")])

    async with LoopbackServer(handler) as server:
        http = client()
        async with http.stream(HttpRequest("GET", url(server))) as response:
            assert (response.status, response.header("location")) == (302, "http://192.0.2.1/")
            await response.body()
        await http.aclose()


async def test_many_streams_at_once_do_not_wait_for_each_other() -> None:
    together = asyncio.Barrier(30)

    async def handler(request: ServerRequest) -> ServerResponse:
        await together.wait()
        return ServerResponse(200, [], request.body)

    async def one(http: HttpClient, server: LoopbackServer, number: int) -> None:
        async with http.stream(HttpRequest("POST", url(server), (), b"%d" % number)) as response:
            assert await response.body() == b"%d" % number

    async with LoopbackServer(handler) as server:
        http = client()
        async with asyncio.TaskGroup() as group:
            for number in range(30):
                group.create_task(one(http, server, number))
        await http.aclose()


def test_creating_a_client_loads_neither_httpcore_nor_certificates() -> None:
    code = """
import asyncio, sys, time
start = time.perf_counter()
from workbench.wire.client import HttpClient, HttpRequest
imported = time.perf_counter()
client = HttpClient()
created = time.perf_counter()
assert "httpcore" not in sys.modules and "httpx" not in sys.modules and "ssl" in sys.modules
print((imported - start) * 1000, (created - imported) * 1000)
"""
    import_ms, create_ms = map(float, subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True).stdout.split())
    assert create_ms < 15
    assert import_ms < 100


def test_nothing_is_loaded_on_the_loop_at_the_first_request() -> None:
    code = """
import asyncio, sys
import workbench.wire.transport
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.server import LoopbackServer, ServerResponse

async def main():
    async def answer(request):
        return ServerResponse(200, (), b"yes")

    async with LoopbackServer(answer) as server:
        await asyncio.to_thread(int)
        before, client = set(sys.modules), HttpClient(environ={})
        async with client.stream(HttpRequest("GET", server.base_url, (), b"")) as response:
            print((await response.body()).decode(), *(set(sys.modules) - before))
        await client.aclose()

asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True).stdout.split() == ["yes"]


def test_default_limits_let_a_model_think() -> None:
    waits = HttpClient(environ={})._waits
    assert waits.connect_s == 10
    assert waits.first_byte_s >= 600
    assert waits.idle_s >= 60
    assert waits.progress_s >= waits.first_byte_s

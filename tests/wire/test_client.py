"""The client against real servers on loopback: what is sent, what comes back, how it ends."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator

import pytest

from tests.wire.cases import transport_case
from tests.wire.raw import RawServer, pairs_of
from workbench.errors import ProviderError, ProviderUnreachable, ResponseUnreadable, StreamBroken
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.framing import SseReader, encode_sse
from workbench.wire.server import Cut, Hang, LoopbackServer, Reset, ServerRequest, ServerResponse

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


async def test_body_broken_off_in_the_middle_is_a_broken_stream() -> None:
    for order in (Cut, Reset):

        async def body(order: type[Exception] = order) -> AsyncIterator[bytes]:
            yield b"data: some\n\n"
            raise order

        async def handler(request: ServerRequest, body: object = body) -> ServerResponse:
            return ServerResponse(200, [], body())  # type: ignore[operator]

        async with LoopbackServer(handler) as server:
            http = client()
            chunks: list[bytes] = []
            with pytest.raises(StreamBroken, match=r"^Connection lost: 127\.0\.0\.1 broke off in the middle of the answer\.$") as caught:
                await collect(http, HttpRequest("GET", url(server)), chunks)
            assert chunks == [b"data: some\n\n"]
            assert caught.value.message_id == "wire.connection_lost"
            await http.aclose()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(b"", "no_answer"), (b"HTTP/1.1 20", "no_answer"), (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "not_http"), (b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "not_http")],
)
async def test_no_answer_or_none_in_http_is_said_in_a_sentence(answer: bytes, reason: str) -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(answer)

    async with RawServer(talk) as server:
        http = client()
        with pytest.raises(ProviderUnreachable) as caught:
            async with http.stream(HttpRequest("GET", url(server))):
                pass
        assert caught.value.values["reason"] == reason
        assert caught.value.text.startswith("127.0.0.1")
        assert server.connections == 1
        await http.aclose()


async def test_nobody_at_the_port_is_said_in_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        http = client()
        with pytest.raises(ProviderUnreachable, match=rf"^Nothing answers at 127\.0\.0\.1:{port} \(connection refused\); is it running\?$"):
            async with http.stream(HttpRequest("GET", f"http://127.0.0.1:{port}/")):
                pass
        with pytest.raises(ProviderUnreachable, match="Nothing answers at localhost"):  # a name with two addresses
            async with http.stream(HttpRequest("GET", f"http://localhost:{port}/")):
                pass
        await http.aclose()


async def test_name_that_cannot_be_resolved_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    case = transport_case("offline-dns")

    def offline(*args: object, **options: object) -> object:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    http = client()
    start = time.monotonic()
    with pytest.raises(ProviderUnreachable) as caught:
        async with http.stream(HttpRequest("POST", case["input"]["base_url"] + "/chat/completions")):
            pass
    assert time.monotonic() - start < case["expect"]["max_ms"] / 1000
    assert caught.value.text == "Cannot resolve api.example.invalid - offline or DNS problem?"
    assert all(part in caught.value.text for part in case["expect"]["message_contains"])
    assert "Temporary failure in name resolution" in str(caught.value.values["detail"])
    await http.aclose()


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


def test_default_limits_let_a_model_think() -> None:
    waits = HttpClient(environ={})._waits
    assert waits.connect_s == 10
    assert waits.first_byte_s >= 600
    assert waits.idle_s >= 60
    assert waits.progress_s >= waits.first_byte_s


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

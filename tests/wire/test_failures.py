"""What goes wrong between here and a server is said in one sentence, the raw error beside it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
import time
from collections.abc import AsyncIterator

import pytest

from tests.wire.asking import ask, client, collect, url
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer
from workbench.errors import ProviderUnreachable, StreamBroken
from workbench.wire import failures
from workbench.wire.client import HttpRequest
from workbench.wire.failures import Peer
from workbench.wire.server import Cut, LoopbackServer, Reset, ServerRequest, ServerResponse


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
        with pytest.raises(ProviderUnreachable, match=rf"^Nothing answers at 127\.0\.0\.1:{port} \(connection refused\); check that it runs\.$"):
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


async def test_port_whose_queue_is_full_is_given_up_in_time() -> None:
    with contextlib.ExitStack() as opened:
        full = opened.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        for _ in range(4):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        http = client(connect_timeout_s=0.1)
        with pytest.raises(ProviderUnreachable, match=rf"^127\.0\.0\.1:{port} did not accept a connection within 0\.1 s\.$"):
            await ask(http, f"http://127.0.0.1:{port}/")
        await http.aclose()


async def test_server_that_stops_taking_the_request_is_given_up_in_time() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.Event().wait()

    async with RawServer(talk) as server:
        http = client(idle_timeout_s=0.2)
        with pytest.raises(ProviderUnreachable, match=r"^127\.0\.0\.1 took nothing more of the request for 0\.2 s\.$"):
            await ask(http, url(server), b"x" * 50_000_000)
        await http.aclose()


@pytest.mark.parametrize(
    ("error", "reason", "sentence"),
    [
        (OSError(errno.ENETUNREACH, "x"), "no_route", "h:1 cannot be reached: Network is unreachable."),
        (ExceptionGroup("all", [OSError(errno.ECONNREFUSED, "a")] * 2), "refused", "Nothing answers at h:1 (connection refused); check that it runs."),
        (ssl.SSLError(1, "[SSL] wrong version"), "tls", "h:1 does not speak TLS as it should; an http:// address may be meant."),
        (socket.gaierror(socket.EAI_NONAME, "x"), "unknown_host", "Cannot resolve h - check the name and the network."),
        (RuntimeError("closed"), "no_connection", "The connection to h:1 was closed before it was ready."),
    ],
)
def test_cause_is_found_deep_in_the_exception(error: Exception, reason: str, sentence: str) -> None:
    wrapped = ConnectionError("outer")
    wrapped.__cause__ = OSError("All connection attempts failed")
    wrapped.__cause__.__context__ = error
    failure = failures.no_connection(Peer("h", 1), wrapped, 10)
    assert (failure.text, failure.values["reason"], failure.message_id) == (sentence, reason, f"wire.{reason}")
    assert "All connection attempts failed" in str(failure.values["detail"])


def test_proxy_is_named_instead_of_the_server() -> None:
    failure = failures.no_connection(Peer("p", 1, "proxy http://p:1 (HTTP_PROXY)"), TimeoutError(), 10)
    assert failure.text == "The proxy http://p:1 (HTTP_PROXY) did not accept a connection within 10 s."

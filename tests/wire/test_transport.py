"""Connections that are kept, that died, and that are encrypted; large bodies both ways without holding up the loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.wire.asking import OK, answer_ok, ask, client, least_lateness, tls_of, url
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer
from workbench.errors import ProviderUnreachable
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


async def test_connection_is_kept_for_the_next_request() -> None:
    async with RawServer(answer_ok) as server:
        http = client()
        for _ in range(5):
            await ask(http, url(server))
        assert server.connections == 1
        await http.aclose()


async def test_connection_that_the_server_closed_while_idle_is_not_used() -> None:
    """Case stale-keepalive: nothing is shown, and the second request is handled once."""
    case = transport_case("stale-keepalive")
    scripts = iter(case["input"]["connections"])
    handled: list[str] = []
    closed = asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = next(scripts)
        for _ in range(script["serve"]):
            handled.append((await server.read_request(reader)).decode())
            writer.write(OK)
            await writer.drain()
        writer.close()
        closed.set()

    async with RawServer(talk) as server:
        http = client()
        one, _, two = case["input"]["actions"]
        await ask(http, url(server), one["text"].encode())
        await closed.wait()
        response = await ask(http, url(server), two["text"].encode())
        assert handled == case["expect"]["handled"]
        assert response.attempts == 1
        await http.aclose()


async def test_request_lost_on_a_kept_connection_is_sent_once_more() -> None:
    """The server closes just when the second request arrives: nobody could have known."""
    answered: list[bytes] = []

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = server.connections == 1
        while True:
            body = await server.read_request(reader)
            if first and body == b"two":
                return
            answered.append(body)
            writer.write(OK)

    async with RawServer(talk) as server:
        http = client()
        assert (await ask(http, url(server), b"one")).attempts == 1
        assert (await ask(http, url(server), b"two")).attempts == 2
        assert server.bodies == [b"one", b"two", b"two"]
        assert answered == [b"one", b"two"]
        assert server.heads[1] == server.heads[2]
        await http.aclose()


@pytest.mark.parametrize(("beginning", "connections"), [(b"", 2), (b"H", 1), (b"HTTP/1.1 100 Continue\r\n\r\n", 1)])
async def test_request_is_not_sent_again_after_any_byte_of_an_answer_nor_a_third_time(beginning: bytes, connections: int) -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await server.read_request(reader) == b"one":
            writer.write(OK)
        writer.write(beginning)

    async with RawServer(talk) as server:
        http = client()
        await ask(http, url(server), b"one")
        with pytest.raises(ProviderUnreachable, match="closed the connection without an answer"):
            await ask(http, url(server), b"two")
        assert server.connections == connections
        await http.aclose()


async def test_kept_connections_are_dropped_after_a_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    async with RawServer(answer_ok) as server:
        http = client()
        await ask(http, url(server))
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() + 3600)
        await ask(http, url(server))
        await ask(http, url(server))
        assert server.connections == 2
        await http.aclose()


async def test_answer_that_comes_before_the_request_is_read_is_understood() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        raise AssertionError

    async with LoopbackServer(handler, max_body_bytes=1000) as server:
        http = client()
        async with http.stream(HttpRequest("POST", url(server), (), b"x" * 10_000_000)) as response:
            assert response.status == 413
            assert b"larger than 1,000 bytes" in await response.body()
        await http.aclose()


@pytest.mark.parametrize("way", ["large request", "large answer", "many small pieces"])
async def test_other_work_in_the_loop_is_not_held_up(way: str) -> None:
    """A window draws in the same loop: its timer may come late by a frame or two, not by the length of the work."""
    large = b"x" * 40_000_000

    async def small() -> AsyncIterator[bytes]:
        for _ in range(20_000):
            yield b"data: x\n\n"

    async def handler(request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, [], {"large request": b"ok", "large answer": large}.get(way, small()))

    async def work(http: HttpClient, server: LoopbackServer) -> None:
        async with http.stream(HttpRequest("POST", url(server), (), large if way == "large request" else b"")) as response:
            size = 0
            async for chunk in response.chunks():
                size += len(chunk)
        assert size == {"large request": 2, "large answer": len(large)}.get(way, 180_000)

    async with LoopbackServer(handler) as server:
        http = client()
        assert await least_lateness(lambda: work(http, server)) < 0.05
        await http.aclose()


def secure(server: RawServer, host: str = "localhost") -> str:
    return f"https://{host}:{server.port}/v1"


async def test_encrypted_connection_with_a_named_authority_works_and_is_kept(certificate: Path) -> None:
    async with RawServer(answer_ok, tls=tls_of(certificate)) as server:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate)})
        for _ in range(3):
            await ask(http, secure(server), b"x" * 1_000_000)
        assert server.connections == 1
        await http.aclose()


async def test_lost_request_is_sent_once_more_on_an_encrypted_connection_too(certificate: Path) -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(OK)
        if server.connections == 1:
            await server.read_request(reader)

    async with RawServer(talk, tls=tls_of(certificate)) as server:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate)})
        await ask(http, secure(server))
        assert (await ask(http, secure(server))).attempts == 2
        await http.aclose()


async def test_cancel_closes_an_encrypted_connection_at_once(certificate: Path) -> None:
    reached, closed = asyncio.Event(), asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        reached.set()
        try:
            await reader.read()
        finally:
            closed.set()

    async with RawServer(talk, tls=tls_of(certificate)) as server, asyncio.TaskGroup() as group:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate)})
        task = group.create_task(ask(http, secure(server)))
        await reached.wait()
        task.cancel()
        async with asyncio.timeout(0.5):
            await closed.wait()
        await http.aclose()


async def test_unknown_authority_is_said_in_a_sentence(certificate: Path) -> None:
    async with RawServer(answer_ok, tls=tls_of(certificate)) as server:
        http = HttpClient(environ={})
        with pytest.raises(ProviderUnreachable, match=r"^The certificate of localhost is not trusted: self-signed certificate; .*SSL_CERT_FILE\.$") as caught:
            await ask(http, secure(server))
        assert caught.value.message_id == "wire.certificate"
        await http.aclose()
        assert server.heads == []


async def test_certificate_of_somebody_else_is_said_in_a_sentence(certificate: Path) -> None:
    async with RawServer(answer_ok, tls=tls_of(certificate)) as server:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate)})
        with pytest.raises(ProviderUnreachable, match=r"^The certificate of 127\.0\.0\.1 is not trusted: IP address mismatch"):
            await ask(http, secure(server, "127.0.0.1"))
        await http.aclose()


async def test_https_to_a_server_without_tls_is_said_in_a_sentence() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with RawServer(talk) as server:
        http = HttpClient(environ={})
        with pytest.raises(ProviderUnreachable, match=r"^localhost:\d+ does not speak TLS as it should; an http:// address may be meant\.$"):
            await ask(http, secure(server))
        await http.aclose()


async def test_http_to_a_server_with_tls_is_said_in_a_sentence(certificate: Path) -> None:
    async with RawServer(answer_ok, tls=tls_of(certificate)) as server:
        http = HttpClient(environ={})
        with pytest.raises(ProviderUnreachable):
            await ask(http, url(server))
        await http.aclose()


async def test_server_that_never_finishes_the_handshake_is_given_up() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with RawServer(talk) as server:
        http = HttpClient(environ={}, connect_timeout_s=0.1)
        with pytest.raises(ProviderUnreachable, match=r"did not accept a connection within 0\.1 s\.$"):
            await ask(http, secure(server))
        await http.aclose()


@pytest.mark.parametrize("content", [None, b"not a certificate"])
async def test_certificate_file_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_bytes(content)
    http = HttpClient(environ={"SSL_CERT_FILE": str(file)})
    with pytest.raises(ProviderUnreachable, match=r"SSL_CERT_FILE=.*authority\.pem cannot be read as certificates"):
        await ask(http, "https://127.0.0.1:1/")
    async with RawServer(answer_ok) as server:
        await ask(http, url(server))  # an address without TLS does not care
    await http.aclose()

"""What goes wrong between here and a server is said in one sentence, the raw error beside it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator

import pytest

from tests.wire.asking import client, collect, url
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer
from workbench.errors import ProviderUnreachable, StreamBroken
from workbench.wire.client import HttpRequest
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

"""A test of a profile says only what it found out, one thing a line, and never shows the key."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from workbench.practice.server import MODEL_NAME, PracticeServer
from workbench.providers.probe import ProbeLine, probe
from workbench.providers.profiles import Profile, checked
from workbench.wire.client import HttpClient
from workbench.wire.server import Hang, LoopbackServer, ServerRequest, ServerResponse

KEY = "sk-canary-0123456789abcdef"
JSON = (("Content-Type", "application/json"), ("Server", "testserver/1"))


def says(value: Any, status: int = 200) -> ServerResponse:
    return ServerResponse(status, JSON, json.dumps(value).encode())


def error(status: int, message: str, **more: str) -> ServerResponse:
    return says({"error": {"message": message, **more}}, status)


def lists(*ids: Any) -> ServerResponse:
    return says({"object": "list", "data": [{"id": name} for name in ids]})


NO_MODEL = error(400, "you must provide a model parameter")


class Server:
    """Answers by path; with a key, refuses every other one. Keeps what was asked."""

    def __init__(self, models: ServerResponse, chat: ServerResponse = NO_MODEL, *, key: str = "") -> None:
        self.models, self.chat, self.key = models, chat, key
        self.asked: list[tuple[str, str, str | None, bytes]] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        sent = request.header("authorization")
        self.asked.append((request.method, request.target, sent, request.body))
        if self.key and sent != f"Bearer {self.key}":
            return error(401, f"Incorrect API key provided: {(sent or 'none').removeprefix('Bearer ')}.", code="invalid_api_key")
        return self.models if request.target == "/v1/models" else self.chat


async def found(address: str, *, timeout_s: float = 5, **options: Any) -> list[ProbeLine]:
    http = HttpClient(environ={})
    try:
        return [line async for line in probe(http, checked(Profile(name="x", title="X", base_url=address)), timeout_s=timeout_s, **options)]
    finally:
        await http.aclose()


async def asked(handler: Callable[[ServerRequest], Any], path: str = "/v1", **options: Any) -> list[ProbeLine]:
    async with LoopbackServer(handler) as server:
        return await found(server.base_url + path, **options)


def told(lines: list[ProbeLine]) -> list[tuple[str, str, str]]:
    return [(line.check, line.outcome, line.message_id) for line in lines]


# What works


async def test_a_server_that_wants_a_key_and_gets_it() -> None:
    server = Server(lists("m-1", "m-2"), key=KEY)
    lines = await asked(server, key=KEY, model="m-2")
    assert told(lines) == [
        ("reached", "ok", "probe.reached"),
        ("answers", "ok", "probe.chat"),
        ("key", "ok", "probe.key_accepted"),
        ("model", "ok", "probe.has_model"),
    ]
    assert lines[0].facts.startswith("HTTP 200 · 0.")
    assert lines[1].facts == "testserver/1"
    assert lines[3].models == ("m-1", "m-2")
    bearer = f"Bearer {KEY}"
    assert server.asked == [("GET", "/v1/models", bearer, b""), ("POST", "/v1/chat/completions", bearer, b"{}"), ("POST", "/v1/chat/completions", None, b"{}")]


async def test_the_practice_model_passes_and_takes_no_request_for_an_answer() -> None:
    async with PracticeServer(rate_per_s=0) as server:
        lines = await found(server.base_url, key=server.key, model=MODEL_NAME)
        assert [line.outcome for line in lines] == ["ok"] * 4
        assert server.received == [b"{}"], "nothing that a model could answer was sent"


async def test_a_server_that_wants_no_key() -> None:
    assert told(await asked(Server(lists("a"))))[1:] == [("answers", "ok", "probe.chat"), ("key", "ok", "probe.no_key"), ("model", "ok", "probe.list")]


async def test_a_key_that_nobody_asks_for_is_not_called_accepted() -> None:
    assert ("key", "warning", "probe.key_ignored") in told(await asked(Server(lists("a")), key=KEY))


async def test_a_key_that_may_not_list_models_may_still_be_right() -> None:
    async def handler(request: ServerRequest) -> ServerResponse:
        if request.target == "/v1/models":
            return error(403, "You have insufficient permissions for this operation.")
        return NO_MODEL if request.header("authorization") else error(401, "no key")

    assert told(await asked(handler, key=KEY)) == [
        ("reached", "ok", "probe.reached"),
        ("answers", "ok", "probe.chat"),
        ("key", "ok", "probe.key_accepted"),
        ("model", "warning", "probe.no_list"),
    ]


async def test_an_ipv6_address() -> None:
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    heads: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        body = b'{"data": [{"id": "six"}]}' if heads[-1].startswith(b"GET") else b'{"error": {"message": "model is missing"}}'
        status = b"200 OK" if heads[-1].startswith(b"GET") else b"400 Bad Request"
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "::1", 0)
    port = server.sockets[0].getsockname()[1]
    lines = await found(f"http://[::1]:{port}/v1", model="six")
    server.close()
    await server.wait_closed()
    assert [line.outcome for line in lines] == ["ok"] * 4
    assert f"Host: [::1]:{port}".encode() in heads[0]


# What does not


async def test_a_wrong_key_is_refused_with_the_servers_words_and_without_the_key() -> None:
    lines = await asked(Server(lists("a"), key="another"), key=KEY)
    assert told(lines) == [("reached", "ok", "probe.reached"), ("key", "failed", "probe.key_refused")]
    assert "Incorrect API key provided: •••" in lines[-1].text
    assert "Incorrect API key" in lines[-1].original
    assert KEY not in repr(lines)


async def test_a_missing_key_is_told_as_missing() -> None:
    assert told(await asked(Server(lists("a"), key=KEY)))[1:] == [("key", "failed", "probe.key_needed")]


@pytest.mark.parametrize("status", [400, 403])
async def test_providers_that_refuse_a_key_with_another_status(status: int) -> None:
    server = Server(lists("a"), error(status, "API key not valid. Please pass a valid API key.", code="invalid_api_key"))
    assert told(await asked(server, key=KEY))[-1] == ("key", "failed", "probe.key_refused")


async def test_a_web_page_is_no_model_server() -> None:
    async def page(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Welcome</title>")

    lines = await asked(page)
    assert told(lines)[-1] == ("answers", "failed", "probe.page")
    assert "Welcome" in lines[-1].original


async def test_a_page_that_says_not_found() -> None:
    async def page(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(404, (), b"<html><body>404</body></html>")

    assert told(await asked(page))[-1] == ("answers", "failed", "probe.page")


@pytest.mark.parametrize(("path", "expected"), [("/api", "probe.nothing_v1"), ("/v1", "probe.nothing")])
async def test_an_address_with_nothing_below_it(path: str, expected: str) -> None:
    async def nothing(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(404, (), b"404 page not found")

    lines = await asked(nothing, path)
    assert told(lines)[-1] == ("answers", "failed", expected)
    assert f"{path}/chat/completions" in lines[-1].text


async def test_a_server_of_another_dialect_lists_models_and_knows_no_chat() -> None:
    assert told(await asked(Server(lists("a"), error(404, "Not Found"))))[-1] == ("answers", "failed", "probe.models_only")


async def test_a_server_that_says_yes_to_everything_is_no_chat_server() -> None:
    assert told(await asked(Server(lists("a"), says({"hello": 1}))))[-1] == ("answers", "failed", "probe.odd")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirection_is_told_and_not_followed(status: int) -> None:
    async with LoopbackServer(elsewhere := Server(lists("a"))) as other:

        async def moved(_request: ServerRequest) -> ServerResponse:
            return ServerResponse(status, (("Location", f"{other.base_url}/v1/models?key={KEY}"),))

        lines = await asked(moved, key=KEY)
    assert told(lines)[-1] == ("answers", "failed", "probe.redirects")
    assert other.base_url in lines[-1].text
    assert KEY not in repr(lines)
    assert elsewhere.asked == []


async def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    lines = await found(f"http://127.0.0.1:{port}/v1")
    assert told(lines) == [("reached", "failed", "wire.refused")]
    assert f"Nothing answers at 127.0.0.1:{port}" in lines[0].text
    assert lines[0].original, "what the system said"


async def test_a_name_that_does_not_exist() -> None:
    assert told(await found("https://nobody.invalid/v1")) == [("reached", "failed", "wire.unknown_host")]


async def never(request: ServerRequest) -> ServerResponse:
    await request.client_gone.wait()
    return ServerResponse(200)


async def drips(_request: ServerRequest) -> ServerResponse:
    async def body() -> AsyncIterator[bytes | type[Hang]]:
        yield b'{"data": ['
        yield Hang

    return ServerResponse(200, JSON, body())


@pytest.mark.parametrize("handler", [never, drips], ids=["silent", "in the middle"])
async def test_a_slow_server_is_given_up_after_the_time_limit(handler: Any) -> None:
    lines = await asked(handler, timeout_s=0.2)
    assert told(lines) == [("reached", "failed", "probe.no_answer")]
    assert lines[0].text == "No answer came within 0.2 s."


async def test_a_test_that_is_cancelled_closes_its_connection() -> None:
    reached, gone = asyncio.Event(), asyncio.Event()

    async def watched(request: ServerRequest) -> ServerResponse:
        reached.set()
        await request.client_gone.wait()
        gone.set()
        return ServerResponse(200)

    async with LoopbackServer(watched) as server:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(found(server.base_url + "/v1", timeout_s=60))
            await reached.wait()
            task.cancel()
        await gone.wait()


async def test_a_test_that_nobody_reads_on_stops_asking() -> None:
    server = Server(lists("a"))
    async with LoopbackServer(server) as listening:
        http = HttpClient(environ={})
        async with aclosing(probe(http, Profile(name="x", base_url=listening.base_url + "/v1"))) as lines:
            assert (await anext(lines)).check == "reached"
        await http.aclose()
    assert len(server.asked) == 1


@pytest.mark.parametrize(("chat", "facts"), [(error(503, "Loading model"), "HTTP 503"), (error(429, "Slow down"), "HTTP 429")])
async def test_a_server_that_is_busy_leaves_the_key_open(chat: ServerResponse, facts: str) -> None:
    lines = await asked(Server(lists("a"), chat), key=KEY, model="a")
    assert told(lines)[1:3] == [("answers", "warning", "probe.busy"), ("key", "warning", "probe.key_unknown")]
    assert lines[1].facts == facts
    assert lines[3].message_id == "probe.has_model"


# Addresses


async def test_an_address_that_is_not_encrypted_is_warned_of_before_anything_is_sent() -> None:
    http = HttpClient(environ={})
    async with aclosing(probe(http, Profile(name="x", base_url="http://models.example/v1"))) as lines:
        first = await anext(lines)
    await http.aclose()
    assert (first.check, first.outcome, first.message_id) == ("address", "warning", "probe.not_encrypted")
    assert "models.example" in first.text


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://localhost:1/v1", "http://127.0.0.9:1/v1", "https://models.example/v1"])
def test_this_machine_and_https_are_not_warned_of(address: str) -> None:
    assert not checked(Profile(name="x", base_url=address)).is_readable_on_the_way


@pytest.mark.parametrize("address", ["http://10.0.4.20:8000/v1", "http://127.0.0.1.example/v1", "http://[2001:db8::1]/v1"])
def test_other_machines_over_http_are_warned_of(address: str) -> None:
    assert checked(Profile(name="x", base_url=address)).is_readable_on_the_way


# Lists of models


async def test_two_thousand_models_are_all_there() -> None:
    ids = [f"model-{number:04}" for number in range(2_000)]
    lines = await asked(Server(lists(*ids)), model="model-1234")
    assert lines[-1].message_id == "probe.has_model"
    assert lines[-1].facts == "2000 listed"
    assert list(lines[-1].models) == ids


async def test_a_list_of_megabytes_is_read_and_one_without_end_is_not() -> None:
    padded = says({"data": [{"id": f"m{number}", "padding": "x" * 10_000} for number in range(300)]})
    assert len((await asked(Server(padded)))[-1].models) == 300

    async def endless(_request: ServerRequest) -> ServerResponse:
        async def body() -> AsyncIterator[bytes]:
            while True:
                yield b" " * 65_536

        return ServerResponse(200, JSON, body())

    lines = await asked(endless)
    assert told(lines) == [("reached", "failed", "wire.body_too_large")]


HOSTILE = ("ok", "ok", "a\nb", "evil\u202egpj", "half\ud800", "", "x" * 5_000, "<b>bold</b>", "nul\0", 7, None, {"id": "nested"})


async def test_ids_that_are_no_names_are_left_out_and_counted() -> None:
    lines = await asked(Server(lists(*HOSTILE)))
    assert lines[-1].models == ("ok", "<b>bold</b>")
    assert lines[-1].facts == "2 listed, 6 left out"


@pytest.mark.parametrize(
    ("models", "model", "expected"),
    [
        (lists(), "a", "probe.empty_list"),
        (lists("qwen3:8b", "llama3"), "qwen3-8b", "probe.near_model"),
        (lists("qwen3:8b"), "gpt", "probe.unlisted_model"),
        (says(["what"]), "", "probe.empty_list"),
        (says({"models": []}), "", "probe.no_list"),
        (says([{"id": "bare"}]), "bare", "probe.has_model"),
        (ServerResponse(200, (), b"[" * 100_000), "", "probe.no_list"),
        (error(404, "no such path"), "", "probe.no_list"),
    ],
    ids=["none", "near", "unlisted", "words", "other shape", "bare list", "deep", "missing"],
)
async def test_what_is_said_about_the_model(models: ServerResponse, model: str, expected: str) -> None:
    lines = await asked(Server(models), model=model)
    assert lines[-1].message_id == expected
    assert model in lines[-1].text or expected == "probe.empty_list"

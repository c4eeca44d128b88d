"""What is recorded is what was on the wire: requests as the server received them, responses as it sent them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import FAST, Home
from tests.whole.asking import KEY, WITH_KEY, at, run
from workbench.conversation.events import ExchangeOpened
from workbench.practice.server import PracticeServer
from workbench.store.session_store import SessionStore
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

STREAM = (
    b'\xef\xbb\xbf: a comment\r\n\r\ndata: {"id":"r","model":"m","choices":[{"index":0,"delta":{"content":"\xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x8c\x8d "}}]}\n\n'
    b'event: odd\ndata: {"id":"r","choices":[{"index":0,"delta":{"content":"x\\u2028y"},"finish_reason":"stop"}]}\r\r'
    b'data: {"id":"r","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n: trailing\n'
)


def calls(number: int) -> bytes:
    """Return a stream that calls a tool which is done at once, so that the next request follows in a few milliseconds."""
    function = {"name": "calculator", "arguments": json.dumps({"expression": f"{number} + 1"})}
    call = {"index": 0, "id": f"c{number}", "type": "function", "function": function}
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"


def requests(inside: Inside) -> list[bytes]:
    """Return the recorded request bodies of the newest session, byte for byte, in order."""
    listed = inside("inspect", "last", "--json").objects()
    return [inside("inspect", "last", "--request", str(request["number"]), "--raw", "request").out for request in listed]


def test_requests_are_recorded_as_the_server_received_them(home: Home, inside: Inside) -> None:
    sent = asyncio.run(_read_notes(home))
    assert len(sent) == 2
    assert requests(inside) == sent
    raw = home.run("inspect", "last", "--request", "2", "--raw", "request", anywhere=True)
    assert (raw.status, raw.out, raw.err) == (0, sent[1], "")


async def _read_notes(home: Home) -> list[bytes]:
    home.write(notes_txt="你好 \u2028 🌍 \x00 \\u0041 </tool>\n")
    async with PracticeServer(rate_per_s=0) as server:
        environment = {"CANARY_KEY": server.key}
        done = await run(home, "run", "Read notes.txt", "--json", *at(server.base_url), environment=environment)
        assert done.status == 0, done.err
        return server.received


def test_each_try_of_a_request_is_recorded(home: Home, inside: Inside) -> None:
    sent = asyncio.run(_drill(home))
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert requests(inside) == sent


async def _drill(home: Home) -> list[bytes]:
    async with PracticeServer(rate_per_s=0) as server:
        done = await run(home, "run", "Drill: overloaded", "--json", *at(server.base_url), environment={"CANARY_KEY": server.key})
        assert done.status == 0, done.err
        return server.received


async def test_a_request_is_on_disk_before_it_arrives(home: Home) -> None:
    """Seen from another process, in the moment the server has the request: its fact and its exact body are there."""
    found: list[tuple[bytes, bytes]] = []
    home.settings(FAST + "[tools]\ndemo = true\n")

    async def handle(request: ServerRequest) -> ServerResponse:
        store = SessionStore.open(home.sessions()[0].folder, read_only=True)
        try:
            opened = [entry.event for entry in store.entries() if isinstance(entry.event, ExchangeOpened)]
            found.append((request.body, store.body(opened[-1].body) if opened else b""))
        finally:
            store.close()
        return ServerResponse(200, [("Content-Type", "text/event-stream")], calls(len(found)) if len(found) < 6 else STREAM)

    async with LoopbackServer(handle) as server:
        done = await run(home, "run", "hi", "--json", *at(server.base_url + "/v1", "m"), environment=WITH_KEY)
    assert done.status == 0, done.err
    assert len(found) == 6
    assert all(received == kept for received, kept in found)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_responses_are_recorded_as_the_server_sent_them(home: Home, inside: Inside, size: int) -> None:
    (request,) = asyncio.run(_answer_in_pieces(home, size))
    assert requests(inside) == [request.body]
    assert inside("inspect", "last", "--request", "1", "--raw", "response").out == STREAM
    (shown,) = inside("inspect", "last", "--request", "1", "--json").objects()
    assert shown["exact"] is True
    assert ["X-Request-Id", "r-1"] in shown["response_headers"]
    as_sent = {name.lower(): value for name, value in request.headers}
    as_kept = {name.lower(): value for name, value in shown["request_headers"]}
    assert as_sent.pop("authorization") == f"Bearer {KEY}"
    assert KEY not in as_kept.pop("authorization")
    assert KEY not in json.dumps(shown)
    assert as_kept == as_sent, "header for header what arrived, but for the key"


async def _answer_in_pieces(home: Home, size: int) -> list[ServerRequest]:
    received: list[ServerRequest] = []

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(STREAM), size):
            yield STREAM[start : start + size]

    async def handle(request: ServerRequest) -> ServerResponse:
        received.append(request)
        return ServerResponse(200, [("Content-Type", "text/event-stream"), ("X-Request-Id", "r-1")], pieces())

    async with LoopbackServer(handle) as server:
        done = await run(home, "run", "hi", "--json", *at(server.base_url + "/v1", "m"), environment=WITH_KEY)
    assert done.status == 0, done.err
    return received

"""The client against a real loopback server: what is sent is what was recorded, what broke is told, what may be repeated is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest
from typing_extensions import override

from workbench.conversation.assembler import Assembler
from workbench.conversation.events import ExchangeClosed, ExchangeOpened, RetryWaiting, StepPlace
from workbench.conversation.exchange import MemoryKeeper
from workbench.conversation.journal import Journal, MemorySink
from workbench.conversation.messages import Message, ModelRequest, Origin, ReasoningPart, RequestOptions, TextPart, text_message
from workbench.dialects.base import Quirks
from workbench.errors import ProviderError, ProviderRefused, ProviderUnreachable, StoreFailed, StreamBroken
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient
from workbench.wire.server import Cut, Hang, LoopbackServer, ServerRequest, ServerResponse

KEY = "sk-canary-0123456789abcdef"
PLACE = StepPlace("turn_1", 1)
SSE = (("Content-Type", "text/event-stream"),)


def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
    body = {"id": "r1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


HELLO = (chunk({"role": "assistant", "content": "你好 "}), chunk({"content": "world"}), chunk({}, "stop"), b"data: [DONE]\n\n")


async def pieces(*parts: bytes | type[Hang] | Exception) -> AsyncIterator[bytes | type[Hang]]:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        yield part


class Server:
    """Answers each request with the next of `replies`, the last one again and again; keeps what it received."""

    def __init__(self, *replies: Callable[[], ServerResponse]) -> None:
        self.replies = list(replies)
        self.received: list[ServerRequest] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        self.received.append(request)
        return self.replies[min(len(self.received), len(self.replies)) - 1]()


def streams(*parts: bytes | type[Hang] | Exception) -> Callable[[], ServerResponse]:
    return lambda: ServerResponse(200, SSE, pieces(*parts))


def refuses(status: int, body: object, *headers: tuple[str, str]) -> Callable[[], ServerResponse]:
    return lambda: ServerResponse(status, (("Content-Type", "application/json"), *headers), json.dumps(body).encode())


class Bench:
    """One client for one server, with a clock that does not wait."""

    def __init__(self, base_url: str, *, journal: Journal | None = None, quirks: Quirks | None = None) -> None:
        self.waits: list[float] = []
        self.journal = journal or Journal()
        self.keeper = MemoryKeeper()
        self.live: list[object] = []
        self.journal.subscribe(lambda _entry: None, live=self.live.append)
        self.http = HttpClient(environ={})
        self.model = ProviderModel(
            Profile(name="here", base_url=base_url + "/v1", title="Here", headers=(("X-Team", "a"),), quirks=quirks or Quirks()),
            "m",
            http=self.http,
            journal=self.journal,
            keeper=self.keeper,
            key=self._key,
            sleep=self._sleep,
            jitter=lambda: 0.5,
        )

    async def _key(self) -> str | None:
        return KEY

    async def _sleep(self, delay_s: float) -> None:
        self.waits.append(delay_s)

    async def ask(self, text: str = "hello", *, stream: bool = True) -> Assembler:
        assembler = Assembler()
        request = ModelRequest(system=("be brief",), tools=(), messages=(text_message("user", text),), options=RequestOptions(model="m", stream=stream))
        try:
            async with aclosing(self.model.stream(request, PLACE)) as events:
                async for event in events:
                    assembler.add(event)
        finally:
            self.assembler = assembler
        return assembler

    @property
    def opened(self) -> list[ExchangeOpened]:
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, ExchangeOpened)]

    @property
    def closed(self) -> list[ExchangeClosed]:
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, ExchangeClosed)]


async def test_what_was_recorded_is_what_the_server_received() -> None:
    server = Server(streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url)
        assert (await bench.ask("读 a.txt")).message("m").text() == "你好 world"
        await bench.http.aclose()
    opened, received = bench.opened[0], server.received[0]
    assert bench.keeper.body(opened.body) == received.body
    assert opened.body.size_bytes == len(received.body)
    assert [name for name, _ in opened.headers] == [name for name, _ in received.headers]
    assert dict(received.headers)["Authorization"] == f"Bearer {KEY}"
    assert b"".join(part.data for part in bench.keeper.chunks(opened.exchange_id)) == b"".join(HELLO)
    closed = bench.closed[0]
    assert (closed.status, closed.error, closed.size_bytes) == (200, "", len(b"".join(HELLO)))
    assert closed.first_byte_s is not None
    assert closed.duration_s is not None
    assert closed.first_byte_s <= closed.duration_s


async def test_nothing_leaves_before_the_exchange_is_durable() -> None:
    class FailingSink(MemorySink):
        @override
        async def settled(self, seq: int) -> None:
            raise StoreFailed("The disk is full.")

    server = Server(streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url, journal=Journal(FailingSink()))
        with pytest.raises(StoreFailed):
            await bench.ask()
        await bench.http.aclose()
    assert server.received == []
    assert len(bench.opened) == 1


async def test_a_rate_limit_is_waited_for_as_told() -> None:
    server = Server(refuses(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, ("Retry-After", "7")), streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url)
        assert (await bench.ask()).message("m").text() == "你好 world"
        await bench.http.aclose()
    assert bench.waits == [7.0]
    assert [opened.attempt for opened in bench.opened] == [1, 2]
    assert [opened.number for opened in bench.opened] == [1, 2]
    assert bench.closed[0].retry_in_s == 7.0
    assert bench.closed[0].failure == "rate_limit"
    assert [event.delay_s for event in bench.live if isinstance(event, RetryWaiting)] == [7.0]


@pytest.mark.parametrize(
    ("status", "body", "headers", "waits"),
    [
        (500, {"error": {"message": "oops"}}, (), [1.0, 2.0, 4.0]),
        (529, {"error": {"message": "Overloaded"}}, (), [1.0, 2.0, 4.0]),
        (400, {"error": {"message": "bad"}}, (), []),
        (400, {"error": {"message": "bad"}}, (("x-should-retry", "true"),), [1.0, 2.0, 4.0]),
        (500, {"error": {"message": "oops"}}, (("x-should-retry", "false"),), []),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, (), []),
        (429, {"error": {"message": "later"}}, (("Retry-After", "9000"),), []),
        (401, {"error": {"message": "no"}}, (), []),
    ],
)
async def test_only_what_may_help_is_repeated(status: int, body: object, headers: tuple[tuple[str, str], ...], waits: list[float]) -> None:
    async with LoopbackServer(Server(refuses(status, body, *headers))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused):
            await bench.ask()
        await bench.http.aclose()
    assert bench.waits == waits
    assert len(bench.opened) == len(bench.closed) == len(waits) + 1


async def test_a_lost_connection_is_repeated_only_before_anything_was_shown() -> None:
    server = Server(streams(Cut()), streams(HELLO[0], Cut()))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url)
        with pytest.raises(StreamBroken):
            await bench.ask()
        await bench.http.aclose()
    assert len(server.received) == 2
    message = bench.assembler.message("m")
    assert (message.text(), message.state, message.finish_reason) == ("你好 ", "incomplete", "incomplete")
    assert bench.closed[-1].failure == "broken"


async def test_a_stream_without_an_end_is_a_lost_connection() -> None:
    async with LoopbackServer(Server(streams(HELLO[0], HELLO[1]))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(StreamBroken, match="connection was lost"):
            await bench.ask()
        await bench.http.aclose()
    assert bench.assembler.message("m").state == "incomplete"
    assert bench.closed[0].failure == "broken"


async def test_an_error_inside_the_stream_before_anything_was_shown_is_repeated() -> None:
    overloaded = b'data: {"error":{"message":"Overloaded","code":503}}\n\n'
    async with LoopbackServer(Server(streams(overloaded), streams(*HELLO))) as running:
        bench = Bench(running.base_url)
        assert (await bench.ask()).message("m").text() == "你好 world"
        await bench.http.aclose()
    assert len(bench.opened) == 2


async def test_an_error_in_the_middle_keeps_what_was_shown() -> None:
    failed = b'data: {"error":{"message":"Upstream went away","code":502}}\n\n'
    async with LoopbackServer(Server(streams(HELLO[0], failed))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused, match="Here reported an error: Upstream went away"):
            await bench.ask()
        await bench.http.aclose()
    assert bench.assembler.message("m").text() == "你好 "
    assert bench.assembler.failure is not None


async def test_a_server_that_ignores_streaming_is_understood() -> None:
    whole = {"id": "r", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}]}
    for stream in (True, False):
        async with LoopbackServer(Server(refuses(200, whole))) as running:
            bench = Bench(running.base_url)
            assert (await bench.ask(stream=stream)).message("m").text() == "whole"
            await bench.http.aclose()


@pytest.mark.parametrize("body", [b"<html><h1>502 Bad Gateway</h1></html>", b"", b"\xff\xfe\x00nonsense", b"null"])
async def test_an_answer_that_is_not_an_answer_is_one_sentence(body: bytes) -> None:
    async with LoopbackServer(Server(lambda: ServerResponse(502, (), body))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused, match=r"^Here answered 502: [^\n]+$"):
            await bench.ask()
        await bench.http.aclose()


async def test_a_redirection_is_no_answer_and_asking_again_does_not_help() -> None:
    server = Server(lambda: ServerResponse(302, (("Location", "https://elsewhere.invalid/"),), b""))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused, match=r"^Here answered 302: "):
            await bench.ask()
        await bench.http.aclose()
    assert (len(server.received), bench.waits) == (1, [])


async def test_an_empty_answer_is_not_called_a_lost_connection() -> None:
    async with LoopbackServer(Server(lambda: ServerResponse(200, SSE, b""), streams(*HELLO))) as running:
        bench = Bench(running.base_url)
        assert (await bench.ask()).message("m").text() == "你好 world"
        await bench.http.aclose()
    assert bench.waits == [1.0]
    assert bench.closed[0].error == "Here reported an error: The server answered with status 200 and no readable explanation."


@pytest.mark.parametrize("status", [200, 500])
async def test_a_body_that_cannot_be_unpacked_ends_the_exchange_in_a_sentence(status: int) -> None:
    async with LoopbackServer(Server(lambda: ServerResponse(status, (("Content-Encoding", "br"),), b"xx"))) as running:
        bench = Bench(running.base_url)
        with pytest.raises(ProviderRefused, match=r"^[^\n]+\.$"):
            await bench.ask()
        await bench.http.aclose()
    assert [closed.failure for closed in bench.closed] == ["unreadable"]


async def test_nobody_at_a_port_of_this_machine_is_one_sentence_at_once() -> None:
    async with LoopbackServer(Server(streams(*HELLO))) as running:
        address = running.base_url
    bench = Bench(address)
    with pytest.raises(ProviderUnreachable, match=r"^[^\n]+$"):
        await bench.ask()
    await bench.http.aclose()
    assert bench.waits == []
    assert bench.closed[-1].status is None


async def test_stopping_closes_the_connection_at_once() -> None:
    gone = asyncio.Event()
    arrived = asyncio.Event()

    async def endless() -> AsyncIterator[bytes | type[Hang]]:
        try:
            yield HELLO[0]
            arrived.set()
            yield Hang
        finally:
            gone.set()

    async with LoopbackServer(Server(lambda: ServerResponse(200, SSE, endless()))) as running:
        bench = Bench(running.base_url)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(bench.ask())
            await arrived.wait()
            task.cancel()
        async with asyncio.timeout(1):
            await gone.wait()
        await bench.http.aclose()
    assert bench.closed[0].failure == "stopped"


async def test_stopping_before_the_request_may_leave_closes_the_record() -> None:
    waits = asyncio.Event()

    class SlowSink(MemorySink):
        @override
        async def settled(self, seq: int) -> None:
            waits.set()
            await asyncio.Event().wait()

    server = Server(streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url, journal=Journal(SlowSink()))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(bench.ask())
            await waits.wait()
            task.cancel()
        await bench.http.aclose()
    assert (server.received, [closed.failure for closed in bench.closed]) == ([], ["stopped"])


async def test_leaving_the_iterator_closes_the_connection_and_the_record() -> None:
    gone = asyncio.Event()

    async def endless() -> AsyncIterator[bytes | type[Hang]]:
        try:
            yield HELLO[0]
            yield Hang
        finally:
            gone.set()

    async with LoopbackServer(Server(lambda: ServerResponse(200, SSE, endless()))) as running:
        bench = Bench(running.base_url)
        request = ModelRequest(system=(), tools=(), messages=(text_message("user", "x"),), options=RequestOptions(model="m"))
        async with aclosing(bench.model.stream(request, PLACE)) as events:
            await anext(events)
        async with asyncio.timeout(1):
            await gone.wait()
        await bench.http.aclose()
    assert bench.closed[0].failure == "stopped"


async def test_two_requests_share_a_connection_and_count_on() -> None:
    async with LoopbackServer(Server(streams(*HELLO))) as running:
        bench = Bench(running.base_url)
        await bench.ask()
        await bench.ask()
        await bench.http.aclose()
    assert [opened.number for opened in bench.opened] == [1, 2]


async def test_every_failure_is_a_provider_error_with_one_sentence() -> None:
    bench = Bench("http://127.0.0.1:1")
    with pytest.raises(ProviderError) as caught:
        await bench.ask()
    await bench.http.aclose()
    assert caught.value.text.endswith(".")
    assert "\n" not in caught.value.text
    assert "Errno" not in caught.value.text


async def test_a_long_history_is_recorded_as_it_was_sent() -> None:
    server = Server(streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url)
        messages = tuple(text_message(("user", "assistant")[number % 2], f"{number} " + "长" * 900) for number in range(301))
        request = ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="m"))
        async with aclosing(bench.model.stream(request, PLACE)) as events:
            assert [event async for event in events]
        await bench.http.aclose()
    assert bench.keeper.body(bench.opened[0].body) == server.received[0].body
    assert len(json.loads(server.received[0].body)["messages"]) == 301


@pytest.mark.parametrize(("provider", "sent"), [("here", True), ("elsewhere", False)])
async def test_reasoning_goes_back_only_to_the_provider_that_made_it(provider: str, sent: bool) -> None:
    server = Server(streams(*HELLO))
    async with LoopbackServer(server) as running:
        bench = Bench(running.base_url, quirks=Quirks(reasoning_replay="always"))
        origin = Origin(dialect="chat_completions", provider=provider, model="m")
        thought = Message(
            message_id="m1", role="assistant", parts=(ReasoningPart(text="secret plan", field="reasoning_content"), TextPart(text="yes")), origin=origin
        )
        messages = (text_message("user", "a"), thought, text_message("user", "b"))
        request = ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="m"))
        async with aclosing(bench.model.stream(request, PLACE)) as events:
            assert [event async for event in events]
        await bench.http.aclose()
    assert (b"secret plan" in server.received[0].body) is sent

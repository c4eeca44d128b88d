"""A server of any dialect on loopback, which answers with what the dialect's own encoder writes; and a client bench for it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing

from workbench.conversation.assembler import Assembler
from workbench.conversation.events import ExchangeClosed, ExchangeOpened, Notice, StepPlace
from workbench.conversation.exchange import MemoryKeeper
from workbench.conversation.journal import Journal
from workbench.conversation.messages import DialectName, ModelRequest, Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects.registry import dialect
from workbench.providers.client import ProviderModel
from workbench.providers.doors import DOORS
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient
from workbench.wire.server import ServerRequest, ServerResponse

KEY = "sk-canary-0123456789abcdef"
PLACE = StepPlace("turn_1", 1)
NOW = 1_800_000_000.0
"""The present time of every client, in seconds since 1970."""
USAGE = Usage(input_tokens=120, output_tokens=30, reasoning_tokens=10, cached_tokens=100)

Reply = Callable[[], ServerResponse]


def says(name: DialectName, text: str, usage: Usage = USAGE) -> Reply:
    """Return a streamed answer that is a text."""
    started = ResponseStarted(response_id="r1", model="m")
    return streams(name, (started, TextDelta(text=text), UsageReported(usage=usage), ResponseEnded(finish_reason="end", finish_raw="stop")))


def calls(name: DialectName, tool: str, arguments: str, *, call_id: str = "call_0123456789abcdef01234567") -> Reply:
    """Return a streamed answer that is one tool call."""
    events = (
        ResponseStarted(response_id="r1", model="m"),
        CallStarted(key=0, call_id=call_id, wire_id=call_id, name=tool),
        CallArgumentsDelta(key=0, text=arguments),
        CallDone(key=0, call_id=call_id, wire_id=call_id, name=tool, arguments_raw=arguments),
        UsageReported(usage=USAGE),
        ResponseEnded(finish_reason="tool_use", finish_raw="tool_calls"),
    )
    return streams(name, events)


def streams(name: DialectName, events: Sequence[StreamEvent]) -> Reply:
    """Return an answer that streams events as the dialect writes them."""
    encoder = dialect(name).stream_encoder(response_id="r1", model="m", created=1)
    return in_pieces(name, [*(encoder.feed(event) for event in events), encoder.finish()])


def in_pieces(name: DialectName, pieces: Sequence[bytes]) -> Reply:
    """Return an answer that streams bytes."""

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            if piece:
                yield piece

    return lambda: ServerResponse(200, (("Content-Type", DOORS[name].stream_type),), body())


def refuses(status: int, body: object, *headers: tuple[str, str]) -> Reply:
    """Return a refusal."""
    return lambda: ServerResponse(status, (("Content-Type", "application/json"), *headers), json.dumps(body).encode())


class Server:
    """Answers each request with the next of `replies`, the last one again and again; keeps what it received."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.received: list[ServerRequest] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        self.received.append(request)
        return self.replies[min(len(self.received), len(self.replies)) - 1]()

    def body(self, place: int) -> dict[str, object]:
        """Return the JSON of one of the requests."""
        value = json.loads(self.received[place].body)
        assert isinstance(value, dict)
        return value


class Bench:
    """One session's journal, and clients for it; waits take no time and are kept in `waits`."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.journal, self.keeper, self.http = Journal(), MemoryKeeper(), HttpClient(environ={})

    def model(self, profile: Profile, model: str = "m") -> ProviderModel:
        """Return a client for a model."""
        return ProviderModel(
            profile,
            model,
            http=self.http,
            journal=self.journal,
            keeper=self.keeper,
            key=self._key,
            sleep=self._sleep,
            jitter=lambda: 0.5,
            wall_clock=lambda: NOW,
        )

    async def _key(self) -> str | None:
        return KEY

    async def _sleep(self, delay_s: float) -> None:
        self.waits.append(delay_s)

    async def ask(self, model: ProviderModel, request: ModelRequest) -> Assembler:
        """Send a request and return what came."""
        assembler = Assembler()
        async with aclosing(model.stream(request, PLACE)) as events:
            async for event in events:
                assembler.add(event)
        return assembler

    @property
    def opened(self) -> list[ExchangeOpened]:
        """What was sent."""
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, ExchangeOpened)]

    @property
    def closed(self) -> list[ExchangeClosed]:
        """How it ended."""
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, ExchangeClosed)]

    @property
    def notices(self) -> list[Notice]:
        """What people were told."""
        return [entry.event for entry in self.journal.entries if isinstance(entry.event, Notice)]

"""A model whose answers the test writes: the fake at the seam. It records exchanges like the real client does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any, TypeAlias

from workbench.conversation.checks import Review
from workbench.conversation.events import ExchangeClosed, ExchangeOpened, StepPlace
from workbench.conversation.exchange import MemoryKeeper
from workbench.conversation.journal import Journal
from workbench.conversation.messages import FinishReason, ModelRequest, Origin, Usage, mint_call_id, mint_id
from workbench.conversation.stream import CallArgumentsDelta, CallDone, CallStarted, ResponseEnded, ResponseStarted, StreamEvent, TextDelta, UsageReported
from workbench.conversation.values import json_bytes

Piece: TypeAlias = StreamEvent | Exception


def call(name: str, call_id: str = "", /, *, raw: str | None = None, key: int | None = None, **fields: Any) -> list[StreamEvent]:
    """Return the pieces of a call; fields of CallDone such as ``status`` begin with an underscore, all others are arguments."""
    done = {name[1:]: value for name, value in fields.items() if name.startswith("_")}
    arguments = raw if raw is not None else json.dumps({name: value for name, value in fields.items() if not name.startswith("_")})
    call_id = call_id or mint_call_id()
    number = hash(call_id) & 0xFFFFFF if key is None else key
    return [
        CallStarted(key=number, call_id=call_id, name=name),
        CallArgumentsDelta(key=number, text=arguments),
        CallDone(key=number, call_id=call_id, name=name, arguments_raw=arguments, **done),
    ]


def command(text: str, call_id: str = "") -> list[StreamEvent]:
    """Return the pieces of a bash call."""
    return call("bash", call_id, command=text, description="do it")


def answer(
    text: str = "", *calls: Sequence[StreamEvent], finish: FinishReason | None = None, may_run: bool = True, usage: Usage | None = None
) -> list[Piece]:
    """Return the pieces of a whole answer."""
    done = [piece for pieces in calls for piece in pieces if isinstance(piece, CallDone)]
    early = [piece for pieces in calls for piece in pieces if not isinstance(piece, CallDone)]
    reason: FinishReason = finish or ("tool_use" if calls else "end")
    return [
        ResponseStarted(response_id="r1", model="scripted"),
        *([TextDelta(text=text)] if text else []),
        *early,
        *done,
        UsageReported(usage=usage or Usage(input_tokens=10, output_tokens=5)),
        ResponseEnded(finish_reason=reason, finish_raw=reason, calls_may_run=may_run),
    ]


class ScriptedModel:
    """Answers each request with the pieces that the test gave, or gives while it streams.

    Attributes:
        requests: what was asked, in order.
        open: how many requests are being answered now.
    """

    def __init__(self, journal: Journal, keeper: MemoryKeeper | None = None) -> None:
        self.requests: list[ModelRequest] = []
        self.open = 0
        self._journal = journal
        self._keeper = keeper or MemoryKeeper()
        self._pieces: asyncio.Queue[Piece | None] = asyncio.Queue()
        self._asked: asyncio.Queue[ModelRequest] = asyncio.Queue()
        self._exchange_id = ""

    @property
    def origin(self) -> Origin:
        return Origin(dialect="chat_completions", provider="script", model="scripted", host="localhost")

    @property
    def last_exchange_id(self) -> str:
        return self._exchange_id

    def say(self, *pieces: Piece, whole: bool = True) -> None:
        """Give the next pieces; `whole` closes the answer behind them."""
        for piece in pieces:
            self._pieces.put_nowait(piece)
        if whole:
            self._pieces.put_nowait(None)

    def forget(self) -> None:
        """Drop all answers that were given and not used."""
        self._pieces = asyncio.Queue()
        self._asked = asyncio.Queue()

    async def streamed(self) -> None:
        """Return when everything it was given has been streamed and taken."""
        await self._pieces.join()

    async def asked(self) -> ModelRequest:
        """Return the next request."""
        return await self._asked.get()

    async def stream(self, request: ModelRequest, place: StepPlace, review: Review | None = None) -> AsyncGenerator[StreamEvent, None]:
        self._exchange_id = mint_id("ex")
        await self._journal.settled(self._journal.append(self._opened(request, place)))
        self.requests.append(request)
        self._asked.put_nowait(request)
        self.open += 1
        error = "stopped"
        try:
            while (piece := await self._pieces.get()) is not None:
                if isinstance(piece, Exception):
                    error = str(piece)
                    raise piece
                yield piece
                self._pieces.task_done()
            self._pieces.task_done()
            error = ""
        finally:
            self.open -= 1
            self._drop_rest(error)
            self._journal.append(ExchangeClosed(exchange_id=self._exchange_id, status=200, error=error))

    def _drop_rest(self, error: str) -> None:
        """Drop what was given for an answer that ended early."""
        while error and not self._pieces.empty() and self._pieces.get_nowait() is not None:
            pass

    def _opened(self, request: ModelRequest, place: StepPlace) -> ExchangeOpened:
        return ExchangeOpened(
            exchange_id=self._exchange_id,
            number=len(self.requests) + 1,
            turn_id=place.turn_id,
            step=place.step,
            attempt=1,
            method="POST",
            url="http://localhost/chat/completions",
            headers=(),
            body=self._keeper.keep_body([json_bytes(message) for message in request.messages]),
            dialect="chat_completions",
            profile="script",
            model="scripted",
        )

"""A model server on 127.0.0.1 whose answers the test gives, piece by piece, while they stream: the Chat dialect as any provider speaks it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, NamedTuple, Self

from workbench.conversation.values import json_bytes
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

PROFILE = "scripted"
_SSE = (("Content-Type", "text/event-stream; charset=utf-8"),)


class _Piece(NamedTuple):
    """What is sent next: one object `times` times, `gap_s` apart."""

    delta: dict[str, Any]
    times: int = 1
    gap_s: float = 0.0
    finish: str | None = None


class Answer:
    """One answer of the model, from its first piece to `end`.

    Attributes:
        sent: how many pieces of text have gone out.
        given: how many pieces of text it was given.
        ended: its end was given.
    """

    def __init__(self) -> None:
        self.sent = self.given = 0
        self.ended = False
        self._said: list[str] = []
        self._pieces: asyncio.Queue[_Piece] = asyncio.Queue()
        self._calls = 0

    def text(self, text: str, times: int = 1, *, gap_s: float = 0.0) -> Self:
        """Say something, `times` times, each in an event of its own."""
        self.given += times
        self._said.append(text * times)
        self._pieces.put_nowait(_Piece({"content": text}, times, gap_s))
        return self

    def call(self, name: str, call_id: str = "", /, **arguments: Any) -> Self:
        """Call a tool."""
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": self._calls, "id": call_id or f"call_{name}_{self._calls}", "type": "function", "function": function}
        self._calls += 1
        self._pieces.put_nowait(_Piece({"tool_calls": [call]}))
        return self

    @property
    def said(self) -> str:
        """All of its text, whether it has gone out or not."""
        return "".join(self._said)

    def end(self) -> Self:
        """End the answer."""
        self.ended = True
        self._pieces.put_nowait(_Piece({}, finish="tool_calls" if self._calls else "stop"))
        return self

    async def events(self) -> AsyncIterator[bytes]:
        """Yield the events as they are given; the last one is the end."""
        finish = None
        while finish is None:
            delta, times, gap_s, finish = await self._pieces.get()
            event = b"data: " + json_bytes({"id": "r", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}) + b"\n\n"
            for _ in range(times):
                if gap_s:
                    await asyncio.sleep(gap_s)  # the rate of the server, which is what is tested
                yield event
                self.sent += "content" in delta
        yield b"data: [DONE]\n\n"


class ScriptedServer:
    """Serves answers in the order in which the test gives them; a request for which there is none yet waits for it.

    Attributes:
        asked: the requests, oldest first.
        settings: the text of a settings file that makes this model the one in use.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.settings = ""
        self._answers: asyncio.Queue[Answer] = asyncio.Queue()
        self._server = LoopbackServer(self._answer)

    async def __aenter__(self) -> Self:
        server = await self._server.__aenter__()
        self.settings = (
            f'[practice]\ntokens_per_s = 0\n[model]\nprofile = "{PROFILE}"\nmodel = "m"\n'
            f'[[profiles]]\nname = "{PROFILE}"\nbase_url = "{server.base_url}/v1"\nmodels = ["m"]\n'
        )
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._server.__aexit__(kind, error, trace)

    def answer(self) -> Answer:
        """Return the next answer, to be given while it streams."""
        answer = Answer()
        self._answers.put_nowait(answer)
        return answer

    async def _answer(self, request: ServerRequest) -> ServerResponse:
        self.asked.append(json.loads(request.body))
        answer = await self._answers.get()
        return ServerResponse(200, _SSE, answer.events())

"""The practice model's HTTP server on 127.0.0.1: a real server of the Chat dialect, with a random port and key, in the running loop.

What a client sends is parsed, judged and answered as by a provider; only the thinking is a script (``brain``).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from types import TracebackType
from typing import NamedTuple

from workbench.conversation.messages import ModelRequest
from workbench.conversation.stream import CallArgumentsDelta, ResponseFailed, StreamEvent, TextDelta
from workbench.dialects.base import StreamEncoder
from workbench.dialects.json_text import read_json
from workbench.dialects.registry import dialect
from workbench.errors import RequestUnreadable
from workbench.practice.brain import answer
from workbench.practice.refusals import NOT_JSON, ApiError, from_findings, refusal_of, unknown_model, unknown_path, wrong_method
from workbench.practice.reply import Cut, FailInside, Refuse, Reply, Trouble, Wait
from workbench.practice.sending import Pace, stream_events, whole_message
from workbench.wire import server as wire
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

MODEL_NAME = "practice"
USUAL_RATE_PER_S = 60.0
KEPT_REQUESTS = 200
KEPT_BYTES = 4 << 20
SECOND_TRY_WITHIN_S = 180.0
"""For so long a request that a drill refused or cut passes when the same bytes come again; after that it is a new drill."""
IN_THREAD_FROM_BYTES = 1 << 18

_JSON = ("Content-Type", "application/json")
_SSE = (("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-cache"))


class _Call(NamedTuple):
    """What identifies one answer."""

    response_id: str
    model: str
    created: int


class PracticeServer:
    """Serves the practice model from entering its context until leaving it.

    Attributes:
        rate_per_s: tokens a second of a stream, 0 for as fast as possible; may be changed at any time, for answers to come.
        base_url: address with the dialect's prefix, e.g. ``http://127.0.0.1:40123/v1``.
        key: what clients send as ``Authorization: Bearer``.
        model_names: models it answers for. It takes any name, as local servers do, and gives the name back.
    """

    model_names: tuple[str, ...] = (MODEL_NAME,)

    def __init__(self, *, rate_per_s: float = USUAL_RATE_PER_S) -> None:
        self.rate_per_s = rate_per_s
        self.key = f"practice-{secrets.token_urlsafe(24)}"
        self.base_url = ""
        self._dialect = dialect("chat_completions")
        self._received: deque[bytes] = deque()
        self._refused: dict[bytes, float] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> PracticeServer:
        server = await self._stack.enter_async_context(LoopbackServer(self._handle, key=self.key))
        self.base_url = f"{server.base_url}/v1"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._stack.aclose()

    @property
    def received(self) -> list[bytes]:
        """The exact bodies of the newest requests for an answer, oldest first; at most 200, or 4 MB in all."""
        return list(self._received)

    async def _handle(self, request: ServerRequest) -> ServerResponse:
        path = request.target.partition("?")[0].removeprefix("/v1")
        match request.method, path:
            case "POST", "/chat/completions":
                self._keep(request.body)
                return await self._complete(request.body)
            case "GET", "/models":
                return _json_response({"object": "list", "data": [_model_object(name) for name in self.model_names]})
            case "GET", _ if path.startswith("/models/"):
                name = path.removeprefix("/models/")
                return _json_response(_model_object(name)) if name in self.model_names else unknown_model(name).response()
            case _, "/chat/completions" | "/models":
                return wrong_method(request.method, request.target).response()
            case _:
                return unknown_path(request.method, request.target).response()

    def _keep(self, body: bytes) -> None:
        self._received.append(body)
        while len(self._received) > KEPT_REQUESTS or (len(self._received) > 1 and sum(map(len, self._received)) > KEPT_BYTES):
            self._received.popleft()

    async def _complete(self, body: bytes) -> ServerResponse:
        outcome = await asyncio.to_thread(self._think, body) if len(body) > IN_THREAD_FROM_BYTES else self._think(body)
        if isinstance(outcome, ApiError):
            return outcome.response()
        request, reply = outcome
        trouble = reply.trouble if self._strikes(reply.trouble, body) else None
        if isinstance(trouble, Refuse):
            return refusal_of(trouble)
        call = _Call(f"chatcmpl-{secrets.token_hex(12)}", request.options.model or MODEL_NAME, int(time.time()))
        if request.options.stream:
            return ServerResponse(200, _SSE, self._stream(reply, trouble, call))
        return await self._whole(reply, trouble, call)

    def _think(self, body: bytes) -> tuple[ModelRequest, Reply] | ApiError:
        """Return the parsed request and the reply to it, or why there is none. Blocking, for large bodies: runs in a worker thread."""
        try:
            request = self._dialect.parse_request(body)
        except RequestUnreadable as error:
            return ApiError(400, error.text if _is_json(body) else NOT_JSON)
        if refused := from_findings(self._dialect.check(body), read_json(body)):
            return refused
        return request, answer(request, size_bytes=len(body))

    def _strikes(self, trouble: Trouble | None, body: bytes) -> bool:
        """Say whether a drill's trouble happens now: not at the second try of the same bytes. Waiting happens every time."""
        if trouble is None or isinstance(trouble, Wait):
            return trouble is not None
        now = asyncio.get_running_loop().time()
        self._refused = {digest: until for digest, until in self._refused.items() if until > now}
        digest = hashlib.sha256(body).digest()
        if self._refused.pop(digest, None) is not None:
            return False
        self._refused[digest] = now + SECOND_TRY_WITHIN_S
        return True

    async def _stream(self, reply: Reply, trouble: Trouble | None, call: _Call) -> AsyncIterator[bytes]:
        encoder = self._dialect.stream_encoder(response_id=call.response_id, model=call.model, created=call.created)
        if isinstance(trouble, Wait):
            await asyncio.sleep(trouble.delay_s)
        pace = Pace(self.rate_per_s)
        events = stream_events(reply, response_id=call.response_id, model=call.model)
        for event in _up_to_trouble(list(events), trouble):
            if data := encoder.feed(event):
                yield data
                await pace.next_token()
        for data in _end(encoder, trouble):
            yield data

    async def _whole(self, reply: Reply, trouble: Trouble | None, call: _Call) -> ServerResponse:
        if isinstance(trouble, Wait):
            await asyncio.sleep(trouble.delay_s)
        if isinstance(trouble, FailInside):
            return ApiError(200, trouble.message, kind=trouble.kind, code=trouble.code).response()
        body = self._dialect.encode_response(whole_message(reply), response_id=call.response_id, model=call.model, created=call.created)
        if isinstance(trouble, Cut):
            return ServerResponse(200, (_JSON, ("Content-Length", str(len(body)))), _half(body))
        return ServerResponse(200, (_JSON,), body)


def _up_to_trouble(events: list[StreamEvent], trouble: Trouble | None) -> list[StreamEvent]:
    """Return the events before a cut or an error: half of the text, or half of the arguments."""
    match trouble:
        case Cut(inside="arguments"):
            kind: type[StreamEvent] = CallArgumentsDelta
        case Cut() | FailInside():
            kind = TextDelta
        case _:
            return events
    places = [index for index, event in enumerate(events) if isinstance(event, kind)]
    return events[: places[(len(places) + 1) // 2]] if len(places) > 1 else events[: len(events) // 2]


def _end(encoder: StreamEncoder, trouble: Trouble | None) -> Iterator[bytes]:
    """Yield what ends a stream.

    Raises:
        wire.Cut: a drill wants the connection broken here.
    """
    match trouble:
        case Cut():
            raise wire.Cut
        case FailInside():
            yield encoder.feed(ResponseFailed(kind="server", text=trouble.message, code=trouble.code or ""))
        case _:
            yield encoder.finish()


async def _half(body: bytes) -> AsyncIterator[bytes]:
    yield body[: len(body) // 2]
    raise wire.Cut


def _is_json(body: bytes) -> bool:
    try:
        read_json(body)
    except ValueError:
        return False
    return True


def _json_response(value: dict[str, object]) -> ServerResponse:
    return ServerResponse(200, (_JSON,), json.dumps(value).encode())


def _model_object(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}

"""The practice model's HTTP server on 127.0.0.1: a real server of every dialect, with a random port and key, in the running loop.

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
from typing import NamedTuple, assert_never

from msgspec.structs import replace

from workbench.conversation.messages import DialectName, ModelRequest
from workbench.conversation.stream import CallArgumentsDelta, ResponseFailed, StreamEvent, TextDelta
from workbench.dialects.base import StreamEncoder
from workbench.dialects.json_text import read_json
from workbench.dialects.registry import dialect
from workbench.errors import RequestUnreadable
from workbench.practice.brain import answer
from workbench.practice.dressing import asks_for_thoughts, dressed
from workbench.practice.errors import ApiError, inside, ordered, unknown_model, unknown_path, wrong_key, wrong_method
from workbench.practice.model_lists import model_list, model_object
from workbench.practice.places import Place, dialect_at, dialect_of, place_of
from workbench.practice.refusals import from_findings, not_json
from workbench.practice.reply import Cut, FailInside, Refuse, Reply, Trouble, Wait
from workbench.practice.sending import Pace, stream_events, whole_message
from workbench.wire import server as wire
from workbench.wire.access import Refusal
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
_LINES = (("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-cache"))
_ID_PREFIXES: dict[DialectName, str] = {"responses": "resp_", "anthropic": "msg_", "gemini": "", "ollama": ""}
VERSION = "0.0.0"
"""What the server says to those who ask for Ollama's version."""


class _Call(NamedTuple):
    """What identifies one answer."""

    response_id: str
    model: str
    created: int
    dialect: DialectName


class PracticeServer:
    """Serves the practice model from entering its context until leaving it.

    Attributes:
        rate_per_s: tokens a second of a stream, 0 for as fast as possible; may be changed at any time, for answers to come.
        address: ``http://127.0.0.1:40123``, below which the paths of all dialects are.
        base_url: the same with the prefix of OpenAI's dialects, ``…/v1``; see `base_of`.
        key: what clients send, in whichever header their dialect has for it.
        model_names: models it answers for. It takes any name, as local servers do, and gives the name back.
    """

    model_names: tuple[str, ...] = (MODEL_NAME,)

    def __init__(self, *, rate_per_s: float = USUAL_RATE_PER_S) -> None:
        self.rate_per_s = rate_per_s
        self.key = f"practice-{secrets.token_urlsafe(24)}"
        self.address = self.base_url = ""
        self._received: deque[bytes] = deque()
        self._refused: dict[bytes, float] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> PracticeServer:
        server = await self._stack.enter_async_context(LoopbackServer(self._handle, key=self.key, refuser=_refused))
        self.address = server.base_url
        self.base_url = f"{self.address}/v1"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._stack.aclose()

    @property
    def received(self) -> list[bytes]:
        """The exact bodies of the newest requests for an answer, oldest first; at most 200, or 4 MB in all."""
        return list(self._received)

    def base_of(self, name: DialectName) -> str:
        """Return the address that a client of a dialect is given, as it is written for the dialect's real servers."""
        return self.address if name in ("anthropic", "gemini", "ollama") else self.base_url

    async def _handle(self, request: ServerRequest) -> ServerResponse:
        place = place_of(request.target, anthropic=request.header("anthropic-version") is not None)
        if place is None:
            return unknown_path(request.method, request.target, dialect_at(request.target)).response()
        if request.method != place.method:
            return wrong_method(request.method, request.target, place.dialect).response()
        match place.kind:
            case "answer":
                self._keep(request.body)
                return await self._complete(place, request)
            case "models":
                return _json_response(model_list(place.dialect, self.model_names))
            case "model":
                known = place.model in self.model_names
                return _json_response(model_object(place.dialect, place.model)) if known else unknown_model(place.model, place.dialect).response()
            case "version":
                return _json_response({"version": VERSION})
            case _:
                assert_never(place.kind)

    def _keep(self, body: bytes) -> None:
        self._received.append(body)
        while len(self._received) > KEPT_REQUESTS or (len(self._received) > 1 and sum(map(len, self._received)) > KEPT_BYTES):
            self._received.popleft()

    async def _complete(self, place: Place, request: ServerRequest) -> ServerResponse:
        body = request.body
        outcome = await asyncio.to_thread(_think, place, request.target, body) if len(body) > IN_THREAD_FROM_BYTES else _think(place, request.target, body)
        if isinstance(outcome, ApiError):
            return outcome.response()
        name, asked, reply = outcome
        trouble = reply.trouble if self._strikes(reply.trouble, body) else None
        if isinstance(trouble, Refuse):
            return ordered(trouble, name).response()
        call = _Call(_ID_PREFIXES.get(name, "chatcmpl-") + secrets.token_hex(12), asked.options.model or MODEL_NAME, int(time.time()), name)
        if asked.options.stream:
            return ServerResponse(200, _LINES if name == "ollama" else _SSE, self._stream(reply, trouble, call))
        return await self._whole(reply, trouble, call)

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
        encoder = dialect(call.dialect).stream_encoder(response_id=call.response_id, model=call.model, created=call.created)
        if isinstance(trouble, Wait):
            await asyncio.sleep(trouble.delay_s)
        pace = Pace(self.rate_per_s)
        events = stream_events(reply, response_id=call.response_id, model=call.model)
        for event in _up_to_trouble(list(events), trouble):
            if data := encoder.feed(event):
                yield data
                await pace.next_token()
        for data in _end(encoder, trouble, call.dialect):
            yield data

    async def _whole(self, reply: Reply, trouble: Trouble | None, call: _Call) -> ServerResponse:
        if isinstance(trouble, Wait):
            await asyncio.sleep(trouble.delay_s)
        if isinstance(trouble, FailInside):
            _, words = inside(trouble.message, call.dialect)
            status = 500 if call.dialect in ("anthropic", "gemini", "ollama") else 200
            return ApiError(status, words, kind=trouble.kind, code=trouble.code, dialect=call.dialect).response()
        body = dialect(call.dialect).encode_response(whole_message(reply), response_id=call.response_id, model=call.model, created=call.created)
        if isinstance(trouble, Cut):
            return ServerResponse(200, (_JSON, ("Content-Length", str(len(body)))), _half(body))
        return ServerResponse(200, (_JSON,), body)


def _think(place: Place, target: str, body: bytes) -> tuple[DialectName, ModelRequest, Reply] | ApiError:
    """Return the dialect, the parsed request and the reply to it, or why there is none. Blocking, for large bodies: runs in a worker thread."""
    name = dialect_of(place, target, body)
    codec = dialect(name)
    try:
        request = codec.parse_request(body)
    except RequestUnreadable as error:
        return ApiError(400, error.text, dialect=name) if _is_json(body) else not_json(name)
    if refused := from_findings(codec.check(body), read_json(body), name):
        return refused
    if place.streams is not None:
        request = replace(request, options=replace(request.options, model=place.model, stream=place.streams))
    return name, request, dressed(answer(request, size_bytes=len(body), dialect=name), name, thinks=asks_for_thoughts(read_json(body), name))


def _refused(target: str, refusal: Refusal) -> Refusal:
    return wrong_key(refusal, dialect_at(target))


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


def _end(encoder: StreamEncoder, trouble: Trouble | None, name: DialectName) -> Iterator[bytes]:
    """Yield what ends a stream.

    Raises:
        wire.Cut: a drill wants the connection broken here.
    """
    match trouble:
        case Cut():
            raise wire.Cut
        case FailInside():
            kind, words = inside(trouble.message, name)
            yield encoder.feed(ResponseFailed(kind=kind, text=words, code=trouble.code or ""))
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

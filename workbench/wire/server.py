"""A small HTTP/1.1 server on h11 for 127.0.0.1, in the running loop: the practice model and the capture proxy stand on it.

Own code instead of a framework because of what it must be able to do: keep header names as they were sent, end at once with
streams open, notice in a millisecond that a client has left, break off on demand, and never hold up a window in the same loop.
"""

from __future__ import annotations

import asyncio
import enum
import os
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias, assert_never, cast

import h11

from workbench.wire.access import Access, Refusal

_READ_BYTES = 1 << 18
_WRITE_BYTES = 1 << 16
_HEAD_BYTES = 1 << 16
_AHEAD_BYTES = 1 << 20
"""How much of later requests a client may send while an earlier one is answered, before nothing more is read."""
_SLICE_S = 0.004
"""Work that never has to wait gives the loop back after this time: a quarter of a window's frame."""
_LINGER_NOT = struct.pack("HH" if os.name == "nt" else "ii", 1, 0)
"""SO_LINGER on, for no time: closing the socket then sends RST instead of FIN."""
_LINGER_S = 2.0
"""How long the rest of a refused body is read and dropped, so that the client gets to read the refusal."""


class Cut(Exception):
    """Raised by a handler or a body: close the connection in the middle, without the end that HTTP prescribes."""


class Reset(Exception):
    """Raised by a handler or a body: deliver what was sent so far, then reset the connection (TCP RST)."""


class Hang:
    """Yielded by a body (the class or an instance): send nothing more and keep the connection open until the client leaves."""


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """One request, whole.

    Attributes:
        target: path and query as sent, without a key in the path.
        headers: (name, value) pairs as sent: order, case of names and repetitions are kept.
        body: decoded from its transfer coding only.
        client_gone: set when the client has left. The handler and the body are cancelled then, too; in their ``finally`` it
            tells this from the server's own stop.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    client_gone: asyncio.Event = field(repr=False, compare=False)

    def header(self, name: str) -> str | None:
        """Return the first value of a header, by its name in any case."""
        return next((value for known, value in self.headers if known.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """What goes back.

    Attributes:
        headers: names are sent as written here. ``Content-Length`` or chunked transfer coding is added if neither is there.
        body: bytes, or an iterator whose pieces are sent as they come. The iterator is closed (``aclose``) in every case.
    """

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes | AsyncIterator[bytes | Hang | type[Hang]] = b""


Handler: TypeAlias = Callable[[ServerRequest], Awaitable[ServerResponse]]
Refuser: TypeAlias = Callable[[str, Refusal], Refusal]
"""Makes of a refusal (given the target as sent) one in the words and the shape that the server's clients know."""


class LoopbackServer:
    """Answers requests on 127.0.0.1, from entering its context until leaving it.

    Leaving ends everything at once: open streams are cancelled, connections dropped, no task stays. An exception of the handler
    that is neither ``Cut`` nor ``Reset`` is answered with status 500 and reported to the loop's exception handler.

    Attributes:
        port: chosen by the system.
        base_url: ``http://127.0.0.1:<port>``.
        keyed_url: the same with the key as first part of the path, for clients that can send no header.
    """

    def __init__(self, handler: Handler, *, key: str = "", max_body_bytes: int = 256 << 20, refuser: Refuser | None = None) -> None:
        """Prepare a server.

        Args:
            handler: called for each request that passed the checks; cancelled when the client leaves.
            key: what clients must show, see ``access.Access``; empty for no check.
            max_body_bytes: larger request bodies are refused with status 413.
            refuser: words the refusal of requests that did not pass the checks.
        """
        self._refuser = refuser
        self._handler = handler
        self._key = key
        self._max_body_bytes = max_body_bytes
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def __aenter__(self) -> LoopbackServer:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=_READ_BYTES)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.keyed_url = f"{self.base_url}/{self._key}" if self._key else self.base_url
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closing = True
        self._server.close()
        for _ in range(3):  # a connection that was accepted just now has its task in the next turns of the loop
            await asyncio.sleep(0)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closing:
            writer.transport.abort()
            return
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        try:
            await _Connection(reader, writer, self._handler, Access(self.port, self._key), self._max_body_bytes, self._refuser).serve()
        except asyncio.CancelledError:
            pass  # nobody awaits this task, and asyncio.streams of 3.11 takes its cancellation for a failure worth reporting
        finally:
            self._tasks.discard(task)


class _ClientLeft(Exception):
    """Ends the work for a client that hung up."""


class _BodyTooLarge(Exception):
    """A request body grew over the limit."""


class _Ending(enum.Enum):
    """How a connection goes on after a response."""

    NEXT = enum.auto()
    CUT = enum.auto()
    RESET = enum.auto()
    GONE = enum.auto()


class _Connection:
    """One client's connection: reads requests, has them answered, one after the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler, access: Access, max_body_bytes: int, refuser: Refuser | None
    ) -> None:
        self._refuser = refuser
        self._reader, self._writer, self._handler, self._access = reader, writer, handler, access
        self._max_body_bytes = max_body_bytes
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
        self._pace = _Pace()
        self._method = b""

    async def serve(self) -> None:
        """Serve until the client leaves, an ending was ordered, or the server stops."""
        try:
            while await self._round():
                self._h11.start_next_cycle()
        except h11.RemoteProtocolError as error:
            await self._refuse_and_close(Refusal(error.error_status_hint, "bad_request", f"This is not a request in HTTP/1.1: {error}."))
        except _BodyTooLarge:
            await self._refuse_and_close(Refusal(413, "body_too_large", f"The request body is larger than {self._max_body_bytes:,} bytes."))
        except ConnectionError:
            self._writer.transport.abort()
        except asyncio.CancelledError:
            self._writer.transport.abort()
            raise
        finally:
            if self._h11.our_state is h11.SEND_RESPONSE and not self._writer.is_closing():  # an exception of the handler is on its way up
                self._write_whole(Refusal(500, "server_error", "The server failed on this request."), close=True)
            self._writer.close()

    async def _round(self) -> bool:
        """Answer one request; say whether the connection can carry another."""
        head = await self._head()
        if head is None:
            return False
        self._method = head.method
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers.raw_items())
        admitted = self._access.admit(head.target.decode("latin-1"), headers)
        body = await self._body(head, keep=isinstance(admitted, str))
        if isinstance(admitted, Refusal):
            self._write_whole(self._refuser(head.target.decode("latin-1"), admitted) if self._refuser else admitted)
            await self._writer.drain()
            ending = _Ending.NEXT
        else:
            ending = await self._answer(ServerRequest(head.method.decode("latin-1"), admitted, headers, body, asyncio.Event()))
        await self._end(ending)
        return ending is _Ending.NEXT and self._h11.our_state is h11.DONE and self._h11.their_state is h11.DONE

    async def _head(self) -> h11.Request | None:
        while (event := self._h11.next_event()) is h11.NEED_DATA:
            self._h11.receive_data(await self._reader.read(_READ_BYTES))
        return event if isinstance(event, h11.Request) else None

    async def _body(self, head: h11.Request, *, keep: bool) -> bytes:
        """Read the body to its end; return it, or nothing if it is not to be kept."""
        announced = next((int(value) for name, value in head.headers if name == b"content-length"), 0)
        pieces: list[bytes] = []
        size = 0
        while True:
            if max(size, announced) > self._max_body_bytes:
                raise _BodyTooLarge
            event = self._h11.next_event()
            if isinstance(event, h11.Data):
                size += len(event.data)
                if keep:
                    pieces.append(bytes(event.data))
                await self._pace.breathe()
            elif event is h11.NEED_DATA:
                if self._h11.they_are_waiting_for_100_continue:
                    self._write(h11.InformationalResponse(status_code=100, headers=[]))
                self._h11.receive_data(await self._reader.read(_READ_BYTES))
            else:
                return b"".join(pieces)

    async def _answer(self, request: ServerRequest) -> _Ending:
        """Run the handler and send what it gives, for as long as the client listens."""
        ending = _Ending.GONE
        try:
            async with asyncio.TaskGroup() as group:
                watcher = group.create_task(self._watch(request.client_gone))
                ending = await self._respond(request)
                watcher.cancel()
        except* _ClientLeft:
            ending = _Ending.GONE
        return ending

    async def _watch(self, gone: asyncio.Event) -> None:
        """Wait for the client to leave; requests that it sends ahead stay in h11's buffer."""
        ahead = 0
        try:
            while data := await self._reader.read(_READ_BYTES):
                self._h11.receive_data(data)
                ahead += len(data)
                if ahead > _AHEAD_BYTES:
                    return
        except ConnectionError:
            pass
        gone.set()
        raise _ClientLeft

    async def _respond(self, request: ServerRequest) -> _Ending:
        try:
            response = await self._handler(request)
            await self._send(request.method, response)
            await self._writer.drain()
        except Cut:
            return _Ending.CUT
        except Reset:
            return _Ending.RESET
        except ConnectionError:
            return _Ending.GONE
        return _Ending.NEXT

    async def _send(self, method: str, response: ServerResponse) -> None:
        bodiless = method == "HEAD" or response.status in (204, 304)
        if isinstance(response.body, bytes):
            self._write(_head_of(response, len(response.body)))
            await self._send_bytes(b"" if bodiless else response.body)
        else:
            try:
                self._write(_head_of(response, None))
                if not bodiless:
                    await self._send_pieces(response.body)
            finally:
                if (close := getattr(response.body, "aclose", None)) is not None:
                    await close()
        self._write(h11.EndOfMessage())

    async def _send_bytes(self, body: bytes) -> None:
        for start in range(0, len(body), _WRITE_BYTES):
            self._write(h11.Data(data=body[start : start + _WRITE_BYTES]))
            await self._writer.drain()
            await self._pace.breathe()

    async def _send_pieces(self, body: AsyncIterator[bytes | Hang | type[Hang]]) -> None:
        async for piece in body:
            if isinstance(piece, bytes):
                await self._send_bytes(piece)
            else:
                await asyncio.Event().wait()

    async def _end(self, ending: _Ending) -> None:
        """Do what is special about an ending; closing follows in any case."""
        match ending:
            case _Ending.NEXT:
                pass
            case _Ending.CUT:
                self._h11.send_failed()
            case _Ending.RESET:
                self._writer.transport.set_write_buffer_limits(0)
                await self._writer.drain()
                self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
                self._writer.transport.abort()
            case _Ending.GONE:
                self._writer.transport.abort()
            case _:
                assert_never(ending)

    async def _refuse_and_close(self, refusal: Refusal) -> None:
        """Answer a request that cannot be read to its end, and let the client read the answer before the connection closes."""
        if self._h11.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        self._write_whole(refusal, close=True)
        try:
            async with asyncio.timeout(_LINGER_S):
                self._writer.write_eof()
                while await self._reader.read(_READ_BYTES):
                    await self._pace.breathe()
        except (TimeoutError, OSError):
            pass

    def _write_whole(self, refusal: Refusal, *, close: bool = False) -> None:
        body = refusal.body()
        headers = [("Content-Type", "application/json"), *([("Connection", "close")] if close else [])]
        self._write(_head_of(ServerResponse(refusal.status, headers), len(body)))
        if self._method != b"HEAD":
            self._write(h11.Data(data=body))
        self._write(h11.EndOfMessage())

    def _write(self, event: h11.Event) -> None:
        self._writer.write(self._h11.send(event) or b"")


def _head_of(response: ServerResponse, size: int | None) -> h11.Response:
    """Return the head; h11 adds chunked coding, or closing for HTTP/1.0, where no length is known."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers]
    framed = any(name.lower() in (b"content-length", b"transfer-encoding") for name, _ in headers)
    if size is not None and not framed and response.status != 204:
        headers.append((b"Content-Length", str(size).encode()))
    return h11.Response(status_code=response.status, headers=headers)


class _Pace:
    """Gives the loop back when work without waiting has gone on for a slice of time."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def breathe(self) -> None:
        if time.monotonic() - self._since > _SLICE_S:
            await asyncio.sleep(0)
            self._since = time.monotonic()

"""A response while it comes: its head, its body in pieces, and the two clocks that end a body which has died."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from workbench.errors import ProviderError, ResponseUnreadable
from workbench.wire import failures
from workbench.wire.decoding import Decoder
from workbench.wire.outgoing import Headers, Outgoing

if TYPE_CHECKING:
    from workbench.wire.transport import Reply

_SLICE_S = 0.004
"""A body that is always ready gives the loop back after this time: a quarter of a window's frame."""


class HttpResponse:
    """One response. Read its body once, with ``chunks()`` or ``body()``.

    Attributes:
        status: as sent.
        headers: pairs as sent: order, case and repetitions.
        http_version: ``HTTP/1.1`` or ``HTTP/1.0``.
        sent_headers: the pairs of the request exactly as they were written.
        route: ``direct``, or the proxy that was used.
        attempts: 2 if the request had to be sent again because a kept connection had died, else 1.
        complete: the body was read to its end.
    """

    def __init__(self, reply: Reply, request: Outgoing, max_body_bytes: int) -> None:
        """Take over a reply whose body nobody has read yet; ``HttpClient.stream`` makes responses."""
        self.status = reply.status
        self.headers: Headers = reply.headers
        self.http_version = reply.http_version
        self.sent_headers: Headers = reply.sent_headers
        self.route = "direct" if request.proxy is None else request.proxy.label
        self.attempts = reply.attempts
        self.complete = False
        self._raw = reply.body
        self._peer = request.peer
        self._waits = request.waits
        self._max_body_bytes = max_body_bytes
        self._decoder: Decoder | None = None
        self._ready: deque[bytes] = deque()
        self._size_bytes = 0
        self._begun = False
        self._silent_s = self._fruitless_s = asyncio.get_running_loop().time() - reply.attempt.waited_since
        self._slice_since = time.monotonic()

    def header(self, name: str) -> str:
        """Return the first value of a header by its name in any case; empty if it is not there."""
        return next((value for known, value in self.headers if known.lower() == name.lower()), "")

    def progress(self) -> None:
        """Say that something useful came, which starts the clock of ``progress_timeout_s`` anew.

        Readers of a stream call it for each event with content, and not for comments and pings.
        """
        self._fruitless_s = 0.0

    def chunks(self) -> AsyncIterator[bytes]:
        """Return the body's pieces as they come, unpacked; none is empty.

        Only the time spent waiting for the server counts, not what the reader does between two pieces.

        Raises:
            ProviderUnreachable: the first byte did not come in time.
            StreamBroken: the connection was lost, or nothing came, or no progress, for too long.
            ResponseUnreadable: the body is larger than allowed, or packed in a way that cannot be undone.
        """
        return _Chunks(self)

    async def body(self, *, limit_bytes: int | None = None) -> bytes:
        """Return the whole body. Every byte counts as progress.

        Args:
            limit_bytes: the most it may hold; what the client allows if left out.

        Raises:
            ProviderUnreachable: as ``chunks``; StreamBroken and ResponseUnreadable too.
        """
        if limit_bytes is not None:
            self._max_body_bytes = min(limit_bytes, self._max_body_bytes)
        pieces = []
        async for piece in self.chunks():
            self.progress()
            pieces.append(piece)
        return b"".join(pieces)

    async def _next(self) -> bytes:
        """Return the next piece; raise StopAsyncIteration at the end."""
        if self._decoder is None:
            self._decoder = Decoder(self.header("content-encoding"))
        while not self._ready:
            if self.complete:
                raise StopAsyncIteration
            try:
                raw = await self._receive()
            except StopAsyncIteration:
                self.complete = True
                self._keep(self._decoder.finish())
            else:
                for piece in self._decoder.feed(raw):
                    self._keep(piece)
        if time.monotonic() - self._slice_since > _SLICE_S:
            await asyncio.sleep(0)
            self._slice_since = time.monotonic()
        return self._ready.popleft()

    def _keep(self, piece: bytes) -> None:
        self._size_bytes += len(piece)
        if self._size_bytes > self._max_body_bytes:
            text = f"The answer of {self._peer.host} is larger than {self._max_body_bytes:,} bytes; it was not read to its end."
            raise ResponseUnreadable(text, message_id="wire.body_too_large", values={"limit_bytes": self._max_body_bytes})
        if piece:
            self._ready.append(piece)

    async def _receive(self) -> bytes:
        """Wait for the next raw piece, as long as the clocks allow."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        left_s, failure = self._time_left()
        try:
            async with asyncio.timeout(left_s):
                raw = await anext(self._raw)
        except TimeoutError as error:
            raise failure from error
        self._fruitless_s += loop.time() - start
        self._begun = True
        return raw

    def _time_left(self) -> tuple[float, ProviderError]:
        """Return how long the next wait may last, and what to say if it lasts longer."""
        waits: list[tuple[float, ProviderError]] = [(self._waits.progress_s - self._fruitless_s, failures.no_progress(self._peer, self._waits.progress_s))]
        if self._begun:
            waits.append((self._waits.idle_s, failures.silence(self._peer, self._waits.idle_s)))
        else:
            waits.append((self._waits.first_byte_s - self._silent_s, failures.no_answer_in_time(self._peer, self._waits.first_byte_s)))
        return min(waits, key=lambda wait: wait[0])


class _Chunks:
    """An iterator and not a generator: one that is left half-way needs no closing."""

    def __init__(self, response: HttpResponse) -> None:
        self._response = response

    def __aiter__(self) -> _Chunks:
        return self

    async def __anext__(self) -> bytes:
        return await self._response._next()  # noqa: SLF001  # one class in two parts

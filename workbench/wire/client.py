"""The HTTP client of the program: says exactly what it sends, gives the answer as it comes, and ends when it must.

Loading httpcore waits for the first request, and the certificates for the first https address: creating a client costs nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.wire.address import parse_address
from workbench.wire.guard import AddressGuard
from workbench.wire.outgoing import Headers, Outgoing, Waits, final_headers
from workbench.wire.proxies import ProxyRules
from workbench.wire.response import HttpResponse

if TYPE_CHECKING:
    from workbench.wire.transport import Transport

_SLEPT_S = 30.0
"""If the calendar ran ahead of the steady clock by more than this, the machine slept and kept connections are dead."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What to send.

    Attributes:
        headers: pairs in the order and spelling in which they are to be sent.
        body: sent as it is.
    """

    method: str
    url: str
    headers: Headers = ()
    body: bytes = b""


class HttpClient:
    """Sends requests; one for the whole program, used in one loop.

    Redirects are not followed, cookies not kept, nothing is added to the body. There is no limit on total time: a model may
    think for minutes and write for an hour. What is limited is the wait for each next thing.

    Attributes:
        notices: English sentences about proxy variables that cannot be used; requests that need them will fail, others not.
    """

    def __init__(
        self,
        *,
        connect_timeout_s: float = 10,
        first_byte_timeout_s: float = 600,
        idle_timeout_s: float = 120,
        progress_timeout_s: float = 600,
        max_body_bytes: int = 256 << 20,
        user_agent: str = "agent-workbench",
        environ: Mapping[str, str] | None = None,
        guard: AddressGuard | None = None,
    ) -> None:
        """Create a client; nothing is loaded or opened yet.

        Args:
            connect_timeout_s: for the connection, and again for TLS.
            first_byte_timeout_s: from the request's last byte to the head of the answer, and on to its body's first byte.
            idle_timeout_s: the longest silence inside a body; any byte ends a silence, signs of life too. Also the longest
                time in which a server may take nothing of a request.
            progress_timeout_s: the longest wait without ``HttpResponse.progress()``, so that signs of life alone do not
                keep a dead generation open.
            max_body_bytes: the most that a response body may hold, unpacked.
            user_agent: sent where a request does not say its own.
            environ: where proxies and certificates are named; the process's environment if left out.
            guard: checks every address before it is connected to. Proxies are not used then, as they would connect unchecked.
        """
        self._waits = Waits(connect_timeout_s, first_byte_timeout_s, idle_timeout_s, progress_timeout_s)
        self._max_body_bytes = max_body_bytes
        self._user_agent = user_agent
        self._environ = os.environ if environ is None else environ
        self._guard = guard
        self._rules = ProxyRules(self._environ if guard is None else {})
        self.notices: list[str] = list(self._rules.notices)
        self._transport: Transport | None = None
        self._ahead_s = _calendar_ahead_s()

    def final_request(self, request: HttpRequest) -> HttpRequest:
        """Return the request with the very headers that will be sent, so that they can be written down before it is.

        ``Host`` comes first; ``Accept``, ``Accept-Encoding: identity``, ``User-Agent`` and ``Content-Length`` come last where
        they are missing. Doing it twice changes nothing more. Only a proxy's own login may be added to these on the way.

        Raises:
            ProviderError: an address or a header that cannot be sent.
        """
        address = parse_address(request.url)
        return replace(request, headers=final_headers(request.method, address, request.headers, request.body, self._user_agent))

    def route(self, url: str) -> str:
        """Return the way a request to this address takes: ``direct``, or the proxy and the variable that names it.

        Raises:
            ProviderError: not an address, or its proxy cannot be used.
        """
        proxy = self._rules.route(parse_address(url))
        return "direct" if proxy is None else proxy.label

    @contextlib.asynccontextmanager
    async def stream(self, request: HttpRequest) -> AsyncIterator[HttpResponse]:
        """Send a request; give the response as soon as its head is there.

        Leaving the context gives the connection back if the body was read to its end, else closes its socket at once;
        so does cancelling, at any point. A request that went out on a kept connection which had died, and of which nothing
        came back, is sent once more.

        Raises:
            ProviderUnreachable: no connection, or no answer in time; one sentence, ``message_id`` says which.
            ProviderError: an address or a header that cannot be sent.
        """
        address = parse_address(request.url)
        headers = self.final_request(request).headers
        outgoing = Outgoing(request.method, address, headers, request.body, self._rules.route(address), self._waits)
        transport = await self._ready()
        reply = await transport.send(outgoing)
        response = HttpResponse(reply, outgoing, self._max_body_bytes)
        try:
            yield response
        finally:
            await reply.close(at_once=not response.complete)

    async def aclose(self) -> None:
        """Close all connections; responses still open end with an error."""
        if self._transport is not None:
            await self._transport.close()

    async def _ready(self) -> Transport:
        """Return the transport, loaded in a thread at the first request; after a sleep, without its kept connections."""
        if self._transport is None:
            module = await asyncio.to_thread(importlib.import_module, "workbench.wire.transport")
            self._transport = self._transport or module.Transport(self._environ, self._guard)
        ahead_s, before_s = _calendar_ahead_s(), self._ahead_s
        self._ahead_s = ahead_s
        if ahead_s - before_s > _SLEPT_S:
            await self._transport.drop_unused()
        return self._transport


def _calendar_ahead_s() -> float:
    """Return the calendar's lead over the steady clock, which stands still while the machine sleeps."""
    return time.time() - time.monotonic()

"""Sends requests over httpcore: one pool of connections for each route, one more try where a kept connection turned out dead.

This is the part of the HTTP client that loads httpcore; ``wire.client`` imports it at the first request, not at start.
httpcore (the engine under httpx) is used directly because only there can be said which bytes are sent and seen which bytes
came back, and because it loads in half the time.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import certifi
import httpcore

from workbench.errors import ProviderUnreachable, StreamBroken
from workbench.wire import failures
from workbench.wire.failures import Peer
from workbench.wire.guard import AddressGuard
from workbench.wire.network import Attempt, GuardedNetwork, Network, current_attempt
from workbench.wire.outgoing import Headers, Outgoing
from workbench.wire.proxies import Proxy

KEPT_S = 30.0
"""How long an unused connection is kept; the next step of a loop mostly comes sooner."""

# httpcore loads these at its first request, and would hold up the loop for two frames; it does without sniffio where that is not installed
importlib.import_module("anyio._backends._asyncio")
with contextlib.suppress(ModuleNotFoundError):
    importlib.import_module("sniffio")

_SLICE_BYTES = 1 << 18
_KEPT_CONNECTIONS = 10


class Body:
    """The pieces of a response body as they come from the connection, still in their content coding.

    Raises:
        StreamBroken: from ``anext``: the connection ended before the body did.
    """

    def __init__(self, pieces: AsyncIterator[bytes], peer: Peer) -> None:
        self._pieces = pieces
        self._peer = peer

    def __aiter__(self) -> Body:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._pieces)
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise failures.connection_lost(self._peer, str(error)) from error


@dataclass(frozen=True, slots=True)
class Reply:
    """The head of an answer, and the way to the rest.

    Attributes:
        http_version: ``HTTP/1.1`` or ``HTTP/1.0``.
        sent_headers: the pairs that were written, a proxy's included.
        attempt: the sending that was answered.
        attempts: how often the request was sent, 1 or 2.
        body: raw pieces of the body.
    """

    status: int
    http_version: str
    headers: Headers
    sent_headers: Headers
    attempt: Attempt
    attempts: int
    body: Body
    _response: httpcore.Response

    async def close(self, *, at_once: bool) -> None:
        """Give the connection back, or shut it where the body was not read to its end.

        Args:
            at_once: shut the socket before anything is awaited, so that even a second cancellation finds it closed.
        """
        if at_once:
            self.attempt.break_off()
        await self._response.aclose()
        with contextlib.suppress(StreamBroken):
            async for _ in self.body:  # ends httpcore's nested generators now, with an error; collected later they would leave tasks
                pass


class Transport:
    """Keeps connections and sends requests; one for a client, used in one loop."""

    def __init__(self, environ: Mapping[str, str], guard: AddressGuard | None = None) -> None:
        self._environ = environ
        self._guard = guard
        self._pools: dict[tuple[Proxy | None, str], httpcore.AsyncConnectionPool] = {}
        self._tls: ssl.SSLContext | None = None
        self._tls_lock = asyncio.Lock()  # two first requests at once would load the certificates twice

    async def send(self, request: Outgoing) -> Reply:
        """Send a request and return when the head of its answer is there.

        A connection kept from an earlier request may have died unnoticed. If it did before any byte of an answer came, the
        request is sent once more on a fresh one.

        Raises:
            ProviderUnreachable: no connection, no answer, or none in time; one sentence.
        """
        pool = await self._pool(request)
        for number in (1, 2):
            attempt = Attempt()
            token = current_attempt.set(attempt)
            try:
                return await self._try(pool, request, attempt, number)
            except (httpcore.NetworkError, httpcore.RemoteProtocolError) as error:
                if number == 1 and attempt.reused and not attempt.answered:
                    await _drop_unused(pool)
                    continue
                raise _no_answer(request, attempt, error) from error
            except httpcore.ReadTimeout as error:
                raise failures.no_answer_in_time(request.peer, request.waits.first_byte_s) from error
            except httpcore.WriteTimeout as error:
                raise failures.not_taken_in_time(request.peer, request.waits.idle_s) from error
            except httpcore.ProxyError as error:
                raise failures.proxy_refused(request.peer, request.proxy.label if request.proxy else "proxy", str(error)) from error
            finally:
                current_attempt.reset(token)
        raise RuntimeError("unreachable: the second attempt returns or raises")

    async def drop_unused(self) -> None:
        """Close the connections that carry nothing now, because they may be dead without knowing (after a sleep)."""
        for pool in self._pools.values():
            await _drop_unused(pool)

    async def close(self) -> None:
        """Close every connection, those in use too."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    async def _try(self, pool: httpcore.AsyncConnectionPool, request: Outgoing, attempt: Attempt, number: int) -> Reply:
        headers = _with_proxy_login(request)
        waits = _first_waits(request)
        outgoing = httpcore.Request(
            request.method,
            httpcore.URL(scheme=request.address.scheme, host=request.address.host, port=request.address.port, target=request.address.target),
            headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            content=request.body if len(request.body) <= _SLICE_BYTES else _Slices(request.body),
            extensions={"timeout": waits},
        )
        try:
            response = await pool.handle_async_request(outgoing)
        except BaseException:
            attempt.break_off()
            raise
        waits["read"] = None  # from here on the reader of the body decides how long silence may last
        return Reply(
            status=response.status,
            http_version=response.extensions["http_version"].decode("ascii"),
            headers=tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers),
            sent_headers=headers,
            attempt=attempt,
            attempts=number,
            body=Body(aiter(response.aiter_stream()), request.peer),
            _response=response,
        )

    async def _pool(self, request: Outgoing) -> httpcore.AsyncConnectionPool:
        proxy, scheme = request.proxy, request.address.scheme
        key = (proxy, scheme)
        if key not in self._pools:
            needs_tls = scheme == "https" or (proxy is not None and proxy.kind == "https")
            tls = await self._certificates() if needs_tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # the latter trusts nobody
            network = Network(proxy) if self._guard is None else GuardedNetwork(self._guard)
            self._pools.setdefault(key, _new_pool(proxy, tls, network))
        return self._pools[key]

    async def _certificates(self) -> ssl.SSLContext:
        """Return the one context, made in a thread at the first need: it takes as long as two frames."""
        async with self._tls_lock:
            if self._tls is None:
                self._tls = await asyncio.to_thread(_tls_context, self._environ)
            return self._tls


class _Slices:
    """A large body, sent in pieces so that the loop does other work in between."""

    def __init__(self, body: bytes) -> None:
        self._body = memoryview(body)

    def __aiter__(self) -> _Slices:
        return self

    async def __anext__(self) -> bytes:
        if not self._body:
            raise StopAsyncIteration
        piece, self._body = bytes(self._body[:_SLICE_BYTES]), self._body[_SLICE_BYTES:]
        return piece


def _new_pool(proxy: Proxy | None, tls: ssl.SSLContext, network: Network) -> httpcore.AsyncConnectionPool:
    if proxy is None or proxy.kind == "socks5":
        return httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=None,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=KEPT_S,
            network_backend=network,
        )
    return httpcore.AsyncHTTPProxy(
        proxy_url=httpcore.URL(scheme=proxy.kind, host=proxy.host, port=proxy.port, target="/"),
        proxy_auth=(proxy.username.encode(), proxy.password.encode()) if proxy.username else None,
        ssl_context=tls,
        proxy_ssl_context=tls if proxy.kind == "https" else None,
        max_connections=None,
        max_keepalive_connections=_KEPT_CONNECTIONS,
        keepalive_expiry=KEPT_S,
        network_backend=network,
    )


async def _drop_unused(pool: httpcore.AsyncConnectionPool) -> None:
    for connection in pool.connections:
        if connection.is_idle():
            await connection.aclose()


def _first_waits(request: Outgoing) -> dict[str, float | None]:
    """Return the waits until the head of an answer, as httpcore names them."""
    return {"connect": request.waits.connect_s, "read": request.waits.first_byte_s, "write": request.waits.idle_s, "pool": None}


def _with_proxy_login(request: Outgoing) -> Headers:
    """Return the headers; a request that a proxy passes on openly carries the proxy's login, right after ``Host``."""
    proxy = request.proxy
    if proxy is None or proxy.kind == "socks5" or not proxy.username or request.address.scheme == "https":
        return request.headers
    login = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode("ascii")
    return (request.headers[0], ("Proxy-Authorization", f"Basic {login}"), *request.headers[1:])


def _tls_context(environ: Mapping[str, str]) -> ssl.SSLContext:
    """Return a context that trusts the file or folder the environment names, else the system's authorities and certifi's."""
    file, folder = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    try:
        context = ssl.create_default_context(cafile=file or None, capath=folder or None)
        if not file and not folder:
            context.load_verify_locations(certifi.where())
    except OSError as error:
        named = f"SSL_CERT_FILE={file}" if file else f"SSL_CERT_DIR={folder}"
        raise ProviderUnreachable(f"{named} cannot be read as certificates: correct or unset it.", message_id="wire.bad_certificates") from error
    return context


def _no_answer(request: Outgoing, attempt: Attempt, error: Exception) -> ProviderUnreachable:
    if attempt.answered and isinstance(error, httpcore.RemoteProtocolError) and "disconnected" not in str(error):
        return failures.not_http(request.peer, str(error))
    return failures.closed_without_answer(request.peer, str(error))

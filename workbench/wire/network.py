"""Connections below HTTP: how they are made, through SOCKS too, and how one request's traffic is watched and broken off.

httpcore asks for a connection here and talks through it. Watching is what tells whether anything of an answer came before a
connection died, which decides whether a request may be sent once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import httpcore
from typing_extensions import override

from workbench.wire import failures
from workbench.wire.failures import Peer
from workbench.wire.guard import AddressGuard
from workbench.wire.proxies import Proxy
from workbench.wire.socks import SocksRefused, open_tunnel

KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPALIVE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))
        if hasattr(socket, name)
    ),
]
"""Socket options: a model may think for minutes, in which routers forget a silent connection and a dead peer goes unnoticed."""


class Attempt:
    """One sending of one request, as seen from its connection.

    Attributes:
        reused: the connection had carried a request before.
        waited_since: the loop's time when the last byte of the request was handed to the system.
    """

    def __init__(self) -> None:
        self.reused = False
        self.waited_since = 0.0
        self._stream: WatchedStream | None = None
        self._received_before = 0

    @property
    def answered(self) -> bool:
        """Whether any byte came back for this request."""
        return self._stream is not None and self._stream.received_bytes > self._received_before

    def uses(self, stream: WatchedStream) -> None:
        """Take note of the connection that carries the request; a tunnel changes it on the way."""
        if stream is not self._stream:
            self.reused = stream.requests > 0
            stream.requests += 1
            self._stream = stream
            self._received_before = stream.received_bytes

    def break_off(self) -> None:
        """Shut the connection at once, without waiting, so that the server stops working for us."""
        if self._stream is not None:
            self._stream.shut()


current_attempt: ContextVar[Attempt | None] = ContextVar("current_attempt", default=None)
"""The attempt that the running task makes: connections note their traffic there."""


class WatchedStream(httpcore.AsyncNetworkStream):
    """A connection that counts what it carries.

    Attributes:
        requests: how many requests it has carried.
        received_bytes: how much came in.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream, peer: Peer) -> None:
        self._inner = inner
        self._peer = peer
        self.requests = 0
        self.received_bytes = 0

    @override
    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._inner.read(max_bytes, timeout)
        self.received_bytes += len(data)
        return data

    @override
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        attempt = current_attempt.get()
        if attempt is not None:
            attempt.uses(self)
        await self._inner.write(buffer, timeout)
        if attempt is not None:
            attempt.waited_since = asyncio.get_running_loop().time()

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()

    @override
    async def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> httpcore.AsyncNetworkStream:
        peer = Peer(server_hostname or self._peer.host, self._peer.port, self._peer.proxy)
        try:
            return WatchedStream(await self._inner.start_tls(ssl_context, server_hostname, timeout), peer)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise failures.no_connection(peer, error, timeout) from error

    @override
    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def shut(self) -> None:
        """Send the end of the connection now; closing it properly is left to its owner."""
        raw = self.get_extra_info("socket")
        if raw is not None:
            with contextlib.suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)


class Network(httpcore.AsyncNetworkBackend):
    """Makes the connections of one route: directly, to an HTTP proxy (httpcore does the rest), or through a SOCKS proxy."""

    def __init__(self, proxy: Proxy | None) -> None:
        self._proxy = proxy
        self._inner = httpcore.AnyIOBackend()

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        proxy = self._proxy
        peer = Peer(host, port) if proxy is None else Peer(proxy.host, proxy.port, proxy.label)
        try:
            inner = await self._inner.connect_tcp(peer.host, peer.port, timeout, local_address, [*(socket_options or ()), *KEEPALIVE])
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            raise failures.no_connection(peer, error, timeout) from error
        if proxy is not None and proxy.kind == "socks5":
            await _tunnel(inner, proxy, Peer(host, port), timeout)
        return WatchedStream(inner, peer)

    @override
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class GuardedNetwork(Network):
    """Connects directly, and only to addresses that a guard has checked: between the check and the connection no name is looked up again."""

    def __init__(self, guard: AddressGuard) -> None:
        super().__init__(None)
        self._guard = guard

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        peer, options = Peer(host, port), [*(socket_options or ()), *KEEPALIVE]
        end_s = asyncio.get_running_loop().time() + timeout if timeout is not None else None
        try:
            async with asyncio.timeout_at(end_s):
                addresses = await self._guard.addresses(host, port)
        except (OSError, UnicodeError) as error:
            raise failures.no_connection(peer, error, timeout) from error
        for left in range(len(addresses), 0, -1):
            share_s = None if end_s is None else max((end_s - asyncio.get_running_loop().time()) / left, 0.01)
            try:
                return WatchedStream(await self._inner.connect_tcp(addresses[-left], port, share_s, local_address, options), peer)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                if left == 1:
                    raise failures.no_connection(peer, error, timeout) from error
        raise RuntimeError("unreachable: the last address returns or raises")


async def _tunnel(stream: httpcore.AsyncNetworkStream, proxy: Proxy, target: Peer, timeout_s: float | None) -> None:
    """Open the way through a SOCKS proxy; close the connection to it if that fails."""
    try:
        async with asyncio.timeout(timeout_s):
            await open_tunnel(stream, target.host, target.port, proxy.username, proxy.password)
    except BaseException as error:
        await stream.aclose()
        match error:
            case SocksRefused():
                raise failures.proxy_refused(target, proxy.label, str(error)) from error
            case httpcore.ReadError() | httpcore.WriteError() | TimeoutError():
                raise failures.no_connection(Peer(proxy.host, proxy.port, proxy.label), error, timeout_s) from error
            case _:
                raise

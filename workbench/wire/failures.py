"""The sentences for everything that can go wrong between here and a server; one plain sentence each, the raw error beside it.

``values["detail"]`` is what the system or the library said, for people who want to see it; ``values["reason"]`` is the last part
of the message id, for programs.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from typing import NamedTuple

from workbench.errors import ProviderUnreachable, StreamBroken

_PROXY, _THE_PROXY = "proxy ", "the proxy "
"""How the label of a proxy begins, and how a sentence speaks of it."""
_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class Peer(NamedTuple):
    """Whom a connection is made to.

    Attributes:
        host: name or IP address.
        port: its port.
        proxy: the label of the proxy if it is one, else empty.
    """

    host: str
    port: int
    proxy: str = ""

    @property
    def place(self) -> str:
        """How a sentence names it."""
        address = self.proxy.removeprefix(_PROXY)
        return f"the proxy {address}" if self.proxy else f"{self.host}:{self.port}"


def no_connection(peer: Peer, error: BaseException, timeout_s: float | None) -> ProviderUnreachable:
    """Return why no connection came about, from the exception chain that the library raised."""
    causes = _chain(error)
    detail = "; ".join(f"{cause}" or type(cause).__name__ for cause in causes if not isinstance(cause, BaseExceptionGroup))
    for cause in causes:
        match cause:
            case socket.gaierror(errno=number) if number in _NO_SUCH_NAME:
                return unreachable("unknown_host", f"Cannot resolve {peer.host} - check the name and the network.", peer, detail)
            case socket.gaierror():
                return unreachable("dns", f"Cannot resolve {peer.host} - offline or DNS problem?", peer, detail)
            case ssl.SSLCertVerificationError():
                why = f"The certificate of {peer.host} is not trusted: {cause.verify_message}"
                advice = "if your network has its own authority, name its file in SSL_CERT_FILE"
                return unreachable("certificate", f"{why}; {advice}.", peer, detail)
            case ssl.SSLError():
                return unreachable("tls", f"{_at_start(peer.place)} does not speak TLS as it should; an http:// address may be meant.", peer, detail)
            case OSError(errno=errno.ECONNREFUSED):
                return unreachable("refused", f"Nothing answers at {peer.place} (connection refused); check that it runs.", peer, detail)
            case TimeoutError():
                waited = f" within {timeout_s:g} s" if timeout_s else ""
                return unreachable("connect_timeout", f"{_at_start(peer.place)} did not accept a connection{waited}.", peer, detail)
            case OSError(errno=int() as number) if number:
                return unreachable("no_route", f"{_at_start(peer.place)} cannot be reached: {os.strerror(number)}.", peer, detail)
            case _:
                pass
    return unreachable("no_connection", f"The connection to {peer.place} was closed before it was ready.", peer, detail)


def proxy_refused(peer: Peer, proxy: str, detail: str) -> ProviderUnreachable:
    """Return that a proxy did not open a way to a server."""
    return unreachable("proxy_refused", f"The {proxy} does not connect to {peer.host}:{peer.port}: {detail}.", peer, detail)


def no_answer_in_time(peer: Peer, timeout_s: float) -> ProviderUnreachable:
    """Return that the first byte of the answer did not come."""
    return unreachable("first_byte_timeout", f"{peer.host} sent no answer within {timeout_s:g} s.", peer, "")


def not_taken_in_time(peer: Peer, timeout_s: float) -> ProviderUnreachable:
    """Return that the server stopped reading the request."""
    return unreachable("send_timeout", f"{peer.host} took nothing more of the request for {timeout_s:g} s.", peer, "")


def closed_without_answer(peer: Peer, detail: str) -> ProviderUnreachable:
    """Return that the connection ended before an answer began."""
    return unreachable("no_answer", f"{peer.host} closed the connection without an answer.", peer, detail)


def not_http(peer: Peer, detail: str) -> ProviderUnreachable:
    """Return that what came back is no HTTP."""
    return unreachable("not_http", f"{_at_start(peer.place)} answered with something that is not HTTP; an https:// address may be meant.", peer, detail)


def connection_lost(peer: Peer, detail: str) -> StreamBroken:
    """Return that the connection ended in the middle of an answer."""
    return _broken("connection_lost", f"Connection lost: {peer.host} broke off in the middle of the answer.", peer, detail)


def silence(peer: Peer, timeout_s: float) -> StreamBroken:
    """Return that nothing came any more, not even a sign of life."""
    return _broken("idle_timeout", f"{peer.host} sent nothing for {timeout_s:g} s in the middle of the answer.", peer, "")


def no_progress(peer: Peer, timeout_s: float) -> StreamBroken:
    """Return that only signs of life came."""
    return _broken("idle_timeout", f"{peer.host} sent only signs of life and no content for {timeout_s:g} s.", peer, "signs of life only")


def unreachable(reason: str, text: str, peer: Peer, detail: str) -> ProviderUnreachable:
    """Return the error with its id, ``wire.<reason>``, and the values of every failure here."""
    return ProviderUnreachable(text, message_id=f"wire.{reason}", values=_values(reason, peer, detail))


def _broken(reason: str, text: str, peer: Peer, detail: str) -> StreamBroken:
    return StreamBroken(text, message_id=f"wire.{reason}", values=_values(reason, peer, detail))


def _values(reason: str, peer: Peer, detail: str) -> dict[str, object]:
    return {"reason": reason, "host": peer.host, "port": peer.port, "detail": detail}


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception, what it wraps, and what these come from, each once; the members of groups too."""
    found: list[BaseException] = []
    pending: list[object] = [error]
    while pending:
        current = pending.pop(0)
        if isinstance(current, BaseException) and not any(current is known for known in found):
            found.append(current)
            pending += [*current.args, current.__cause__, current.__context__]
            pending += current.exceptions if isinstance(current, BaseExceptionGroup) else ()
    return found


def _at_start(place: str) -> str:
    """Return a place as a sentence begins with it; names of hosts stay as they are."""
    address = place.removeprefix(_THE_PROXY)
    return f"The proxy {address}" if address != place else place

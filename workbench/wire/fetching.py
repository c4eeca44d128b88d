"""Fetches a page that a model asked for: every hop is judged and connected by itself, and size, time and kind of the answer have limits.

Nothing of the program's own requests is shared with it: no kept connections, no proxies, no keys, no cookies.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from workbench.errors import ProviderError, ResponseUnreadable, ToolError
from workbench.wire.address import Address, parse_address
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.guard import AddressGuard, Grant, KindOf, Resolver
from workbench.wire.outgoing import Headers
from workbench.wire.response import HttpResponse

SIZE_LIMIT_BYTES = 5 << 20
REFUSAL_BYTES = 2048
"""What is read of an answer that is no success."""
REDIRECTS_AT_MOST = 5
CONNECT_S = 10.0

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_SHOWN_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer.

    Attributes:
        url: the address that gave it, the last of all hops.
        status: 200-299 for a success; of others the body is only the beginning.
        headers: as sent.
        body: unpacked.
        hops: addresses that led here by redirects.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    hops: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        """Return the first value of a header by its name in any case; empty if it is not there."""
        return next((value for known, value in self.headers if known.lower() == name.lower()), "")


def accept_all(_content_type: str) -> bool:
    """Accept a page of any kind."""
    return True


class Web:
    """Fetches pages behind the guard; keeps nothing between two of them."""

    def __init__(
        self, kind_of: KindOf, *, resolver: Resolver | None = None, environ: Mapping[str, str] | None = None, size_limit_bytes: int = SIZE_LIMIT_BYTES
    ) -> None:
        """Create it; nothing is opened yet.

        Args:
            kind_of: judges names and addresses.
            resolver: finds addresses; the system's if left out.
            environ: where ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` may name a network's own authorities; nothing else of it is used.
            size_limit_bytes: the most that a page may hold, unpacked.
        """
        environ = os.environ if environ is None else environ
        self._kind_of = kind_of
        self._resolver = resolver
        self._environ = {name: environ[name] for name in _CERTIFICATES if environ.get(name)}
        self._size_limit_bytes = size_limit_bytes

    async def get(
        self, url: str, *, timeout_s: float, granted: frozenset[Grant] = frozenset(), accept: str = "*/*", takes: Callable[[str], bool] = accept_all
    ) -> Fetched:
        """Return what an address answers, after redirects that stay on its host.

        Args:
            url: http or https, without user name and password.
            timeout_s: for everything together.
            granted: private hosts that a person let this request reach.
            accept: the header of that name.
            takes: says of a ``Content-Type`` whether such a page is wanted; others are not read.

        Raises:
            ToolError: ``blocked_host``, ``redirect_blocked``, ``unsupported_content_type``, ``response_too_large``, ``network_error``, ``timed_out``.
        """
        address = _checked(url)
        guard = AddressGuard(self._kind_of, granted=granted, resolver=self._resolver)
        http = HttpClient(
            connect_timeout_s=min(CONNECT_S, timeout_s),
            first_byte_timeout_s=timeout_s,
            idle_timeout_s=timeout_s,
            progress_timeout_s=timeout_s,
            max_body_bytes=self._size_limit_bytes,
            environ=self._environ,
            guard=guard,
        )
        try:
            async with asyncio.timeout(timeout_s):
                return await self._follow(http, address, accept, takes)
        except TimeoutError:
            text = f"{address.host} did not give the whole page within {timeout_s:g} s."
            raise ToolError("timed_out", text, "Try again with a longer timeout, or another address.") from None
        except ResponseUnreadable as error:
            raise self._unreadable(error) from error
        except ProviderError as error:
            raise ToolError("network_error", error.text, "Check the address; try again later.", detail=error.values) from error
        finally:
            await http.aclose()

    async def _follow(self, http: HttpClient, address: Address, accept: str, takes: Callable[[str], bool]) -> Fetched:
        hops: list[str] = []
        while True:
            url = address_text(address)
            async with http.stream(HttpRequest("GET", url, (("Accept", accept),))) as response:
                location = response.header("location") if response.status in _REDIRECTS else ""
                if not location:
                    return Fetched(url, response.status, response.headers, await self._body(response, takes), tuple(hops))
            if len(hops) >= REDIRECTS_AT_MOST:
                raise ToolError("redirect_blocked", f"{address.host} redirects more than {REDIRECTS_AT_MOST} times.", "Try another address.")
            hops.append(url)
            address = self._next_hop(address, location)

    async def _body(self, response: HttpResponse, takes: Callable[[str], bool]) -> bytes:
        if not 200 <= response.status < 300:
            return await _beginning(response)
        content_type = response.header("content-type")
        if not takes(content_type):
            shown = content_type[:100] or "no kind"
            text = f"The page is of a kind that cannot be shown as text: {shown}."
            raise ToolError("unsupported_content_type", text, "Fetch it with a command if it is needed as a file.", detail={"content_type": shown})
        declared = response.header("content-length")
        if declared.isascii() and declared.isdigit() and int(declared[:18]) > self._size_limit_bytes:
            raise self._too_large()
        return await response.body()

    def _next_hop(self, address: Address, location: str) -> Address:
        """Return where a redirect leads if it may be followed: on the same host, at most from http to https.

        Any other host is a new question: the model asks for it by a call of its own, which the gate judges.
        """
        try:
            there = parse_address(urljoin(address_text(address), location))
        except (ProviderError, ValueError) as error:
            text = f"{address.host} redirects to something that is no web address: {location[:200]!r}."
            raise ToolError("redirect_blocked", text, "Try another address.") from error
        values = {"url": address_text(there)[:_SHOWN_CHARACTERS]}
        if self._kind_of(there.host) == "metadata":
            text = f"{address.host} redirects to a metadata service, which gives out a cloud machine's keys; it is always refused."
            raise ToolError("blocked_host", text, "Do not follow this address.", detail=values)
        stays = (there.host, there.port) == (address.host, address.port) and (address.scheme, there.scheme) != ("https", "http")
        if stays or (_upgrades(address, there) and self._kind_of(there.host) == "public"):
            return there
        text = f"{address.host} redirects to another place: {values['url']}"
        raise ToolError("redirect_blocked", text, "Fetch that address itself if it is the right one.", detail=values)

    def _unreadable(self, error: ResponseUnreadable) -> ToolError:
        if error.message_id == "wire.body_too_large":
            return self._too_large()
        return ToolError("network_error", error.text, "Try another address.")

    def _too_large(self) -> ToolError:
        text = f"The page is larger than {self._size_limit_bytes / (1 << 20):g} MB; it was not read."
        return ToolError("response_too_large", text, "Look for a smaller page, or fetch it as a file with a command.")


def address_text(address: Address) -> str:
    """Return an address as it is asked: its host in ASCII, its path as it is sent."""
    return f"{address.scheme}://{address.authority}{address.target}"


async def _beginning(response: HttpResponse) -> bytes:
    """Return the first bytes of a body; the rest is not read."""
    read = bytearray()
    async for piece in response.chunks():
        read += piece
        if len(read) >= REFUSAL_BYTES:
            break
    return bytes(read[:REFUSAL_BYTES])


def _checked(url: str) -> Address:
    try:
        return parse_address(url)
    except ProviderError as error:
        raise ToolError("invalid_arguments", error.text, "Give an address such as https://docs.python.org/3/.") from error


def _upgrades(address: Address, there: Address) -> bool:
    """Say whether a redirect does no more than ask the same host in a safe way."""
    return (address.scheme, address.port, there.scheme, there.port, there.host) == ("http", 80, "https", 443, address.host)

"""A request that is ready to be sent: its headers completed and checked, its waiting times."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from workbench.errors import ProviderError
from workbench.wire.address import Address
from workbench.wire.failures import Peer
from workbench.wire.proxies import Proxy

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of name and value in the order and spelling of the wire."""

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_VALUE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
_METHODS_WITH_A_BODY = frozenset({"POST", "PUT", "PATCH"})


class Waits(NamedTuple):
    """How long a server may keep us waiting, in seconds.

    Attributes:
        connect_s: for a connection, and again for TLS.
        first_byte_s: from the request's last byte to the head of the answer, and on to the first byte of its body.
        idle_s: in silence inside a body, or without taking more of a request.
        progress_s: inside a body without anything useful.
    """

    connect_s: float
    first_byte_s: float
    idle_s: float
    progress_s: float


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request that is ready to be sent.

    Attributes:
        headers: complete, ``Host`` first.
        proxy: the way it takes, None for the direct one.
    """

    method: str
    address: Address
    headers: Headers
    body: bytes
    proxy: Proxy | None
    waits: Waits

    @property
    def peer(self) -> Peer:
        """The server that is asked, for sentences."""
        return Peer(self.address.host, self.address.port)


def final_headers(method: str, address: Address, headers: Headers, body: bytes, user_agent: str) -> Headers:
    """Return the pairs that are sent, in order: ``Host`` first, then those given, then what was missing.

    A given ``Content-Length`` is put right and ``Transfer-Encoding`` left out: the body is sent whole. Blanks and line ends
    around a value are taken off, as they come with a pasted key.

    Raises:
        ProviderError: a name or value that HTTP cannot carry; the sentence names the header, not the value.
    """
    length = str(len(body))
    given = [(name, length if name.lower() == "content-length" else _checked(name, value)) for name, value in headers if name.lower() != "transfer-encoding"]
    hosts = [pair for pair in given if pair[0].lower() == "host"] or [("Host", address.authority)]
    others = [pair for pair in given if pair[0].lower() != "host"]
    missing = [("Accept", "*/*"), ("Accept-Encoding", "identity"), ("User-Agent", user_agent)]
    if body or method.upper() in _METHODS_WITH_A_BODY:
        missing.append(("Content-Length", length))
    named = {name.lower() for name, _ in given}
    return (hosts[0], *others, *(pair for pair in missing if pair[0].lower() not in named))


def _checked(name: str, value: str) -> str:
    if not _NAME.fullmatch(name):
        raise _bad(name, f"{name!r} cannot be the name of a header.")
    value = value.strip(" \t\r\n")
    if found := _NOT_IN_A_VALUE.search(value):
        what = "a line break" if found[0] in "\r\n" else f"the character U+{ord(found[0]):04X}"
        raise _bad(name, f"The header {name} holds {what} at position {found.start() + 1}, which HTTP cannot carry; was something else than the key pasted?")
    return value


def _bad(name: str, text: str) -> ProviderError:
    return ProviderError(text, message_id="wire.bad_header", values={"header": name})

"""A web site for tests: a real server on loopback, and a resolver and judge for which some names stand for public places on it."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias

from tests.wire.raw import RawServer
from workbench.permissions.hosts import HostKind, host_kind
from workbench.wire.fetching import Web

Pages: TypeAlias = Mapping[str, bytes]
PUBLIC = "127.0.0.1"
"""What the tests' judge takes for a public address, so that a server can really be reached there."""


def page(body: bytes | str = "", content_type: str = "text/html; charset=utf-8", status: str = "200 OK", *headers: str) -> bytes:
    """Return an answer as it goes over the wire."""
    content = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), f"Content-Length: {len(content)}", *headers, "", ""]
    return "\r\n".join(head).encode() + content


def redirect(location: str, status: str = "302 Found") -> bytes:
    return page("", "", status, f"Location: {location}")


def packed(body: bytes) -> bytes:
    return page(gzip.compress(body), "text/plain", "200 OK", "Content-Encoding: gzip")


@asynccontextmanager
async def site(pages: Pages) -> AsyncIterator[RawServer]:
    """Serve pages by path; an unknown path is a 404, and ``{port}`` in an answer is the server's own."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await server.read_request(reader)
            path = server.heads[-1].split(b" ")[1].decode()
            writer.write(pages.get(path, page("not here", "text/plain", "404 Not Found")).replace(b"{port}", str(server.port).encode()))

    async with RawServer(talk) as server:
        yield server


class Names:
    """A resolver: each name has its addresses; a list of tuples is given in turn. Keeps what was asked."""

    def __init__(self, names: Mapping[str, tuple[str, ...] | list[tuple[str, ...]]]) -> None:
        self._names = names
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.asked.append(host)
        found = self._names.get(host, (host,))
        return found.pop(0) if isinstance(found, list) else found


def judge(host: str) -> HostKind:
    """Judge hosts as the program does, but for the one address that stands for all public places."""
    return "public" if host == PUBLIC else host_kind(host)


def web(names: Names | None = None, *, size_limit_bytes: int = 5 << 20) -> Web:
    """Return a web in which ``a.example`` and ``b.example`` are public places, on the tests' server."""
    return Web(judge, resolver=names or Names({"a.example": (PUBLIC,), "b.example": (PUBLIC,)}), environ={}, size_limit_bytes=size_limit_bytes)

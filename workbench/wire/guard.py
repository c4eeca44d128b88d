"""Which addresses a request that a model asked for may be sent to: a name is resolved once, every address behind it is checked, and only these are used.

What kind an address is, is the gate's knowledge and is handed in, so that what was decided on and what is connected to are judged alike.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol, TypeAlias

from workbench.errors import ToolError
from workbench.wire.address import in_brackets

AddressKind: TypeAlias = Literal["public", "private", "metadata"]
KindOf: TypeAlias = Callable[[str], AddressKind]
"""Says of a host name or an IP address what kind it is."""


class Grant(NamedTuple):
    """A host of this machine or its network that a person let a request reach, on one port; the host in ASCII, as it is asked."""

    host: str
    port: int


class Resolver(Protocol):
    """Finds the addresses behind a name."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """Return all IP addresses of a host, the preferred one first; an IP address is its own.

        Raises:
            OSError: it has none, or nobody can be asked.
        """
        ...


class SystemResolver:
    """Asks the system, as every other program does: its hosts file, its name servers."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """Return all IP addresses of a host."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return tuple(dict.fromkeys(str(place[0]) for *_, place in found))


class AddressGuard:
    """Lets requests reach public addresses, and those of this machine and its network only where a person granted it."""

    def __init__(self, kind_of: KindOf, *, granted: frozenset[Grant] = frozenset(), resolver: Resolver | None = None) -> None:
        """Create a guard.

        Args:
            kind_of: judges names and addresses.
            granted: what may be reached although it is private; a metadata service never is.
            resolver: finds addresses; the system's if left out.
        """
        self._kind_of = kind_of
        self._granted = granted
        self._resolver = resolver or SystemResolver()

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return the addresses to connect to, all of them checked; whoever connects must use these and not the name.

        Raises:
            ToolError: ``blocked_host``: one of them may not be reached. One is enough, because nobody can say which one would be used.
            OSError: the name cannot be resolved.
        """
        self._refuse(host, port, host)
        found = await self._resolver.resolve(host, port)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, f"{host} has no address")
        for address in found:
            self._refuse(host, port, address)
        return found

    def _refuse(self, host: str, port: int, address: str) -> None:
        """Raise if a host, or one of its addresses, may not be reached."""
        place, values = f"{in_brackets(host)}:{port}", {"host": host, "port": port, "address": address}
        match self._kind_of(address):
            case "metadata":
                text = f"{place} leads to a metadata service, which gives out a cloud machine's keys; it is always refused."
                raise ToolError("blocked_host", text, "Do not try this address again.", detail=values)
            case "private" if Grant(host, port) not in self._granted:
                advice = "If it is a development server, fetch it by its IP address and port, or as localhost; the user is asked then."
                raise ToolError("blocked_host", f"{place} leads to this machine or its own network, and nobody allowed that.", advice, detail=values)
            case _:
                pass

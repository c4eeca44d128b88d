"""The opening of a SOCKS5 tunnel (RFC 1928, RFC 1929): the proxy resolves the name and connects."""

from __future__ import annotations

import ipaddress
from typing import Protocol

_VERSION = 5
_NO_LOGIN, _PASSWORD = 0, 2
_REASONS = {
    1: "general failure",
    2: "its rules do not allow it",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "timed out on the way",
    7: "it does not know the command",
    8: "it does not know the kind of address",
}


class SocksRefused(Exception):
    """The proxy does not open the tunnel; the text says why, without a full stop."""


class ByteStream(Protocol):
    """A connection to the proxy. ``read`` gives at most so many bytes, and none at the end."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's interface
        """Return the next bytes."""
        ...

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # httpcore's interface
        """Send bytes."""
        ...


async def open_tunnel(stream: ByteStream, host: str, port: int, username: str = "", password: str = "") -> None:
    """Ask the proxy at the other end of `stream` to connect to `host`; afterwards the stream leads there.

    Raises:
        SocksRefused: the proxy refuses, or does not speak SOCKS5.
    """
    await _greet(stream, username, password)
    await stream.write(bytes((_VERSION, 1, 0)) + _address(host) + port.to_bytes(2, "big"))
    version, status, _, kind = await _exactly(stream, 4)
    if version != _VERSION:
        raise SocksRefused("it does not speak SOCKS5")
    if status != 0:
        raise SocksRefused(_REASONS.get(status, f"failure {status}"))
    length = {1: 4, 4: 16}.get(kind) or (await _exactly(stream, 1))[0]
    await _exactly(stream, length + 2)


async def _greet(stream: ByteStream, username: str, password: str) -> None:
    methods = bytes((_NO_LOGIN, _PASSWORD)) if username else bytes((_NO_LOGIN,))
    await stream.write(bytes((_VERSION, len(methods))) + methods)
    version, method = await _exactly(stream, 2)
    if version != _VERSION:
        raise SocksRefused("it does not speak SOCKS5")
    if method == _PASSWORD and username:
        await stream.write(b"\x01" + _counted(username) + _counted(password))
        _, status = await _exactly(stream, 2)
        if status != 0:
            raise SocksRefused("it does not accept the user name and password")
    elif method != _NO_LOGIN:
        raise SocksRefused("it asks for a user name and password")


def _address(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return b"\x03" + _counted(host)
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def _counted(text: str) -> bytes:
    data = text.encode()
    if len(data) > 255:
        raise SocksRefused("a name or password is longer than 255 bytes")
    return bytes((len(data),)) + data


async def _exactly(stream: ByteStream, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = await stream.read(count - len(data))
        if not piece:
            raise SocksRefused("it closed the connection")
        data += piece
    return data

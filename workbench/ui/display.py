"""Which displays answer, found out before Qt is asked: Qt ends the process when the one it is given does not.

Nothing of Qt is imported. A Wayland compositor answers when its socket takes a connection; an X server when it accepts the handshake
of the X11 protocol, section "Connection Setup" (https://www.x.org/releases/current/doc/xproto/x11protocol.html).
"""

from __future__ import annotations

import re
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ANSWER_LIMIT_S = 1.0
COOKIE = b"MIT-MAGIC-COOKIE-1"
ACCEPTED = 1
FIRST_PORT = 6000
"""Display number N listens on this port plus N, if it listens to other machines at all."""
LARGEST_AUTHORITY_BYTES = 1 << 20


def answering_platforms(environment: Mapping[str, str]) -> str | None:
    """Return what `QT_QPA_PLATFORM` should say so that a window opens; None if no display answers, empty if Qt knows by itself.

    A platform that the environment names and that needs no display (``offscreen``) is taken as it is.
    """
    named = [name for name in environment.get("QT_QPA_PLATFORM", "").split(";") if name]
    if sys.platform in ("win32", "darwin"):
        return ";".join(named)
    usual = ["wayland", "xcb"] if environment.get("XDG_SESSION_TYPE") == "wayland" else ["xcb", "wayland"]
    found = [name for name in named or usual if _answers(name.partition(":")[0], environment)]
    return ";".join(found) if found else None


def _answers(platform: str, environment: Mapping[str, str]) -> bool:
    if platform == "xcb":
        return x_server_answers(environment)
    if platform.startswith("wayland"):
        return compositor_answers(environment)
    return True


def compositor_answers(environment: Mapping[str, str]) -> bool:
    """Say whether the compositor that WAYLAND_DISPLAY names takes a connection."""
    name, folder = environment.get("WAYLAND_DISPLAY", ""), environment.get("XDG_RUNTIME_DIR", "")
    if not name or not (folder or Path(name).is_absolute()):
        return False
    try:
        with _connected(Place(socket.AF_UNIX, str(Path(folder) / name))):
            return True
    except (OSError, ValueError):
        return False


# X11


class Place(NamedTuple):
    """A socket's address."""

    family: socket.AddressFamily
    address: str | tuple[str, int]


def x_server_answers(environment: Mapping[str, str]) -> bool:
    """Say whether the X server that DISPLAY names lets this user in."""
    parsed = re.fullmatch(r"(?P<host>.*):(?P<number>\d{1,5})(\.\d+)?", environment.get("DISPLAY", ""))
    if parsed is None:
        return False
    number = int(parsed["number"])
    cookies = [*_cookies(_authority(environment), str(number).encode()), b""]
    return any(_lets_in(place, cookie) for place in _places(parsed["host"], number) for cookie in dict.fromkeys(cookies))


def _places(host: str, number: int) -> Iterator[Place]:
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where X servers listen
        if sys.platform == "linux":
            yield Place(socket.AF_UNIX, "\0" + path)
        yield Place(socket.AF_UNIX, path)
    elif host.startswith("/"):  # macOS names a socket
        yield Place(socket.AF_UNIX, f"{host}:{number}")
    else:
        yield Place(socket.AF_INET6 if ":" in host else socket.AF_INET, (host.strip("[]"), FIRST_PORT + number))


def _connected(place: Place) -> socket.socket:
    client = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        client.settimeout(ANSWER_LIMIT_S)
        client.connect(place.address)
    except BaseException:
        client.close()
        raise
    return client


def _lets_in(place: Place, cookie: bytes) -> bool:
    name = COOKIE if cookie else b""
    hello = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(name), len(cookie)) + _padded(name) + _padded(cookie)
    try:
        with _connected(place) as client:
            client.sendall(hello)
            answer = client.recv(1)
    except (OSError, ValueError):
        return False
    return bool(answer) and answer[0] == ACCEPTED


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _authority(environment: Mapping[str, str]) -> bytes:
    """Return the user's file of cookies; nothing if there is none."""
    named = environment.get("XAUTHORITY") or Path(environment.get("HOME", "")) / ".Xauthority"
    try:
        with Path(named).open("rb") as file:
            return file.read(LARGEST_AUTHORITY_BYTES)
    except (OSError, ValueError):
        return b""


def _cookies(authority: bytes, number: bytes) -> Iterator[bytes]:
    """Yield the cookies for a display; an entry is a family and four counted fields: address, number, name and data (Xau(3))."""
    offset = 2
    while offset + 2 <= len(authority):
        fields: list[bytes] = []
        for _ in range(4):
            if offset + 2 > len(authority):
                return
            (length,) = struct.unpack_from(">H", authority, offset)
            fields.append(authority[offset + 2 : offset + 2 + length])
            offset += 2 + length
        offset += 2
        if fields[1] in (number, b"") and fields[2] == COOKIE:
            yield fields[3]

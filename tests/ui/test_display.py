"""Displays are asked by hand before Qt is: real sockets that answer, refuse, or stay silent."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.ui import display as display_module
from workbench.ui.display import answering_platforms, compositor_answers, x_server_answers

NOBODY = {"DISPLAY": ":31999", "WAYLAND_DISPLAY": "wayland-31999", "XDG_RUNTIME_DIR": "/nonexistent"}


class XServer:
    """A TCP server that reads one X11 hello and answers one byte.

    Attributes:
        number: display number.
        hellos: what clients said.
    """

    def __init__(self, answer: bytes, cookie: bytes = b"") -> None:
        self.hellos: list[bytes] = []
        self._answer, self._cookie = answer, cookie
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                with client:
                    hello = client.recv(1000)
                    self.hellos.append(hello)
                    known = not self._cookie or self._cookie in hello
                    client.sendall(self._answer if known else b"\0")

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def x_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[XServer]:
    server = XServer(b"\1", cookie=b"sixteen bytes ok")
    monkeypatch.setattr(display_module, "FIRST_PORT", server.port)
    yield server
    server.close()


def authority(folder: Path, *entries: tuple[bytes, bytes, bytes]) -> str:
    """Write a file of cookies: number, name, data each."""
    data = b""
    for number, name, cookie in entries:
        data += struct.pack(">H", 256) + b"".join(struct.pack(">H", len(field)) + field for field in (b"host", number, name, cookie))
    (folder / "authority").write_bytes(data)
    return str(folder / "authority")


def test_server_that_knows_the_cookie_answers(tmp_path: Path, x_server: XServer) -> None:
    cookies = authority(
        tmp_path, (b"7", b"MIT-MAGIC-COOKIE-1", b"of another host."), (b"0", b"OTHER", b"x"), (b"0", b"MIT-MAGIC-COOKIE-1", b"sixteen bytes ok")
    )
    assert x_server_answers({"DISPLAY": "127.0.0.1:0", "XAUTHORITY": cookies})
    assert x_server.hellos[0][:12] == b"l\0" + struct.pack("<HHHHxx", 11, 0, 18, 16)
    assert x_server_answers({"DISPLAY": "127.0.0.1:0.0", "XAUTHORITY": cookies})


def test_server_that_does_not_let_us_in_does_not_answer(tmp_path: Path, x_server: XServer) -> None:
    assert not x_server_answers({"DISPLAY": "127.0.0.1:0", "XAUTHORITY": str(tmp_path / "missing")})
    assert len(x_server.hellos) == 1


@pytest.mark.parametrize("damage", [b"", b"\1", b"\1\0\0\xff\xff", b"\1\0" * 40])
def test_strange_cookies_are_passed_over(tmp_path: Path, x_server: XServer, damage: bytes) -> None:
    (tmp_path / "authority").write_bytes(damage)
    assert not x_server_answers({"DISPLAY": "127.0.0.1:0", "XAUTHORITY": str(tmp_path / "authority")})


def test_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_module, "ANSWER_LIMIT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(display_module, "FIRST_PORT", server.getsockname()[1])
        assert not x_server_answers({"DISPLAY": "127.0.0.1:0"})


@pytest.mark.parametrize("name", ["", "nonsense", ":", ":x", ":31999", "unix:31999", ":999999", "/nowhere/socket:0"])
def test_names_that_lead_nowhere_do_not_answer(name: str) -> None:
    assert not x_server_answers({"DISPLAY": name})


def test_real_server_answers(display: str) -> None:
    assert x_server_answers({"DISPLAY": display})
    assert answering_platforms({**NOBODY, "DISPLAY": display}) == "xcb"


def test_compositor_answers_at_its_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "wayland-0"))
        assert not compositor_answers({"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)})
        compositor.listen()
        assert compositor_answers({"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)})
        assert compositor_answers({"WAYLAND_DISPLAY": str(tmp_path / "wayland-0")})
        assert not compositor_answers({"WAYLAND_DISPLAY": "wayland-0"})
        environment = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path), "XDG_SESSION_TYPE": "wayland"}
        assert answering_platforms(environment) == "wayland"


def test_no_display_is_no_platform() -> None:
    assert answering_platforms({}) is None
    assert answering_platforms(NOBODY) is None


def test_platform_that_needs_no_display_is_taken_as_it_is() -> None:
    assert answering_platforms({**NOBODY, "QT_QPA_PLATFORM": "offscreen"}) == "offscreen"
    assert answering_platforms({**NOBODY, "QT_QPA_PLATFORM": "xcb;offscreen:size=10x10"}) == "offscreen:size=10x10"


def test_platform_that_is_named_but_does_not_answer_is_none() -> None:
    assert answering_platforms({**NOBODY, "QT_QPA_PLATFORM": "xcb"}) is None



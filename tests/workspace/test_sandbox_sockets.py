"""Which sockets a held command could reach: those that it would see and whose folders let it through."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.workspace.sandbox_sockets import listening_sockets

pytestmark = pytest.mark.skipif(not Path("/proc/net/unix").exists(), reason="the kernel keeps no table of sockets here")


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("s") / "of" / "a b.sock"  # a socket's name may be only so long
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        yield path


def test_socket_that_is_seen_is_found(place: Path) -> None:
    assert place in listening_sockets((), (), ())


def test_socket_in_a_hidden_folder_is_not_there_unless_it_is_shown_again(place: Path) -> None:
    assert place not in listening_sockets((place.parent.parent,), (), ())
    assert place in listening_sockets((place.parent.parent,), (place.parent,), ())


def test_socket_in_the_workspace_is_left_alone(place: Path) -> None:
    assert place not in listening_sockets((), (), (place.parent,))


def test_socket_behind_a_closed_folder_or_gone_is_not_there(place: Path) -> None:
    place.parent.chmod(0o600)
    assert place not in listening_sockets((), (), ())
    place.parent.chmod(0o700)
    place.unlink()
    assert place not in listening_sockets((), (), ())

"""The folders of one path case: placeholders filled in, steps made before the call or between approval and use."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any


class Stage:
    """A workspace ``ws`` in a folder, with ``out`` beside it as the outside, and ``home``.

    Attributes:
        real: the workspace's real folder.
        opened: the path by which it is opened; a link if the case says so.
    """

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        linked = case.get("root_is_symlink", False)
        self.real, self.opened = folder / ("ws-real" if linked else "ws"), folder / "ws"
        self.out, self.home = folder / "out", folder / "home"
        for made in (self.real, self.out, self.home):
            made.mkdir()
        if linked:
            self.opened.symlink_to(self.real)
        self._names = {"{WSREAL}": str(self.real), "{WSNAME}": self.opened.name, "{WSUPPER}": str(self.opened).upper(), "{WS}": str(self.opened)}
        self._names |= {"{OUTNAME}": self.out.name, "{OUT}": str(self.out), "{HOME}": str(self.home)}

    def fill(self, text: str) -> str:
        for name, value in self._names.items():
            text = text.replace(name, value)
        return text

    def path(self, text: str) -> Path:
        """Return a step's path, with the folder above it made."""
        path = self.real / self.fill(text)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def steps(self, steps: list[list[str]]) -> None:
        for name, *rest in steps:
            getattr(self, "_" + name)(*rest)

    def contents(self, names: list[str]) -> dict[str, bytes]:
        """Return the bytes of files that must keep them, as far as they are there."""
        return {name: path.read_bytes() for name in names if (path := self.real / self.fill(name)).is_file()}

    def _mkdir(self, name: str) -> None:
        self.path(name).mkdir(exist_ok=True)

    def _file(self, name: str, text: str) -> None:
        self.path(name).write_text(self.fill(text))

    def _symlink(self, target: str, name: str) -> None:
        self.path(name).symlink_to(self.fill(target))

    def _hardlink(self, source: str, name: str) -> None:
        self.path(name).hardlink_to(self.path(source))

    def _fifo(self, name: str) -> None:
        os.mkfifo(self.path(name))

    def _socket(self, name: str) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(self.path(name)))  # the address of a socket is short

    def _rename(self, old: str, new: str) -> None:
        (self.real / self.fill(old)).rename(self.path(new))

    def _remove(self, name: str) -> None:
        (self.real / self.fill(name)).unlink()

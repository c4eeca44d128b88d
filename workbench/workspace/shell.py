"""How the shell is called, and how it tells its exit status, pipeline and folder without a change to the command's text.

BASH_ENV leads to a few lines on an inherited descriptor, which set an exit trap and remove every trace of themselves. Appended
text would land in an open here-document, and ``eval`` would lose the pipeline's codes.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_PRELUDE = """unset BASH_ENV
exec {script}<&-
trap '{{ builtin printf "%s|%s|%s" "$?" "${{PIPESTATUS[*]}}" "$PWD" >&{status}; }} 2>/dev/null' EXIT
"""
_REPORT = re.compile(rb"(\d+)\|([^|]*)\|(.*)", re.DOTALL)
_GIT_BASH = ("Git/bin/bash.exe", "Git/usr/bin/bash.exe")


@dataclass(frozen=True)
class ShellStatus:
    """What the shell told at its end.

    Attributes:
        pipeline: exit codes of the last pipeline, in order.
        folder: where it ended.
    """

    pipeline: tuple[int, ...]
    folder: Path


def shell_line(text: str) -> tuple[str, ...]:
    """Return the program and arguments that run `text` in a fresh shell which reads no start-up file."""
    if os.name != "nt":
        return ("/bin/bash", "--noprofile", "--norc", "-c", text)
    for folder in filter(None, (os.environ.get("PROGRAMFILES"), os.environ.get("LOCALAPPDATA"))):
        for place in _GIT_BASH:
            if (bash := Path(folder, place)).is_file():
                return (str(bash), "--noprofile", "--norc", "-c", text)
    return (shutil.which("pwsh") or "powershell", "-NoProfile", "-NonInteractive", "-Command", text)


class StatusChannel:
    """Two pipes to one shell: in through the first goes what sets the trap, out of the second comes what it tells.

    On Windows there is none, and nothing is told.
    """

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._script = self._status_read = self._status_write = -1
        if os.name == "nt":
            return
        self._status_read, self._status_write = os.pipe()
        self._script, script_write = os.pipe()
        self._open.update((self._status_read, self._status_write, self._script))
        os.set_blocking(self._status_read, False)
        os.write(script_write, _PRELUDE.format(script=self._script, status=self._status_write).encode())
        os.close(script_write)

    def __enter__(self) -> StatusChannel:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def prelude(self) -> str:
        """Return the value of BASH_ENV that makes the shell read the first pipe; the shell unsets it before the command begins."""
        return f"/dev/fd/{self._script}" if self._script >= 0 else ""

    def child_ends(self) -> tuple[int, ...]:
        """Return the descriptors that the shell inherits."""
        return (self._script, self._status_write) if self._script >= 0 else ()

    def close_child_ends(self) -> None:
        """Close our copies of them, once the shell has its own."""
        self._close(self._script)
        self._close(self._status_write)

    def read(self) -> ShellStatus | None:
        """Return what the shell told by its exit, and listen no longer.

        None if it told nothing: it was killed, replaced by ``exec``, set a trap of its own, runs on, or was asked before.
        """
        if self._status_read not in self._open:
            return None
        try:
            report = os.read(self._status_read, 65_536)
        except OSError:
            report = b""
        self.close()
        parts = _REPORT.fullmatch(report)
        if parts is None:
            return None
        codes = tuple(int(code) for code in re.findall(rb"\d+", parts[2]))
        return ShellStatus(codes, Path(os.fsdecode(parts[3])))

    def close(self) -> None:
        """Close everything that is still open; a second time does nothing."""
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)

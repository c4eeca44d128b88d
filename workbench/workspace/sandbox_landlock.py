"""The yellow rung: Landlock and a filter of system calls, for machines where no namespace may be made.

Both bind the thread that asks for them, and what it starts. So a thread is made for each command, restricts itself, starts the shell and
ends; the rest of the program stays free. File attributes and names of files are not covered, and what lies inside the workspace cannot be
guarded: what steers later runs is compared and put back after the run (`sandbox_watch`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.workspace.sandbox_bwrap import hidden_places, resolver, seen_all_the_same
from workbench.workspace.sandbox_held import git_identity
from workbench.workspace.sandbox_seccomp import Family, seccomp_filter
from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.started_shell import CLOSING_S, Launch, kill_group
from workbench.workspace.worker import finished, in_thread

OLDEST_ABI = 3
"""Before this version a file outside could be cut to nothing."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READ = 1 << 0 | 1 << 2 | 1 << 3
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_ALL_SINCE = {3: (1 << 15) - 1, 5: (1 << 16) - 1}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER, _DROP_CAPABILITY = 38, 22, 2, 24
_MAKE_DEVICES = 1 << 6 | 1 << 11
_CAPABILITIES = 64


def landlock_abi() -> int:
    """Return the kernel's version of Landlock; 0 if it has none or it is switched off."""
    if not sys.platform.startswith("linux"):
        return 0
    version = ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return max(0, int(version))


@dataclass(frozen=True)
class LandlockCage:
    """Starts one shell under Landlock.

    Attributes:
        sandbox: which version it has.
        bounds: what may be reached.
    """

    sandbox: Sandbox
    bounds: Bounds

    async def start(self, launch: Launch) -> LandlockShell:
        """Start it; see `started_shell.Cage`."""
        scratch = Path(tempfile.mkdtemp(prefix="workbench-scratch-"))
        try:
            environment = {**launch.environment, "HOME": str(scratch), "TMPDIR": str(scratch)}
            started = await _whole(in_thread(lambda: self._start(replace(launch, environment=environment), scratch)))
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        return LandlockShell(started, scratch)

    def _start(self, launch: Launch, scratch: Path) -> subprocess.Popen[bytes]:
        """Restrict this thread for good, and start the shell from it. The thread must end then."""
        folder = str(launch.folder)
        (scratch / ".gitconfig").write_text(git_identity(self.sandbox.homes))
        _restrict(self._rules(launch, scratch), abi=self.sandbox.abi, network=self.bounds.network)
        return subprocess.Popen(
            launch.line,
            cwd=folder,
            env=launch.whole_environment(),
            stdin=subprocess.DEVNULL,
            stdout=launch.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=launch.inherited,
        )

    def _rules(self, launch: Launch, scratch: Path) -> list[tuple[Path, bool]]:
        """Return what may be read, or changed, too."""
        hidden = hidden_places(self.sandbox, self.bounds)
        seen = [*_around(Path("/"), hidden), *seen_all_the_same(self.sandbox, self.bounds, launch.environment), *resolver(self.bounds)]
        changed = [self.bounds.workspace, *self.bounds.writable, scratch, *(Path(name) for name in _DEVICES)]
        return [*((path, False) for path in seen), *((path, True) for path in changed)]


async def _whole(starting: asyncio.Future[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Return the shell that a thread starts; if nobody wants it any more meanwhile, it is ended as soon as it is there."""
    try:
        return await finished(starting)
    except asyncio.CancelledError:
        if starting.exception() is None:
            kill_group(starting.result().pid)
            await finished(in_thread(starting.result().wait))
        raise


class LandlockShell:
    """A shell under Landlock; see `started_shell.StartedShell`. A thread waits for its end."""

    def __init__(self, process: subprocess.Popen[bytes], scratch: Path) -> None:
        self.pid = process.pid
        self.problem = ""
        self.hides_signals = False
        self.returncode: int | None = None
        self._scratch = scratch
        self._ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def watch() -> None:
            process.wait()
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._end, process.returncode)

        threading.Thread(target=watch, name="shell", daemon=True).start()

    def _end(self, code: int) -> None:
        self.returncode = code
        self._ended.set()

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._ended.wait()

    def let_go(self) -> None:
        """Remove its scratch folder, in a thread: much may lie in it."""
        threading.Thread(target=shutil.rmtree, args=(self._scratch,), kwargs={"ignore_errors": True}, name="scratch").start()

    async def gone(self) -> None:
        """Wait a moment for its end, and remove its scratch folder."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await self._ended.wait()
        if not self._ended.is_set():
            kill_group(self.pid)
        await in_thread(lambda: shutil.rmtree(self._scratch, ignore_errors=True))


def _around(folder: Path, hidden: tuple[Path, ...]) -> Iterator[Path]:
    """Yield what is in a folder but for hidden places: whole folders where none of them lies inside."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink() or entry in hidden:
            continue  # a rule holds for a place, not for a link to it
        if any(place.is_relative_to(entry) for place in hidden):
            yield from _around(entry, hidden)
        else:
            yield entry


def _restrict(rules: list[tuple[Path, bool]], *, abi: int, network: bool) -> None:
    """Restrict the calling thread.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    every = _ALL_SINCE[5 if abi >= 5 else 3]
    attributes = struct.pack("<QQQ", every, 0 if network or abi < 4 else 3, 3 if abi >= 6 else 0)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    ruleset = _checked(libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0)))
    try:
        for path, changed in rules:
            _allow(libc, ruleset, path, every & ~_MAKE_DEVICES if changed else _READ, every)
        for capability in range(_CAPABILITIES):
            libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)  # root's; others have none, and may not
        _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(libc.syscall(_RESTRICT, ruleset, ctypes.c_uint(0)))
    finally:
        os.close(ruleset)
    program = seccomp_filter(Family(unix=False, internet=network))
    held = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    _checked(libc.prctl(_SECCOMP, _FILTER, pointer, 0, 0))


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, rights: int, every: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        granted = rights if path.is_dir() else rights & _OF_FILES & every
        _checked(libc.syscall(_ADD, ruleset, 1, struct.pack("<Qi", granted, place), ctypes.c_uint(0)))
    finally:
        os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno() or errno.EPERM
        raise OSError(number, os.strerror(number))
    return result

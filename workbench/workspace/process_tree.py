"""Which processes belong to a command, and how they are ended: by session, by a mark in their environment, by descent.

A program may leave its group, its session or drop its environment; it rarely does all three. Everything here blocks and is
called from a worker thread.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from workbench.workspace.environment import MARKER, SCAFFOLD

if TYPE_CHECKING:
    import psutil

POLL_S = 0.02
KILL_WAIT_S = 1.0

_SHOWN_CHARACTERS = 120


class Process(NamedTuple):
    """A process, told apart from a later one with the same number by its start time (ticks or seconds; compared only)."""

    pid: int
    started: float
    command: str = ""


class _Row(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int
    started: float
    marked: bool
    scaffold: bool = False


def find_processes(marker: str, *, session: int | None = None, known: Iterable[Process] = ()) -> tuple[Process, ...]:
    """Return the living processes of a command, oldest first; those that only make up its sandbox are not among them.

    Args:
        marker: the command's value of the marker variable.
        session: process number of the shell, if it lives or has ended just now (numbers are used again later).
        known: processes found before; they and their descendants count although mark and session are gone.
    """
    rows = [row for row in _belonging(marker, session, tuple(known)) if not row.scaffold]
    return tuple(Process(row.pid, row.started, _command_line(row.pid)) for row in sorted(rows, key=lambda row: (row.started, row.pid)))


def end_processes(marker: str, *, session: int | None = None, known: Iterable[Process] = (), grace_s: float) -> tuple[Process, ...]:
    """End all processes of a command: ask them (SIGTERM), wait up to `grace_s`, then SIGKILL until none is left.

    What only makes up a sandbox is not asked: it would take the rest with it at once.

    Returns:
        Those that could not be ended within a second after SIGKILL (another user's, or stuck in the kernel); normally none.
    """
    known = tuple(known)
    asked: set[tuple[int, float]] = set()
    deadline = time.monotonic() + grace_s
    while rows := [row for row in _belonging(marker, session, known) if not row.scaffold]:
        if time.monotonic() >= deadline:
            break
        _send([row for row in rows if (row.pid, row.started) not in asked], signal.SIGTERM, session)
        asked.update((row.pid, row.started) for row in rows)
        time.sleep(POLL_S)
    deadline = time.monotonic() + KILL_WAIT_S
    while (rows := _belonging(marker, session, known)) and time.monotonic() < deadline:
        _send(rows, _KILL, session)
        time.sleep(POLL_S / 4)
    return tuple(Process(row.pid, row.started, _command_line(row.pid)) for row in rows)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _send(rows: list[_Row], number: int, session: int | None) -> None:
    """Signal each process once; the shell's own group at one stroke, so that none of it can fork its way past."""
    if session is not None and any(row.group == session for row in rows):
        with contextlib.suppress(OSError):
            os.killpg(session, number)
    for row in rows:
        if session is None or row.group != session:
            with contextlib.suppress(OSError):
                os.kill(row.pid, number)


def _belonging(marker: str, session: int | None, known: tuple[Process, ...]) -> list[_Row]:
    table = list(_linux_table(marker) if _is_linux() else _portable_table(marker))
    identities = {(process.pid, process.started) for process in known}
    mine = {row.pid for row in table if row.marked or row.session == session or (row.pid, row.started) in identities}
    if session is not None:
        mine.add(session)
    size = -1
    while size != len(mine):
        size = len(mine)
        mine.update(row.pid for row in table if row.parent in mine)
    return [row for row in table if row.pid in mine and row.pid != os.getpid()]


def _is_linux() -> bool:
    return os.path.exists("/proc/self/stat")  # noqa: PTH110 - see _linux_table


def _linux_table(marker: str) -> Iterator[_Row]:
    mark = f"{MARKER}={marker}".encode()
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone, hundreds of times a second while something is being ended
        if name.isdecimal() and (row := _linux_row(name, mark)) is not None:
            yield row


def _linux_row(name: str, mark: bytes) -> _Row | None:
    """Read one process; None if it is gone or only waits for its parent to take note.

    bubblewrap's own processes are known by their name where their environment cannot be read.
    """
    try:
        status = _read(f"/proc/{name}/stat")
    except OSError:
        return None
    fields = status[status.rfind(b")") + 2 :].split()
    if len(fields) < 20 or fields[0] in {b"Z", b"X"}:
        return None
    try:
        variables = _read(f"/proc/{name}/environ").split(b"\0")
        marked, scaffold = mark in variables, f"{SCAFFOLD}=1".encode() in variables
    except OSError:
        marked, scaffold = False, status[status.find(b"(") + 1 : status.rfind(b")")] == b"bwrap"
    return _Row(int(name), int(fields[1]), int(fields[2]), int(fields[3]), float(fields[19]), marked, scaffold)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see above
        return file.read(4096) if path.endswith("stat") else file.readall()


def _portable_table(marker: str) -> Iterator[_Row]:
    import psutil  # only where there is no /proc

    for process in psutil.process_iter():
        try:
            with process.oneshot():
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                yield _Row(process.pid, process.ppid(), *_group_and_session(process.pid), process.create_time(), _is_marked(process, marker))
        except (psutil.Error, OSError):
            continue


def _is_marked(process: psutil.Process, marker: str) -> bool:
    import psutil

    try:
        return process.environ().get(MARKER) == marker
    except (psutil.Error, OSError):
        return False


def _group_and_session(pid: int) -> tuple[int, int]:
    if os.name == "nt":
        return (0, 0)
    return (os.getpgid(pid), os.getsid(pid))


def _command_line(pid: int) -> str:
    """Return a process's command line as one short line; empty if it cannot be read."""
    line = " ".join((_linux_words(pid) if _is_linux() else _portable_words(pid)).split())
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"


def _linux_words(pid: int) -> str:
    try:
        return _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _portable_words(pid: int) -> str:
    import psutil

    try:
        return " ".join(psutil.Process(pid).cmdline())
    except (psutil.Error, OSError):
        return ""

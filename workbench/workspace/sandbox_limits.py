"""Limits of processes and memory for all that one sandbox starts: a group of the kernel, where this person may make one.

Ordinary users get one from their systemd; root makes its own. Where there is neither, `ulimit` holds everybody but root.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

PROCESSES = 2048
"""All processes and threads of one command (systemd), or of all commands of this program (root)."""

_TRIAL_S = 2.0
_ENTER = 'echo $$ > "$0/cgroup.procs" || exit 1; exec "$@"'


def limiting_prefix(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words to put before a command line so that it runs under limits; none if that cannot be had. Blocking."""
    if os.name != "posix" or not Path("/sys/fs/cgroup").is_dir():
        return ()
    return _own_group() if os.geteuid() == 0 else _of_systemd(environment)


def _of_systemd(environment: Mapping[str, str]) -> tuple[str, ...]:
    program = shutil.which("systemd-run", path="/usr/bin:/bin")
    bus = {name: environment[name] for name in ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS") if environment.get(name)}
    if program is None or not bus:
        return ()
    assigned = tuple(f"{name}={value}" for name, value in bus.items())
    memory = f"MemoryMax={_most_memory_bytes()}"
    words = ("/usr/bin/env", *assigned, program, "--user", "--scope", "--quiet", "--collect", "-p", f"TasksMax={PROCESSES}", "-p", memory, "--")
    without = ("/usr/bin/env", *(f"-u{name}" for name in bus))
    try:
        tried = subprocess.run([*words, "true"], env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ()
    return (*words, *without) if tried.returncode == 0 else ()


def _own_group() -> tuple[str, ...]:
    for top in (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")):
        group = top / f"workbench-{os.getpid()}"
        try:
            _remove_left(top)
            group.mkdir(exist_ok=True)
            (group / "pids.max").write_text(str(PROCESSES))
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        atexit.register(_remove, group)
        return ("/bin/sh", "-c", _ENTER, str(group))
    return ()


def _remove_left(top: Path) -> None:
    """Remove the groups of programs that were killed; one with a process in it stays."""
    for group in top.glob("workbench-*"):
        if not Path("/proc", group.name.partition("-")[2]).exists():
            _remove(group)


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):
        group.rmdir()


def _most_memory_bytes() -> int:
    """Return three quarters of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4

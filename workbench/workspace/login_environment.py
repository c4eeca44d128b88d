"""The environment a person's login shell sets up, for a program that was started from the desktop and knows only a bare one.

Asked once, at start. What comes back still goes through `child_environment` before any command sees it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

LIMIT_S = 5.0


def started_from_desktop(environment: Mapping[str, str]) -> bool:
    """Say whether no shell stands behind this program: a terminal would have set TERM, and a shell counts SHLVL."""
    return os.name != "nt" and "TERM" not in environment and "SHLVL" not in environment


def login_environment(environment: Mapping[str, str], *, limit_s: float = LIMIT_S) -> dict[str, str]:
    """Return what the person's login shell makes of `environment`. Blocking, up to `limit_s`: call from a worker thread.

    Whatever goes wrong (no shell, a start-up file that fails or waits), `environment` comes back as it was.
    """
    shell = environment.get("SHELL", "")
    if os.name == "nt" or not Path(shell).is_absolute() or not os.access(shell, os.X_OK):
        return dict(environment)
    mark = secrets.token_hex(16)
    command = (shell, "-ilc", f"printf %s {mark}; env -0; printf %s {mark}")
    with tempfile.TemporaryFile() as output:  # no pipe: something that the start-up files leave running would hold it open
        if not _run(command, environment, output, limit_s):
            return dict(environment)
        output.seek(0)
        return _parsed(output.read(), mark) or dict(environment)


def _run(command: tuple[str, ...], environment: Mapping[str, str], output: BinaryIO, limit_s: float) -> bool:
    try:
        shell = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except (OSError, ValueError):
        return False
    try:
        return shell.wait(timeout=limit_s) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(OSError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def _parsed(output: bytes, mark: str) -> dict[str, str]:
    """Return the variables between the marks; start-up files may have printed before and after."""
    _, _, rest = output.partition(mark.encode())
    block, found, _ = rest.partition(mark.encode())
    pairs = (entry.partition(b"=") for entry in block.split(b"\0") if b"=" in entry)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs} if found else {}

"""The window as a process of its own, asked over its debug socket where its widgets are."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Told: TypeAlias = dict[str, Any]

PATIENCE_S = 20.0
POLL_S = 0.02


def ask(path: Path, name: str) -> list[Told]:
    """Return what the program tells of the widgets of a name; nothing if it does not answer yet."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE_S)
            client.connect(str(path))
            client.sendall(name.encode() + b"\n")
            with client.makefile("rb") as answer:
                told: list[Told] = json.loads(answer.readline() or b"[]")
                return told
    except (FileNotFoundError, ConnectionError):
        return []


def wait_for_widget(path: Path, name: str, process: subprocess.Popen[bytes], holds: Callable[[Told], object] = lambda _told: True) -> Told:
    """Return a widget as soon as it is there and `holds` is true of it.

    Raises:
        AssertionError: the process ended, or it took too long.
    """
    end = time.monotonic() + PATIENCE_S
    seen: list[Told] = []
    while time.monotonic() < end:
        assert process.poll() is None, f"the program ended with {process.returncode}: {process.stderr.read().decode() if process.stderr else ''}"
        seen = ask(path, name)
        found = next((told for told in seen if holds(told)), None)
        if found is not None:
            return found
        time.sleep(POLL_S)
    raise AssertionError(f"{name!r} did not come to be as wanted; it is {seen}; there are {sorted(told['name'] for told in ask(path, ''))}")

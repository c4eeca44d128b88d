"""Starts the processes of `children` and ends them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.shared import ROOT


@contextmanager
def child(what: str, folder: Path, *numbers: int) -> Iterator[subprocess.Popen[str]]:
    """Run a child; it is killed at the end, and its output is text."""
    command = [sys.executable, "-P", str(Path(__file__).with_name("children.py")), what, str(folder), *map(str, numbers)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    """Return the next line a child says; empty at its end."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    """Send a child an empty line."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()

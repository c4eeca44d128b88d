"""Starts the program's commands as real processes, with a data folder and a workspace of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from workbench.cli.output import flat
from workbench.store.session_store import SessionStore
from workbench.store.sessions import SessionSummary, list_sessions

FAST = "[practice]\ntokens_per_s = 0\n"
LIMIT_S = 30.0


class Done(NamedTuple):
    """How a command ended: its status, what it answered, and what it said beside that."""

    status: int
    out: bytes
    err: str

    @property
    def answer(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    def objects(self) -> list[dict[str, Any]]:
        """Return standard output as the JSON objects it must consist of, one a line, and nothing else."""
        assert not self.out or self.out.endswith(b"\n"), self.out[-200:]
        found = [json.loads(line) for line in self.out.decode().split("\n")[:-1]]
        assert all(isinstance(value, dict) for value in found)
        return found

    def sentence(self) -> str:
        """Return what was said, which must be one line."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


class Home:
    """A person's data folder and one workspace.

    Attributes:
        data: the data folder; its settings make the practice model stream at full speed.
        workspace: the folder that commands work in.
    """

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.workspace = folder / "ws"
        self.data.mkdir(parents=True)
        self.workspace.mkdir()
        self.settings(FAST)

    def settings(self, text: str) -> None:
        """Write the settings file."""
        (self.data / "settings.toml").write_text(text, encoding="utf-8")

    def write(self, **files: str) -> None:
        """Write files into the workspace; the last underscore of a name is its dot."""
        for name, text in files.items():
            (self.workspace / ".".join(name.rsplit("_", 1))).write_text(text, encoding="utf-8")

    def run(self, *words: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None, anywhere: bool = False) -> Done:
        """Run a command to its end; ``--workspace`` is added unless it is there already, or `anywhere`."""
        done = subprocess.run(
            self.command(*words, anywhere=anywhere), input=stdin, capture_output=True, env=self.environment(environment), timeout=LIMIT_S, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    def command(self, *words: str, anywhere: bool = False) -> list[str]:
        """Return the words that start a command."""
        place = [] if anywhere or "--workspace" in words else ["--workspace", str(self.workspace)]
        return [sys.executable, "-P", "-m", "workbench.cli.main", *words, *place]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a command: this process's, which is isolated, without a display, with our data folder and a cache of bytecode."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "QT_QPA_PLATFORM")}
        cache = str(Path(os.environ["XDG_CACHE_HOME"]) / "bytecode")
        return kept | {"WORKBENCH_DATA": str(self.data), "PYTHONPYCACHEPREFIX": cache} | dict(more or {})

    def turn(self, prompt: str, *words: str) -> list[dict[str, Any]]:
        """Run a turn that must end well, and return its facts."""
        done = self.run("run", prompt, "--json", *words)
        assert done.status == 0, done.err
        return done.objects()

    def session(self) -> list[dict[str, Any]]:
        """Return the facts of the newest session as they are on disk."""
        store = SessionStore.open(self.sessions()[0].folder, read_only=True)
        try:
            return [flat(entry) for entry in store.entries()]
        finally:
            store.close()

    def sessions(self) -> list[SessionSummary]:
        """Return the list of sessions, the newest first."""
        return list_sessions(self.data)


def lives(pid: int) -> bool:
    """Say whether a process runs; one that has ended but whose parent has not noticed yet does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_for_pid(path: Path) -> int:
    """Return the process id that a command writes into a file of its folder, as soon as it is there: the one by which it is known outside."""
    until = time.monotonic() + LIMIT_S
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < until, f"{path} does not appear"
        time.sleep(0.02)  # another process's file: there is nothing to wait on
    return outer_pid(int(path.read_text()), path.parent)


def outer_pid(number: int, folder: Path) -> int:
    """Return the id of a process that knows itself by `number` and works in `folder`; in a sandbox, numbers are counted anew."""
    found = [pid for pid in psutil.pids() if _inner_pid(pid) == number and os.path.realpath(f"/proc/{pid}/cwd") == str(folder)]
    assert len(found) == 1, f"{number} is {found}"
    return found[0]


def _inner_pid(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int(next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[-1])


def types(facts: list[dict[str, Any]]) -> list[str]:
    """Return the facts' types, in order."""
    return [fact["type"] for fact in facts]


def of_type(facts: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the facts of one type, in order."""
    return [fact for fact in facts if fact["type"] == name]


def answer_text(facts: list[dict[str, Any]]) -> str:
    """Return the text of the last answer."""
    parts = of_type(facts, "ModelResponded")[-1]["message"]["parts"]
    return "".join(part["text"] for part in parts if part["type"] == "TextPart")

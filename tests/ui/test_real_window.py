"""The program in a real window, driven by real keys and a real pointer: what it looks like from outside, to its exit status."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.program import Home, of_type
from tests.ui.window_process import PATIENCE_S, POLL_S, Told, ask, wait_for_widget
from workbench.resources import sample_project_copy

MESSAGE = "replace tides with waves in README.md"
MORE = "hello there"
STILL_S = 0.15
"""A widget stands still when it did not move for so long."""


class Program:
    """The window as a process on a display of its own.

    Attributes:
        folder: the project that is open.
    """

    def __init__(self, home: Home, display: str, folder: Path) -> None:
        self.folder = sample_project_copy(folder)
        self._socket = folder / "debug"
        self._environment = home.environment({"DISPLAY": display, "WORKBENCH_DEBUG_SOCKET": str(self._socket)})
        self._log = (folder / "log").open("wb+")
        command = home.command(str(self.folder), anywhere=True)
        self.process = subprocess.Popen(command, env=self._environment, stdin=subprocess.DEVNULL, stderr=self._log)

    def xdo(self, *words: object) -> str:
        """Run xdotool."""
        done = subprocess.run(["xdotool", *map(str, words)], env=self._environment, check=True, capture_output=True, text=True, timeout=PATIENCE_S)
        return done.stdout

    def wait(self, name: str, text: str | None = None, **holds: object) -> Told:
        """Return a widget when it is there with the text and values wanted."""
        return wait_for_widget(
            self._socket,
            name,
            self.process,
            lambda told: (text is None or told["text"] == text) and all(told[key] == value for key, value in holds.items()),
        )

    def wait_for_folder(self) -> None:
        """Wait until the folder is open: what is sent before that is refused."""
        self.wait("Attach pictures…", enabled=True)

    def still(self, name: str) -> Told:
        """Return a widget that has stopped moving: a window manager places a window after it was shown."""
        told, since = self.wait(name), time.monotonic()
        while time.monotonic() - since < STILL_S:
            time.sleep(POLL_S)
            now = self.wait(name)
            if now["rect"] != told["rect"]:
                told, since = now, time.monotonic()
        return told

    def click(self, name: str) -> None:
        """Click on the middle of a widget."""
        x, y, width, height = self.still(name)["rect"]
        self.xdo("mousemove", x + width // 2, y + height // 2, "click", 1)

    def type(self, text: str) -> None:
        """Type on the keyboard, wherever it is."""
        self.xdo("type", "--delay", 5, text)

    def gone(self, name: str) -> bool:
        """Wait until no widget has this name any more."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if not ask(self._socket, name):
                return True
            time.sleep(POLL_S)
        return False

    def log(self) -> str:
        """Return what was written on standard error."""
        self._log.seek(0)
        return self._log.read().decode()

    def end(self) -> None:
        """End the process if it has not ended, and close its log."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._log.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def program(home: Home, display: str, tmp_path: Path) -> Iterator[Program]:
    program = Program(home, display, tmp_path)
    try:
        program.wait_for_folder()
        yield program
    finally:
        program.end()


def overlap(one: list[int], other: list[int]) -> bool:
    return one[0] < other[0] + other[2] and other[0] < one[0] + one[2] and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]


def test_turn_with_an_approval_from_the_keyboard_to_the_exit_status(program: Program, home: Home) -> None:
    program.click("Message")
    program.wait("Message", active=True, focus=True)
    program.type(MESSAGE)
    program.wait("Message", MESSAGE)
    program.xdo("key", "Return")
    dialog = program.wait("Approval")
    program.type(MORE)
    composer = program.wait("Message", MORE)
    assert composer["focus"]
    assert composer["active"]
    assert not dialog["active"]
    assert not overlap(program.still("Approval")["rect"], program.still("Message")["rect"])
    assert "tides" in (program.folder / "README.md").read_text()

    program.click("Allow once")
    assert program.gone("Approval")
    program.wait("Send")
    text = (program.folder / "README.md").read_text()
    assert "tides" not in text
    assert "waves" in text

    children = psutil.Process(program.process.pid).children(recursive=True)
    program.click("Message")
    program.wait("Message", active=True)
    program.xdo("key", "alt+F4")
    assert program.process.wait(20) == 0
    assert program.log() == ""
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []

    (summary,) = home.sessions()
    assert (summary.state, summary.title) == ("idle", MESSAGE)
    facts = home.session()
    assert [fact["answer"] for fact in of_type(facts, "ApprovalResolved")] == ["approve"]
    assert [fact["end"] for fact in of_type(facts, "TurnFinished")] == ["answered"]
    assert [fact["seq"] for fact in facts] == list(range(1, len(facts) + 1))


def test_keys_that_were_meant_for_the_composer_allow_nothing(program: Program, home: Home) -> None:
    program.click("Message")
    program.wait("Message", active=True, focus=True)
    program.type(MESSAGE)
    program.xdo("key", "Return")
    program.xdo("type", "--delay", 2, "aAyY " * 10)
    program.wait("Approval")
    program.xdo("key", "Return")
    program.wait("Approval")
    assert "tides" in (program.folder / "README.md").read_text()
    program.xdo("key", "Escape")
    assert program.gone("Approval")
    program.wait("Send")
    assert "tides" in (program.folder / "README.md").read_text()
    program.xdo("key", "ctrl+q")
    assert program.process.wait(20) == 0
    assert re.findall(r"Traceback", program.log()) == []
    assert [fact["end"] for fact in of_type(home.session(), "TurnFinished")] == ["stopped"]



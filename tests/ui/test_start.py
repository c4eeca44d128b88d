"""The window opens where it can, and says in one sentence why it does not; the terminal serves then."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.program import Home
from tests.cli.screen import Screen
from tests.ui.window_process import wait_for_widget
from workbench.errors import UsageError
from workbench.ui import start
from workbench.ui.start import login_environment_soon, refused_pair, run, why_no_window

NO_DISPLAY = "No display answers here, so no window is opened."
DEAD = {"DISPLAY": ":31999", "WAYLAND_DISPLAY": "wayland-31999", "XDG_RUNTIME_DIR": "/nonexistent"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


# Whether it can be


@pytest.mark.parametrize(
    ("python", "pyside", "refused"),
    [
        ((3, 11), "6.12.0", True),
        ((3, 11), "6.13", True),
        ((3, 11), "7.0.1", True),
        ((3, 11), "6.11.3", False),
        ((3, 12), "6.12.0", False),
        ((3, 13), "6.12.0", False),
        ((3, 11), "", False),
    ],
)
def test_pair_that_ends_the_process_is_refused(python: tuple[int, int], pyside: str, refused: bool) -> None:
    assert bool(refused_pair(python, pyside)) == refused


def test_refused_pair_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_pyside_version", lambda: "6.12.0")
    monkeypatch.setattr(sys, "version_info", (3, 11, 7, "final", 0))
    assert "PySide6 6.12.0 ends the process on Python 3.11" in why_no_window({"QT_QPA_PLATFORM": "offscreen"})
    with pytest.raises(UsageError, match=r"PySide6 6\.12\.0"):
        run(None, tmp_path)


def test_no_display_is_told() -> None:
    environment = dict(DEAD)
    assert why_no_window(environment) == NO_DISPLAY
    assert environment == DEAD


def test_platform_without_a_display_opens() -> None:
    assert why_no_window({**DEAD, "QT_QPA_PLATFORM": "offscreen"}) == ""


def test_platform_that_answers_is_told_to_qt(display: str) -> None:
    environment = {**DEAD, "DISPLAY": display}
    assert why_no_window(environment) == ""
    assert environment["QT_QPA_PLATFORM"] == "xcb"


def test_missing_library_is_told_with_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    load = importlib.import_module

    def missing(name: str) -> ModuleType:
        if name.startswith("PySide6"):
            raise ImportError("libGL.so.1: cannot open shared object file")
        return load(name)

    monkeypatch.setattr("importlib.import_module", missing)
    sentence = why_no_window({"QT_QPA_PLATFORM": "offscreen"})
    assert "libGL.so.1" in sentence
    assert "libgl1 " in sentence


def test_plugin_that_cannot_be_loaded_is_told(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "PySide6" / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"not a library")

    class Found:
        origin = str(tmp_path / "PySide6" / "__init__.py")

    monkeypatch.setattr("importlib.util.find_spec", lambda name: Found)
    assert "libqxcb.so" in why_no_window({**DEAD, "DISPLAY": display})


def test_nothing_of_qt_is_loaded_by_asking_for_the_module() -> None:
    code = "import sys, workbench.ui.start; print(*[name for name in sys.modules if name.startswith(('PySide6', 'qasync'))])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_what_needs_no_qt_is_loaded_before_it_and_what_waits_is_not_loaded() -> None:
    code = "import sys, workbench.ui.start as start; start.why_no_window({'QT_QPA_PLATFORM': 'offscreen'}); import workbench.ui.application as application"
    told = "print(list(sys.modules).index('workbench.app') < list(sys.modules).index('PySide6'), *[name for name in application.LATER if name in sys.modules])"
    done = subprocess.run([sys.executable, "-P", "-c", f"{code}; {told}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


# Started from a terminal


def test_dead_display_goes_on_in_the_terminal(home: Home) -> None:
    with Screen(home, str(home.workspace), anywhere=True, environment=DEAD) as screen:
        shown = screen.wait_for("› ")
        assert NO_DISPLAY in shown
        screen.enter("/quit")
        assert screen.end() == 0


def test_dead_display_and_no_terminal_is_one_sentence(home: Home) -> None:
    done = home.run(str(home.workspace), anywhere=True, environment=DEAD)
    assert done.status == 2
    assert done.sentence().startswith(NO_DISPLAY)
    assert "workbench run PROMPT" in done.sentence()


@pytest.mark.parametrize("which", ["missing", "file", "data", "home"])
def test_folder_that_cannot_serve_is_one_sentence_and_no_window(home: Home, which: str) -> None:
    (home.workspace / "file").write_text("x")
    path = {"missing": "/no/such/folder", "file": str(home.workspace / "file"), "data": str(home.data), "home": os.environ["HOME"]}[which]
    done = home.run(path, anywhere=True, environment={"QT_QPA_PLATFORM": "offscreen"})
    assert (done.status, done.out) == (2, b"")
    assert path in done.sentence()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signal_closes_the_window_in_order(home: Home, tmp_path: Path, number: signal.Signals, status: int) -> None:
    with opened(home, tmp_path) as program:
        program.send_signal(number)
        assert program.wait(20) == status
        assert program.stderr is not None
        assert program.stderr.read() == b""
    assert home.sessions() == []


# What commands get to see


def test_start_from_a_terminal_takes_the_environment_as_it_is() -> None:
    own = {"TERM": "xterm", "PATH": "/bin"}
    assert login_environment_soon(own).result(0) == own


def test_start_from_a_desktop_asks_the_login_shell(tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\nexport FROM_PROFILE=yes\nshift\neval "$1"\n')
    shell.chmod(0o755)
    known = login_environment_soon({"PATH": os.environ["PATH"], "SHELL": str(shell)}).result(10)
    assert known["FROM_PROFILE"] == "yes"


def opened(home: Home, folder: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start the window offscreen, and return when it shows its composer."""
    socket = folder / "debug"
    variables = home.environment({"QT_QPA_PLATFORM": "offscreen", "WORKBENCH_DEBUG_SOCKET": str(socket), **(environment or {})})
    process = subprocess.Popen(home.command(str(home.workspace), anywhere=True), env=variables, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_widget(socket, "Message", process)
    return process

"""``async def test_…(gui)``: a test of a widget on the window's own loop, offscreen, without a fixed wait.

Such a test fails as every async test does (tasks left behind, exceptions lost in the loop, its ``time_limit``), and for exceptions in
slots and warnings of Qt (pytest-qt). ``display`` is for tests of the program in a real window: it needs no `gui`.
"""

from __future__ import annotations

import gc
import inspect
import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from tests.conftest import run_async_test
from tests.ui.gui import Gui
from workbench.ui.event_loop import new_event_loop
from workbench.ui.kit.theme import theme
from workbench.words import choose_language

SCREEN = "1600x1000x24"


@pytest.fixture(scope="session")
def window_app(qapp: QApplication) -> QApplication:
    """The application, set up as the program does it."""
    qapp.setStyle("Fusion")
    qapp.setQuitOnLastWindowClosed(False)
    qapp.setCursorFlashTime(0)
    return qapp


@pytest.fixture
def gui(window_app: QApplication) -> Iterator[Gui]:
    """See `Gui`. Light, English, not zoomed at the start of every test.

    Garbage is collected when the test is over: Python does it in whichever thread makes most, and what belongs to Qt must be freed in
    its own (the program: workbench/ui/garbage.py).
    """
    choose_language("en")
    theme.use("light", "en", 1.0)
    gui = Gui()
    gc.disable()
    yield gui
    gui.close_all()
    choose_language("en")
    gc.collect()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test that asks for `gui` on the window's loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or "gui" not in pyfuncitem.fixturenames:
        return None
    app = QCoreApplication.instance()
    assert app is not None
    run_async_test(pyfuncitem, lambda: new_event_loop(app))
    return True


# A real display


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """``DISPLAY`` of a private X server with a window manager; both end with the session."""
    missing = [name for name in ("Xvfb", "openbox", "xdotool") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as number:
        name = ":" + number.readline().strip()  # the whole line: the server writes twice and dies if nobody reads the rest
    environment = {**os.environ, "DISPLAY": name}
    manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield name
    for process in (manager, server):
        process.terminate()
        process.wait(10)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests in a real window together: they share one pointer and one keyboard."""
    for item in items:
        if "display" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("display"))

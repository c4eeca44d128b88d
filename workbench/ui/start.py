"""Opens the window, or says why that cannot be: this module itself loads nothing of Qt, so a terminal can ask it."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Mapping, MutableMapping
from concurrent.futures import Future
from pathlib import Path

from workbench.errors import UsageError
from workbench.ui.display import answering_platforms
from workbench.words import _
from workbench.workspace.login_environment import login_environment, started_from_desktop

PACKAGES = (
    "libgl1 libegl1 libglib2.0-0 libfontconfig1 libdbus-1-3 libxkbcommon0 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
"""What Debian and Ubuntu call the libraries that Qt needs and a bare system lacks."""

PLUGINS = {"xcb": "libqxcb.so", "wayland": "libqwayland.so"}


def why_no_window(environment: MutableMapping[str, str]) -> str:
    """Return a sentence saying why no window can be opened here; empty if one can.

    The platforms that answer are put into `environment` for Qt, which would try others first and end the process there.
    """
    platforms = answering_platforms(environment)
    if platforms is None:
        return _("No display answers here, so no window is opened.")
    importlib.import_module("workbench.app")  # before Qt: PySide6 reads the source of everything that is loaded after it
    refusal = refused_pair(sys.version_info[:2], _pyside_version())
    if refusal:
        return refusal
    lacking = lacking_library() or _lacking_of_plugins(platforms)
    if lacking:
        return lacking
    if platforms:
        environment["QT_QPA_PLATFORM"] = platforms
    return ""


def refused_pair(python: tuple[int, int], pyside: str) -> str:
    """Return why a Python and a PySide6 must not meet, in a sentence; empty if they may. `pyside` is a version, empty if it is missing."""
    if pyside and python < (3, 12) and tuple(int(part) for part in pyside.split(".")[:2]) >= (6, 12):
        text = _("No window is opened: PySide6 {pyside} ends the process on Python {python}. Install PySide6 6.11, or Python 3.12.")
        return text.format(pyside=pyside, python=f"{python[0]}.{python[1]}")
    return ""


def lacking_library() -> str:
    """Return which part of Qt cannot be loaded, in a sentence that tells what to install; empty if all can."""
    try:
        for name in ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg"):
            importlib.import_module(name)
    except ImportError as error:
        return _lacks(str(error))
    return ""


def run(folder: str | None, data_folder: Path) -> int:
    """Open the window on a folder, the sample project if none is named, and return the exit status when it was closed.

    Raises:
        WorkbenchError: the data folder or the folder cannot be used; one sentence, and no window was shown.
    """
    refusal = refused_pair(sys.version_info[:2], _pyside_version())
    if refusal:
        raise UsageError(refusal)
    environment = login_environment_soon(os.environ)
    application = importlib.import_module("workbench.ui.application")
    status: int = application.run(Path(folder) if folder else None, data_folder, environment)
    return status


def login_environment_soon(own: Mapping[str, str]) -> Future[dict[str, str]]:
    """Return the environment that commands get to see, as soon as it is known.

    A desktop's start knows little, the person's login shell tells the rest: it is asked while Qt is loaded.
    """
    known: Future[dict[str, str]] = Future()
    environment = dict(own)
    if started_from_desktop(environment):
        threading.Thread(target=lambda: known.set_result(login_environment(environment)), name="login environment", daemon=True).start()
    else:
        known.set_result(environment)
    return known


def _pyside_version() -> str:
    """Return PySide6's version, empty if it cannot be loaded; its libraries are not, and a bad pair dies only when these are used."""
    try:
        version: str = importlib.import_module("PySide6").__version__
    except ImportError:
        return ""
    return version


def _lacking_of_plugins(platforms: str) -> str:
    """Load what Qt would load for each platform: it ends the process if it cannot, and this can be told."""
    found = importlib.util.find_spec("PySide6")
    if found is None or found.origin is None or sys.platform != "linux":
        return ""
    folder = Path(found.origin).parent / "Qt" / "plugins" / "platforms"
    reasons = [_load(folder / PLUGINS[name]) for name in map(_family, platforms.split(";")) if name in PLUGINS]
    return _lacks(reasons[0]) if reasons and all(reasons) else ""


def _family(platform: str) -> str:
    return "wayland" if platform.startswith("wayland") else platform.partition(":")[0]


def _load(plugin: Path) -> str:
    """Return why a plugin cannot be loaded; empty if it can, or if it is not where the wheels have it."""
    if not plugin.exists():
        return ""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error)
    return ""


def _lacks(reason: str) -> str:
    if "PySide6" in reason and "No module" in reason:
        return _("No window is opened: PySide6 is not installed ({reason}).").format(reason=reason)
    text = _("No window is opened: Qt lacks a library ({reason}). Debian and Ubuntu have all it needs in: {packages}.")
    return text.format(reason=reason, packages=PACKAGES)

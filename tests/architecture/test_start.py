"""What a start loads: no Qt outside the window, and nothing heavy before it is needed. Each claim is tried in a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.floors import HEAVY, QT
from tests.architecture.sources import program, room_of

ROOMS = sorted({room_of(module) for module in program()} - {"", "ui", "__main__"})

LOAD = """
import importlib, sys
for name in {blocked!r}:
    sys.modules[name] = None  # an import of it raises ModuleNotFoundError
for name in {modules!r}:
    importlib.import_module(name)
print(*sorted({{name.partition(".")[0] for name, module in sys.modules.items() if module is not None}}))
"""


def loaded_by(modules: list[str], blocked: frozenset[str]) -> set[str]:
    """Import modules in a fresh process in which some packages do not exist; return the top names of all that was loaded."""
    code = LOAD.format(blocked=sorted(blocked), modules=modules)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return set(done.stdout.split())


@pytest.mark.parametrize("room", ROOMS)
def test_room_runs_without_qt_and_loads_nothing_heavy(room: str) -> None:
    loaded = loaded_by([module for module in program() if room_of(module) == room], blocked=QT)
    assert not loaded & HEAVY, f"workbench.{room} imports {sorted(loaded & HEAVY)} when it is loaded: import them when they are needed, in a thread"


@pytest.mark.parametrize("package", sorted(QT))
def test_qt_is_installed_so_that_its_absence_means_something(package: str) -> None:
    assert package in loaded_by([package], blocked=frozenset())

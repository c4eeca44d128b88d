"""The rules of tests/ui/conftest.py catch what they are there for: each bad test, run in a child, fails for its own reason."""

from __future__ import annotations

import pytest

from tests.child_pytest import report_of, section_of

BAD_TESTS = '''
import asyncio
import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QPushButton

async def test_task_left_behind(gui):
    task = asyncio.get_running_loop().create_task(asyncio.sleep(60), name="forgotten")

async def test_exception_lost(gui):
    async def fail(): raise ValueError("nobody saw this")
    tasks = [asyncio.get_running_loop().create_task(fail())]
    await gui.settle()

async def test_slot_failed(gui):
    def fail(): raise KeyError("in a slot")
    QTimer.singleShot(0, fail)
    await gui.settle()

async def test_qt_warned(gui):
    qWarning("something is odd")

@pytest.mark.time_limit(0.05)
async def test_too_slow(gui):
    await asyncio.Event().wait()

async def test_condition_never_true(gui):
    await gui.until(lambda: False, timeout_s=0.02)

async def test_no_such_widget(gui):
    gui.show(QPushButton("x")).setAccessibleName("there")
    gui.find("not there")

async def test_disabled(gui):
    gui.show(QPushButton("x", enabled=False)).setAccessibleName("grey")
    await gui.click("grey")

async def test_good(gui):
    clicked = []
    button = gui.show(QPushButton("x", accessibleName="there"))
    button.clicked.connect(lambda: clicked.append(1))
    await gui.click("there")
    await gui.until(lambda: clicked == [1])
'''

REASONS = {
    "test_task_left_behind": "tasks left behind: ['forgotten",
    "test_exception_lost": "ValueError('nobody saw this')",
    "test_slot_failed": "KeyError: 'in a slot'",
    "test_qt_warned": "something is odd",
    "test_too_slow": "did not end within 0.05 s",
    "test_condition_never_true": "not within 0.02 s",
    "test_no_such_widget": "visible are ['there']",
    "test_disabled": "is disabled",
}


COPIED = (
    "pyproject.toml",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/isolation.py",
    "tests/left_behind.py",
    "tests/ui/__init__.py",
    "tests/ui/conftest.py",
    "tests/ui/gui.py",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says about the bad tests under the real conftest."""
    return report_of(tmp_path_factory.mktemp("project"), COPIED, "tests/ui/test_bad.py", BAD_TESTS)


@pytest.mark.parametrize("name", REASONS)
def test_bad_test_of_a_widget_fails_for_its_own_reason(report: str, name: str) -> None:
    assert f"FAILED tests/ui/test_bad.py::{name}" in report
    assert REASONS[name] in section_of(report, name)


def test_good_test_passes(report: str) -> None:
    assert "PASSED tests/ui/test_bad.py::test_good" in report
    assert f"{len(REASONS)} failed, 1 passed" in report

"""What tests of the window hold in their hands: widgets by name, conditions instead of waits, real key and pointer events."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, overload

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QImage, QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

W = TypeVar("W", bound=QWidget)
T = TypeVar("T")

PATIENCE_S = 15.0
POLL_S = 0.004


class Gui:
    """Shows widgets, finds them by name, waits for conditions, presses keys. Holds what it shows until the test ends."""

    def __init__(self) -> None:
        self._shown: list[QWidget] = []

    def show(self, widget: W) -> W:
        """Show a widget and return it; it is closed and deleted after the test."""
        self._shown.append(widget)
        widget.show()
        return widget

    def forget(self, widget: QWidget) -> None:
        """Hold a widget no longer: it deletes itself."""
        self._shown.remove(widget)

    @overload
    def find(self, name: str, *, visible: bool = True) -> QWidget: ...

    @overload
    def find(self, name: str, kind: type[W], *, visible: bool = True) -> W: ...

    def find(self, name: str, kind: type[QWidget] = QWidget, *, visible: bool = True) -> QWidget:
        """Return the one widget with this accessible name or object name.

        Raises:
            AssertionError: there is none, or more than one.
        """
        found = [
            widget
            for widget in QApplication.allWidgets()
            if isinstance(widget, kind) and name in (widget.accessibleName(), widget.objectName()) and (widget.isVisible() or not visible)
        ]
        assert len(found) == 1, f"{len(found)} widgets are named {name!r}; visible are {self.names()}"
        return found[0]

    @staticmethod
    def names() -> list[str]:
        """Return the accessible names that can be seen."""
        return sorted({widget.accessibleName() for widget in QApplication.allWidgets() if widget.isVisible()} - {""})

    async def until(self, condition: Callable[[], T], timeout_s: float = PATIENCE_S) -> T:
        """Wait until `condition` is true and return its value; an AssertionError inside it counts as not yet."""
        end = asyncio.get_running_loop().time() + timeout_s
        reason = ""
        while True:
            try:
                value = condition()
            except AssertionError as error:
                reason = str(error)
            else:
                if value:
                    return value
            if asyncio.get_running_loop().time() > end:
                pytest.fail(f"not within {timeout_s:g} s: {_words_of(condition)} {reason}")
            await asyncio.sleep(POLL_S)

    async def click(self, name: str) -> None:
        """Wait for a widget of this name, and click on its middle."""
        widget = await self.until(lambda: self.find(name))
        assert widget.isEnabled(), f"{name!r} is disabled"
        self.click_at(widget, widget.rect().center())
        await self.settle()

    @staticmethod
    def click_at(widget: QWidget, point: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
        """Click on a point of a widget."""
        QTest.mouseClick(widget, button, Qt.KeyboardModifier.NoModifier, point)

    @staticmethod
    async def settle() -> None:
        """Let everything happen that is due now: posted events, what follows from them, and ready callbacks."""
        for _ in range(4):
            QApplication.sendPostedEvents()
            await asyncio.sleep(0)

    @staticmethod
    def keys(widget: QWidget, sequence: str) -> None:
        """Press keys, in Qt's portable spelling (``Ctrl+K``), in a widget."""
        QTest.keySequence(widget, QKeySequence.fromString(sequence))

    @staticmethod
    def type(widget: QWidget, text: str) -> None:
        """Type text; what is not ASCII arrives as from an input method."""
        for character in text:
            if character == "\n":
                QTest.keyClick(widget, Qt.Key.Key_Return)
            elif character.isascii():
                QTest.keyClicks(widget, character)
            else:
                event = QInputMethodEvent()
                event.setCommitString(character)
                QApplication.sendEvent(widget, event)

    @staticmethod
    def picture(widget: QWidget, path: Path | None = None) -> QImage:
        """Return what a widget looks like; write it as PNG if `path` is given."""
        image = widget.grab().toImage()
        if path is not None:
            assert image.save(str(path)), f"{path} cannot be written"
        return image

    def close_all(self) -> None:
        """Close and delete every window."""
        windows: set[QWidget] = {*self._shown, *QApplication.topLevelWidgets()}
        for widget in windows:
            widget.hide()
            widget.deleteLater()
        self._shown.clear()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()


def _words_of(condition: Callable[[], object]) -> str:
    """Return the source of a condition; its name if it is Qt's own, such as ``widget.hasFocus``."""
    try:
        return inspect.getsource(condition).strip()
    except TypeError:
        return repr(condition)

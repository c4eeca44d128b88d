"""A window that asks without disturbing: it appears without taking the keyboard, closing it only puts its questions off.

Whatever moves, raises or uncovers it begins its guard anew.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from typing_extensions import override

from workbench.ui.approval.cover_watch import CoverWatch
from workbench.ui.approval.guard import Guard


class QuietDialog(QDialog):
    """Base of the approval dialog.

    Args:
        parent: the window it belongs to.
        guard: says whether answers are taken.
        safest: what has the keyboard first.

    Attributes:
        guard: whether answers are taken now.
    """

    def __init__(self, parent: QWidget, guard: Guard, safest: QWidget) -> None:
        super().__init__(parent)
        self.guard = guard
        self._safest = safest
        self._before: QWidget | None = None
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        CoverWatch(self, guard)

    def present(self) -> None:
        """Show the dialog without activating it; the keyboard stays where it is. Does nothing if it is shown."""
        if not self.isVisible():
            self._before = QApplication.activeWindow()
            self.show()

    def take_keyboard(self) -> None:
        """Give the dialog the keyboard because a person asked for it."""
        self.present()
        self._before = None
        self.activateWindow()

    def focus_safest(self) -> None:
        """Give the safest answer the focus."""
        self._safest.setFocus(Qt.FocusReason.OtherFocusReason)

    def activated(self) -> None:
        """Do what is due when the dialog becomes the active window: give the keyboard back, unless a person can have meant it.

        What activates the dialog before anybody can have read it was not meant to.
        """
        before, self._before = self._before, None
        if before is not None and not self.guard.is_open and before in QApplication.topLevelWidgets():
            before.activateWindow()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.guard.begin()
        self.focus_safest()

    @override
    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.guard.begin()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.guard.begin()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        match event.type():
            case QEvent.Type.WindowStateChange:
                self.guard.begin()
            case QEvent.Type.ActivationChange if self.isActiveWindow():
                self.activated()
            case _:
                pass

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Put the questions off: they stay open."""
        event.ignore()
        self.hide()

    @override
    def reject(self) -> None:
        """Put the questions off; Qt calls this when a window manager or a screen reader closes the dialog."""
        self.hide()

    @override
    def accept(self) -> None:
        """Do nothing: nothing is allowed by closing a window."""

"""Notices that something else was in front of the approval dialog, and may have covered it: a press meant for that must answer nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.approval.guard import Guard


class CoverWatch(QObject):
    """Begins a guard anew when another program, or another window of this one, gives the keyboard back.

    Args:
        dialog: what may have been covered; neither it nor the window that it belongs to covers it.
        guard: the dialog's.
    """

    def __init__(self, dialog: QWidget, guard: Guard) -> None:
        super().__init__(dialog)
        self._dialog, self._guard = dialog, guard
        self._other_in_front = False
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._application_changed)
            application.focusWindowChanged.connect(self._window_changed)

    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive and QApplication.activeWindow() is not None:
            self._guard.begin()

    def _window_changed(self, window: QWindow | None) -> None:
        if self._other_in_front:
            self._guard.begin()
        parent = self._dialog.parentWidget()
        own = (self._dialog.windowHandle(), parent.window().windowHandle() if parent is not None else None)
        self._other_in_front = window is not None and window not in own

"""What pops up over a window: a child that covers all of it, paints one card with a soft edge, and closes on Esc or a click beside the card.

A child and not a window of its own: it needs no compositor for the soft edge, no window manager for its place and its keys, and a picture
of the window shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from typing_extensions import override

from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme

PAD = 8
"""How far the soft edge reaches around the card, pixels."""
RADIUS = 8
SHADES = {"light": 4, "dark": 22}
"""Alpha of each of the rings, of 255."""
COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


def popup_ground(p: QPainter, rect: QRectF) -> QRectF:
    """Paint outline and soft edge of something over the window into `rect`; return the card, `PAD` inside it."""
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(QColor(0, 0, 0, SHADES[theme.name]))
    for n in range(PAD):
        p.drawRoundedRect(rect.adjusted(n, n + 2, -n, -n + (0 if n else -1)), RADIUS + 2, RADIUS + 2)
    card = rect.adjusted(PAD, PAD, -PAD, -PAD)
    box(p, card, "raised", "edge", RADIUS)
    return card


class Overlay(QWidget):
    """Covers the window of `parent`; subclasses put widgets on `card` and say where it stands.

    Keys without Ctrl, Alt or Meta reach it before the shortcuts of the window. It deletes itself when it has closed.

    Signals:
        closed: it is gone; the keyboard is where it was before.

    Attributes:
        card: the widget inside the outline.
    """

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        self._window = parent.window()
        super().__init__(self._window)
        self.hide()
        self.card = QWidget(self)
        self._before: QWidget | None = None
        self._open = False

    # What a subclass says

    def card_rect(self) -> QRect:
        """Return where the card stands, in the window's coordinates."""
        raise NotImplementedError

    def first(self) -> QWidget:
        """Return the widget that gets the keyboard."""
        raise NotImplementedError

    # Opening and closing

    def present(self) -> None:
        """Show it and take the keyboard; once it has closed, it cannot be shown again."""
        self._before = QApplication.focusWidget()
        self._open = True
        self._window.installEventFilter(self)
        self.follow_window()
        self.show()
        self.raise_()
        self.first().setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self._open

    def dismiss(self) -> None:
        """Close it and give the keyboard back; may be called twice."""
        if not self._open:
            return
        self._open = False
        had_keyboard = self.isAncestorOf(focused) if (focused := QApplication.focusWidget()) else False
        before, self._before = self._before, None
        self._window.removeEventFilter(self)
        self.hide()
        if had_keyboard and before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()
        self.deleteLater()

    def follow_window(self) -> None:
        """Cover the window again and put the card where it belongs."""
        self.setGeometry(self._window.rect())
        self.card.setGeometry(self.card_rect())
        self.update()

    def kept_inside(self, rect: QRect) -> QRect:
        """Return a card moved, and if need be made smaller, so that it is inside the window."""
        room = self._window.rect().adjusted(PAD, PAD, -PAD, -PAD)
        kept = QRect(rect.topLeft(), rect.size().boundedTo(room.size()))
        kept.moveLeft(max(room.left(), min(kept.left(), room.right() - kept.width() + 1)))
        kept.moveTop(max(room.top(), min(kept.top(), room.bottom() - kept.height() + 1)))
        return kept

    def place_of(self, widget: QWidget) -> QRect:
        """Return where a widget of the same window stands, in the window's coordinates."""
        return QRect(widget.mapTo(self._window, QPoint(0, 0)), widget.size())

    # What Qt tells

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self._open and event.type() == QEvent.Type.Resize:
            self.follow_window()
        return super().eventFilter(watched, event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and not event.modifiers() & COMMANDS:
            event.accept()  # Esc closes this and does not stop the turn
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        event.accept()

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        return True  # the keyboard stays here

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.card.geometry().contains(event.position().toPoint()):
            self.dismiss()
        event.accept()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()  # what is below stands still

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            popup_ground(p, QRectF(self.card.geometry()).adjusted(-PAD, -PAD, PAD, PAD))


def is_covered(widget: QWidget) -> bool:
    """Say whether something else of the program stands over a widget, or may: another window, or what popped up over its own.

    Which of two windows is in front no platform tells, so one at the same place counts as in front, unless it is what the widget's window
    belongs to.
    """
    window, area = widget.window(), QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())
    popped = window.findChildren(Overlay, options=Qt.FindChildOption.FindDirectChildrenOnly)
    below = {window, *_owners(window)}
    others = (other for other in QApplication.topLevelWidgets() if other not in below and other.isVisible() and not other.isMinimized())
    return any(overlay.isVisible() for overlay in popped) or any(other.frameGeometry().intersects(area) for other in others)


def _owners(window: QWidget) -> Iterator[QWidget]:
    """Yield the windows that a window belongs to: it stands over them."""
    while (parent := window.parentWidget()) is not None:
        window = parent.window()
        yield window

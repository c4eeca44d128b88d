"""A scroll area of widgets that the keyboard can scroll, and that shows when it has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractSlider, QScrollArea, QWidget
from typing_extensions import override

from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import focus_ring


class _Ring(QWidget):
    """Lies over everything, and draws the ring."""

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._area.hasFocus():
            with QPainter(self) as p:
                focus_ring(p, QRectF(self.rect()), 0)


class ScrollPage(QScrollArea):
    """Holds one widget that is as wide as the area. It takes the keyboard only while there is something to scroll."""

    def __init__(self, name: str) -> None:
        super().__init__()
        scrolls(self)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._ring = _Ring(self)
        self.verticalScrollBar().rangeChanged.connect(self._range_changed)

    @property
    def at_end(self) -> bool:
        """Whether its end is in sight."""
        return self.verticalScrollBar().value() >= self.verticalScrollBar().maximum()

    def to_top(self) -> None:
        """Show its beginning."""
        self.verticalScrollBar().setValue(0)

    def _range_changed(self, _least: int, most: int) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if most else Qt.FocusPolicy.NoFocus)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Home:
                self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
            case Qt.Key.Key_End:
                self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)
            case _:
                super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ring.setGeometry(self.rect())
        self._ring.raise_()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring.raise_()
        self._ring.update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ring.update()

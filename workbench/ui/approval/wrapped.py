"""Groups of small widgets in a row that wraps: in a narrow window a group goes to the next row rather than being cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.ui.kit.theme import theme

GAP, BETWEEN, ROWS_APART = 6, 12, 4


class Wrapped(QWidget):
    """Sets groups side by side; the widgets of a group stay together, and the last of a group may wrap its own text.

    Args:
        groups: the widgets of each group, in reading order.
        last_right: the last group stands at the right edge; a group of several widgets begins at the left in a row of its own.
    """

    def __init__(self, groups: Sequence[Sequence[QWidget]], *, last_right: bool = False) -> None:
        super().__init__()
        self._last_right = last_right
        self._known: dict[int, list[tuple[QWidget, QRect]]] = {}
        self._groups = [tuple(group) for group in groups]
        for widget in (widget for group in self._groups for widget in group):
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        """Return where every widget stands in a width; Qt asks many times before a window is laid out."""
        if width not in self._known:
            self._known[width] = self._placed(width)
        return self._known[width]

    def _placed(self, width: int) -> list[tuple[QWidget, QRect]]:
        places: list[tuple[QWidget, QRect]] = []
        x = y = row = 0
        shown = [tuple(widget for widget in group if not widget.isHidden()) for group in self._groups]
        for group in filter(None, shown):
            if x and x + _width(group) > width:
                x, y, row = 0, y + row + ROWS_APART, 0
            if self._last_right and group == shown[-1] and (x or len(group) == 1):
                x = max(x, width - _width(group))
            for place, widget in enumerate(group):
                last = place == len(group) - 1
                wide = min(_wanted(widget).width(), max(1, width - x)) if last else _wanted(widget).width()
                tall = widget.heightForWidth(wide) if widget.hasHeightForWidth() else _wanted(widget).height()
                places.append((widget, QRect(x, y, wide, tall)))
                row = max(row, tall, theme.lh + 4)
                x += wide + (BETWEEN if last else GAP)
        return places

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return max((place.y() + max(place.height(), theme.lh + 4) for _widget, place in self._places(width)), default=0)

    @override
    def sizeHint(self) -> QSize:
        wide = max(0, sum(_width(group) + BETWEEN for group in self._groups if group) - BETWEEN)
        return QSize(wide, self.heightForWidth(wide))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(max((widget.minimumSizeHint().width() for group in self._groups for widget in group), default=0), self.sizeHint().height())

    def _lay_out(self) -> None:
        """Give every widget its place; what is lower than the first line of its row stands in the middle of that."""
        places = self._places(self.width())
        rows: dict[int, int] = {}
        for _widget, place in places:
            one_line = place.height() <= theme.control
            rows[place.y()] = max(rows.get(place.y(), theme.lh + 4), place.height() if one_line else 0)
        for widget, place in places:
            widget.setGeometry(place.translated(0, max(0, (rows[place.y()] - place.height()) // 2)))

    @override
    def event(self, event: QEvent) -> bool:
        """Set the widgets anew when one of them would like another size, or is shown or hidden: Qt asks the parent to."""
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.FontChange}:
            self._known.clear()
            self.updateGeometry()
            self._lay_out()
        return super().event(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._known = {width: places for width, places in self._known.items() if width == self.width()}
        self._lay_out()


def _width(group: Sequence[QWidget]) -> int:
    return sum(_wanted(widget).width() + GAP for widget in group) - GAP


def _wanted(widget: QWidget) -> QSize:
    """Return the size a widget would like, as a layout of Qt reads it: within its own limits."""
    return widget.sizeHint().expandedTo(widget.minimumSize()).boundedTo(widget.maximumSize())

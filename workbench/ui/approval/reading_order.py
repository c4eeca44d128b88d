"""The order in which Tab goes through a dialog whose parts are built at different times: as one reads it, not as it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.kit.theme import theme


def go_on(parts: Sequence[QWidget], *, forward: bool) -> bool:
    """Give the keyboard to the next stop in the order of reading, or to the one before; False if what has it now is no stop of these parts."""
    stops, now = [stop for part in parts for stop in _stops(part)], QApplication.focusWidget()
    if now not in stops:
        return False
    stop = stops[(stops.index(now) + (1 if forward else -1)) % len(stops)]
    stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    return True


def _stops(part: QWidget) -> Iterator[QWidget]:
    """Yield what the keyboard stops at in a part: line by line, and from left to right in a line."""
    found = [(_middle(widget, part), widget) for widget in part.findChildren(QWidget) if _is_stop(widget)]
    line: list[tuple[QPoint, QWidget]] = []
    for place, widget in sorted(found, key=lambda stop: stop[0].y()):
        if line and place.y() > line[0][0].y() + theme.lh:
            yield from _left_to_right(line)
            line = []
        line.append((place, widget))
    yield from _left_to_right(line)


def _left_to_right(line: list[tuple[QPoint, QWidget]]) -> Iterator[QWidget]:
    return (widget for _place, widget in sorted(line, key=lambda stop: stop[0].x()))


def _is_stop(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None


def _middle(widget: QWidget, part: QWidget) -> QPoint:
    return widget.mapTo(part, widget.rect().center())

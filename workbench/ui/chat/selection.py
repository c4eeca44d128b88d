"""Selecting text across items: by dragging, by words and lines, by keys; and copying what is selected."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QObject, QPointF, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication
from PySide6.QtWidgets import QApplication

from workbench.ui.chat.item_view import ItemView

AUTOSCROLL_MS = 30
_WORD = re.compile(r"\w+")
_BETWEEN_ITEMS = "\n\n"


class Mark(NamedTuple):
    """A place in the text of all items: the item, by its index, and an offset in its plain text."""

    item: int
    offset: int


class Selection:
    """What is selected, from where it began (`anchor`) to where it went (`head`); None if nothing is."""

    def __init__(self) -> None:
        self.anchor: Mark | None = None
        self.head: Mark | None = None

    def __bool__(self) -> bool:
        return self.anchor is not None and self.head is not None and self.anchor != self.head

    @property
    def ends(self) -> tuple[Mark, Mark]:
        """The first and the last place.

        Raises:
            ValueError: nothing is selected.
        """
        if self.anchor is None or self.head is None:
            raise ValueError("nothing is selected")
        return (self.anchor, self.head) if self.anchor <= self.head else (self.head, self.anchor)

    def of(self, item: int, view: ItemView) -> tuple[int, int] | None:
        """Return the selected characters of an item."""
        if not self:
            return None
        first, last = self.ends
        if not first.item <= item <= last.item:
            return None
        start = first.offset if item == first.item else 0
        end = last.offset if item == last.item else len(view.plain_text())
        return (start, end) if start < end else None

    def clear(self) -> None:
        """Select nothing."""
        self.anchor = self.head = None

    def cut(self, count: int) -> None:
        """Only the first `count` items are left."""
        if self.anchor is not None and self.head is not None and max(self.anchor, self.head).item >= count:
            self.clear()

    def text(self, views: Sequence[ItemView]) -> str:
        """Return what copying gives: the items' texts, a blank line between them."""
        if not self:
            return ""
        first, last = self.ends
        parts = []
        for item in range(first.item, min(last.item + 1, len(views))):
            span = self.of(item, views[item])
            if span is not None:
                parts.append(views[item].selected_text(*span))
        return _BETWEEN_ITEMS.join(part.strip("\n") for part in parts if part.strip("\n"))


class Ground(Protocol):
    """Where text is selected."""

    views: list[ItemView]

    def mark_at(self, point: QPointF) -> Mark | None:
        """Return the place nearest to a point of the viewport."""
        ...

    def scroll_by(self, pixels: int) -> None:
        """Scroll down by so many pixels."""
        ...

    def beyond(self, point: QPointF) -> int:
        """Return by how many pixels a point is below (or, negative, above) the viewport."""
        ...


class Selecting(QObject):
    """Turns what mouse and keys do into a selection.

    Signals:
        changed: another text is selected.
    """

    changed = Signal()

    def __init__(self, ground: Ground, parent: QObject) -> None:
        super().__init__(parent)
        self.selection = Selection()
        self._ground = ground
        self._by_word = self._dragging = False
        self._point = QPointF()
        self._double_at = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(AUTOSCROLL_MS)
        self._timer.timeout.connect(self._autoscroll)

    # Mouse

    def press(self, point: QPointF, *, extend: bool) -> None:
        """Begin where the button went down; `extend` goes on from where the selection began."""
        mark = self._ground.mark_at(point)
        if mark is None:
            return
        if time.monotonic() - self._double_at < QApplication.doubleClickInterval() / 1000 and (point - self._point).manhattanLength() < 6:
            self._select_around(mark, line=True)
            return
        self._dragging, self._by_word, self._point = True, False, point
        if not extend or self.selection.anchor is None:
            self.selection.anchor = mark
        self.selection.head = mark
        self.changed.emit()

    def drag(self, point: QPointF) -> None:
        """Go on to where the pointer is; outside the viewport it scrolls by itself."""
        if not self._dragging:
            return
        self._point = point
        self._follow_pointer()
        if self._ground.beyond(point):
            if not self._timer.isActive():
                self._timer.start()
        else:
            self._timer.stop()

    def release(self) -> None:
        """End dragging; what is selected can be pasted with the middle button where that is usual."""
        self._timer.stop()
        self._dragging = False
        clipboard = QGuiApplication.clipboard()
        if self.selection and clipboard.supportsSelection():
            clipboard.setText(self.text(), QClipboard.Mode.Selection)

    def double(self, point: QPointF) -> None:
        """Select the word under the pointer; a third click soon after takes its line."""
        mark = self._ground.mark_at(point)
        if mark is not None:
            self._double_at, self._point = time.monotonic(), point
            self._select_around(mark, line=False)

    def _select_around(self, mark: Mark, *, line: bool) -> None:
        start, end = around(self._ground.views[mark.item].plain_text(), mark.offset, line=line)
        self.selection.anchor, self.selection.head = Mark(mark.item, start), Mark(mark.item, end)
        self._dragging = False
        self.changed.emit()

    def _follow_pointer(self) -> None:
        mark = self._ground.mark_at(self._point)
        if mark is not None and mark != self.selection.head:
            self.selection.head = mark
            self.changed.emit()

    def _autoscroll(self) -> None:
        beyond = self._ground.beyond(self._point)
        self._ground.scroll_by(max(-120, min(120, beyond)))
        self._follow_pointer()

    # Keys

    def select_all(self) -> None:
        """Select everything."""
        views = self._ground.views
        if views:
            self.selection.anchor, self.selection.head = Mark(0, 0), Mark(len(views) - 1, len(views[-1].plain_text()))
            self.changed.emit()

    def select_items(self, first: int, last: int) -> None:
        """Select whole items, from the one where it began to the one where it went."""
        views = self._ground.views
        low, high = min(first, last), max(first, last)
        ends = Mark(low, 0), Mark(high, len(views[high].plain_text()))
        self.selection.anchor, self.selection.head = ends if first <= last else ends[::-1]
        self.changed.emit()

    def clear(self) -> None:
        """Select nothing."""
        if self.selection.anchor is not None:
            self.selection.clear()
            self.changed.emit()

    def text(self) -> str:
        """Return what copying gives."""
        return self.selection.text(self._ground.views)

    def copy(self) -> bool:
        """Put what is selected on the clipboard; False if nothing is."""
        if not self.selection:
            return False
        QGuiApplication.clipboard().setText(self.text())
        return True


def around(text: str, offset: int, *, line: bool) -> tuple[int, int]:
    """Return the word, or the line, that holds the character at an offset; a sign alone if it is in no word."""
    if line:
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        return start, end if end >= 0 else len(text)
    start = text.rfind("\n", 0, offset) + 1
    for word in _WORD.finditer(text, max(start, offset - 200)):
        if word.end() >= offset:
            return (word.start(), word.end()) if word.start() <= offset else (offset, min(offset + 1, len(text)))
    return max(0, min(offset, len(text) - 1)), len(text) if offset >= len(text) else offset + 1

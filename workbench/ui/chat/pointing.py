"""What the pointer is on: the item, what a click would do, the tool tip that tells it, and the shape of the pointer."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt

from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.chat.scroller import VirtualScroller

REACH = 6
"""How far beside the column an item still counts as pointed at."""


@dataclass(frozen=True)
class PointedAt:
    """What a point of the viewport is on: an item, by its index, the point in the item's own coordinates, and what a click does there."""

    item: int
    point: QPointF
    target: ClickTarget | None


class Pointing:
    """Follows the pointer over a scroller."""

    def __init__(self, scroller: VirtualScroller) -> None:
        self._scroller = scroller
        self.now: PointedAt | None = None

    def find(self, point: QPointF) -> PointedAt | None:
        """Return what a point of the viewport is on; None if it is beside or between items."""
        scroller = self._scroller
        if not scroller.views:
            return None
        item = scroller.index_at(point.y())
        area = scroller.area_of(item)
        if not area.adjusted(-REACH, 0, REACH, 0).contains(point):
            return None
        inner = point - area.topLeft()
        hit = next((target for target in scroller.views[item].targets(area.width()) if target.area.contains(inner)), None)
        return PointedAt(item, inner, hit)

    def move(self, point: QPointF) -> None:
        """Note where the pointer is now, and paint again what looks different for it."""
        before, self.now = self.now, self.find(point)
        if self._key(before) != self._key(self.now):
            self._repaint(before)
            self._repaint(self.now)
        self._scroller.viewport().setCursor(self._shape())

    def leave(self) -> None:
        """The pointer is elsewhere."""
        before, self.now = self.now, None
        self._repaint(before)

    @staticmethod
    def _key(at: PointedAt | None) -> object:
        return None if at is None else (at.item, at.target)

    def _repaint(self, at: PointedAt | None) -> None:
        if at is not None and at.item < len(self._scroller.views):
            self._scroller.repaint_item(at.item)

    def _shape(self) -> Qt.CursorShape:
        if self.now is None:
            return Qt.CursorShape.ArrowCursor
        if self.now.target is not None and self.now.target.action:
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.IBeamCursor if self._scroller.views[self.now.item].reads_as_text else Qt.CursorShape.ArrowCursor

    def tip(self, point: QPointF) -> tuple[str, QRectF]:
        """Return what the tool tip at a point says, and the area it is about; empty if there is nothing to say."""
        at = self.find(point)
        if at is None or at.target is None or not at.target.name:
            return "", QRectF()
        name = at.target.argument if at.target.action == "open_link" else at.target.name
        return name, at.target.area.translated(self._scroller.area_of(at.item).topLeft())

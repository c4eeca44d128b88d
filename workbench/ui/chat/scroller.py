"""The scroller: thousands of items of which only those in sight are laid out and painted, and none ever jumps.

Heights are exact where an item was laid out, estimates elsewhere. Whenever one turns out different, something in sight that is exact
already stays where it is (the anchor), and the scroll bar gives way. At the end, and only there, it follows what is added.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea
from typing_extensions import override

from workbench.ui.chat.heights import Heights
from workbench.ui.chat.item_view import ItemView, Place
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import fill
from workbench.ui.kit.theme import theme

MARGIN = 20
"""Left and right of every item; the scroll bar stands in the right one."""
TEXT_MAX = 820
"""Items never grow wider; the column is centred then."""
BELOW = 16
"""Space below the last item."""
WARM = 300
"""How many items keep what was laid out of them."""
ESTIMATE_AFTER_MS = 150
_MOST_ROUNDS = 24
_SCROLL_BAR = 10


class Column(NamedTuple):
    """Where items stand in the viewport."""

    x: float
    width: float


class Seen(NamedTuple):
    """An item in sight, by its index, and the y of its upper edge in the viewport."""

    item: int
    y: float


class Anchor(NamedTuple):
    """What must stay where it is: a character of an item (or, of one that is shown as a whole, a share of its height) at a y."""

    item: int
    offset: int
    share: float
    y: float


class VirtualScroller(QAbstractScrollArea):
    """Shows views of items one under the other.

    Attributes:
        views: the views, in order; changed only through the methods here.
        follow: what is added at the end is scrolled to.
    """

    _began = False
    """Views were shown: before that there is nothing to lay out, and subclasses are not made yet."""

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.views: list[ItemView] = []
        self.follow = True
        self._heights = Heights()
        self._exact: list[bool] = []
        self._warm: OrderedDict[int, None] = OrderedDict()
        self._width = 1.0
        self._busy = False
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._estimating = QTimer(self)
        self._estimating.setSingleShot(True)
        self._estimating.setInterval(ESTIMATE_AFTER_MS)
        self._estimating.timeout.connect(self.estimate_again)

    # What it shows

    def show_views(self, views: Iterable[ItemView]) -> None:
        """Show other views, at their end."""
        self._began = True
        self.views = list(views)
        self._width = self.column().width
        self._warm.clear()
        self._exact = [False] * len(self.views)
        self._heights.reset(self._estimate(view) for view in self.views)
        self.follow = True
        self._settle(None)

    def change(self, *, cut: int | None = None, added: Sequence[ItemView] = (), changed: Iterable[int] = (), keep: int | None = None) -> None:
        """Take over what changed, as one step.

        Args:
            cut: only so many views are kept; one of the others may be among the added ones.
            added: further views, at the end.
            changed: items, by index, that must be laid out again.
            keep: the item whose upper edge stays where it is; without it the anchor chooses.
        """
        seen = {found.item: found.y for found in self.seen()}
        anchor = self._anchor() if keep is None or keep not in seen else Anchor(keep, 0, 0.0, seen[keep])
        known = self._cut(cut if cut is not None else len(self.views))
        anchored = self.views[anchor.item] if anchor is not None and anchor.item < len(self.views) else None
        if anchor is not None and anchored is None:
            anchored = next((view for view, (item, _height) in known.items() if item == anchor.item), None)
        for view in added:
            self.views.append(view)
            self._exact.append(False)
            self._heights.append(known[view][1] if view in known else self._estimate(view))
        for item in changed:
            self._exact[item] = False
            if item not in seen:
                self._heights[item] = self._estimate(self.views[item])
        self._settle(self._still(anchor, anchored))

    def _cut(self, count: int) -> dict[ItemView, tuple[int, int]]:
        """Keep only the first `count` views; return index and height of each of the others."""
        known = {self.views[item]: (item, self._heights[item]) for item in range(count, len(self.views))}
        del self.views[count:]
        del self._exact[count:]
        self._heights.truncate(count)
        for item in [item for item in self._warm if item >= count]:
            del self._warm[item]
        return known

    def _still(self, anchor: Anchor | None, view: ItemView | None) -> Anchor | None:
        """Return the anchor with the index that its view has now; None if the view is gone."""
        if anchor is None or view is None:
            return None
        if anchor.item < len(self.views) and self.views[anchor.item] is view:
            return anchor
        return anchor._replace(item=self.views.index(view)) if view in self.views else None

    def forget_layout(self) -> None:
        """Lay everything out again, with the fonts and colours of now."""
        anchor = self._top_anchor()
        for view in self.views:
            view.drop_caches()
        self._warm.clear()
        self._exact = [False] * len(self.views)
        self._estimating.start()
        self._settle(anchor)

    def estimate_again(self) -> None:
        """Estimate anew what was not laid out since the width or the fonts changed."""
        anchor = self._anchor()
        self._heights.reset(
            height if exact else self._estimate(view)
            for view, exact, height in zip(self.views, self._exact, map(self._heights.__getitem__, range(len(self.views))), strict=True)
        )
        self._settle(anchor)

    # Where things are

    def column(self) -> Column:
        """Return where items stand."""
        room = max(40.0, self.viewport().width() - 2 * MARGIN + _SCROLL_BAR)
        width = min(room, float(TEXT_MAX))
        return Column(MARGIN + (room - width) // 2, width)

    def seen(self, above: float = 0, below: float = 0) -> Iterator[Seen]:
        """Yield the items in sight, from top to bottom; `above` and `below` are pixels beyond the viewport that count too."""
        if not self.views:
            return
        value, bottom = self.verticalScrollBar().value(), self.viewport().height() + below
        index = self._heights.at(max(0, value - above))
        top = self._heights.top(index) - value
        while index < len(self.views) and top < bottom:
            height = self._heights[index]
            if height:
                yield Seen(index, top + self.views[index].before)
            top += height
            index += 1

    def y_of(self, index: int) -> float:
        """Return the y of an item's upper edge in the viewport, which may be far outside."""
        return self._heights.top(index) + self.views[index].before - self.verticalScrollBar().value()

    def height_of(self, index: int) -> float:
        """Return how high an item is, exactly or by estimate."""
        return max(0.0, self._heights[index] - self.views[index].before)

    def is_exact(self, index: int) -> bool:
        """Say whether an item's height is exact."""
        return self._exact[index]

    def index_at(self, y: float) -> int:
        """Return the item at a y of the viewport, or the nearest.

        Raises:
            IndexError: there is none at all.
        """
        return self._heights.at(self.verticalScrollBar().value() + y)

    def area_of(self, index: int) -> QRectF:
        """Return where an item is in the viewport."""
        column = self.column()
        return QRectF(column.x, self.y_of(index), column.width, self.height_of(index))

    def repaint_item(self, index: int) -> None:
        """Paint an item again, with a ring that may stand around it."""
        self.viewport().update(self.area_of(index).adjusted(-8, -8, 8, 8).toAlignedRect())

    # Layout

    def _estimate(self, view: ItemView) -> int:
        height = view.estimate(self._width)
        return round(view.before) + height if height else 0

    def _anchor(self) -> Anchor | None:
        """Return what shall stay in its place: the first in sight that is exact; None to follow."""
        if self.follow or not self.views:
            return None
        seen = list(self.seen())
        chosen = next((found for found in seen if self._exact[found.item]), seen[0] if seen else None)
        if chosen is None:
            return None
        view = self.views[chosen.item]
        offset = view.steady_at(self._width, -chosen.y, self.viewport().height() - chosen.y) if self._exact[chosen.item] else 0
        return Anchor(chosen.item, offset, 0.0, chosen.y + (view.top_of(offset, self._width) if offset else 0.0))

    def _top_anchor(self) -> Anchor | None:
        """Return what stands at the upper edge: it stays there when everything is laid out anew."""
        top = next(self.seen(), None)
        if self.follow or top is None:
            return None
        view = self.views[top.item]
        if top.y >= 0 or not self._exact[top.item]:
            return Anchor(top.item, 0, 0.0, top.y)
        offset = view.offset_at(0, -top.y, self._width)
        if 0 < offset < len(view.plain_text()) and (line := view.top_of(offset, self._width)):
            return Anchor(top.item, offset, 0.0, top.y + line)
        return Anchor(top.item, 0, -top.y / max(1.0, self.height_of(top.item)), 0.0)

    def _settle(self, anchor: Anchor | None) -> None:
        """Lay out what is in sight until its heights are true; without an anchor the end stays in sight, if it is followed."""
        if anchor is not None:
            self._lay_out(anchor.item, self._inside(anchor))
        self._move_to(anchor)
        for _ in range(_MOST_ROUNDS):
            value = self.verticalScrollBar().value()
            told = [self._lay_out(found.item, -found.y) for found in list(self.seen())]
            self._move_to(anchor)
            if not any(told) and self.verticalScrollBar().value() == value:
                break
            anchor = anchor or self._anchor()
        self._cool()
        self.settled()
        self.viewport().update()

    def _lay_out(self, item: int, top: float) -> bool:
        """Lay out an item, or of a large one a viewport from `top`; True if its height was not what was believed."""
        view = self.views[item]
        height = view.settle(self._width, top, top + self.viewport().height())
        whole = round(view.before) + height if height else 0
        self._exact[item] = True
        self._warm[item] = None
        self._warm.move_to_end(item)
        if whole == self._heights[item]:
            return False
        self._heights[item] = whole
        return True

    def _inside(self, anchor: Anchor) -> float:
        """Return how far inside its item an anchor is."""
        return self.views[anchor.item].top_of(anchor.offset, self._width) if anchor.offset else anchor.share * self.height_of(anchor.item)

    def _move_to(self, anchor: Anchor | None) -> None:
        """Set the scroll bar so that the anchor, or the end, is where it was."""
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        self._busy = True
        bar.setPageStep(height)
        bar.setSingleStep(theme.row)
        bar.setRange(0, max(0, self._heights.total + BELOW - height))
        if self.follow or not bar.maximum():
            self.follow = True
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(bar.value() + round(self.y_of(anchor.item) + self._inside(anchor) - anchor.y))
        self._busy = False

    def _cool(self) -> None:
        """Let items that were out of sight for long forget their layout."""
        while len(self._warm) > WARM:
            index, _nothing = self._warm.popitem(last=False)
            self._exact[index] = False
            self.views[index].drop_caches()

    def forget_cold(self, indexes: Iterable[int]) -> None:
        """Let items forget what they laid out to tell their text, unless they were in sight lately."""
        for index in indexes:
            if index not in self._warm:
                self.views[index].drop_caches()

    def settled(self) -> None:
        """Do what depends on where items are; called after each change of that."""

    # Scrolling

    def scroll_to_end(self) -> None:
        """Show the end, and follow it."""
        self.follow = True
        self._settle(None)

    def scroll_to_start(self) -> None:
        """Show the beginning."""
        if self.views:
            self.scroll_to(0, y=self.views[0].before)

    def scroll_to(self, index: int, offset: int = 0, *, y: float = 0.0) -> None:
        """Bring the line of a character to a y of the viewport, as far as there is enough text."""
        self.follow = False
        self._settle(Anchor(index, offset, 0.0, y))
        bar = self.verticalScrollBar()
        self.follow = bar.value() >= bar.maximum() - 2

    def bring_in_sight(self, area: QRectF, above: float = 0.0) -> None:
        """Scroll as little as needed to show an area of the viewport's coordinates; `above` is covered at the top."""
        bar, height = self.verticalScrollBar(), self.viewport().height()
        if area.top() < above or area.height() > height - above:
            bar.setValue(bar.value() + round(area.top() - above))
        elif area.bottom() > height:
            bar.setValue(bar.value() + round(area.bottom() - height))

    def _scrolled(self, value: int) -> None:
        if not self._busy:
            self.follow = value >= self.verticalScrollBar().maximum() - 2
            self._settle(self._anchor())

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Everything is painted anew where it belongs; nothing is moved."""

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._began:
            return
        width = self.column().width
        if width == self._width:
            self._settle(self._anchor())
            return
        anchor = self._top_anchor()
        self._width = width
        self._exact = [False] * len(self.views)
        self._estimating.start()
        self._settle(anchor)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._began and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.forget_layout()

    # Painting

    def place(self, index: int, y: float) -> Place:  # noqa: ARG002 - for those who paint more
        """Return where and how an item is painted."""
        column = self.column()
        return Place(x=column.x, y=round(y), width=column.width, top=0, bottom=self.viewport().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as p:
            fill(p, QRectF(event.rect()), "base")
            for index, y in self.seen():
                if y <= event.rect().bottom() + theme.row and y + self.height_of(index) >= event.rect().top() - theme.row:
                    self.views[index].paint(p, self.place(index, y))

"""Between find bar and chat: runs the search in slices, knows the hit that was jumped to, and brings it in sight."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QRectF, QTimer

from workbench.ui.chat.find import FindBar
from workbench.ui.chat.item_scroller import ItemScroller
from workbench.ui.chat.search import Hit, Search, Spans
from workbench.ui.kit.theme import theme

SLICE_S = 0.004


class Finding(QObject):
    """One search at a time; nothing while the bar is closed."""

    def __init__(self, scroller: ItemScroller, bar: FindBar) -> None:
        super().__init__(scroller)
        self._scroller, self._bar = scroller, bar
        self._search: Search | None = None
        self._hit: Hit | None = None
        self._jump = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._run)
        bar.searched.connect(self._begin)
        bar.stepped.connect(self.step)
        bar.closed.connect(self._end)

    @property
    def hit(self) -> Hit | None:
        """The hit that was jumped to."""
        return self._hit

    @property
    def complete(self) -> bool:
        """Whether everything was looked through, or nothing is looked for."""
        return not self._timer.isActive()

    # Searching

    def _begin(self, words: str) -> None:
        self._search = Search(words) if words else None
        self._hit, self._jump = None, bool(words)
        self._show()
        if words:
            self._timer.start(0)

    def _end(self) -> None:
        self._search = self._hit = None
        self._timer.stop()
        self._scroller.viewport().update()

    def restart(self) -> None:
        """Search from the beginning: the items are others."""
        if self._search is not None:
            self._begin(self._search.words)
            self._jump = False

    def cut(self, count: int) -> None:
        """Only the first `count` items are left."""
        if self._search is not None:
            self._search.cut(count)
            if self._hit is not None and self._hit.item >= count:
                self._hit = None
            self._timer.start(0)

    def renew(self, changed: Iterable[int]) -> None:
        """Look again through items that changed, and through new ones."""
        if self._search is not None:
            for item in changed:
                self._search.renew(self._scroller.views, item)
            self._timer.start(0)

    def _run(self) -> None:
        if self._search is None:
            return
        begun = self._search.looked_through
        done = self._search.run(self._scroller.views, SLICE_S)
        self._scroller.forget_cold(range(begun, self._search.looked_through))
        if not done:
            self._timer.start(0)
        elif self._jump:
            self._jump = False
            self._go(self._search.after(*self._here()))
        self._show()

    def _show(self) -> None:
        search = self._search
        number = search.number_of(self._hit) if search is not None and self._hit is not None else 0
        self._bar.show_count(number, search.count if search is not None else 0, more=search is not None and search.more)
        self._scroller.viewport().update()

    # Going to hits

    def step(self, direction: int) -> None:
        """Go to the next hit, or to the one before."""
        if self._search is None:
            return
        if direction > 0:
            place = (self._hit.item, self._hit.end) if self._hit is not None else self._here()
            self._go(self._search.after(*place))
        else:
            place = (self._hit.item, self._hit.start) if self._hit is not None else self._here()
            self._go(self._search.before(*place))
        self._show()

    def _here(self) -> tuple[int, int]:
        """Return where reading begins: the first item in sight."""
        seen = next(self._scroller.seen(), None)
        return (seen.item, 0) if seen is not None else (0, 0)

    def _go(self, hit: Hit | None) -> None:
        self._hit = hit
        if hit is None:
            return
        view = self._scroller.views[hit.item]
        if view.reveal(hit.start):
            self._scroller.change(changed=[hit.item], keep=hit.item)
        if not self._is_in_sight(hit):
            height = self._scroller.viewport().height()
            self._scroller.scroll_to(hit.item, hit.start, y=float(height // 3))
        self._scroller.keyboard.go(hit.item)

    def _is_in_sight(self, hit: Hit) -> bool:
        area = self._scroller.area_of(hit.item)
        y = area.top() + self._scroller.views[hit.item].top_of(hit.start, area.width())
        line = QRectF(area.x(), y, area.width(), theme.row)
        covered = max(self._bar.geometry().bottom(), self._scroller.keyboard.covered)
        room = QRectF(self._scroller.viewport().rect()).adjusted(0, covered, 0, -theme.row)
        return line.top() >= room.top() and line.bottom() <= room.bottom()

    # Painting

    def marks_of(self, index: int) -> Spans:
        """Return the hits in an item."""
        return self._search.of(index) if self._search is not None else ()

    def mark_of(self, index: int) -> tuple[int, int] | None:
        """Return the hit in an item that was jumped to."""
        return (self._hit.start, self._hit.end) if self._hit is not None and self._hit.item == index else None

"""Sections of the side pane: a head that folds its rows away, and a column that shares the height among those that are open.

Every head can always be seen: a section that wants more than its share scrolls by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout
from typing_extensions import override

from workbench.ui.frame.job_rows import JobRows
from workbench.ui.frame.row_view import RowView
from workbench.ui.kit.buttons import IconButton, SectionHead
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, scrolls
from workbench.ui.kit.theme import theme

FOOT = 6
"""Pixels below the rows of an open section."""
ROWS_AT_LEAST = 2
HINT_INSET, HINT_RIGHT = 26, 14


class FoldingHead(SectionHead):
    """The head of a section; Space and Enter fold and open it, Left folds, Right opens."""

    def __init__(self, title: str, *, opened: bool) -> None:
        super().__init__(title, opened=opened)
        self.setCheckable(True)
        self.setChecked(opened)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                if self.opened != (event.key() == Qt.Key.Key_Right):
                    self.click()
            case _:
                super().keyPressEvent(event)


class Section(Ground):
    """A head, and below it rows, or while there are none a sentence that says what will be there.

    Signals:
        opened_changed: a person folded it, or opened it.
        height_changed: it wants another height.

    Attributes:
        name: stable name, for what is remembered.
        head: its head; a button.
        rows: what it shows.
    """

    opened_changed = Signal()
    height_changed = Signal()

    def __init__(self, name: str, title: str, rows: RowView | JobRows, hint: str, action: IconButton | None = None, *, opened: bool = True) -> None:
        super().__init__("window")
        self.name, self.rows = name, rows
        self.head = FoldingHead(title, opened=opened)
        self._hint = Label(hint, "small", "faint", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.addWidget(self.head)
        if action is not None:
            top.setContentsMargins(0, 0, 4, 0)
            top.addWidget(action)
        self._hint.setContentsMargins(HINT_INSET, 0, HINT_RIGHT, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._hint)
        layout.addWidget(rows, 1)
        layout.addSpacing(FOOT)
        layout.addStretch(0)
        self.head.clicked.connect(lambda: self._open_by_hand(opened=not self.opened))
        rows.height_changed.connect(self._show_content)
        self._show_content()

    @property
    def opened(self) -> bool:
        """Whether its rows are shown."""
        return self.head.opened

    def set_opened(self, *, opened: bool) -> None:
        """Show or fold away its rows."""
        self.head.opened = opened
        self.head.setChecked(opened)
        self._show_content()

    def set_note(self, note: str, tone: str = "", spoken: str = "") -> None:
        """Show a figure in the head; `spoken` is what a screen reader says of it."""
        self.head.note, self.head.tone = note, tone
        self.head.setAccessibleDescription(spoken or note)
        self.head.update()

    def set_hint(self, hint: str) -> None:
        """Say another sentence while there are no rows."""
        self._hint.setText(hint)
        self._show_content()

    def wanted_height(self, width: int) -> int:
        """Return the height in pixels at which nothing needs to scroll."""
        if not self.opened:
            return self._head_height
        if self.has_rows:
            return self._head_height + self.rows.content_height + FOOT
        return self._head_height + self._hint.heightForWidth(width) + FOOT

    def least_height(self, width: int) -> int:
        """Return the height in pixels below which it is of no use: rows scroll, the sentence does not."""
        wanted = self.wanted_height(width)
        return min(wanted, self._head_height + ROWS_AT_LEAST * theme.row) if self.has_rows else wanted

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to show."""
        return self.rows.content_height > 0

    @property
    def _head_height(self) -> int:
        return theme.lh + 12

    def _open_by_hand(self, *, opened: bool) -> None:
        self.set_opened(opened=opened)
        self.opened_changed.emit()

    def _show_content(self) -> None:
        self.rows.setVisible(self.opened and self.has_rows)
        self._hint.setVisible(self.opened and not self.has_rows)
        self.height_changed.emit()


class SectionColumn(QScrollArea):
    """Sections one below the other. It scrolls only where not even their heads and two rows of each fit."""

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        scrolls(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.sections = tuple(sections)
        self._ground = Ground("window")
        self.setWidget(self._ground)
        for section in self.sections:
            section.setParent(self._ground)
            section.height_changed.connect(self.arrange)

    def arrange(self) -> None:
        """Give each section its place."""
        width, height = self.viewport().width(), self.viewport().height()
        shown = [section for section in self.sections if not section.isHidden()]
        least = [section.least_height(width) for section in shown]
        heights = shares(height, [section.wanted_height(width) for section in shown], least)
        self._ground.resize(width, max(height, sum(heights)))
        y = 0
        for section, tall in zip(shown, heights, strict=True):
            section.setGeometry(0, y, width, tall)
            y += tall

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.arrange()


def shares(total: int, wanted: Sequence[int], least: Sequence[int]) -> list[int]:
    """Share `total` pixels: who wants little gets it, the others share what is left evenly; nobody gets less than `least` of it.

    The sum is above `total` only where not even the least fits.
    """
    given = list(least)
    left = total - sum(given)
    open_ = [place for place in range(len(wanted)) if wanted[place] > given[place]]
    while left > 0 and open_:
        level = sorted(given[place] for place in open_)
        lowest = [place for place in open_ if given[place] == level[0]]
        next_level = next((height for height in level if height > level[0]), None)
        step = max(1, left // len(lowest))
        if next_level is not None:
            step = min(step, next_level - level[0])
        for place in lowest:
            more = min(step, left, wanted[place] - given[place])
            given[place] += more
            left -= more
        open_ = [place for place in open_ if wanted[place] > given[place]]
    return given

"""What one cell of a list, a table or a tree shows, and the delegate that paints it; works with any model that gives a `Cell` under the role `CELL`."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip
from typing_extensions import override

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import tip_text
from workbench.ui.kit.paint import CENTRE, LEFT, RIGHT, Run, badge, badge_words, bar, fill, hatch, pill, pill_width, runs, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import strung

CELL = Qt.ItemDataRole.UserRole + 1
"""The role under which a model gives the `Cell` of an index."""
TREE_INSET = 8
"""Chevrons of a tree stand under the chevron of its section head."""
ALIGN = {"left": LEFT, "right": RIGHT, "centre": CENTRE}


@dataclass(frozen=True)
class Cell:
    """What one cell shows.

    Attributes:
        note: quieter text after the main text; with `note_right` it stands at the right edge.
        mark: one letter at the right edge (A added, M modified, D deleted).
        level: draw the danger badge instead of text.
        parts: a stacked bar, (amount, token) each, of `total`; `cached` of it is hatched.
        runs: pieces of different looks, drawn instead of `text`, which then only says what they say.
        wash: token of the ground, unless the row is chosen.
        tip: what the tool tip says; empty shows the whole text if it does not fit.
        words: what a screen reader says; empty is made of what is shown.
    """

    text: str = ""
    icon: str = ""
    icon_token: str = "muted"
    token: str = "text"
    weight: str = "regular"
    mono: bool = False
    align: str = "left"
    size: str = "small"
    note: str = ""
    note_token: str = "faint"
    note_right: bool = False
    mark: str = ""
    mark_token: str = "muted"
    pill: str = ""
    pill_tone: str = "plain"
    pill_icon: str = ""
    level: int | None = None
    level_label: str = ""
    parts: tuple[tuple[float, str], ...] = ()
    total: float = 0
    cached: float = 0
    runs: tuple[Run, ...] = ()
    elide: str = "right"
    wash: str = ""
    tip: str = ""
    words: str = ""


def cell_words(cell: Cell) -> str:
    """Return what a cell says, in one line of words."""
    if cell.words:
        return cell.words
    level = "" if cell.level is None else cell.level_label or badge_words(cell.level)
    shown = cell.text or "".join(run.string for run in cell.runs)
    return strung(level, shown, cell.note, cell.pill, cell.mark)


class CellDelegate(QStyledItemDelegate):
    """Paints a Cell. Cheap: no style option copies, no documents.

    Args:
        view: the view that it paints for.
        tall: height of a row in pixels; 0 is that of the theme.
        tree: the view is a tree, which paints the ground of its rows itself.
    """

    def __init__(self, view: QAbstractItemView, tall: int = 0, tree: bool = False) -> None:
        super().__init__(view)
        self._view, self._tall, self._tree = view, tall, tree

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(40, self._tall or theme.row)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        cell, rect, state = index.data(CELL), QRectF(option.rect), option.state
        if not self._tree:
            row_ground(painter, rect, state, first=index.column() == 0, keyboard=self._view.hasFocus())
        if not isinstance(cell, Cell):
            return
        if cell.wash and not state & QStyle.StateFlag.State_Selected:
            fill(painter, rect, cell.wash)
        painter.save()
        painter.setClipRect(rect)
        draw_cell(painter, cell, self._content(rect))
        painter.restore()

    @override
    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> bool:
        cell = index.data(CELL)
        if event.type() != QEvent.Type.ToolTip or not isinstance(cell, Cell):
            return super().helpEvent(event, view, option, index)
        area = self._content(QRectF(option.rect))
        tip = cell.tip or (cell.text if content_width(cell) > area.width() else "")
        QToolTip.showText(event.globalPos(), tip_text(tip) if tip else "", view)
        return True

    def _content(self, rect: QRectF) -> QRectF:
        return rect.adjusted(TREE_INSET if self._tree else 8, 0, -8, 0)


def row_ground(p: QPainter, rect: QRectF, state: QStyle.StateFlag, first: bool, keyboard: bool = True) -> None:
    """Paint the ground of a cell of a row: chosen, a wash and (while the list has the keyboard) a bar at its left; under the pointer, a lighter wash."""
    if state & QStyle.StateFlag.State_Selected:
        fill(p, rect, "select" if keyboard else "select_idle")
        if first and keyboard:
            fill(p, QRectF(rect.x(), rect.y(), 2, rect.height()), "accent_fill")
    elif state & QStyle.StateFlag.State_MouseOver:
        fill(p, rect, "hover")


def content_width(cell: Cell) -> float:
    """Return the width that icon, text and note of a cell need."""
    font = theme.font("code" if cell.mono else cell.size, cell.weight, cell.mono)
    note = width_of(cell.note, theme.font("tiny")) + 8 if cell.note else 0
    mark = width_of(cell.mark, theme.font("tiny", "bold")) + 8 if cell.mark else 0
    label = pill_width(cell.pill, cell.pill_icon) + 6 if cell.pill else 0
    return (22 if cell.icon else 0) + width_of(cell.text, font) + note + mark + label


def draw_cell(p: QPainter, cell: Cell, rect: QRectF) -> None:
    """Paint what a cell shows into `rect`."""
    middle = rect.y() + rect.height() / 2
    if cell.parts:
        _draw_bar(p, cell, rect)
    elif cell.level is not None:
        badge(p, rect.x(), middle, cell.level, cell.level_label or None)
    else:
        left = rect.x()
        if cell.icon:
            draw_icon(p, cell.icon, left, round(middle - 8), cell.icon_token)
            left += 22
        _draw_words(p, cell, rect, left, _draw_right(p, cell, rect, left))


def _draw_bar(p: QPainter, cell: Cell, rect: QRectF) -> None:
    h = max(8, rect.height() - 14)
    area = QRectF(rect.x(), round(rect.y() + (rect.height() - h) / 2), rect.width(), h)
    bar(p, area, cell.parts, cell.total)
    if cell.cached and cell.total:
        hatch(p, QRectF(area.x(), area.y(), area.width() * cell.cached / cell.total, h), "base")


def _draw_right(p: QPainter, cell: Cell, rect: QRectF, left: float) -> float:
    """Paint mark, pill and note at the right; return where they begin."""
    right = rect.right()
    if cell.mark:
        right -= 8 + text(p, QRectF(left, rect.y(), right - left, rect.height()), cell.mark, theme.font("tiny", "bold"), cell.mark_token, RIGHT)
    if cell.pill:
        at = right - pill_width(cell.pill, cell.pill_icon) if cell.text or cell.runs else left
        pill(p, at, rect.y() + rect.height() / 2, cell.pill, cell.pill_tone, cell.pill_icon or None)
        right = at - 6
    if cell.note and cell.note_right:
        right -= 8 + text(p, QRectF(left, rect.y(), right - left, rect.height()), cell.note, theme.font("tiny"), cell.note_token, RIGHT)
    return right


def _draw_words(p: QPainter, cell: Cell, rect: QRectF, left: float, right: float) -> None:
    font = theme.font("code" if cell.mono else cell.size, cell.weight, cell.mono)
    if cell.runs:
        runs(p, left, rect.y(), rect.height(), cell.runs, font, right)
        return
    if not cell.text:
        return
    used = text(p, QRectF(left, rect.y(), right - left, rect.height()), cell.text, font, cell.token, ALIGN[cell.align], cell.elide)
    if cell.note and not cell.note_right and right - left - used > 24:
        text(p, QRectF(left + used + 8, rect.y(), right - left - used - 8, rect.height()), cell.note, theme.font("tiny"), cell.note_token)

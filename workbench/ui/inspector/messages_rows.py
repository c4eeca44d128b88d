"""The list of what goes out next: a row per message and part, brackets from calls to results; only what is in sight is painted."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget
from typing_extensions import override

from workbench.conversation.messages import FilePart, ImagePart, ReasoningPart, ToolCallPart, ToolResultPart
from workbench.inspection.estimates import Scale
from workbench.inspection.outgoing import Outgoing
from workbench.inspection.outgoing_rows import Pair, Row
from workbench.inspection.timeline_items import Call
from workbench.ui.inspector.messages_words import row_pill, row_says, row_words
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import RIGHT, fill, hline, pill, pill_width, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

NUMBERS, LANE = 30, 7
"""Least width of the column of message numbers, and the width of a lane of brackets."""
BEFORE_NUMBER, AFTER_NUMBER = 4, 8
SHARE = 44
"""Width of the bar of the largest part."""
IDS_FROM = 430
"""Narrower lists leave the ids out: the brackets alone tie the pairs."""
ID_END = 4
ROW = Qt.ItemDataRole.UserRole + 1
"""The role under which the model gives the `Row`."""
ROLE_ICONS = {"system": "settings", "tools": "tool", "user": "user", "assistant": "session", "reasoning": "thought", "result": "undo"}


class RowsModel(QAbstractTableModel):
    """The rows of an `Outgoing` as a model of one column."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.outgoing = Outgoing()
        self.call_of: Callable[[str], Call | None] = lambda _call_id: None
        self._count = 0

    def start(self, outgoing: Outgoing, call_of: Callable[[str], Call | None]) -> None:
        """Show another session's rows."""
        self.beginResetModel()
        self.outgoing, self.call_of, self._count = outgoing, call_of, len(outgoing)
        self.endResetModel()

    def clear(self) -> None:
        """Show no rows, and keep none."""
        self.beginResetModel()
        self.outgoing, self._count = Outgoing(), 0
        self.endResetModel()

    def follow(self, first: int) -> None:
        """Tell the view that rows from `first` on may be others than before."""
        before, now = self._count, len(self.outgoing)
        if now < before:
            self.beginRemoveRows(QModelIndex(), now, before - 1)
            self._count = now
            self.endRemoveRows()
        elif now > before:
            self.beginInsertRows(QModelIndex(), before, now - 1)
            self._count = now
            self.endInsertRows()
        if first < min(before, now):
            self.dataChanged.emit(self.index(first, 0), self.index(min(before, now) - 1, 0))

    def row(self, place: int) -> Row | None:
        """Return a row; None if there is none."""
        return self.outgoing[place] if 0 <= place < min(self._count, len(self.outgoing)) else None

    def call(self, row: Row) -> Call | None:
        """Return the call that a row is about."""
        return self.call_of(row.call_id) if row.call_id else None

    @override
    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._count

    @override
    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 1

    @override
    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index.row())
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row_words(row, self.call(row), len(self.outgoing.tools))
            case Qt.ItemDataRole.AccessibleTextRole:
                return row_says(row, self.call(row), len(self.outgoing.tools), self.outgoing.scale().tokens(row.size))
            case _:
                return row if role == ROW else None


class Measures(NamedTuple):
    """What all rows of one picture share.

    Attributes:
        scale: of the estimates.
        largest: size of the largest part.
        numbers: width of the column of message numbers.
        gutter: width of number and brackets.
        figures: width of the column of tokens.
    """

    scale: Scale
    largest: float
    numbers: int
    gutter: int
    figures: float

    @classmethod
    def of(cls, outgoing: Outgoing) -> Measures:
        """Measure what is shown."""
        scale, largest = outgoing.scale(), outgoing.largest()
        sizes = outgoing.sizes()
        widest = scale.tokens(max(largest, sizes["system"], sizes["tools"]))
        last = outgoing[len(outgoing) - 1].number if len(outgoing) else 0
        numbers = max(NUMBERS, BEFORE_NUMBER + ceil(width_of(str(last), theme.font("tiny", "medium"))) + AFTER_NUMBER)
        return cls(scale, largest, numbers, numbers + outgoing.lanes() * LANE, width_of(f"{widest:,}", theme.font("tiny")))


class MessageRows(QTableView):
    """The list. Up and Down move, Right goes from a call to its result, Left back, Enter opens, Esc closes.

    Signals:
        chosen: place of the row that is chosen now.
        opened: Enter was pressed on it.
        left: Esc was pressed.

    Attributes:
        takes_escape: Esc closes something here; else it is left to the window.
    """

    chosen = Signal(int)
    opened = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.rows_model = RowsModel(self)
        self.measures = Measures.of(self.rows_model.outgoing)
        self.takes_escape = False
        self.setModel(self.rows_model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(_("What goes out next"))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._set_heights()
        self.selectionModel().currentChanged.connect(self._current_changed)

    @property
    def chosen_row(self) -> Row | None:
        """The row that is chosen; None if none is."""
        return self.rows_model.row(self.currentIndex().row())

    @property
    def chosen_call(self) -> str:
        """Id of the call that the chosen row is about; empty if about none."""
        row = self.chosen_row
        return row.call_id if row is not None else ""

    def choose(self, place: int) -> None:
        """Choose a row and bring it into sight."""
        index = self.rows_model.index(place, 0)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def at_end(self) -> bool:
        """Return whether the last row is in sight."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - 2

    def _set_heights(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(8)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(theme.lh + 6)

    def _current_changed(self) -> None:
        self.viewport().update()
        if self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())

    def _pair_of_chosen(self) -> Pair | None:
        return self.rows_model.outgoing.pair(self.chosen_call) if self.chosen_call else None

    # Brackets

    def _places_in_sight(self) -> range:
        """Return the rows whose brackets may be seen: those of the messages in sight and of their neighbours."""
        count = self.rows_model.rowCount()
        if not count:
            return range(0)
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        outgoing = self.rows_model.outgoing
        begin = outgoing.message_at(max(first, 0))[0]
        begin = outgoing.message_at(begin - 1)[0] if begin else 0
        end = outgoing.message_at(last if last >= 0 else count - 1)[1]
        return range(begin, min(outgoing.message_at(end)[1] if end < len(outgoing) else end, count))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        outgoing = self.rows_model.outgoing
        self.measures = Measures.of(outgoing)
        super().paintEvent(event)
        call_ids = dict.fromkeys(row.call_id for place in self._places_in_sight() if (row := self.rows_model.row(place)) and row.call_id)
        with QPainter(self.viewport()) as p:
            p.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = self.measures.gutter + 22
            for call_id in sorted(call_ids, key=lambda call_id: call_id == self.chosen_call):
                pair = outgoing.pair(call_id)
                if pair is not None and pair.result is not None and pair.result < self.rows_model.rowCount():
                    self._bracket(p, outgoing[pair.call], outgoing[pair.result], self._middle(pair.call), self._middle(pair.result), edge)

    def _middle(self, place: int) -> float:
        return self.rowViewportPosition(place) + round(self.rowHeight(place) / 2) + 0.5

    def _bracket(self, p: QPainter, call: Row, result: Row, top: float, bottom: float, edge: float) -> None:
        """Paint a rounded bracket with an arrow: the chosen pair in the accent, a missing result dashed."""
        on = call.call_id == self.chosen_call
        ink = theme["accent_fill" if on else "level2" if result.missing else "edge"]
        pen = QPen(ink, 2 if on else 1)
        if result.missing:
            pen.setDashPattern([3, 3])
        p.setPen(pen)
        p.setBrush(Qt.BrushStyle.NoBrush)
        x = self.measures.numbers + call.lane * LANE + 0.5
        path = QPainterPath(QPointF(edge, top))
        path.lineTo(x + 4, top)
        path.quadTo(x, top, x, top + 4)
        path.lineTo(x, bottom - 4)
        path.quadTo(x, bottom, x + 4, bottom)
        path.lineTo(edge - 4, bottom)
        p.drawPath(path)
        head = QPainterPath(QPointF(edge + 1, bottom))
        head.lineTo(edge - 4, bottom - 3.5)
        head.lineTo(edge - 4, bottom + 3.5)
        p.fillPath(head, ink)

    # Keys

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.takes_escape:
            event.accept()  # it closes the part and does not stop the turn
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        pair = self._pair_of_chosen()
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case Qt.Key.Key_Escape if self.takes_escape:
                self.left.emit()
            case Qt.Key.Key_Right if pair is not None and pair.result is not None:
                self.choose(pair.result)
            case Qt.Key.Key_Left if pair is not None:
                self.choose(pair.call)
            case _:
                super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_heights()


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: MessageRows) -> None:
        super().__init__(view)
        self._view = view

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row, area = index.data(ROW), QRectF(option.rect)
        if not isinstance(row, Row):
            return
        head = row.kind in ("system", "tools", "message")
        chosen = index.row() == self._view.currentIndex().row()
        if head and index.row():
            hline(painter, area.x(), area.right(), area.y())
        self._ground(painter, row, area, chosen=chosen, hover=bool(option.state & QStyle.StateFlag.State_MouseOver))
        if row.kind == "message":
            numbers = self._view.measures.numbers - AFTER_NUMBER
            text(painter, QRectF(area.x(), area.y(), numbers, area.height()), str(row.number), theme.font("tiny", "medium"), "faint", RIGHT)
        left = area.x() + self._view.measures.gutter + 10
        right = self._figures(painter, row, area, left, area.right() - 14)
        self._words(painter, row, area, left, right, head=head)

    def _ground(self, p: QPainter, row: Row, area: QRectF, *, chosen: bool, hover: bool) -> None:
        inside = area.adjusted(0, 1, 0, 0)
        if chosen:
            keyboard = self._view.hasFocus()
            fill(p, inside, "select" if keyboard else "select_idle")
            if keyboard:
                fill(p, QRectF(inside.x(), inside.y(), 2, inside.height()), "accent_fill")
        elif row.call_id and row.call_id == self._view.chosen_call:
            fill(p, inside, "accent_tint")
        elif hover:
            fill(p, inside, "hover")

    def _figures(self, p: QPainter, row: Row, area: QRectF, left: float, right: float) -> float:
        """Paint share, tokens, pill and id at the right; return where they begin."""
        measures, h = self._view.measures, area.height()
        if row.size and row.kind == "part":
            share = SHARE * row.size / measures.largest
            p.fillRect(QRectF(right - SHARE, round(area.y() + h / 2 - 2), max(1.0, share), 5), theme[f"role_{row.role}"])
        if row.kind != "message":
            right -= SHARE + 8
        if row.size:
            text(p, QRectF(left, area.y(), right - left, h), f"{measures.scale.tokens(row.size):,}", theme.font("tiny"), "muted", RIGHT)
        if row.kind != "message":
            right -= measures.figures + 12
        if (shown := row_pill(row)) is not None:
            right -= pill_width(shown.words)
            pill(p, right, area.y() + h / 2, shown.words, shown.tone)
            right -= 10
        if row.call_id and area.width() >= IDS_FROM:
            token = "accent" if row.call_id == self._view.chosen_call else "faint"
            words = f"…{row.call_id[-ID_END:]}"
            right -= text(p, QRectF(left, area.y(), right - left, h), words, theme.font("tiny", mono=True), token, RIGHT) + 12
        return right

    def _words(self, p: QPainter, row: Row, area: QRectF, left: float, right: float, *, head: bool) -> None:
        model, h = self._view.rows_model, area.height()
        words = row_words(row, model.call(row), len(model.outgoing.tools))
        if head:
            draw_icon(p, ROLE_ICONS[row.role], left - 2, round(area.y() + (h - 16) / 2), "muted")
            text(p, QRectF(left + 20, area.y(), right - left - 20, h), words, theme.font("small", "bold"))
            return
        quiet = bool(row.missing) or row.kind == "hint"
        draw_icon(p, _part_icon(row), left + 18, round(area.y() + (h - 12) / 2), "faint" if quiet else "muted", 12)
        font = theme.font("code") if isinstance(row.part, ToolCallPart) else theme.font("small")
        text(p, QRectF(left + 36, area.y(), right - left - 36, h), words, font, "faint" if quiet else "text")


def _part_icon(row: Row) -> str:
    match row.part:
        case ToolCallPart():
            return "tool"
        case ToolResultPart():
            return "undo"
        case ReasoningPart():
            return "thought"
        case ImagePart():
            return "image"
        case FilePart():
            return "file"
        case _:
            return "pen" if row.kind == "hint" else ROLE_ICONS[row.role]

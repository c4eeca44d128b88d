"""The rows of what pops up: entries of a menu or of the palette, as a list that Qt's keys and screen readers know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from typing_extensions import override

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import RIGHT, Run, fill, hline, runs, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import strung

Looks: TypeAlias = Literal["sentences", "compact", "commands"]
ENTRY = Qt.ItemDataRole.UserRole + 1
"""The role under which the model gives the `Entry`."""
CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing that can be chosen.

    Attributes:
        entry_id: what the list tells when it is chosen.
        title: its name.
        sentence: one sentence about it, below the name.
        icon: name of an icon; empty for none.
        chosen: it is what is in force now; it has a tick.
        why_not: a sentence saying why it cannot be chosen now; empty if it can.
        lacks: the same in two words, for the right edge of a row; without it the sentence stands there.
        group: a quiet word before it, shown where it changes.
        note: a few quiet words at the right, such as keys.
        rule: a hairline above it.
        offsets: places of the letters of the title that fit what was typed.
    """

    entry_id: str
    title: str
    sentence: str = ""
    icon: str = ""
    chosen: bool = False
    why_not: str = ""
    lacks: str = ""
    group: str = ""
    note: str = ""
    rule: bool = False
    offsets: tuple[int, ...] = ()


def entry_words(entry: Entry) -> str:
    """Return what a screen reader says of an entry."""
    return strung(entry.title, entry.group, entry.why_not or entry.sentence, entry.note)


class EntryModel(QAbstractListModel):
    """Entries as a model."""

    def __init__(self, entries: Iterable[Entry] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = tuple(entries)

    def show_entries(self, entries: Iterable[Entry]) -> None:
        """Show other entries."""
        self.beginResetModel()
        self.entries = tuple(entries)
        self.endResetModel()

    @override
    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.entries)

    @override
    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return entry_words(entry)
            case _:
                return entry if role == ENTRY else None


class EntryList(QListView):
    """A list of entries in one of three looks: name and sentence, one line with a group before it, or one line with what fits in bold.

    Signals:
        chosen: id of the entry that a person chose, if it can be chosen.
        moved: another entry is under the keys, or none.

    Attributes:
        empty: what it says when it has no entry.
    """

    chosen = Signal(str)
    moved = Signal()

    def __init__(self, entries: Iterable[Entry], looks: Looks, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        scrolls(self)
        self.looks = looks
        self._groups = 0.0
        self._measured: Sequence[Entry] | None = None
        self.empty = ""
        self.entries_model = EntryModel(entries, self)
        self.setModel(self.entries_model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._choose)
        self.entered.connect(self.setCurrentIndex)
        self.selectionModel().currentChanged.connect(self.moved)

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries that are shown."""
        return self.entries_model.entries

    def show_entries(self, entries: Iterable[Entry]) -> None:
        """Show other entries, the chosen one or else the first under the keys."""
        self.entries_model.show_entries(entries)
        self.start()

    def start(self) -> None:
        """Put the keys on the chosen entry, else on the first that can be chosen."""
        places = range(len(self.entries))
        place = next((n for n in places if self.entries[n].chosen), next((n for n in places if not self.entries[n].why_not), 0))
        self.setCurrentIndex(self.entries_model.index(place))
        self.moved.emit()

    def step(self, by: int) -> None:
        """Move the keys, round the ends."""
        if self.entries:
            place = self.currentIndex().row() + by
            self.setCurrentIndex(self.entries_model.index(place % len(self.entries) if abs(by) == 1 else min(max(place, 0), len(self.entries) - 1)))

    def page(self) -> int:
        """Return how many rows can be seen."""
        return max(1, self.viewport().height() // self.row_height())

    def row_height(self) -> int:
        """Return the height of a row in pixels."""
        match self.looks:
            case "sentences":
                return 2 * theme.lh + 14
            case "compact":
                return theme.row
            case "commands":
                return theme.row + 8

    def wanted_width(self) -> int:
        """Return the width that the longest entry needs."""
        return round(max((self._width(entry) for entry in self.entries), default=0))

    def group_width(self) -> float:
        """Return the width of the column of groups, 0 if there are none; it does not shrink when fewer entries are shown."""
        if self._measured is not self.entries:  # asked for every row, and a list may have thousands
            self._measured = self.entries
            widest = max((width_of(group, theme.font("tiny")) for group in {entry.group for entry in self.entries}), default=0)
            self._groups = max(self._groups, widest + 14 if widest else 0)
        return self._groups

    def choose_current(self) -> None:
        """Choose the entry under the keys."""
        self._choose(self.currentIndex())

    def _width(self, entry: Entry) -> float:
        small, body = theme.font("small"), theme.font("body", "medium")
        if self.looks == "sentences":
            return 42 + max(width_of(entry.title, body), width_of(entry.why_not or entry.sentence, small)) + 44
        note = width_of(entry.lacks or entry.why_not or entry.note, theme.font("tiny"))
        return 14 + (28 if entry.icon else 0) + self.group_width() + width_of(entry.title, body) + 24 + note + 34

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid() and not (entry := self.entries[index.row()]).why_not:
            self.chosen.emit(entry.entry_id)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.entries and self.empty:
            with QPainter(self.viewport()) as p:
                text(p, QRectF(16, 0, self.viewport().width() - 32, self.row_height()), self.empty, theme.font("small"), "faint")

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -self.page(), Qt.Key.Key_PageDown: self.page()}
        if event.key() in CHOOSE:
            self.choose_current()
        elif (step := steps.get(Qt.Key(event.key()))) is not None:
            self.step(step)
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: EntryList) -> None:
        super().__init__(view)
        self._view = view

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(40, self._view.row_height())

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        entry, rect = index.data(ENTRY), QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            fill(painter, rect, "select")
            fill(painter, QRectF(rect.x(), rect.y(), 2, rect.height()), "accent_fill")
        if entry.rule:
            hline(painter, rect.x(), rect.right(), rect.y())
        paint: Callable[[QPainter, Entry, QRectF, int], None] = {"sentences": self._sentence, "compact": self._compact, "commands": self._command}[
            self._view.looks
        ]
        paint(painter, entry, rect, index.row())

    def _sentence(self, p: QPainter, entry: Entry, rect: QRectF, _row: int) -> None:
        left = rect.x() + (42 if entry.icon else 14)
        if entry.icon:
            draw_icon(p, entry.icon, rect.x() + 14, rect.y() + 7, "faint" if entry.why_not else "muted")
        if entry.chosen:
            draw_icon(p, "check", rect.right() - 28, rect.y() + (rect.height() - 16) / 2, "accent")
        room = rect.right() - left - 38
        text(p, QRectF(left, rect.y() + 5, room, theme.lh + 2), entry.title, theme.font("body", "medium"), "faint" if entry.why_not else "text")
        text(p, QRectF(left, rect.y() + theme.lh + 7, room, theme.lh + 2), entry.why_not or entry.sentence, theme.font("small"), "muted")

    def _compact(self, p: QPainter, entry: Entry, rect: QRectF, row: int) -> None:
        left, h = rect.x() + 14, rect.height()
        if row == 0 or self._view.entries[row - 1].group != entry.group:
            text(p, QRectF(left, rect.y(), self._view.group_width(), h), entry.group, theme.font("tiny"), "faint")
        left += self._view.group_width()
        if entry.icon:
            draw_icon(p, entry.icon, left, rect.y() + (h - 16) / 2, "faint" if entry.why_not else "muted")
            left += 28
        right = rect.right() - (34 if entry.chosen else 14)
        if entry.chosen:
            draw_icon(p, "check", rect.right() - 28, rect.y() + (h - 16) / 2, "accent")
        note, token = (entry.lacks or entry.why_not, "level2") if entry.why_not else (entry.note, "muted")
        right -= 16 + text(p, QRectF(left, rect.y(), right - left, h), note, theme.font("tiny"), token, RIGHT)
        font = theme.font("small", "medium" if entry.chosen else "regular")
        _title(p, entry, QRectF(left, rect.y(), right - left, h), font, "small")

    def _command(self, p: QPainter, entry: Entry, rect: QRectF, _row: int) -> None:
        h, right = rect.height(), rect.right() - 16
        draw_icon(p, entry.icon or "chevron-right", rect.x() + 16, rect.y() + (h - 16) / 2, "faint" if entry.why_not else "muted")
        right -= 16 + text(p, QRectF(rect.x(), rect.y(), right - rect.x(), h), entry.note, theme.font("tiny"), "muted", RIGHT)
        x = _title(p, entry, QRectF(rect.x() + 44, rect.y(), right - rect.x() - 44, h), theme.font("body"), "body")
        if right - x > 40:
            text(p, QRectF(x + 10, rect.y(), right - x - 10, h), entry.why_not or entry.sentence, theme.font("small"), "faint")


def _title(p: QPainter, entry: Entry, rect: QRectF, font: QFont, size: str) -> float:
    token = "faint" if entry.why_not else "text"
    return runs(p, rect.x(), rect.y(), rect.height(), matched_runs(entry.title, entry.offsets, token, theme.font(size, "bold")), font, rect.right())


def matched_runs(words: str, offsets: Sequence[int], token: str, bold: QFont) -> list[Run]:
    """Return words as runs, the letters at `offsets` in bold accent."""
    pieces: list[Run] = []
    at = 0
    for begin, end in _spans(offsets):
        pieces += [Run(words[at:begin], token), Run(words[begin:end], "accent", bold)]
        at = end
    return [piece for piece in (*pieces, Run(words[at:], token)) if piece.string]


def _spans(offsets: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for offset in offsets:
        if spans and spans[-1][1] == offset:
            spans[-1] = (spans[-1][0], offset + 1)
        else:
            spans.append((offset, offset + 1))
    return spans

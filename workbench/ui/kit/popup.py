"""Menus that say in a sentence what each choice means, and why one cannot be made now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.matching import fit
from workbench.ui.kit.overlay import PAD, Overlay, popup_ground
from workbench.ui.kit.paint import RIGHT, hline, text, width_of
from workbench.ui.kit.popup_list import Entry, EntryList, Looks, entry_words
from workbench.ui.kit.theme import theme

__all__ = ["PAD", "Entry", "Overlay", "PopupMenu", "QueryLine", "QuietLine", "popup_ground"]

LEAST_WIDTH, MOST_WIDTH = 220, 720
"""In pixels without zoom."""
GAP = 4
"""Pixels between a menu and what it belongs to."""


class QueryLine(QLineEdit):
    """The line of a popup that is typed into; keys that move in the list below go there.

    Args:
        rows: the list below.
        placeholder: what can be typed.
        name: accessible name.
    """

    LEFT = 44

    def __init__(self, rows: EntryList, placeholder: str, name: str) -> None:
        super().__init__()
        self._rows = rows
        self.hint = ""
        self.setFrame(False)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        self._restyle()
        theme.changed.connect(self._restyle)
        rows.moved.connect(self._say_current)

    def show_hint(self, hint: str) -> None:
        """Show a few quiet words at the right."""
        self.hint = hint
        self.update()

    def _say_current(self) -> None:
        """The keyboard stays here, so a screen reader hears of the entry under the keys from here."""
        index = self._rows.currentIndex()
        self.setAccessibleDescription(entry_words(self._rows.entries[index.row()]) if index.isValid() else self._rows.empty)

    def _restyle(self) -> None:
        self.setFont(theme.font("prose"))
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(palette)
        self.setFixedHeight(theme.lh + 29)
        self.setTextMargins(self.LEFT - 2, 0, 110, 1)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down | Qt.Key.Key_PageUp | Qt.Key.Key_PageDown:
                self._rows.keyPressEvent(event)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
                self._rows.choose_current()
            case Qt.Key.Key_Escape | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                event.ignore()
            case _:
                super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as p:
            h = self.height() - 1
            draw_icon(p, "search", 16, (h - 16) / 2, "muted")
            text(p, QRectF(0, 0, self.width() - 16, h), self.hint, theme.font("tiny"), "faint", RIGHT)
            hline(p, 0, self.width(), h)


class QuietLine(QWidget):
    """A line of quiet words at the head or the foot of a menu."""

    def __init__(self, words: str, keys: str = "", weight: str = "regular", ruled: bool = False) -> None:
        super().__init__()
        self.setAccessibleName(words)
        self._words, self._keys, self._weight, self._ruled = words, keys, weight, ruled
        self.setFixedHeight(theme.lh + (12 if ruled else 16))

    def wanted_width(self) -> float:
        """Return the width in pixels that the words need."""
        return width_of(self._words, theme.font("tiny", self._weight)) + width_of(self._keys, theme.font("tiny")) + 52

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            area = QRectF(self.rect()).adjusted(14, 0, -14, 0)
            if self._ruled:
                hline(p, 0, self.width(), 0)
            text(p, area, self._words, theme.font("tiny", self._weight), "faint" if self._ruled else "muted")
            text(p, area, self._keys, theme.font("tiny"), "faint", RIGHT)


class PopupMenu(Overlay):
    """A menu over the window: names with a sentence each (or compact lines, if no entry has one), a tick on the chosen one.

    Up, Down, Page up, Page down move, Enter chooses, Esc closes. It closes when something was chosen.

    Args:
        entries: what can be chosen; one that cannot says why.
        parent: a widget of the window that it opens over.
        title: what it is about, at the head.
        keys: keys that open it, at the head.
        filter_words: makes it a list that typing shortens; what the empty field says.
        foot: a quiet sentence below.
        name: accessible name; without it, the title.

    Signals:
        chosen: the id of the entry.
    """

    chosen = Signal(str)

    def __init__(
        self,
        entries: Iterable[Entry],
        parent: QWidget,
        title: str = "",
        keys: str = "",
        filter_words: str = "",
        foot: str = "",
        name: str = "",
    ) -> None:
        super().__init__(parent)
        self.entries = tuple(entries)
        name = name or title or filter_words
        self.setAccessibleName(name)
        looks: Looks = "sentences" if any(entry.sentence for entry in self.entries) else "compact"
        self.rows = EntryList(self.entries, looks, name, self.card)
        self.rows.chosen.connect(self._chosen)
        self._head = QuietLine(title, keys, weight="bold") if title else None
        self._query = QueryLine(self.rows, filter_words, filter_words) if filter_words else None
        self._foot = QuietLine(foot, ruled=True) if foot else None
        self._anchor = QRect()
        self._above = False
        self._lay_out()
        self._size = self._wanted_size()

    def _lay_out(self) -> None:
        stack = QVBoxLayout(self.card)
        stack.setContentsMargins(1, 1, 1, 5 if self._foot is None else 1)
        stack.setSpacing(0)
        for widget in (self._head, self._query, self.rows, self._foot):
            if widget is not None:
                stack.addWidget(widget)
        if self._head is None and self._query is None:
            stack.insertSpacing(0, 4)
        if self._query is not None:
            self._query.textChanged.connect(self._filter)
            self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def above(self, widget: QWidget) -> None:
        """Open it over a widget, left edges in line."""
        self._open_at(self.place_of(widget), above=True)

    def below(self, widget: QWidget) -> None:
        """Open it under a widget, left edges in line."""
        self._open_at(self.place_of(widget), above=False)

    def at(self, place: QPoint) -> None:
        """Open it at a place of the window."""
        self._open_at(QRect(place, QSize(1, 1)), above=False)

    def _open_at(self, anchor: QRect, *, above: bool) -> None:
        room_above, room_below = anchor.top() - GAP - PAD, self._window.height() - anchor.bottom() - GAP - PAD
        wanted = self._size.height()
        self._above = room_above >= wanted or room_above >= room_below if above else room_below < wanted and room_above > room_below
        self._anchor = anchor
        self.present()
        self.rows.start()

    @override
    def card_rect(self) -> QRect:
        top = self._anchor.top() - GAP - self._size.height() if self._above else self._anchor.bottom() + 1 + GAP
        return self.kept_inside(QRect(QPoint(self._anchor.left(), top), self._size))

    @override
    def first(self) -> QWidget:
        return self._query or self.rows

    def _wanted_size(self) -> QSize:
        words = max((part.wanted_width() for part in (self._head, self._foot) if part is not None), default=0)
        width = min(max(LEAST_WIDTH, self.rows.wanted_width(), round(words)), round(MOST_WIDTH * theme.zoom), self._window.width() - 2 * PAD)
        parts = [part.height() for part in (self._head, self._query, self._foot) if part is not None]
        spare = 2 + (4 if self._foot is None else 0) + (4 if self._head is None and self._query is None else 0)
        return QSize(width, sum(parts) + len(self.entries) * self.rows.row_height() + spare)

    def _filter(self, query: str) -> None:
        fitting: list[tuple[int, Entry]] = []
        for entry in self.entries:
            if (found := fit(query, f"{entry.title} {entry.group}")) is not None:
                offsets = tuple(offset for offset in found.offsets if offset < len(entry.title))
                fitting.append((found.rank, replace(entry, offsets=offsets)))
        if query.strip():
            fitting.sort(key=lambda pair: pair[0])
        self.rows.show_entries(entry for _, entry in fitting)

    def _chosen(self, entry_id: str) -> None:
        self.dismiss()
        self.chosen.emit(entry_id)

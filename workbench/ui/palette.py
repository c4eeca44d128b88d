"""The command palette: every command of the window by a few letters of its name, with its key, or with the reason why it cannot run now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.commands import Command, Commands
from workbench.ui.kit.matching import fit
from workbench.ui.kit.overlay import PAD, Overlay
from workbench.ui.kit.popup import QueryLine, QuietLine
from workbench.ui.kit.popup_list import CHOOSE, Entry, EntryList
from workbench.words import _, many

WIDTH, TOP = 660, 64
MOST_ROWS = 9
"""Rows that are seen at once; further ones are scrolled to."""
MOST_HITS = 200
PREFIXES = "@:"
"""A query that begins so asks for files or for sessions alone."""


class Hit(NamedTuple):
    """Something other than a command that can be gone to: a file, a session.

    Attributes:
        title: its name.
        run: goes there; returns at once.
        icon: name of an icon.
        where: a few quiet words about where it is.
        offsets: places of the letters of the title that fit the query.
    """

    title: str
    run: Callable[[], None]
    icon: str = "file"
    where: str = ""
    offsets: tuple[int, ...] = ()


class Palette(Overlay):
    """A line to type into and what fits, the best first. Up and Down move, Enter runs, Ctrl+Enter runs and stays, Esc closes.

    It is made for one opening, and gone when it has closed.

    Args:
        commands: what can be run.
        parent: a widget of the window.
        more: gives what else fits a query that is not empty, the best first; it is called at every key, so it must be quick. The query
            begins with ``@`` when a person wants only files, with ``:`` when only sessions.
    """

    def __init__(self, commands: Commands, parent: QWidget, more: Callable[[str], Sequence[Hit]] | None = None) -> None:
        super().__init__(parent)
        self._commands, self._more = commands, more
        self._hits: dict[str, Hit] = {}
        self.setAccessibleName(_("Commands"))
        self.rows = EntryList((), "commands", _("Commands"), self.card)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows.chosen.connect(self._chosen)
        self.query = QueryLine(self.rows, _("Search, or run a command"), _("Search, or run a command"))
        self.query.textChanged.connect(self._list)
        self._foot = QuietLine(self._foot_words(), ruled=True)
        stack = QVBoxLayout(self.card)
        stack.setContentsMargins(1, 1, 1, 1)
        stack.setSpacing(0)
        for widget in (self.query, self.rows, self._foot):
            stack.addWidget(widget)

    def open(self, query: str = "") -> None:
        """Show it with a query; if the window shows one already, that one is closed and this one is gone."""
        shown = [palette for palette in self._window.findChildren(Palette) if palette.is_open]
        if shown:
            for palette in shown:
                palette.dismiss()
            self.deleteLater()
            return
        self.query.setText(query)
        self._list(query)
        self.present()

    @override
    def first(self) -> QWidget:
        return self.query

    @override
    def card_rect(self) -> QRect:
        rows = max(1, min(MOST_ROWS, len(self.rows.entries)))
        height = self.query.height() + rows * self.rows.row_height() + self._foot.height() + 2
        width = min(WIDTH, self._window.width()) - 2 * PAD
        return self.kept_inside(QRect((self._window.width() - width) // 2, TOP + PAD, width, height))

    def _foot_words(self) -> str:
        words = _("Enter runs · Ctrl+Enter keeps the palette open")
        return words if self._more is None else words + _(" · type @ for files, : for sessions")

    # What fits

    def _list(self, query: str) -> None:
        query = query.strip()
        entries = [] if query[:1] and query[:1] in PREFIXES and self._more else list(self._fitting_commands(query))
        count = len(entries)
        entries += self._fitting_hits(query)
        self.rows.empty = _("Nothing is called “{query}”.").format(query=query)
        self.rows.show_entries(entries)
        self.query.show_hint(many("{n} command", "{n} commands", count) if count == len(entries) else many("{n} hit", "{n} hits", len(entries)))
        if self.is_open:
            self.follow_window()

    def _fitting_commands(self, query: str) -> Iterator[Entry]:
        """Yield the commands that fit as entries: the better fit first, what cannot run last."""
        fitting = []
        for place, command in enumerate(self._commands.all()):
            why_not = command.why_not()
            if (found := fit(query, command.title)) is not None:
                fitting.append((bool(why_not), found.rank, place, _entry(command, why_not, found.offsets)))
            elif (found := fit(query, f"{command.title} {command.where}")) is not None:
                fitting.append((bool(why_not), found.rank + 1, place, _entry(command, why_not, ())))
        fitting.sort(key=lambda row: row[:3])
        yield from (entry for *_rank, entry in fitting)

    def _fitting_hits(self, query: str) -> list[Entry]:
        found = self._more(query)[:MOST_HITS] if self._more is not None and query else ()
        self._hits = {f"hit-{place}": hit for place, hit in enumerate(found)}
        return [Entry(entry_id=hit_id, title=hit.title, sentence=hit.where, icon=hit.icon, offsets=hit.offsets) for hit_id, hit in self._hits.items()]

    # What a person does

    def _chosen(self, entry_id: str) -> None:
        self.dismiss()
        self._run(entry_id)

    def _run(self, entry_id: str) -> None:
        if (hit := self._hits.get(entry_id)) is not None:
            hit.run()
        else:
            self._commands.run(entry_id)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in CHOOSE:
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.rows.currentIndex()
        if event.key() not in CHOOSE or not index.isValid():
            super().keyPressEvent(event)
        elif not (entry := self.rows.entries[index.row()]).why_not:
            self._run(entry.entry_id)
            self._list(self.query.text())
            self.rows.setCurrentIndex(self.rows.entries_model.index(min(index.row(), len(self.rows.entries) - 1)))
            self.query.setFocus(Qt.FocusReason.PopupFocusReason)


def _entry(command: Command, why_not: str, offsets: tuple[int, ...]) -> Entry:
    keys = QKeySequence.fromString(command.keys).toString(QKeySequence.SequenceFormat.NativeText)
    return Entry(
        entry_id=command.command_id, title=command.title, sentence=command.where, icon=command.icon, why_not=why_not, note=keys, offsets=offsets
    )

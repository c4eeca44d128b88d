"""The files that the session changed, with the lines added and removed by its calls."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Signal

from workbench.permissions.visible import visible
from workbench.ui.frame.cell_list import CellList, ListRow
from workbench.ui.frame.folder_model import MARK_WORDS
from workbench.ui.frame.row_view import RowView
from workbench.ui.frame.section import Section
from workbench.ui.frame.session_changes import LETTER_TOKENS, FileMark, LineSums, SessionChanges
from workbench.ui.kit.cells import Cell
from workbench.words import _, many, strung


class ChangesSection(Section):
    """Lists the changed files in the order in which they were first changed.

    Signals:
        file_wanted: path (str) of a file, as the facts have it, that a person wants to see.

    Attributes:
        list_view: its rows.
    """

    file_wanted = Signal(object)

    def __init__(self) -> None:
        self._list = CellList()
        self.list_view = RowView(self._list, _("Changed files"))
        super().__init__("changes", _("Changes"), self.list_view, _("Every file that a call wrote."))
        self.list_view.activated.connect(self._want)

    def show_changes(self, changes: SessionChanges) -> None:
        """Show what the session changed by now."""
        self._list.set_rows([ListRow(path, _cell(path, mark)) for path, mark in changes.marks.items()])
        count = len(changes.marks)
        self.set_note(f"{count}  {changes.sums.text()}" if count else "", spoken=many("{n} file", "{n} files", count) + " " + changes.sums.text())

    def path_of(self, index: QModelIndex) -> str:
        """Return the path of a row, as the facts have it."""
        return self._list.key_of(index)

    def _want(self, index: QModelIndex) -> None:
        path = self._list.key_of(index)
        if path:
            self.file_wanted.emit(path)


def _cell(path: str, mark: FileMark) -> Cell:
    shown, sums = visible(path), LineSums(mark.added, mark.removed).text()
    words = strung(shown, _(MARK_WORDS[mark.letter]), sums)
    name, folder = Path(shown).name, str(Path(shown).parent)
    tip = f"{shown}\n{words}"
    return Cell(
        name,
        "file",
        note=sums,
        note_token="muted",
        note_right=True,
        mark=mark.letter,
        mark_token=LETTER_TOKENS[mark.letter],
        elide="middle",
        tip=tip if folder != "." else words,
        words=words,
    )

"""The tree of a body with the whole text of the chosen value below it."""

from __future__ import annotations

import json

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.inspection.bodies import Path, path_words
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.inspector.json_tree import COUNTED_BYTES, NOTE, SHOWN_CHARACTERS, VALUE, JsonTree, Marked, Node
from workbench.ui.inspector.recorded import ReadBody, Recorded
from workbench.ui.inspector.text_lines import TextLines
from workbench.ui.inspector.text_search import Matches
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.buttons import Button, IconButton
from workbench.ui.kit.cells import CellModel, CellTree
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Panes, column, line
from workbench.ui.kit.theme import theme
from workbench.words import _

QWIDGETSIZE_MAX = (1 << 24) - 1
NOTE_WIDTH = 210
"""Of the column of notes, in pixels at no zoom; left away where less than `LEAST_WIDTH` is there for both."""
LEAST_WIDTH = 600


class BodyTree(CellTree):
    """The rows.

    Signals:
        picked: the `Node` that is chosen now, or None.
        followed: the node whose link is to be followed: Enter or a double click.
    """

    picked = Signal(object)
    followed = Signal(object)

    def __init__(self) -> None:
        super().__init__(CellModel([], 2), labels=[_("Request"), _("Note")], ground="base", indent=16, name=_("Values of the body"))
        self.header().setStretchLastSection(False)
        self.tree: JsonTree | None = None
        self.activated.connect(lambda index: self.followed.emit(self.tree.node(index)) if self.tree else None)

    def show_tree(self, tree: JsonTree | None, title: str) -> None:
        """Show a body; None shows no rows."""
        before = self.tree
        self.tree = tree
        self.setModel(tree if tree is not None else CellModel([], 2))
        self.header().labels = (title, _("Note"))  # type: ignore[attr-defined]  # it is a Head
        self.selectionModel().currentChanged.connect(self._current_changed)
        if before is not None:
            before.deleteLater()
        if tree is not None:
            self._open_first(tree)
        self._fit()
        self.picked.emit(None)

    def show_path(self, path: Path) -> bool:
        """Choose a value and bring it into sight; False if it is not there."""
        index = self.tree.index_of(path) if self.tree else QModelIndex()
        if not index.isValid():
            return False
        self.setCurrentIndex(index)
        self.scrollTo(index, self.ScrollHint.PositionAtCenter)
        return True

    def _open_first(self, tree: JsonTree) -> None:
        """Open the list of messages: that is what people look for."""
        for name in ("messages", "input", "contents"):
            index = tree.index_of((name,))
            if index.isValid() and tree.hasChildren(index):
                self.expand(index)

    def _current_changed(self, index: QModelIndex) -> None:
        node = self.tree.node(index) if self.tree and index.isValid() else None
        if self.tree:
            self.tree.show_partner(self.tree.partner(node) if node else None)
        self.picked.emit(node)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy) and self.tree and index.isValid():
            value = self.tree.node(index).value
            QApplication.clipboard().setText(self.tree.body.text(value))
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wide = self.viewport().width()
        note = round(NOTE_WIDTH * theme.zoom) if wide >= LEAST_WIDTH * theme.zoom else 0
        self.setColumnHidden(NOTE, not note)
        self.setColumnWidth(VALUE, wide - note)
        self.setColumnWidth(NOTE, note)


class BodyTreePane(QWidget):
    """The tree, the chosen value below it, and a search in both.

    Signals:
        matches_changed: (number of the chosen match from 1, or 0; how many there are so far).
    """

    matches_changed = Signal(int, int)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._recorded = Recorded(desk, self)
        self._matches = Matches(b"", "")
        self._match: int | None = None
        self._node: Node | None = None
        self._counting = QTimer(self)
        self._counting.timeout.connect(self._count_on)
        self.rows = BodyTree()
        self.rows.picked.connect(self._show_value)
        self.rows.followed.connect(self._follow)
        self._where = Label("", "code", "muted", elide="left")
        self._jump = Button(_("Other part"), "quiet", "link", small=True)
        self._jump.clicked.connect(lambda: self._follow(self._node))
        self._copy = IconButton("copy", _("Copy the value"), small=True)
        self._copy.clicked.connect(self._copy_value)
        self.value = VirtualText(_("Chosen value"), numbers=False)
        self._head = line((self._where, 1), self._jump, self._copy, margins=(12, 3, 6, 3), gap=6, ground="window", lines="b")
        self._below = column(self._head, (self.value, 1), ground="base")
        self._below.hide()
        self._panes = Panes(self.rows, self._below, vertical=True)
        self._panes.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._panes)

    def show_body(self, read: ReadBody | None, title: str) -> None:
        """Show a body; None shows nothing."""
        tree = JsonTree(read.json, Marked(read.links, read.masks)) if read is not None and read.json is not None else None
        self.rows.show_tree(tree, title)
        self.search("")  # last: the matches of before would keep the body of before

    # The chosen value

    def _show_value(self, node: Node | None) -> None:
        self._node = node
        self._recorded.forget()
        tree = self.rows.tree
        wanted = tree is not None and node is not None and node.members is None
        partner = tree.partner(node) if tree is not None and node is not None else None
        is_long = wanted and tree is not None and node is not None and self._is_long(tree, node)
        self._below.setVisible(bool(is_long or partner))
        if not (wanted and tree and node and (is_long or partner)):
            return
        self._where.setText(visible(path_words(node.path)))
        self._jump.setVisible(partner is not None)
        if partner is not None:
            self._jump.setText(visible(path_words(partner[:-1])))
        self.value.setVisible(is_long)
        self._below.setMaximumHeight(QWIDGETSIZE_MAX if is_long else self._head.sizeHint().height())
        if not is_long:
            return
        if self.value.height() < 3 * theme.mh:
            self._panes.setSizes([self._panes.height() * 3 // 5, self._panes.height() * 2 // 5])
        value, body = node.value, tree.body
        if value.end - value.start <= COUNTED_BYTES:
            self._show_lines(TextLines(body.text(value)))
        else:
            self.value.set_text(_("reading…"), language="")
            self._recorded.read(lambda _store: TextLines(body.text(value)), self._show_lines, self.value.set_text)

    def _show_lines(self, lines: TextLines) -> None:
        begins = lines.data[:1]
        self.value.show_lines(lines, language="json" if begins in (b"{", b"[") else "")

    @staticmethod
    def _is_long(tree: JsonTree, node: Node) -> bool:
        """Whether a row cannot show the value whole."""
        if tree.body.kind(node.value) != "string":
            return False
        text = tree.body.text(node.value, SHOWN_CHARACTERS)
        return node.value.end - node.value.start > SHOWN_CHARACTERS // 2 or "\n" in text

    def _copy_value(self) -> None:
        if self.rows.tree and self._node:
            QApplication.clipboard().setText(self.rows.tree.body.text(self._node.value))

    def _follow(self, node: Node | None) -> None:
        partner = self.rows.tree.partner(node) if self.rows.tree and node else None
        if partner is not None and self.rows.show_path(partner):
            self.rows.setFocus(Qt.FocusReason.OtherFocusReason)

    # Finding

    def search(self, words: str) -> None:
        """Find words in names and values; the first match is chosen. Empty ends the search."""
        tree = self.rows.tree
        self._match = None
        self._matches = Matches(tree.body.data if tree else b"", _as_written(words, ascii_only=tree is not None and tree.body.data.isascii()))
        if words and tree:
            self._counting.start(0)
            self._choose(self._matches.after(0))
        else:
            self.matches_changed.emit(0, 0)

    def search_next(self) -> None:
        """Choose the next match; behind the last comes the first."""
        self._choose(self._matches.after(0 if self._match is None else self._match + 1))

    def search_previous(self) -> None:
        """Choose the match before; before the first comes the last."""
        self._choose(self._matches.before(self._match or 0))

    def _choose(self, match: int | None) -> None:
        self._match = match
        if match is not None and self.rows.tree:
            self.rows.show_path(self.rows.tree.body.path_at(match))
        self._tell()

    def _count_on(self) -> None:
        if not self._matches.work():
            self._counting.stop()
            self._tell()

    def _tell(self) -> None:
        self.matches_changed.emit(0 if self._match is None else self._matches.number_of(self._match), len(self._matches.starts))


def _as_written(words: str, *, ascii_only: bool) -> str:
    """Return words as they stand in a JSON string."""
    return json.dumps(words, ensure_ascii=ascii_only)[1:-1]

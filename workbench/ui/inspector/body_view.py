"""The body of a request: a tree of its values, or the raw bytes as they went over the wire."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.inspection.bodies import path_of
from workbench.inspection.requests import RequestRow
from workbench.ui.desk import Desk
from workbench.ui.inspector.body_tree import BodyTreePane
from workbench.ui.inspector.figures import one_line, size
from workbench.ui.inspector.recorded import ReadBody, Recorded, exactness, read_body
from workbench.ui.inspector.search_field import SearchField
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.buttons import Chip
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.theme import theme
from workbench.words import _, many

TREE, RAW, WORDS = range(3)
CHIP_WIDTH = 480
"""The chip of masked secrets needs at least this width, in pixels at no zoom; the line below says it too."""


class BodyView(QWidget):
    """The body of the chosen request."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._recorded = Recorded(desk, self)
        self._row: RequestRow | None = None
        self._read: ReadBody | None = None
        self._wanted_place = ""
        self.form = Segments([_("Tree"), _("Raw")], name=_("How the body is shown"))
        self.form.changed.connect(self._show_form)
        self.search = SearchField(_("Search in the body"))
        self.search.setMaximumWidth(round(260 * theme.zoom))
        self._masked = Chip("", "eye-off")
        self._masked.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.tree = BodyTreePane(desk)
        self.raw = VirtualText(_("Bytes of the body"), language="json")
        self._words = Label("", "small", "muted", wrap=True)
        self._foot = Label("", "tiny", "faint", select=True, elide="right")
        self._foot.setAccessibleName(_("About the body"))
        self._stack = QStackedWidget()
        for page in (self.tree, self.raw, line((self._words, 1), margins=(14, 12, 14, 12), ground="base")):
            self._stack.addWidget(page)
        tools = line(self.form, (self.search, 4), self._masked, None, margins=(10, 6, 8, 6), gap=8, ground="base", lines="b")
        foot = line((self._foot, 1), margins=(12, 4, 12, 5), ground="window", lines="t")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column(tools, (self._stack, 1), foot))
        self._connect_search()
        self.show_row(None)

    def _connect_search(self) -> None:
        self.search.searched.connect(lambda words: self._searched.search(words))
        self.search.next_wanted.connect(lambda: self._searched.search_next())
        self.search.previous_wanted.connect(lambda: self._searched.search_previous())
        self.tree.matches_changed.connect(lambda n, count: self._show_matches(TREE, n, count))
        self.raw.matches_changed.connect(lambda n, count: self._show_matches(RAW, n, count))

    @property
    def _searched(self) -> BodyTreePane | VirtualText:
        return self.raw if self.form.chosen == RAW else self.tree

    def show_row(self, row: RequestRow | None) -> None:
        """Show the body of a request; None shows that none is chosen."""
        known = self._row is not None and row is not None and row.opened == self._row.opened
        self._row = row
        if known:
            return
        self._recorded.forget()
        self._put(None)
        if row is None:
            self._say(_("Choose a request to read what was sent."))
            return
        self._say(_("reading…"))
        self._recorded.read(lambda store: read_body(store, row.opened.body), self._put, self._say)

    def show_place(self, pointer: str) -> None:
        """Choose the value at a JSON pointer, or the nearest that is there, in the tree; once the body has been read if it is not yet."""
        self._wanted_place = pointer
        self._go_to_place()

    def _go_to_place(self) -> None:
        pointer, read = self._wanted_place, self._read
        if not pointer or read is None or read.json is None:
            return
        self._wanted_place = ""
        self.form.choose(TREE)
        path = path_of(pointer)
        while path and not self.tree.rows.show_path(path):
            path = path[:-1]

    def _put(self, read: ReadBody | None) -> None:
        self._read = read
        self.tree.show_body(read, self._title())
        self.raw.set_text(b"")
        if read is not None:
            self.raw.show_lines(read.lines, language="json" if read.json is not None else "")
        self._show_facts()
        self.search.set_text("")
        if read is not None:
            self._show_form()
            self._go_to_place()

    def _title(self) -> str:
        if self._row is None:
            return ""
        opened = self._row.opened
        if not opened.url:  # it was held back, and is on its way nowhere
            return size(opened.body.size_bytes)
        path = "/" + opened.url.partition("://")[2].partition("/")[2].partition("?")[0]
        return f"{opened.method} {one_line(path)} · {size(opened.body.size_bytes)}"

    def _show_facts(self) -> None:
        count = len(self._read.masks) if self._read is not None else 0
        self._masked.show_status(many("{n} secret masked", "{n} secrets masked", count), "eye-off")
        self._fit()
        ref = self._row.opened.body if self._row is not None else None
        self._foot.setText(f"{size(ref.size_bytes)} · {exactness(exact=ref.exact)} · SHA-256 {ref.sha256}" if ref else "")
        self._foot.set_token("faint" if ref is None or ref.exact else "level2")

    def _show_form(self) -> None:
        """Show tree or raw bytes; a body that is no JSON has no tree."""
        if self._read is None:
            return
        if self._read.json is None and self.form.chosen == TREE:
            words = _("This body is not JSON from byte {at:,} on, so there is no tree; Raw shows its bytes.").format(at=self._read.fault_at)
            self._say(words if self._read.data else _("This request has no body."))
        else:
            self._stack.setCurrentIndex(self.form.chosen)
        self._searched.search(self.search.text())

    def _say(self, words: str) -> None:
        self._words.setText(words)
        self._stack.setCurrentIndex(WORDS)

    def _show_matches(self, form: int, chosen: int, count: int) -> None:
        if form == self.form.chosen:
            self.search.show_matches(chosen, count)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._masked.setVisible(bool(self._read and self._read.masks) and self.width() >= CHIP_WIDTH * theme.zoom)

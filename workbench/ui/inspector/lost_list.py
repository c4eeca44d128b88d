"""What is lost, or would be refused, on the way to the dialects that are shown: one row a rule, which leads to the places."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, Qt
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.inspector.dialects_words import Told, head_words, short_title, times
from workbench.ui.kit.buttons import Chip
from workbench.ui.kit.cells import Cell, CellModel, CellTable
from workbench.ui.kit.labels import Label, plain_tip
from workbench.ui.kit.layout import line
from workbench.ui.kit.paint import pill_width, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

RULE, TEXT, WEIGHT = range(3)
FEWEST_ROWS, MOST_ROWS = 2, 7
NARROW = 560
"""Below this width there is no room for the names of rules."""


class LostTable(CellTable):
    """The rows.

    Signals:
        wanted: a row, by its place: to be taken to where it is, or to the next place where it is.
    """

    wanted = Signal(int)

    def __init__(self) -> None:
        self.cells = CellModel([], 3)
        super().__init__(self.cells, ("", "", ""), widths=(180, 200, 80), stretch=TEXT, head=False, name=_("Lost in translation"))
        self.clicked.connect(self._want)

    def _want(self, index: QModelIndex) -> None:
        self.wanted.emit(index.row())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.wanted.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class LostList(QWidget):
    """Head and rows.

    Signals:
        jump_wanted: (pane, row of the panes).
    """

    jump_wanted = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._told: Sequence[Told] = ()
        self._next: dict[int, int] = {}
        self._names: Sequence[str] = ()
        self._title = Label("", "small", weight="bold")
        self._count = Chip("")
        self._count.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._hint = Label(_("Circles tie the ids of one call. Click one to follow it."), "tiny", "faint", elide="right")
        self.table = LostTable()
        self.table.wanted.connect(self._jump)
        self._nothing = Label("", "small", "muted", wrap=True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(line((self._nothing, 1), margins=(12, 0, 12, 8), ground="base"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line(self._title, self._count, None, self._hint, margins=(12, 7, 12, 5), gap=8, ground="base", lines="t"))
        layout.addWidget(self._stack, 1)

    def wanted_height(self) -> int:
        """Return the height that shows the rows, as far as there should be room for them."""
        return (min(max(len(self._told), FEWEST_ROWS), MOST_ROWS) + 1) * theme.row + 12

    def show_told(self, told: Sequence[Told], names: Sequence[str], unchecked: bool) -> None:
        """Show what there is to tell of the panes of some dialects; `unchecked`: a body was too large for the linter."""
        if told != self._told:
            self._next = {}
        self._told = told
        lossy = list(dict.fromkeys(names[one.pane] for one in told if not one.refused))
        self._title.setText(head_words(lossy) if lossy else _("Lost in translation"))
        self._count.show_status(str(sum(one.times for one in told)), tone="wait" if any(one.tone != "plain" for one in told) else "plain")
        self._count.setVisible(bool(told))
        words = _("Nothing is lost between these dialects.") if len(names) > 1 else _("Nothing is lost.")
        self._nothing.setText(words)
        self._stack.setCurrentIndex(0 if told else 1)
        plain_tip(self._hint, _("A body here is too large to be checked for what its provider refuses.") if unchecked else "")
        self._names = names
        self._fill(names)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.width() < NARROW) != (event.oldSize().width() < NARROW):
            self._fill(self._names)

    def _fill(self, names: Sequence[str]) -> None:
        chosen = self.table.currentIndex().row()
        several = len({one.pane for one in self._told}) > 1
        self.table.cells.set_rows([self._cells(one, short_title(names[one.pane]) if several else "") for one in self._told])
        self._hint.setVisible(self.width() >= NARROW * 0.8)
        self.table.setColumnHidden(RULE, self.width() < NARROW)
        rules = max((width_of(one.rule, theme.font("code")) for one in self._told), default=0)
        self.table.setColumnWidth(RULE, round(min(rules + 46, max(120, self.width() * 0.42))))
        self.table.setColumnWidth(WEIGHT, round(max((pill_width(one.weight) for one in self._told), default=40) + 26))
        if 0 <= chosen < len(self._told):
            self.table.setCurrentIndex(self.table.cells.index(chosen, 0))

    def _cells(self, one: Told, name: str) -> list[Cell]:
        icon, token = ("failed", "fail") if one.refused else ("warning" if one.finding else "lost", "level2")
        note = " · ".join(filter(None, (name, times(one.times))))
        narrow = self.width() < NARROW  # the sentence says more than the name of its rule
        tip = f"{one.rule}: {one.text}"
        return [
            Cell(one.rule, icon=icon, icon_token=token, mono=True, tip=tip),
            Cell(one.text, icon=icon if narrow else "", icon_token=token, token="muted", note=note, note_right=bool(note), tip=tip),
            Cell(pill=one.weight, pill_tone=one.tone, align="right"),
        ]

    def _jump(self, place: int) -> None:
        one = self._told[place]
        if one.rows:
            at = self._next.get(place, 0) % len(one.rows)
            self._next[place] = at + 1
            self.jump_wanted.emit(one.pane, one.rows[at])

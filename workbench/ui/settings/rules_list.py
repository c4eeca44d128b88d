"""The list of all rules in force: filtered while one types, a person's own can be removed, and a removal undone while the list is open."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.rules import Rule
from workbench.permissions.visible import visible
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.cells import Cell, Table
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.kit.theme import theme
from workbench.ui.rule_names import EFFECT_LOOKS
from workbench.ui.settings.rows import INSET
from workbench.ui.settings.rule_rows import RuleRow, filtered, origin_words, shown_rule, so_far
from workbench.words import _, state_name

ROWS_SHOWN = 12
WIDTHS = (5.5, 5.5, 18, 8.5, 9.5)
"""Widths of the columns, in lines of text."""
PATTERN, LEAST_PATTERN = 2, 8


class RuleTable(Table):
    """A table in which Del is heard.

    Signals:
        delete_wanted: Del was pressed.
    """

    delete_wanted = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.delete_wanted.emit()
            event.accept()
            return
        super().keyPressEvent(event)


class RulesList(QWidget):
    """The list.

    Signals:
        removed: a rule is to be removed.
        undone: the rule that was removed last is to come back.
    """

    removed = Signal(object)
    undone = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[RuleRow, ...] = ()
        self.shown: tuple[RuleRow, ...] = ()
        self._gone: Rule | None = None
        self.filter = Field(placeholder=_("Filter rules"), icon_name="filter")
        heads = (_("Effect"), _("Tool"), _("Matches"), _("Holds for"), _("So far"))
        self._table = RuleTable(heads, (), [round(width * theme.lh) for width in WIDTHS], stretch=PATTERN, name=_("Rules"))
        self._table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._remove = Button(_("Remove this rule"), small=True, keys=_("Del"))
        self._none = Label(_("None of your own yet. “Always allow” in a question adds one."), "small", "faint", wrap=True)
        self._told = Label("", "small", "muted", wrap=True)
        self._undo = Button(_("Undo"), small=True, icon_name="undo")
        self._lay_out()
        self._connect()
        self._show_gone(None)

    def _lay_out(self) -> None:
        self.filter.setFixedWidth(13 * theme.lh)
        self.head = line(self.filter, None, self._remove, margins=(INSET, 0, INSET, 6))
        self._foot = line((self._told, 1), self._undo, margins=(INSET, 6, INSET, 4))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(self.head)
        stack.addWidget(line((self._table, 1), margins=(INSET - 8, 0, INSET - 8, 0)))
        stack.addWidget(line((self._none, 1), margins=(INSET, 6, INSET, 0)))
        stack.addWidget(self._foot)

    def _connect(self) -> None:
        self.filter.changed.connect(self._show)
        self._table.selectionModel().selectionChanged.connect(self._follow_choice)
        self._remove.clicked.connect(self._take_away)
        self._undo.clicked.connect(self._bring_back)
        self._table.delete_wanted.connect(self._take_away)

    # What is shown

    def show_rules(self, rows: tuple[RuleRow, ...]) -> None:
        """Show other rules; the chosen one stays chosen."""
        if rows != self._all:
            self._all = rows
            self._show()

    def _show(self) -> None:
        chosen = self._chosen()
        self._none.setVisible(not any(row.removable for row in self._all))
        self.shown = filtered(self._all, self.filter.text())
        self._table.rows_model.set_rows([_cells(row) for row in self.shown])
        self._table.setFixedHeight((1 + max(1, min(len(self.shown), ROWS_SHOWN))) * theme.row + 2)
        place = next((number for number, row in enumerate(self.shown) if chosen is not None and row.rule == chosen.rule), -1)
        if place >= 0:
            self._table.selectRow(place)
        self._follow_choice()

    def _chosen(self) -> RuleRow | None:
        rows = self._table.selectionModel().selectedRows()
        return self.shown[rows[0].row()] if rows and rows[0].row() < len(self.shown) else None

    def _follow_choice(self) -> None:
        row = self._chosen()
        self._remove.setEnabled(row is not None and row.removable)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() - 2 * INSET - sum(round(width * theme.lh) for place, width in enumerate(WIDTHS) if place != PATTERN)
        self._table.setColumnHidden(3, wide < LEAST_PATTERN * theme.lh)  # what a rule matches is worth more than how far it holds

    # Removing, and bringing back

    def _take_away(self) -> None:
        row = self._chosen()
        if row is not None and row.removable and row.rule is not None:
            self.removed.emit(row.rule)

    def tell_removed(self, rule: Rule) -> None:
        """Say that a rule was removed, and offer to bring it back."""
        self._show_gone(rule)

    def _bring_back(self) -> None:
        rule = self._gone
        self._show_gone(None)
        if rule is not None:
            self.undone.emit(rule)
            self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_gone(self, rule: Rule | None) -> None:
        self._gone = rule
        self._told.setText(_("Removed: {rule}").format(rule=shown_rule(rule)) if rule is not None else "")
        self._foot.setVisible(rule is not None)


def _cells(row: RuleRow) -> list[Cell]:
    icon, token = EFFECT_LOOKS[row.effect]
    own = row.origin != "built_in"
    pattern = visible(row.pattern)
    problem = visible(row.problem)
    last = Cell(problem, "warning", "level2", "level2", tip=problem) if problem else Cell(so_far(row), token="muted")
    return [
        Cell(state_name(row.effect).capitalize(), icon, token, weight="medium"),
        Cell(visible(row.tool), mono=True, weight="medium"),
        Cell(pattern, mono=own, token="text" if own else "muted", elide="middle" if own else "right", tip=f"{pattern}\n{origin_words(row)}"),
        Cell(origin_words(row), "" if own else "lock", token="muted", elide="middle"),
        last,
    ]

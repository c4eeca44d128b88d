"""The providers as a list of two lines each: what it is called and what is known of it, dialect and address."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.frame.cell_list import CellList, ListRow
from workbench.ui.inspector.dialects_words import short_title
from workbench.ui.kit.cells import CELL, Cell
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import fill, hline, pill, pill_width, text
from workbench.ui.kit.theme import theme
from workbench.ui.settings.provider_values import Provider, ProvidersState
from workbench.words import _

SIGNS = {"ok": ("check", "ok"), "warning": ("warning", "level2"), "failed": ("failed", "fail"), "": ("queued", "faint")}


class ProviderList(QListView):
    """The list.

    Signals:
        chosen: key of the provider that a person chose.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.setAccessibleName(_("Providers"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(_Delegate(self))
        self._rows = CellList()
        self._telling = True
        self.setModel(self._rows)

    def show_providers(self, rows: Sequence[ListRow], chosen: str) -> None:
        """Show rows, of which one is chosen; nothing is told of it."""
        self._telling = False
        self._rows.set_rows(rows)
        self.setCurrentIndex(self._rows.index_of(chosen))
        self._telling = True

    @override
    def currentChanged(self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex) -> None:
        super().currentChanged(current, previous)
        if self._telling and current.isValid():
            self.chosen.emit(self._rows.key_of(current))


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: ProviderList) -> None:
        super().__init__(view)
        self._view = view

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(80, 2 * theme.lh + 18)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        cell: Cell = index.data(CELL)
        rect, keyboard = QRectF(option.rect), self._view.hasFocus()
        if option.state & QStyle.StateFlag.State_Selected:
            fill(painter, rect, "select" if keyboard else "select_idle")
            if keyboard:
                fill(painter, QRectF(rect.x(), rect.y(), 2, rect.height()), "accent_fill")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            fill(painter, rect, "hover")
        draw_icon(painter, cell.icon, rect.x() + 14, rect.y() + 9, cell.icon_token)
        left, right = rect.x() + 40, rect.right() - 12
        if cell.pill:
            width = pill_width(cell.pill)
            pill(painter, right - width, rect.y() + 8 + theme.lh / 2, cell.pill, cell.pill_tone)
            text(painter, QRectF(left, rect.y() + 6, right - width - 8 - left, theme.lh + 4), cell.text, theme.font("body", "medium"))
        else:
            text(painter, QRectF(left, rect.y() + 6, right - left, theme.lh + 4), cell.text, theme.font("body", "medium"))
        text(painter, QRectF(left, rect.y() + theme.lh + 9, right - left, theme.lh + 2), cell.note, theme.font("small"), "muted", elide="middle")
        hline(painter, rect.x(), rect.right() + 1, rect.bottom())


def rows_of(providers: Sequence[Provider], state: ProvidersState, keyless: Collection[str], in_use: str) -> tuple[ListRow, ...]:
    """Return the rows.

    Args:
        providers: in the order of the list.
        state: what was typed and tested.
        keyless: names of profiles whose key is missing.
        in_use: name of the profile that answers now.
    """
    return tuple(ListRow(provider.key, _cell(provider, state, keyless, in_use)) for provider in providers)


def _cell(provider: Provider, state: ProvidersState, keyless: Collection[str], in_use: str) -> Cell:
    profile, draft = provider.profile, state.drafts.get(provider.key)
    outcomes = [line.outcome for line in state.results.get(provider.key, ())]
    worst = next((outcome for outcome in ("failed", "warning", "ok") if outcome in outcomes), "ok" if provider.kind == "practice" else "")
    icon, token = SIGNS[worst]
    title = _("Practice model") if provider.kind == "practice" else draft.title if draft else profile.title or profile.name
    where = draft.address if draft else profile.host if profile.base_url else ""
    label, tone = _pill(provider, state, keyless, in_use)
    dialect = short_title(profile.dialect)
    note = " · ".join(visible(part) for part in (dialect, where.removeprefix("https://").removeprefix("http://")) if part)
    return Cell(visible(title) or _("New provider"), icon, token, note=note, pill=label, pill_tone=tone)


def _pill(provider: Provider, state: ProvidersState, keyless: Collection[str], in_use: str) -> tuple[str, str]:
    """Return the one thing that should be known of a provider, and its tone."""
    if provider.kind == "new" or provider.key in state.drafts:
        return _("not saved"), "wait"
    if provider.key == in_use:
        return _("in use"), "you"
    if provider.key in keyless:
        return _("no key"), "plain"
    return {"practice": _("built in"), "local": _("found")}.get(provider.kind, ""), "plain"

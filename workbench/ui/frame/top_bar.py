"""The bar at the top: the workspace and its session at the left, search and the switches of the panes at the right."""

from __future__ import annotations

from math import ceil
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget
from typing_extensions import override

from workbench.conversation.events import Entry, TitleSet
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import IconButton, Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import Label, plain_tip
from workbench.ui.kit.layout import Ground
from workbench.ui.kit.paint import RIGHT, box, focus_ring, text, width_of
from workbench.ui.kit.popup import Entry as MenuEntry
from workbench.ui.kit.popup import PopupMenu
from workbench.ui.kit.theme import theme
from workbench.words import _

SEARCH_WIDTH, SEARCH_LEAST = 280, 40
SEARCH_KEYS = "Ctrl+K"
ROOM = 56
"""Pixels that icon, chevron and margins of the workspace's button take."""
OPEN_FOLDER, COPY_PATH = "open folder", "copy path"


class WorkspaceButton(Painted):
    """The folder's name and its branch; gives way, both elided in the middle."""

    def __init__(self) -> None:
        self.branch = ""
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_folder(self, folder: Path | None, branch: str) -> None:
        """Show another folder, or that none is open."""
        self.branch = visible(branch)
        self.setText(visible(folder.name or str(folder)) if folder is not None else _("No folder"))
        self.setAccessibleName(_("Workspace"))
        self.setAccessibleDescription(f"{self.text()} {self.branch}".strip())
        plain_tip(self, "\n".join(line for line in (str(folder or ""), _("Branch: {name}").format(name=branch) if branch else "") if line))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(min(96, ceil(self.measure())), self.tall())

    @override
    def measure(self) -> float:
        return ROOM + self._name_width() + (6 + self._branch_width() if self.branch else 0)

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        ground = self.pointer_ground()
        if ground:
            box(p, rect, ground, None, 5)
        draw_icon(p, "folder", 7, (rect.height() - 16) / 2)
        room = rect.width() - ROOM
        branch = min(self._branch_width(), max(0.0, min(room - self._name_width() - 6, room / 2 if self._name_width() > room / 2 else room)))
        name = room - branch - (6 if branch else 0)
        x = 28 + text(p, QRectF(28, 0, name, rect.height()), self.text(), theme.font("small"), elide="middle")
        if branch > theme.lh:
            text(p, QRectF(x + 6, 0, branch, rect.height()), self.branch, theme.font("small"), "faint", elide="middle")
        draw_icon(p, "chevron-down", rect.right() - 19, (rect.height() - 12) / 2, "muted", 12)
        if self.state("focus"):
            focus_ring(p, rect)

    def _name_width(self) -> float:
        return width_of(self.text(), theme.font("small"))

    def _branch_width(self) -> float:
        return width_of(self.branch, theme.font("small"))


class SearchButton(Painted):
    """Looks like a field and opens the palette; of its words only the icon is left where there is no room."""

    def __init__(self) -> None:
        super().__init__(_("Search, or run a command"))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleDescription(SEARCH_KEYS)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(SEARCH_LEAST, self.tall())

    @override
    def measure(self) -> float:
        keys = width_of(SEARCH_KEYS, theme.font("tiny"))
        return max(SEARCH_WIDTH, 30 + width_of(self.text(), theme.font("small")) + 12 + keys + 10)

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        box(p, rect, "hover" if self.state("hover") else "base", "edge", 5)
        draw_icon(p, "search", 8, (rect.height() - 16) / 2)
        keys = width_of(SEARCH_KEYS, theme.font("tiny"))
        words = width_of(self.text(), theme.font("small"))
        if rect.width() >= 30 + min(words, 60) + 12 + keys + 10:
            text(p, rect.adjusted(0, 0, -9, 0), SEARCH_KEYS, theme.font("tiny"), "faint", RIGHT)
            text(p, rect.adjusted(30, 0, -keys - 18, 0), self.text(), theme.font("small"), "faint")
        elif rect.width() >= 30 + keys + 10:
            text(p, rect.adjusted(0, 0, -9, 0), SEARCH_KEYS, theme.font("tiny"), "faint", RIGHT)
        if self.state("focus"):
            focus_ring(p, rect)


class TopBar(Ground):
    """What is open, and the way to everything else.

    Signals:
        menu_wanted: the main menu is wanted; carries the button that it belongs to.
        folder_wanted: another folder is to be chosen.
        palette_wanted: the palette is wanted.
        side_toggled, inspector_toggled: whether the pane is to be shown.
        settings_wanted: the settings are wanted.
    """

    menu_wanted = Signal(QWidget)
    folder_wanted = Signal()
    palette_wanted = Signal()
    side_toggled = Signal(bool)
    inspector_toggled = Signal(bool)
    settings_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__("window", "b")
        self._desk = desk
        self._menu = IconButton("menu", _("Menu"))
        self._workspace = WorkspaceButton()
        self._slash = Label("/", "body", "faint")
        self._title = Label("", "body", weight="medium", elide="middle")
        self._title.setAccessibleName(_("Session"))
        self._search = SearchButton()
        self._side, self._inspector = IconButton("pane-left", _("Side pane")), IconButton("pane-right", _("Inspector"))
        self._settings = IconButton("settings", _("Settings"))
        for switch in (self._side, self._inspector):
            switch.setCheckable(True)
            switch.setChecked(True)
        self._lay_out()
        self._connect()
        self._show_workspace()
        self._show_title()

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 1)
        layout.setSpacing(2)
        for widget in (self._menu, self._workspace):
            layout.addWidget(widget)
        layout.addSpacing(2)
        layout.addWidget(self._slash)
        layout.addSpacing(2)
        layout.addWidget(self._title)
        layout.addStretch(1)
        layout.addSpacing(8)
        layout.addWidget(self._search)
        layout.addSpacing(6)
        for widget in (self._side, self._inspector, self._settings):
            layout.addWidget(widget)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._set_height()

    def _connect(self) -> None:
        self._menu.clicked.connect(lambda: self.menu_wanted.emit(self._menu))
        self._workspace.clicked.connect(self._open_workspace_menu)
        self._search.clicked.connect(self.palette_wanted)
        self._side.clicked.connect(self.side_toggled)
        self._inspector.clicked.connect(self.inspector_toggled)
        self._settings.clicked.connect(self.settings_wanted)
        self._desk.workspace_changed.connect(self._show_workspace)
        self._desk.bridge.attached.connect(self._show_title)
        self._desk.bridge.facts.connect(self._hear)

    def show_panes(self, *, side: bool, inspector: bool) -> None:
        """Show which panes are open, when something else opened or closed one."""
        self._side.setChecked(side)
        self._inspector.setChecked(inspector)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_height()

    def _set_height(self) -> None:
        self.setFixedHeight(theme.lh + 24)

    def _show_workspace(self) -> None:
        workspace = self._desk.workspace
        self._workspace.show_folder(workspace.path if workspace is not None else None, self._desk.branch)

    def _hear(self, entries: tuple[Entry, ...]) -> None:
        if any(isinstance(entry.event, TitleSet) for entry in entries):
            self._show_title()

    def _show_title(self) -> None:
        title = visible(self._desk.bridge.timeline.title)
        self._title.setText(title)
        self._title.setAccessibleDescription(title)
        self._slash.setVisible(bool(title))
        self._title.setVisible(bool(title))

    def _open_workspace_menu(self) -> None:
        why_not = "" if self._desk.workspace is not None else _("No folder is open.")
        entries = (
            MenuEntry(entry_id=OPEN_FOLDER, title=_("Open folder…"), icon="folder-open", note="Ctrl+O"),
            MenuEntry(entry_id=COPY_PATH, title=_("Copy path"), icon="copy", why_not=why_not),
        )
        menu = PopupMenu(entries, self, name=_("Workspace"))
        menu.chosen.connect(self._do)
        menu.below(self._workspace)

    def _do(self, chosen: str) -> None:
        workspace = self._desk.workspace
        if chosen == OPEN_FOLDER:
            self.folder_wanted.emit()
        elif workspace is not None:
            QGuiApplication.clipboard().setText(str(workspace.path))

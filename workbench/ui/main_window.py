"""The window: puts its parts together, carries commands to them, and ends in order.

It holds no truth: what it shows is on the desk and in the journal, what it remembers of its own shape is in `WindowState`.
"""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QShortcut
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.settings.tree import AppearanceSettings
from workbench.ui.commands import Commands
from workbench.ui.desk import Desk
from workbench.ui.kit.file_dialog import file_dialog
from workbench.ui.kit.overlay import Overlay
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.look import Look
from workbench.ui.palette import Palette
from workbench.ui.questions import Kept, Questions
from workbench.ui.window_actions import Actions
from workbench.ui.window_commands import MENU, add_shortcuts, window_commands
from workbench.ui.window_frame import Frame
from workbench.ui.window_places import Places
from workbench.ui.window_state import WindowState
from workbench.words import _

if TYPE_CHECKING:
    from workbench.ui.settings.dialog import SettingsDialog

SIZE = (1440, 900)
LEAST = (720, 480)
ZOOMS = (50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
"""Steps of the zoom, percent."""


class MainWindow(QWidget):
    """The window of the program.

    Whoever made it waits for `closing`, closes the desk, and calls `finish`.

    Args:
        desk: what is shown.
        look: the appearance in force.
        state_path: the file that its shape is remembered in.

    Attributes:
        closing: set when a person closed the window. It stays to be seen until `finish`.
        commands: everything that can be commanded, in the chosen language.
        frame: the parts.
        questions: the approval dialog.
    """

    frame: Frame
    questions: Questions
    commands: Commands

    def __init__(self, desk: Desk, look: Look, state_path: Path) -> None:
        super().__init__()
        self.desk = desk
        self.closing = asyncio.Event()
        self._look, self._state = look, WindowState(state_path)
        self._actions = Actions(desk, self)
        self._places = Places(desk, self.open_session, self.mention)
        self._shortcuts: list[QShortcut] = []
        self._settings: SettingsDialog | None = None
        self._finished = False
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.setMinimumSize(*LEAST)
        self._restore_geometry()
        self._build()
        self.frame.side.restore(self._state.side)
        desk.workspace_changed.connect(self._workspace_changed)
        desk.settings_changed.connect(self._settings_changed)
        desk.told.connect(self._tell)
        self._show_title()
        self.frame.composer.focus()

    # The parts

    def _build(self, kept: Kept | None = None) -> None:
        """Make the parts, in the chosen language and size."""
        self.frame = Frame(self.desk, self._state.panes)
        self.questions = Questions(self.desk.bridge, self, self._composer_place, kept)
        self.commands = window_commands(self)
        self._shortcuts = add_shortcuts(self.commands, self)
        self.frame.composer.set_commands(self.commands)
        self._layout.addWidget(self.frame)
        self._connect()

    def _connect(self) -> None:
        frame, actions = self.frame, self._actions
        frame.top.menu_wanted.connect(self._open_menu)
        frame.top.folder_wanted.connect(self.choose_folder)
        frame.top.palette_wanted.connect(self.open_palette)
        frame.top.settings_wanted.connect(self.open_settings)
        frame.side.file_wanted.connect(actions.show_file)
        frame.side.mention_wanted.connect(self.mention)
        frame.side.session_wanted.connect(self.open_session)
        frame.side.new_session_wanted.connect(self.new_session)
        frame.welcome.suggested.connect(frame.composer.put)
        frame.welcome.folder_wanted.connect(self.choose_folder)
        frame.welcome.provider_wanted.connect(self._add_provider)
        frame.composer.provider_wanted.connect(self._add_provider)
        frame.composer.sent.connect(frame.chat.scroll_to_end)
        frame.attention.review_wanted.connect(self.review)
        frame.held.details_wanted.connect(lambda hold_id: actions.run("show_findings", hold_id))
        frame.inspector.closed.connect(self.toggle_inspector)
        frame.status.mode_wanted.connect(self.open_mode_menu)
        frame.chat.activated.connect(actions.run)
        self.questions.dialog.kept.connect(lambda sentence: self._tell(sentence, "info"))

    def _rebuild(self) -> None:
        """Make the parts anew: words or sizes are others now. An open palette is opened anew too, with what is written in it."""
        palette = next((palette for palette in self._open_overlays() if isinstance(palette, Palette)), None)
        query = palette.query.text() if palette is not None else None
        if palette is not None:
            palette.dismiss()
        state, frame, kept = self.frame.state(), self.frame, self.questions.kept()
        for shortcut in self._shortcuts:
            shortcut.deleteLater()
        self.questions.close()
        self._layout.removeWidget(frame)
        frame.hide()
        frame.deleteLater()
        self._build(kept)
        self.frame.restore(state)
        self.frame.show()
        self._show_title()
        self.frame.take_focus(state)
        if query is not None:
            self.open_palette(query)

    def _settings_changed(self) -> None:
        """Follow the settings; what would make the parts anew waits for an open menu or question, which belongs to one of them."""
        waits_for = next((overlay for overlay in self._open_overlays() if not isinstance(overlay, Palette)), None)
        if waits_for is not None:
            waits_for.closed.connect(self._settings_changed, Qt.ConnectionType.QueuedConnection)  # what was chosen in it is done first
        elif self._look.use(self.desk.app.settings.appearance):
            self._rebuild()

    def _open_overlays(self) -> list[Overlay]:
        return [overlay for overlay in self.findChildren(Overlay) if overlay.is_open]

    def _composer_place(self) -> QRect:
        composer = self.frame.composer
        return QRect(composer.mapToGlobal(QPoint(0, 0)), composer.size())

    # What is told

    def _tell(self, sentence: str, level: str) -> None:
        self.frame.told.tell(sentence, level)

    def _workspace_changed(self) -> None:
        self._show_title()
        self._places.refresh()

    def _show_title(self) -> None:
        workspace = self.desk.workspace
        self.setWindowTitle(f"{visible(workspace.path.name)} — Agent Workbench" if workspace is not None else "Agent Workbench")

    # What commands do

    def new_session(self) -> None:
        """Begin a session and give the composer the keyboard."""
        self.desk.spawn(self.desk.new_session(), name="new session")
        self.frame.composer.focus()

    def open_session(self, session_id: str) -> None:
        """Show another session."""
        self.desk.spawn(self.desk.open_session(session_id), name="open session")

    def choose_folder(self) -> None:
        """Ask for a folder to open."""
        dialog = file_dialog(self, _("Open a folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(str(self._beside_the_workspace()))
        dialog.fileSelected.connect(self.open_folder)
        dialog.open()

    def _beside_the_workspace(self) -> Path:
        """Return where other projects probably are; beside the sample project there are none."""
        workspace = self.desk.workspace
        if workspace is None or workspace.path.is_relative_to(self.desk.app.data_folder):
            return Path.home()
        return workspace.path.parent

    def open_folder(self, path: str) -> None:
        """Open a folder."""
        self.desk.spawn(self.desk.open_folder(Path(path)), name="open folder")

    def open_palette(self, query: str = "") -> None:
        """Open the palette with something written in it."""
        self._places.refresh()
        Palette(self.commands, self.frame, self._places.find).open(query)

    def mention(self, path: str) -> None:
        """Name a file in the message."""
        self.frame.composer.mention(path)

    def find_in_chat(self) -> None:
        """Find in the chat."""
        self.frame.chat.show_find()

    def scroll_to_end(self) -> None:
        """Show the end of the chat."""
        self.frame.chat.scroll_to_end()

    def open_mode_menu(self) -> None:
        """Open the menu of modes."""
        self.frame.composer.open_mode_menu()

    def open_model_menu(self) -> None:
        """Open the menu of models."""
        self.frame.composer.open_model_menu()

    def cycle(self, step: int) -> None:
        """Give the keyboard to the next pane, or the one before."""
        self.frame.cycle(step)

    def toggle_side(self) -> None:
        """Show or hide the side pane."""
        self.frame.open_side(not self.frame.side_open)

    def toggle_inspector(self) -> None:
        """Show or hide the inspector."""
        self.frame.open_inspector(not self.frame.inspector_open)

    def show_inspector(self, tab: str) -> None:
        """Show a tab of the inspector."""
        self.frame.open_inspector(wanted=True)
        self.frame.inspector.choose_tab(tab)

    def review(self, call_id: str = "") -> None:
        """Show the calls that wait, one of them first if it is named."""
        self.questions.review(call_id)

    def allow_front(self) -> None:
        """Allow the call in front once if all of it is seen and its level lets that pass; else show it."""
        self.questions.allow_front(self.frame.chat.allow_waiting)

    def reject_front(self) -> None:
        """Reject the call in front."""
        self.questions.reject_front()

    def change_zoom(self, steps: int) -> None:
        """Make everything larger or smaller; 0 for the usual size."""
        now = self.desk.app.settings.appearance.zoom_percent
        place = min(range(len(ZOOMS)), key=lambda index: abs(ZOOMS[index] - now)) + steps
        self._save(zoom_percent=ZOOMS[min(max(place, 0), len(ZOOMS) - 1)] if steps else 100)

    def use_theme(self, name: str) -> None:
        """Choose light, dark, or what the desktop says."""
        self._save(theme=name)

    def use_language(self, name: str) -> None:
        """Choose a language."""
        self._save(language=name)

    def _save(self, **changes: object) -> None:
        settings = self.desk.app.settings
        appearance: AppearanceSettings = msgspec.structs.replace(settings.appearance, **changes)
        self.desk.spawn(self.desk.save_settings(msgspec.structs.replace(settings, appearance=appearance)), name="save settings")

    def open_settings(self, page: str = "") -> None:
        """Open the settings on a page; without one where they are, at first at the providers."""
        self.settings_shown(page).activateWindow()

    def settings_shown(self, page: str = "") -> SettingsDialog:
        """Return the settings, open on a page."""
        if self._settings is None:
            self._settings = _settings_dialog(self.desk, self, page or "providers")
            self._settings.destroyed.connect(self._settings_gone)
        elif page:
            self._settings.show_page(page)
        self._settings.show()
        self._settings.raise_()
        return self._settings

    def find_servers(self) -> None:
        """Look for model servers on this machine."""
        self.desk.spawn(self._actions.find_servers(), name="find servers")

    def _add_provider(self) -> None:
        self.open_settings("providers")

    def show_confinement(self) -> None:
        """Show what holds commands."""
        self.frame.status.open_confinement()

    def _settings_gone(self) -> None:
        self._settings = None

    def _open_menu(self, anchor: QWidget) -> None:
        known, entries, rule = {command.command_id: command for command in self.commands.all()}, list[Entry](), False
        for word in MENU.split():
            if word == "|":
                rule = True
                continue
            command = known[word]
            entries.append(Entry(entry_id=word, title=command.title, note=command.keys, why_not=command.why_not(), rule=rule))
            rule = False
        menu = PopupMenu(entries, self.frame, name=_("Menu"))
        menu.chosen.connect(self.commands.run)
        menu.below(anchor)

    # Keys, and the end

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc that nothing else had a use for stops the turn."""
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.desk.bridge.stop()
            return
        super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self.desk.workspace is not None and not self.closing.is_set():
            self.desk.spawn(self._actions.refresh(), name="look what changed")
            self.frame.side.refresh()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self._finished:
            event.accept()
            return
        event.ignore()
        if not self.closing.is_set():
            self._state.save(self.saveGeometry(), self.frame.side.state())
            self.setEnabled(False)
            self.closing.set()

    def finish(self) -> None:
        """Go away for good; the desk is closed."""
        self._finished = True
        self.questions.close()
        if self._settings is not None:
            self._settings.hide()  # it would ask about what is not saved
            self._settings.deleteLater()
        self.close()
        self.deleteLater()

    def _restore_geometry(self) -> None:
        geometry = self._state.geometry
        if geometry is not None and self.restoreGeometry(geometry):
            return
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(SIZE[0], screen.width()), min(SIZE[1], screen.height()))


def _settings_dialog(desk: Desk, parent: QWidget, page: str) -> SettingsDialog:
    """Return the settings; their parts are loaded now at the latest (see `application.LATER`)."""
    dialog: SettingsDialog = importlib.import_module("workbench.ui.settings.dialog").SettingsDialog(desk, parent, page=page)
    return dialog

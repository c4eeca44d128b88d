"""What a person can command in the window, with its keys; the menu, the palette and the composer's ``/`` offer the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from workbench.permissions.modes import MODES, mode_available
from workbench.ui.commands import Command, Commands
from workbench.ui.desk import Desk
from workbench.words import LANGUAGES, _, mode_name, tell

STOP_KEYS = "Esc"
"""No shortcut: the key reaches the window when nothing that is open had a use for it."""
ANYWHERE = frozenset({"call.reject", "call.allow"})
"""Commands whose keys work in every window of the program."""
ALSO = {"zoom.in": ("Ctrl+=",)}
"""Further keys for the same."""
MENU = (
    "session.new folder.open | palette.open chat.find | pane.side pane.inspector | zoom.in zoom.out zoom.reset | theme.system theme.light theme.dark"
    " | servers.find settings.open | program.quit"
)
"""What the menu at the upper left offers, in its order; a bar is a line."""
ICONS = {
    "session.new": "plus",
    "folder.open": "folder-open",
    "palette.open": "search",
    "chat.find": "search",
    "turn.stop": "stop",
    "call.review": "hand",
    "call.allow": "check",
    "call.reject": "cross",
    "choose.mode": "shield",
    "choose.model": "server",
    "trust.show": "shield",
    "confinement.show": "shield-check",
    "settings.permissions": "shield",
    "pane.side": "pane-left",
    "pane.inspector": "pane-right",
    "servers.find": "server",
    "settings.providers": "key",
    "settings.open": "settings",
}
FAMILY_ICONS = {"inspector": "pane-right", "mode": "shield", "theme": "theme", "language": "globe"}
LANGUAGE_NAMES = {"en": "English", "zh_CN": "简体中文"}


class Commanded(Protocol):
    """What commands need of the window."""

    @property
    def desk(self) -> Desk:
        """The program."""
        ...

    def new_session(self) -> None:
        """Begin a session and give the composer the keyboard."""

    def choose_folder(self) -> None:
        """Ask for a folder to open."""

    def open_palette(self) -> None:
        """Open the palette."""

    def find_in_chat(self) -> None:
        """Find in the chat."""

    def open_mode_menu(self) -> None:
        """Open the menu of modes."""

    def open_model_menu(self) -> None:
        """Open the menu of models."""

    def cycle(self, step: int) -> None:
        """Give the keyboard to the next pane, or the one before."""

    def toggle_side(self) -> None:
        """Show or hide the side pane."""

    def toggle_inspector(self) -> None:
        """Show or hide the inspector."""

    def show_inspector(self, tab: str) -> None:
        """Show a tab of the inspector."""

    def review(self) -> None:
        """Show the calls that wait."""

    def allow_front(self) -> None:
        """Allow the call in front once, or show it."""

    def reject_front(self) -> None:
        """Reject the call in front."""

    def scroll_to_end(self) -> None:
        """Show the end of the chat."""

    def change_zoom(self, steps: int) -> None:
        """Make everything larger or smaller; 0 for the usual size."""

    def use_theme(self, name: str) -> None:
        """Choose light, dark, or what the desktop says."""

    def use_language(self, name: str) -> None:
        """Choose a language."""

    def open_settings(self, page: str = "") -> None:
        """Open the settings."""

    def show_confinement(self) -> None:
        """Show what holds commands."""

    def find_servers(self) -> None:
        """Look for model servers on this machine."""

    def close(self) -> bool:
        """Close the window."""
        ...


def window_commands(window: Commanded) -> Commands:
    """Return all commands of a window, in the chosen language."""
    commands = Commands()
    for command in (*_work(window), *_looks(window), *_modes(window.desk)):
        commands.add(command)
    return commands


def add_shortcuts(commands: Commands, window: QWidget) -> list[QShortcut]:
    """Give every command its keys; the shortcuts belong to the window."""
    made: list[QShortcut] = []
    for command in commands.all():
        keys = (command.keys, *ALSO.get(command.command_id, ()))
        for sequence in keys:
            if sequence and sequence != STOP_KEYS:
                shortcut = QShortcut(QKeySequence.fromString(sequence), window)
                context = Qt.ShortcutContext.ApplicationShortcut if command.command_id in ANYWHERE else Qt.ShortcutContext.WindowShortcut
                shortcut.setContext(context)
                shortcut.setAutoRepeat(command.command_id not in ANYWHERE)  # a key that is held must not answer the next question too
                shortcut.activated.connect(lambda command_id=command.command_id: commands.run(command_id))
                made.append(shortcut)
    return made


def _work(window: Commanded) -> tuple[Command, ...]:
    bridge = window.desk.bridge

    def nothing_runs() -> str:
        return "" if bridge.running else _("No turn runs.")

    def nothing_waits() -> str:
        return "" if bridge.pending else _("No call waits for you.")

    def no_folder() -> str:
        return "" if window.desk.workspace is not None else _("Open a folder first.")

    def brings_nothing() -> str:
        return "" if window.desk.trust.shipped.digest else _("This folder brings nothing that would be asked about.")

    def no_session() -> str:
        return "" if bridge.opened is not None else _("Open a folder first.")

    return (
        _command("session.new", _("New session"), window.new_session, "Ctrl+N", no_folder),
        _command("folder.open", _("Open a folder…"), window.choose_folder, "Ctrl+O"),
        _command("palette.open", _("Search commands"), window.open_palette, "Ctrl+K"),
        _command("chat.find", _("Find in the chat"), window.find_in_chat, "Ctrl+F"),
        _command("chat.end", _("Go to the end of the chat"), window.scroll_to_end, "Ctrl+End"),
        _command("turn.stop", _("Stop the turn"), bridge.stop, STOP_KEYS, nothing_runs),
        _command("call.review", _("Review the calls that wait"), window.review, "", nothing_waits),
        _command("call.allow", _("Allow the call in front once"), window.allow_front, "Alt+Y", nothing_waits),
        _command("call.reject", _("Reject the call in front"), window.reject_front, "Alt+N", nothing_waits),
        _command("choose.mode", _("Choose the mode"), window.open_mode_menu, "Alt+M", no_session),
        _command("choose.model", _("Choose the model"), window.open_model_menu, "", no_session),
        _command("trust.show", _("What this folder brings, and whether it is trusted"), window.desk.trust.wanted.emit, "", brings_nothing),
        _command("confinement.show", _("How commands are held"), window.show_confinement),
        _command("settings.permissions", _("Rules and permissions"), lambda: window.open_settings("permissions")),
        _command("pane.next", _("Go to the next pane"), lambda: window.cycle(1), "F6"),
        _command("pane.previous", _("Go to the pane before"), lambda: window.cycle(-1), "Shift+F6"),
        _command("pane.side", _("Show or hide the side pane"), window.toggle_side, "Ctrl+B"),
        _command("pane.inspector", _("Show or hide the inspector"), window.toggle_inspector, "Ctrl+J"),
        _command("inspector.messages", _("Inspector: messages"), lambda: window.show_inspector("messages")),
        _command("inspector.requests", _("Inspector: requests"), lambda: window.show_inspector("requests")),
    )


def _looks(window: Commanded) -> tuple[Command, ...]:
    titles = {"system": _("Theme: like the system"), "light": _("Theme: light"), "dark": _("Theme: dark")}
    themes = (_command(f"theme.{name}", title, partial(window.use_theme, name)) for name, title in titles.items())
    words = (_command(f"language.{name}", _language_title(name), partial(window.use_language, name)) for name in LANGUAGES)
    return (
        _command("zoom.in", _("Larger"), lambda: window.change_zoom(1), "Ctrl++"),
        _command("zoom.out", _("Smaller"), lambda: window.change_zoom(-1), "Ctrl+-"),
        _command("zoom.reset", _("Usual size"), lambda: window.change_zoom(0), "Ctrl+0"),
        *themes,
        *words,
        _command("servers.find", _("Find local servers"), window.find_servers),
        _command("settings.providers", _("Add a provider…"), lambda: window.open_settings("providers")),
        _command("settings.open", _("Settings"), window.open_settings, "Ctrl+,"),
        _command("program.quit", _("Quit"), window.close, "Ctrl+Q"),
    )


def _modes(desk: Desk) -> tuple[Command, ...]:
    def why_not(mode: str) -> str:
        opened = desk.bridge.opened
        if opened is None:
            return _("Open a folder first.")
        refused = mode_available(next(known for known in MODES if known == mode), opened.bench.gatekeeper.facts)
        return tell(refused) if refused is not None else ""

    titles = ((mode, _("Mode: {name}").format(name=mode_name(mode))) for mode in MODES)
    return tuple(_command(f"mode.{mode}", title, partial(desk.bridge.choose_mode, mode), "", partial(why_not, mode)) for mode, title in titles)


def _command(command_id: str, title: str, run: Callable[[], object], keys: str = "", why_not: Callable[[], str] = str) -> Command:
    def quietly() -> None:
        run()

    icon = ICONS.get(command_id) or FAMILY_ICONS.get(command_id.partition(".")[0], "")
    return Command(command_id=command_id, title=title, run=quietly, keys=keys, why_not=why_not, icon=icon)


def _language_title(name: str) -> str:
    """Return a title in the language itself, so that whoever reads no other finds it."""
    return _("Language: {name}").format(name=LANGUAGE_NAMES[name])

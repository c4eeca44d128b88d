"""Completes names in the composer: files of the workspace after ``@``, commands after ``/``. Whatever arrives late is dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.conversation.events import Entry as JournalEntry
from workbench.conversation.events import ToolFinished
from workbench.permissions.visible import visible
from workbench.ui.commands import Command
from workbench.ui.desk import Desk
from workbench.ui.frame.completer import Completer
from workbench.ui.frame.errands import Errands
from workbench.ui.frame.file_finder import FileFinder, mention
from workbench.ui.frame.fuzzy import Found
from workbench.ui.frame.message_edit import Asked, MessageEdit
from workbench.ui.frame.slash_commands import command_entries
from workbench.ui.kit.popup_list import Entry
from workbench.words import _


class Completing(QObject):
    """Watches what is typed and shows what fits.

    Attributes:
        commands: returns the commands that can be chosen now.
    """

    def __init__(self, desk: Desk, edit: MessageEdit, owner: QWidget) -> None:
        super().__init__(owner)
        self._desk, self._edit, self._errands = desk, edit, Errands(desk, self)
        self.commands: Callable[[], Sequence[Command]] = tuple
        self._finder = FileFinder()
        self._files = Completer(owner, _("Files that fit"))
        self._commands = Completer(owner, _("Commands that fit"))
        self._asked: Asked | None = None
        self._closed_at: Asked | None = None
        self._by_button = False  # the list of commands was opened by its button: nothing stands in the text for it
        edit.asked.connect(self._ask)
        edit.takes_key = self._takes_key
        edit.completing = self._is_open
        edit.focus_changed.connect(self._focus_changed)
        self._files.chosen.connect(self._put_file)
        self._commands.chosen.connect(self._run_command)
        desk.bridge.facts.connect(self._hear)

    def begin_mention(self) -> None:
        """Type an ``@`` at the caret, which opens the list of files."""
        self._edit.setFocus()
        before = self._edit.textCursor().block().text()[: self._edit.textCursor().positionInBlock()]
        self._edit.insertPlainText("@" if not before or before[-1].isspace() else " @")

    def begin_command(self) -> None:
        """Open the list of commands, whatever is written."""
        self._edit.setFocus()
        if self._edit.toPlainText():
            self._by_button = True
            self._commands.show_entries(command_entries("", self.commands()))
        else:
            self._edit.insertPlainText("/")

    def _hear(self, entries: tuple[JournalEntry, ...]) -> None:
        if any(isinstance(entry.event, ToolFinished) for entry in entries):
            self._finder.forget()

    def _is_open(self) -> bool:
        return not self._files.isHidden() or not self._commands.isHidden()

    def _takes_key(self, event: QKeyEvent) -> bool:
        was_open = self._is_open()
        taken = self._files.takes_key(event) or self._commands.takes_key(event)
        if taken and was_open and not self._is_open():
            self._closed_at = self._asked  # Esc: it stays closed until something else is typed
        return taken

    def _ask(self, asked: Asked | None) -> None:
        if self._by_button:
            self._by_button = False
            self._hide()
        if asked == self._asked:
            return
        self._asked = asked
        if asked is None or (self._closed_at is not None and asked.kind == self._closed_at.kind and asked.query.startswith(self._closed_at.query)):
            self._hide()
            self._closed_at = None if asked is None else self._closed_at
        elif asked.kind == "command":
            self._files.hide()
            self._commands.show_entries(command_entries(asked.query, self.commands()))
        else:
            self._commands.hide()
            self._finder.look_in(self._desk.workspace.path if self._desk.workspace is not None else None)
            self._errands.spawn(self._find(asked), "find files")

    async def _find(self, asked: Asked) -> None:
        found = await self._finder.find(asked.query)
        if asked == self._asked and self._edit.hasFocus():
            self._files.show_entries([_entry(path) for path in found])

    def _put_file(self, path: str) -> None:
        if self._asked is not None:
            self._closed_at = None
            self._edit.complete(self._asked, mention(path) + " ")

    def _run_command(self, command_id: str) -> None:
        command = next((command for command in self.commands() if command.command_id == command_id), None)
        if self._asked is not None and not self._by_button:
            self._edit.complete(self._asked, "")
        if command is not None and not command.why_not():
            command.run()

    def _focus_changed(self) -> None:
        if not self._edit.hasFocus():
            self._hide()

    def _hide(self) -> None:
        self._files.hide()
        self._commands.hide()


def _entry(found: Found) -> Entry:
    """Return the row of a file; where hidden characters were made visible, places of letters would be others."""
    shown = visible(found.path)
    return Entry(entry_id=found.path, title=shown, offsets=found.offsets if shown == found.path else (), icon="file")

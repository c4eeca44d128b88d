"""Windows that show what a call changed, and what stands in a file. They only show; nothing is changed from here."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from workbench.conversation.calls import FileChange, Preview
from workbench.conversation.events import ToolFinished
from workbench.errors import StoreError
from workbench.permissions.visible import visible
from workbench.ui.approval.colouring import language_of
from workbench.ui.approval.diff_view import DiffView
from workbench.ui.desk import Desk
from workbench.ui.inspector.text_lines import TextLines
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.buttons import MenuButton
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.kit.theme import theme
from workbench.words import _, many, tell, tell_text

WIDE, TALL = 56, 40
"""Size in lines of text."""
LARGEST_BYTES = 64 << 20


class _FileWindow(QDialog):
    """A window with a line of words above one view. Esc closes it."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(visible(title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(WIDE * theme.lh, TALL * theme.lh)
        self._head = Ground("window", "b")
        self._words = QHBoxLayout(self._head)
        self._words.setContentsMargins(14, 4, 14, 5)
        self._words.setSpacing(12)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._head)

    def _add(self, view: QWidget) -> None:
        self._layout.addWidget(view, 1)
        view.setFocus()


class ChangesWindow(_FileWindow):
    """What one call did to files, one file at a time.

    Args:
        parent: the window.
        previews: a preview for each file, at least one.
        words: a few words for each.
    """

    def __init__(self, parent: QWidget, previews: Sequence[Preview], words: Sequence[str]) -> None:
        super().__init__(parent, _("What changed"))
        self._previews, self._notes = previews, words
        self._file = MenuButton("", "file", outlined=True)
        self._file.setAccessibleName(_("File"))
        self._file.clicked.connect(self._open_menu)
        self._note = Label("", "small", "muted", elide="right")
        self._words.addWidget(self._file)
        self._words.addWidget(self._note, 1)
        self.view = DiffView()
        self._add(self.view)
        self._show(0)

    def _show(self, place: int) -> None:
        preview = self._previews[place]
        self._file.show_choice(visible(preview.title))
        self._note.setText(self._notes[place])
        self.view.show_preview(preview)

    def _open_menu(self) -> None:
        entries = [Entry(entry_id=str(place), title=visible(preview.title), note=self._notes[place]) for place, preview in enumerate(self._previews)]
        menu = PopupMenu(entries, self, name=_("File"))
        menu.chosen.connect(lambda entry_id: self._show(int(entry_id)))
        menu.below(self._file)


class TextWindow(_FileWindow):
    """The text of one file.

    Args:
        parent: the window.
        name: its path.
        lines: its content.
    """

    def __init__(self, parent: QWidget, name: str, lines: TextLines) -> None:
        super().__init__(parent, name)
        label = Label(visible(name), "code", mono=True, elide="left")
        self._words.addWidget(label, 1)
        self._words.addWidget(Label(many("{n} line", "{n} lines", len(lines)), "small", "muted"))
        self.view = VirtualText(visible(name))
        self.view.show_lines(lines, language=language_of(name))
        self._add(self.view)


async def show_changes(desk: Desk, parent: QWidget, call_id: str) -> None:
    """Show what a call changed; if that is not kept any more, tell so."""
    opened = desk.bridge.opened
    finished = next((event for entry in reversed(desk.bridge.entries) if isinstance(event := entry.event, ToolFinished) and event.call_id == call_id), None)
    if opened is None or finished is None or not finished.files_changed:
        return
    changes = finished.files_changed
    try:
        previews = await asyncio.to_thread(lambda: [preview_of(change, opened.store.get) for change in changes])
    except (KeyError, StoreError) as error:
        why = tell(error) if isinstance(error, StoreError) else _("What the files held is not kept any more.")
        desk.told.emit(why, "warning")
        return
    ChangesWindow(parent, previews, [words_of(change) for change in changes]).show()


async def show_file(desk: Desk, parent: QWidget, path: Path) -> None:
    """Show a file's text; tell why if that cannot be."""
    try:
        lines = await asyncio.to_thread(_read, path)
    except OSError as error:
        text = _("{path} cannot be shown: {reason}.").format(path=visible(str(path)), reason=tell_text(error.strerror or str(error)))
        desk.told.emit(text, "warning")
        return
    workspace = desk.workspace
    inside = workspace is not None and path.is_relative_to(workspace.path)
    TextWindow(parent, str(path.relative_to(workspace.path)) if workspace is not None and inside else str(path), lines).show()


def preview_of(change: FileChange, content: Callable[[str], bytes]) -> Preview:
    """Return a change as a preview; bytes that are no text show as marks. Blocking.

    Raises:
        KeyError: a content is not kept.
        StoreError: it is damaged.
    """
    before, after = (content(sha256).decode("utf-8", "backslashreplace") if sha256 else None for sha256 in (change.before_sha256, change.after_sha256))
    if before is None:
        return Preview(kind="new_file", title=change.path, body=after or "", after=after or "")
    return Preview(kind="diff", title=change.renamed_to or change.path, before=before, after=after or "")


def words_of(change: FileChange) -> str:
    """Return what happened to a file in a few words."""
    happened = {"create": _("created"), "modify": _("changed"), "delete": _("deleted"), "rename": _("renamed")}
    return f"{happened[change.operation]} · +{change.added} −{change.removed}"


def _read(path: Path) -> TextLines:
    """Read a regular file; what could make a reader wait is not opened.

    Raises:
        OSError: it cannot be read, or is no such file.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(_("it is no file"))
    if status.st_size > LARGEST_BYTES:
        raise OSError(_("it is larger than {n} MB").format(n=LARGEST_BYTES >> 20))
    with path.open("rb") as file:
        return TextLines(file.read(LARGEST_BYTES))

"""Takes a request out of the window: as a command line on the clipboard, or its bytes into a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from workbench.errors import StoreError
from workbench.inspection.curl import Curl, curl
from workbench.inspection.requests import RequestRow
from workbench.redaction.redactor import Redactor
from workbench.store.session_store import SessionStore
from workbench.ui.desk import Desk
from workbench.ui.kit.file_dialog import file_dialog
from workbench.words import _, many, paragraph, tell, tell_text


class TakingOut(QObject):
    """Copies and saves for one view; what was done, or why not, is told by the desk."""

    def __init__(self, desk: Desk, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._view = desk, view
        self._redactor = Redactor(lambda: dict.fromkeys(desk.app.secrets(), "key"))

    def copy_as_curl(self, row: RequestRow) -> None:
        """Put the command that sends a request again on the clipboard; where its key was stands a variable."""
        if self._desk.bridge.opened is not None:
            self._desk.spawn(self._copy(self._desk.bridge.opened.store, row), name="copy as curl")

    async def _copy(self, store: SessionStore, row: RequestRow) -> None:
        try:
            body = await asyncio.to_thread(store.body, row.opened.body)
        except StoreError as error:
            self._desk.told.emit(tell(error), "error")
            return
        made = await asyncio.to_thread(curl, row.opened, body, self._redactor)
        QApplication.clipboard().setText(made.command)
        self._desk.told.emit(copied_words(made), "warning" if made.masked else "info")

    def save_bytes(self, row: RequestRow, *, response: bool, folder: Path) -> None:
        """Ask for a file and write the exact bytes of a request's body, or of its response, into it."""
        side = "response" if response else "body"
        dialog = file_dialog(self._view, _("Save the response's bytes") if response else _("Save the body's bytes"), str(folder))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog, on=False)
        dialog.selectFile(f"request-{row.number}-{side}")
        dialog.fileSelected.connect(lambda name: self._save(row, Path(name), response=response))
        dialog.open()

    def _save(self, row: RequestRow, path: Path, *, response: bool) -> None:
        if self._desk.bridge.opened is not None:
            self._desk.spawn(self._write(self._desk.bridge.opened.store, row, path, response=response), name="save bytes")

    async def _write(self, store: SessionStore, row: RequestRow, path: Path, *, response: bool) -> None:
        try:
            count = await asyncio.to_thread(_written, store, row, path, response=response)
        except StoreError as error:
            self._desk.told.emit(tell(error), "error")
        except OSError as error:
            words = _("{path} cannot be written: {reason}.").format(path=path, reason=tell_text(error.strerror or str(error)))
            self._desk.told.emit(words, "error")
        else:
            self._desk.told.emit(_("{n} bytes saved in {path}.").format(n=f"{count:,}", path=path), "info")


def _written(store: SessionStore, row: RequestRow, path: Path, *, response: bool) -> int:
    data = b"".join(chunk.data for chunk in store.chunks(row.exchange_id)) if response else store.body(row.opened.body)
    path.write_bytes(data)
    return len(data)


def copied_words(made: Curl) -> str:
    """Return what a person must know to use the command."""
    words = [_("Copied as a curl command.")]
    if made.variables:
        words.append(_("Set {names} to your key before you run it.").format(names=", ".join(made.variables)))
    if made.body_file:
        words.append(_("Its body is too large, or no text: save it beside as {file} with Save bytes.").format(file=made.body_file))
    if made.masked:
        words.append(_("A secret in the body was replaced when it was kept, so it is not what was sent."))
    if made.replaced:
        more = "{n} more secrets in the body were replaced for this copy; Save bytes has them."
        words.append(many("{n} more secret in the body was replaced for this copy; Save bytes has it.", more, made.replaced))
    return paragraph(*words)

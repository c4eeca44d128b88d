"""Copying a request as curl and saving bytes: exactly what was recorded, without its key, told in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog

from tests.ui.desks import Told, said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected
from workbench.conversation.exchange import Chunk
from workbench.inspection.curl import LARGEST_INLINE_BYTES, Curl
from workbench.ui.inspector.taking_out import copied_words


async def test_copied_command_holds_the_body_and_no_key(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        told = Told(at.desk)
        await said(gui, at.desk, "it's me")
        key = (await at.desk.app.practice()).key
        QApplication.clipboard().clear()
        await gui.click("Copy as curl, without the key")
        await gui.until(lambda: "Copied as a curl command." in told.last)
        command = QApplication.clipboard().text()
        assert command.startswith("curl ")
        assert key not in command
        assert '"$PROVIDER_KEY"' in command
        body = at.opened.store.body(at.rows[0].opened.body).decode()
        assert body.replace("'", "'\\''") in command
        assert "PROVIDER_KEY" in told.last


async def test_copied_command_is_without_what_looks_like_a_secret_and_says_so(gui: Gui, tmp_path: Path) -> None:
    pasted = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with inspected(tmp_path, gui) as at:
        told = Told(at.desk)
        await at.exchange([json.dumps({"text": f"use {pasted}"}).encode()])
        await gui.click("Copy as curl, without the key")
        await gui.until(lambda: "1 more secret in the body was replaced" in told.last)
        command = QApplication.clipboard().text()
        assert pasted not in command
        assert '{"text": "use [REDACTED:GitHub token]"}' in command


def test_what_a_person_must_know_is_told() -> None:
    assert copied_words(Curl("curl x")) == "Copied as a curl command."
    assert "request-3-body" in copied_words(Curl("curl x", "request-3-body"))
    assert "not what was sent" in copied_words(Curl("curl x", masked=True))


async def test_large_body_is_named_as_a_file(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        told = Told(at.desk)
        await at.exchange([json.dumps({"a": "x" * LARGEST_INLINE_BYTES}).encode()])
        await gui.click("Copy as curl, without the key")
        await gui.until(lambda: "request-1-body" in told.last)
        assert "@request-1-body" in QApplication.clipboard().text()


async def save(at: Inspected, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    await at.gui.until(lambda: at.tab.findChildren(QFileDialog))
    (dialog,) = at.tab.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.close()


async def test_bytes_of_both_sides_are_saved_as_they_are(gui: Gui, tmp_path: Path) -> None:
    request, response = b'{"a":"\xff\x00"}', b"data: \xe4\xbd\xa0\r\n\r\n"
    async with inspected(tmp_path, gui) as at:
        told = Told(at.desk)
        await at.exchange([request[:4], request[4:]], Chunk(0.1, response[:9]), Chunk(0.2, response[9:]))
        await gui.click("Save the body's bytes…")
        await save(at, tmp_path / "request")
        await gui.until(lambda: told.last.startswith(f"{len(request)} bytes saved in "))
        assert (tmp_path / "request").read_bytes() == request
        at.tab.choose_part("stream")
        await gui.click("Save the response's bytes…")
        await save(at, tmp_path / "response")
        await gui.until(lambda: told.last.startswith(f"{len(response)} bytes saved in "))
        assert (tmp_path / "response").read_bytes() == response


async def test_file_that_cannot_be_written_is_told(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        told = Told(at.desk)
        await at.exchange()
        await gui.click("Save the body's bytes…")
        await save(at, tmp_path / "no" / "such" / "folder")
        await gui.until(lambda: "cannot be written: No such file or directory." in told.last)
        assert told.sentences[-1][1] == "error"

"""The debug socket tells where named widgets are, to the user alone, and only if it is asked for."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from tests.ui.gui import Gui
from workbench.ui.debug_socket import VARIABLE, debug_server


async def ask(path: Path, name: str) -> list[dict[str, Any]]:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(name.encode() + b"\n")
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    told: list[dict[str, Any]] = json.loads(answer)
    return told


def window(gui: Gui) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    field, button, hidden = QLineEdit("typed"), QPushButton("Go"), QPushButton("x")
    for widget, name in ((field, "field"), (button, "go"), (hidden, "hidden")):
        widget.setAccessibleName(name)
        layout.addWidget(widget)
    button.setEnabled(False)
    gui.show(holder)
    hidden.hide()
    field.setFocus()
    return holder


async def test_widgets_are_told_by_name(gui: Gui, tmp_path: Path) -> None:
    holder = window(gui)
    path = tmp_path / "debug"
    async with debug_server({VARIABLE: str(path)}):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        (field,) = await ask(path, "field")
        assert (field["kind"], field["text"], field["enabled"], field["focus"]) == ("QLineEdit", "typed", True, True)
        assert field["rect"][2:] == [holder.findChild(QLineEdit).width(), holder.findChild(QLineEdit).height()]  # type: ignore[union-attr]
        (go,) = await ask(path, "go")
        assert (go["enabled"], go["focus"]) == (False, False)
        assert await ask(path, "hidden") == []
        assert sorted(told["name"] for told in await ask(path, "")) == ["field", "go"]
    assert not path.exists()


async def test_nothing_listens_without_the_variable(gui: Gui, tmp_path: Path) -> None:
    path = tmp_path / "debug"
    async with debug_server({}):
        with pytest.raises(FileNotFoundError):
            await ask(path, "")


async def test_client_that_leaves_or_says_nonsense_harms_nobody(gui: Gui, tmp_path: Path) -> None:
    path = tmp_path / "debug"
    window(gui)
    async with debug_server({VARIABLE: str(path)}):
        for nonsense in (b"", b"\xff\xfe\n", b"x" * 100_000):
            _reader, writer = await asyncio.open_unix_connection(path)
            writer.write(nonsense)
            writer.close()
        assert len(await ask(path, "go")) == 1


async def test_what_a_field_hides_is_not_told(gui: Gui, tmp_path: Path) -> None:
    path = tmp_path / "debug"
    secret = QLineEdit("sk-CANARY-0123456789")
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    secret.setAccessibleName("key")
    gui.show(secret)
    async with debug_server({VARIABLE: str(path)}):
        (told,) = await ask(path, "key")
        assert "CANARY" not in json.dumps(told)
        secret.setEchoMode(QLineEdit.EchoMode.Normal)
        (told,) = await ask(path, "key")
        assert told["text"] == "sk-CANARY-0123456789", "what can be seen is told"

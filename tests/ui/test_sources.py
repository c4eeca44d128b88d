"""What no file of the window may do: name a colour or a size of its own, show HTML, or wait inside a dialog."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench.ui

ROOT = Path(workbench.ui.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
KIT = ROOT / "kit"
HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
BANNED = {
    "QLabel": "kit.labels.Label reads no HTML",
    "QTextBrowser": "it opens links and files",
    "QMessageBox": "a sentence goes through desk.told, a question is a card or a menu",
    "setStyleSheet": "colours and sizes are tokens",
    "setToolTip": "kit.labels.plain_tip shows text letter by letter",
    "setHtml": "text of others is plain",
    "insertHtml": "text of others is plain",
    "appendHtml": "text of others is plain",
}
BANNED_CALLS = {
    "exec": "it stops the loop: open() and a signal",
    "exec_": "it stops the loop: open() and a signal",
    "getOpenFileName": "it stops the loop: open() and a signal",
    "getSaveFileName": "it stops the loop: open() and a signal",
    "getExistingDirectory": "it stops the loop: open() and a signal",
    "processEvents": "it runs others' code in the middle of this",
}
IN_KIT = {"QLabel", "setToolTip"}
"""What the kit may name, to make something safe of it."""


def faults(source: str, *, kit: bool = False) -> Iterator[str]:
    """Yield what is wrong with a source, with its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) if name in BANNED and not (kit and name in IN_KIT):
                yield f"{node.lineno}: {name}: {BANNED[name]}"
            case ast.Call(func=ast.Attribute(attr=name)) if name in BANNED_CALLS:
                yield f"{node.lineno}: {name}(): {BANNED_CALLS[name]}"
            case ast.Constant(value=str(value)) if HEX.fullmatch(value):
                yield f"{node.lineno}: {value}: a colour has a token"
            case ast.Call(func=ast.Name(id="QColor"), args=[ast.Constant(), *_]) if not kit:
                yield f"{node.lineno}: QColor: a colour has a token"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_of_the_window_names_no_colour_shows_no_html_and_does_not_wait(path: Path) -> None:
    assert not list(faults(path.read_text("utf-8"), kit=path.is_relative_to(KIT)))


@pytest.mark.parametrize(
    "source",
    [
        "QLabel('x')",
        "from PySide6.QtWidgets import QTextBrowser",
        "widget.setStyleSheet('color: red')",
        "document.setHtml(text)",
        "widget.setToolTip(name)",
        "dialog.exec()",
        "QMessageBox.warning(None, '', text)",
        "QFileDialog.getOpenFileName(self)",
        "ink = '#ff00aa'",
        "ink = QColor('red')",
        "ink = QColor(1, 2, 3)",
        "app.processEvents()",
    ],
)
def test_each_fault_is_found(source: str) -> None:
    assert list(faults(source))


def test_what_is_allowed_is_not_a_fault() -> None:
    assert not list(faults("label = Label('#3'); p.setPen(QColor(theme['text'])); heading = '#12 of 40'"))
    assert not list(faults("class Label(QLabel): ...", kit=True))

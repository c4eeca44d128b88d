"""Faults of other programs that people reported of texts in their windows: tests/cases/bug_reports_window.jsonl, in the whole window."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QHelpEvent, QTextDocument, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from tests.ui.driver import CASES, Case, Driver, driving
from tests.ui.gui import Gui
from workbench.inspection.timeline_items import PromptItem, TextItem
from workbench.ui.chat.blocks import Block
from workbench.ui.chat.code import CodeBlock
from workbench.ui.chat.documents import SafeDocument
from workbench.ui.chat.prose import ProseBlock
from workbench.ui.chat.stack_view import StackView
from workbench.ui.link_question import LinkQuestion
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse


def blocks(d: Driver, item: object) -> list[Block]:
    """Return the blocks that an item of the chat is shown with, laid out as they are painted."""
    view = d.chat.views[d.place_of(item)]
    assert isinstance(view, StackView)
    d.chat.viewport().grab()
    return view.stack._blocks


def document(block: Block) -> SafeDocument:
    """Return the document that a block of prose is painted with."""
    assert isinstance(block, ProseBlock)
    assert block.written is not None
    return block.written.document


def visible_text(d: Driver, item: object) -> str:
    """Return what is seen of an item."""
    shown = [block.code() if isinstance(block, CodeBlock) else document(block).toPlainText() for block in blocks(d, item)]
    return "\n\n".join(shown)


def prompt(d: Driver) -> PromptItem:
    return next(item for item in reversed(d.bridge.timeline.items) if isinstance(item, PromptItem))


async def stream(d: Driver, text: str, look: Callable[[str], None]) -> None:
    """Let the model say a text letter by letter, and look at the chat after each."""
    answer = await d.turn()
    for number, letter in enumerate(text, 1):
        answer.text(letter)
        await d.said()
        look(text[:number])
    answer.end()
    await d.rest()


def clipboard() -> str:
    """Return what is on the clipboard, which must be plain text and nothing else."""
    data = QGuiApplication.clipboard().mimeData()
    assert data.formats() == ["text/plain"]
    return data.text()


def clear_clipboard() -> None:
    QGuiApplication.clipboard().setText("before")


async def copy_item(d: Driver, item: object) -> str:
    """Go to an item with the keyboard, copy it, and return what is on the clipboard then."""
    clear_clipboard()
    d.chat.setFocus()
    d.chat.keyboard.go(d.place_of(item))
    d.gui.keys(d.chat, "Ctrl+C")
    return clipboard()


# The cases


async def html_is_text(d: Driver, case: Case, _folder: Path) -> None:
    model, person = case["input"]["actions"]
    await d.do(model)
    shown = visible_text(d, d.words)
    for wanted in (*case["expect"]["visible_contains"], "<ok>"):
        assert wanted in shown
    assert case["expect"]["copy_equals_source"]
    assert await copy_item(d, d.words) == model["markdown"]
    await d.do(person)
    item = prompt(d)
    assert visible_text(d, item) == person["markdown"]
    assert await copy_item(d, item) == person["markdown"]
    (copying,) = [point for target, point in d.targets(item) if target.action == "copy"]
    clear_clipboard()
    d.click_in_chat(copying)
    assert clipboard() == person["markdown"]


async def nested_fences(d: Driver, case: Case, _folder: Path) -> None:
    def look(text: str) -> None:
        code = [block.code() for block in blocks(d, d.words) if isinstance(block, CodeBlock)]
        if "```ruby\nputs" in text and "\n````\n" not in text:
            assert len(code) == 1, "an open fence is an open block of code"

    text = case["input"]["actions"][0]["markdown"]
    await stream(d, text, look)
    await d.do(*case["input"]["actions"])
    streamed, whole = [item for item in d.bridge.timeline.items if isinstance(item, TextItem)]
    for item in (streamed, whole):
        shown = blocks(d, item)
        assert [block.code() for block in shown if isinstance(block, CodeBlock)] == case["expect"]["code_blocks"]
        prose = [document(block) for block in shown if isinstance(block, ProseBlock)]
        assert [words.toPlainText() for words in prose] == case["expect"]["prose_contains"]
        assert bold_words(prose[-1]) == ["b"]


def bold_words(words: QTextDocument) -> list[str]:
    walk, found = words.begin().begin(), list[str]()
    while not walk.atEnd():
        fragment = walk.fragment()
        if fragment.charFormat().fontWeight() >= QFont.Weight.DemiBold:
            found.append(fragment.text())
        walk += 1
    return found


async def table_cells(d: Driver, case: Case, _folder: Path) -> None:
    text = case["input"]["actions"][0]["markdown"]
    await stream(d, text, lambda _text: None)
    await d.do(*case["input"]["actions"])
    items = [item for item in d.bridge.timeline.items if isinstance(item, TextItem)]
    assert len(items) == 2
    for item in items:
        (block,) = blocks(d, item)
        (table,) = [frame for frame in document(block).rootFrame().childFrames() if isinstance(frame, QTextTable)]
        cells = [[table.cellAt(row, column).firstCursorPosition().block() for column in range(table.columns())] for row in range(table.rows())]
        assert [[cell.text() for cell in row] for row in cells] == case["expect"]["table"]
        for row in cells:
            assert row[1].blockFormat().alignment() & Qt.AlignmentFlag.AlignRight
            assert not row[0].blockFormat().alignment() & Qt.AlignmentFlag.AlignRight


async def copy_exact(d: Driver, case: Case, _folder: Path) -> None:
    render, _click, _select = case["input"]["actions"]
    await d.do(render)
    (copying,) = [point for target, point in d.targets(d.words) if target.action == "copy"]
    clear_clipboard()
    d.click_in_chat(copying)
    assert clipboard() == case["expect"]["clipboard"]
    clear_clipboard()
    area = d.chat.area_of(d.place_of(d.words))
    drag(d, area.topLeft().toPoint() + QPoint(2, 12), area.bottomRight().toPoint() - QPoint(2, 4))
    d.gui.keys(d.chat, "Ctrl+C")
    assert clipboard() == case["expect"]["clipboard"]


    await copy_inside_a_list(d)


async def copy_inside_a_list(d: Driver) -> None:
    """Copy a part of code whose lines end as on Windows and that stands in an item: neither belongs to the code."""
    text = "1. Do:\r\n\r\n   ```py\r\n   if x:\r\n     z\r\n   ```\r\n"
    await d.do({"do": "render", "role": "assistant", "markdown": text})
    d.targets(d.words)
    view = d.chat.views[d.place_of(d.words)]
    assert view.plain_text() == text
    assert view.selected_text(text.index("if"), text.index("z\r") + 1) == "if x:\n  z"
    assert view.selected_text(text.index("x:"), text.index("z\r")) == "x:\n  "
    (copying,) = [point for target, point in d.targets(d.words) if target.action == "copy"]
    d.click_in_chat(copying)
    assert clipboard() == "if x:\n  z"


def drag(d: Driver, start: QPoint, end: QPoint) -> None:
    viewport = d.chat.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(viewport, (start + end) / 2)
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)


async def ime_enter(d: Driver, case: Case, _folder: Path) -> None:
    edit = d.window.frame.composer.edit
    *compose, commit, enter, ni, asks, you = case["input"]["actions"]
    await d.do(*compose)
    assert not d.bridge.running, "the first Enter sends nothing"
    await d.do(commit)
    assert edit.toPlainText() == case["expect"]["sent"][0]
    await d.do(enter)
    await d.gui.until(lambda: d.bridge.running)
    await d.do(ni)
    await d.do(asks)
    assert edit.textCursor().block().layout().preeditAreaText() == ni["preedit"], "the question does not end the composing"
    await d.do(you)
    assert edit.toPlainText() == case["expect"]["composer"]
    d.gui.keys(edit, "Shift+Return")
    assert edit.toPlainText() == case["expect"]["composer"] + "\n"
    said = [message.text() for message in d.session.messages if message.role == "user" and message.text()]
    assert said == case["expect"]["sent"]
    assert not d.session.queued
    assert len(d.bridge.pending) == 1


class Opened(QObject):
    """Takes what would go to the browser or the mail program.

    Attributes:
        addresses: what came, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    @Slot(QUrl)
    def take(self, address: QUrl) -> None:
        """Note an address."""
        self.addresses.append(address.toString())


@contextmanager
def instead_of_the_browser() -> Iterator[Opened]:
    opened = Opened()
    for scheme in ("http", "https", "mailto", "file", "javascript", "data", "ftp"):
        QDesktopServices.setUrlHandler(scheme, opened, "take")  # type: ignore[arg-type]
    yield opened
    for scheme in ("http", "https", "mailto", "file", "javascript", "data", "ftp"):
        QDesktopServices.unsetUrlHandler(scheme)


@contextmanager
def opens_of(path: Path) -> Iterator[Callable[[], int]]:
    """Yield what tells how often a file was opened since the last time, by anybody."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert watch >= 0
    assert libc.inotify_add_watch(watch, os.fsencode(path), 0x20) >= 0  # IN_OPEN

    def count() -> int:
        try:
            return len(os.read(watch, 1 << 16)) // struct.calcsize("iIII")
        except BlockingIOError:
            return 0

    yield count
    os.close(watch)


async def no_remote_images(d: Driver, case: Case, folder: Path) -> None:
    asked: list[str] = []

    async def answers(request: ServerRequest) -> ServerResponse:
        asked.append(request.target)
        return ServerResponse(200, [], b"x")

    secret = folder / "hostname"
    secret.write_text("secret")
    async with LoopbackServer(answers) as server:
        with opens_of(secret) as opens, instead_of_the_browser() as opened:
            _serve, render, *_rest = case["input"]["actions"]
            text = render["markdown"].replace("{port}", str(server.port)).replace("/etc/hostname", str(secret))
            await d.do(render | {"markdown": text})
            assert "p (127.0.0.1)" in visible_text(d, d.words)
            assert "<img src=" in visible_text(d, d.words)
            await click_link(d, f"http://127.0.0.1:{server.port}/click", opened)
            assert await openable(d) == ["mailto:a@b.example", "https://a.example/"]
            assert len(asked) == case["expect"]["requests_before_click"], asked
            assert opens() == case["expect"]["file_reads"]
            secret.read_text()
            assert opens() == 1, "whoever opens the file is noticed"


async def openable(d: Driver) -> list[str]:
    """Return which links of a text that has links of all kinds could be opened."""
    links = "[m](mailto:a@b.example) [s](https://a.example/) [j](javascript:alert(1)) [f](file:///etc/hostname) [d](data:text/html,x) [t](ftp://a.example/)"
    await d.do({"do": "render", "role": "assistant", "markdown": links})
    return [target.argument for target, _point in d.targets(d.words) if target.action == "open_link"]


async def click_link(d: Driver, address: str, opened: Opened) -> None:
    """Point at the only link, click on it, say no, click again, say yes."""
    (link,) = [point for target, point in d.targets(d.words) if target.action == "open_link"]
    QTest.mouseMove(d.chat.viewport(), link)
    QApplication.sendEvent(d.chat.viewport(), QHelpEvent(QEvent.Type.ToolTip, link, d.chat.viewport().mapToGlobal(link)))
    assert address in QToolTip.text()
    QToolTip.hideText()
    for answer, expected in (("Do not open", []), ("Open", [address])):
        d.click_in_chat(link)
        await d.gui.settle()
        assert opened.addresses == []
        (question,) = [question for question in d.window.findChildren(LinkQuestion) if question.is_open]
        assert question.address.text() == address
        await d.gui.until(partial(getattr, question.guard, "is_open"))
        await d.gui.click(answer)
        assert opened.addresses == expected


CHECKS: dict[str, Callable[[Driver, Case, Path], Coroutine[Any, Any, None]]] = {
    "html-is-text": html_is_text,
    "nested-fences": nested_fences,
    "table-cells": table_cells,
    "copy-exact": copy_exact,
    "ime-enter": ime_enter,
    "no-remote-images": no_remote_images,
}


@pytest.mark.parametrize("name", CHECKS)
async def test_a_reported_fault_is_not_ours(gui: Gui, tmp_path: Path, name: str) -> None:
    async with driving(gui, tmp_path) as d:
        await CHECKS[name](d, CASES[name], tmp_path)
